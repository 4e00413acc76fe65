import TestSupport
import Testing

/// Whatever the disk refuses, the schedule is the old one or the new one and nothing is lost.
struct StorageTests {
  private static let all = [Scene.Plot.firstLoad, .reload, .deliver].flatMap { plot in
    FailingCalls.Fault.allCases.map { fault in (fault, plot) }
  }

  @Test(arguments: Effort.isFull ? all : [(.noSpace, .firstLoad), (.inputOutput, .reload)])
  func `A call that fails loses nothing`(fault: FailingCalls.Fault, plot: Scene.Plot)
    async throws
  {
    let scene = try await Scenes.shared.scene(plot, loans: 200)
    var number = 1
    var isReached = true
    while isReached {
      isReached = false
      for stays in Effort.isFull ? [false, true] : [number % 2 == 0]
      where try await tryOut(fault, at: number, stays: stays, scene) {
        isReached = true
      }
      number += Effort.isFull || number < 8 ? 1 : number / 3
    }
    #expect(number > 8, "hardly any call was seen")
  }

  /// - Returns: whether there was such a call.
  private func tryOut(
    _ fault: FailingCalls.Fault, at number: Int, stays: Bool, _ scene: Scene
  ) async throws -> Bool {
    let trial = try scene.trial()
    let result = try await trial.run(
      scene.arguments, phase: "one",
      variables: try await FailingCalls.variables(fault, at: number, stays: stays, trial))
    let calls = trial.folder.contents(of: "faults").split(separator: "\n")
    let call = calls.first.map(String.init) ?? "none"
    let what = "\(scene.plot), \(fault) in call \(number)\(stays ? " and all later" : "") (\(call))"
    checkEnd(result, calls.isEmpty ? [0] : fault.statuses, what)
    try await scene.checkAfterDisturbance(trial, what)
    try await scene.finish(trial, what, repeats: .lastOfEach)
    return !calls.isEmpty
  }
}

/// A schedule belongs to one host.
struct NetworkFileSystemTests {
  /// The types of NFS, SMB and Ceph, as in statfs(2).
  @Test(arguments: [(0x6969, "NFS"), (0xFF53_4D42, "SMB"), (0x00C3_6400, "Ceph")])
  func `A schedule where another host may use it is refused, unless the user knows better`(
    type: UInt32, name: String
  ) async throws {
    let desk = try Desk(catalogue: catalogue(("Abigél", "2026.11.22")))
    let state = "\(desk.folder.path)/share"
    let variables = try await FailingCalls.variables(type: type, below: state)
    try desk.folder.makeDirectory("share")
    for place in ["\(state)/s.sqlite", "\(state)/check-loans/schedule.sqlite"] {
      let options = ["--state", place, "--notify", "stdout"]
      let refused = try await desk.run(["books.xml"] + options, variables: variables)
      #expect(
        refused.outcome
          == Outcome(
            78,
            errors: """
              check-loans: the schedule "\(place)" is on a network file system (\(name)), where locks \
              cannot be trusted; name a file on a disk of this host with --state, or, if no other host \
              uses it, set network-state = true

              """))
      #expect(try File.names(in: state) == [])
    }
    let options = ["--state", "\(state)/s.sqlite", "--notify", "stdout"]
    let told = try await desk.run(
      ["books.xml", "--network-state"] + options, variables: variables)
    #expect(told.outcome == Outcome(0, output: "\"Abigél\" expires tomorrow (2026.11.22)\n"))
    // A report alone needs no schedule.
    let report = try await desk.run(["books.xml", "--state", "none"], variables: variables)
    #expect(report.status == 0)
  }

  @Test func `FUSE and a disk of this host are taken`() async throws {
    let desk = try Desk(catalogue: catalogue(("Abigél", "2026.11.22")))
    for type: UInt32 in [0x6573_5546, 0xEF53] {
      let variables = try await FailingCalls.variables(type: type, below: desk.folder.path)
      #expect(try await desk.run(["books.xml"], variables: variables).status == 0)
    }
  }
}

/// Catalogues that share a commit need no temporary file, of which nobody would think.
struct TemporaryFileTests {
  @Test func `A reload of several catalogues works where no temporary file can be made`()
    async throws
  {
    let folder = try ScratchFolder()
    let trial = try Trial(in: folder, schedule: nil)
    let names = ["a.xml", "b.xml"]
    for loans in [4_000, 3_000] {
      let library = Library(loans: loans, due: 0, today: Scene.today)
      for name in names { try folder.write(library.xml, to: name) }
      // SQLite takes a directory that seems to be writable: this one does, to root at least.
      let result = try await trial.run(
        names.map { "\(folder.path)/\($0)" }, phase: "\(loans)",
        variables: ["SQLITE_TMPDIR": "/proc"])
      #expect(result.outcome == .init(0))
      let told = trial.folder.contents(of: "stdout.\(loans)")
      #expect(told.contains("\(loans * 2) scheduled"), "\(told)")
    }
  }
}

/// A read that fails once says nothing about the file: it is not damaged, and nothing is forgotten.
struct ReadFaultTests {
  @Test(arguments: Effort.isFull ? FailingCalls.ReadFault.allCases : [.inputOutput])
  func `A read of the schedule that fails is no damage`(
    fault: FailingCalls.ReadFault
  ) async throws {
    let scene = try await Scenes.shared.scene(.reload, loans: 200)
    let step = Effort.isFull ? 1 : 4
    var (number, failures) = (1, 0)
    while try await tryOut(fault, at: number, scene, &failures) { number += step }
    #expect(number > 20, "hardly any read was seen")
    #expect(failures > 3, "hardly any read was needed")
  }

  /// - Returns: whether there was such a read.
  private func tryOut(
    _ fault: FailingCalls.ReadFault, at number: Int, _ scene: Scene, _ failures: inout Int
  ) async throws -> Bool {
    let trial = try scene.trial()
    let result = try await trial.run(
      scene.arguments, phase: "one",
      variables: try await FailingCalls.variables(fault, at: number, trial))
    if trial.folder.contents(of: "faults").isEmpty { return false }
    let what = "\(fault) in read \(number)"
    checkEnd(result, [0, 71, 74], what)
    if result.status != 0 { failures += 1 }
    #expect(!result.errorText.contains("is damaged"), "\(what): \(result.errorText)")
    try await scene.checkAfterDisturbance(trial, what)
    try await scene.finish(trial, what)
    return true
  }
}

/// Checks that a run ended with one of these statuses, and so many clear lines if it is not 0.
func checkEnd(
  _ result: CommandResult, _ statuses: Set<Int32>, _ what: String,
  lines count: ClosedRange<Int> = 1...1
) {
  guard let status = result.status else {
    Issue.record("\(what): ended by \(result.ending): \(result.errorText)")
    return
  }
  let lines = result.errorLines
  #expect(statuses.contains(status), "\(what): status \(status): \(result.errorText)")
  #expect((status == 0 ? 0...0 : count).contains(lines.count), "\(what): \(result.errorText)")
  #expect(lines.allSatisfy { $0.hasPrefix("check-loans: ") }, "\(what): \(result.errorText)")
}
