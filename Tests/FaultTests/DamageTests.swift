import TestSupport
import Testing

/// A schedule that was damaged is left as it is, with a line that says so.
struct DamageTests {
  private static let page = 4_096

  private func scene() async throws -> Scene {
    try await Scenes.shared.scene(.reload, loans: 200)
  }

  /// The bytes of the scene's schedule.
  private func schedule(_ scene: Scene) throws -> [UInt8] {
    try File.bytes(of: "\(scene.folder.path)/\(Trial.schedule)")
  }

  /// Runs the scene with these bytes as its schedule.
  ///
  /// - Returns: whether the damage was seen.
  @discardableResult
  private func tryOut(_ bytes: [UInt8], _ scene: Scene, mustBeSeen: Bool, _ what: String)
    async throws -> Bool
  {
    let trial = try scene.trial()
    try trial.folder.write(bytes: bytes, to: Trial.schedule)
    let result = try await trial.run(scene.arguments, phase: "one")
    #expect(result.status != nil, "\(what): \(result.ending)")
    if result.status == 0 {
      #expect(!mustBeSeen, "\(what): not seen")
      return false
    }
    checkEnd(result, [74, 78], what)
    let sentences = [
      "is damaged; restore it", "is not a database; move it", "newer version", "another",
    ]
    #expect(
      sentences.contains { result.errorText.contains($0) }, "\(what): \(result.errorText)")
    #expect(trial.heard(.stdout, "one").isEmpty, "\(what): told before the damage was seen")
    #expect(try File.bytes(of: trial.path) == bytes, "\(what): the damaged file has changed")
    try trial.folder.remove(Trial.schedule)
    for phase in ["two", "three"] {
      let next = try await trial.run(scene.arguments, phase: phase)
      #expect(next.outcome == CommandResult.Outcome(0), "\(what)")
    }
    #expect(try await trial.integrity() == "ok", "\(what)")
    #expect(try await trial.plans() == scene.after.withoutPast, "\(what)")
    for channel in scene.channels {
      let told = ["one", "two"].flatMap { trial.heard(channel, $0).flatMap(\.self) }
      #expect(told.count == Set(told).count, "\(what): repeated through \(channel)")
      if scene.expected[channel]?.first?.kind != "digest" {
        let lost = scene.expected[channel]?.subtracting(told) ?? []
        #expect(lost.isEmpty, "\(what): lost through \(channel): \(lost)")
      }
      #expect(trial.heard(channel, "three").isEmpty, "\(what)")
    }
    return true
  }

  @Test func `A file that is cut off at a page`() async throws {
    let scene = try await scene()
    let bytes = try schedule(scene)
    let sizes = (1..<bytes.count / Self.page).map { $0 * Self.page } + [100, 1_000, 5_000]
    try await forEach(sizes.sorted()) { size in
      try await tryOut(
        Array(bytes.prefix(size)), scene, mustBeSeen: true, "cut off at \(size) of \(bytes.count)")
    }
  }

  @Test func `A flipped bit in any page`() async throws {
    let scene = try await scene()
    let bytes = try schedule(scene)
    var generator = SplitMix(seed: 1)
    var positions: [(Int, Int)] = []
    for page in 0..<bytes.count / Self.page {
      // The first bytes of a page tell what it is; those behind are cells, or nothing.
      let offsets =
        (Effort.isFull ? [0, 3, 5, 8] : [0, 5])
        + (0..<(Effort.isFull ? 12 : 1)).map { _ in
          Int.random(in: 0..<Self.page, using: &generator)
        }
      for offset in offsets {
        positions.append((page * Self.page + offset, Int.random(in: 0..<8, using: &generator)))
      }
    }
    let seen = Counter()
    try await forEach(positions) { position, bit in
      var flipped = bytes
      flipped[position] ^= 1 << bit
      let what = "bit \(bit) of byte \(position) flipped"
      if try await tryOut(flipped, scene, mustBeSeen: false, what) { await seen.increment() }
    }
    #expect(await seen.value > 10, "of \(positions.count) flipped bits too few were seen")
  }

  private static let garbage: [(String, [UInt8])] = [
    ("text", Array("Dear diary, today I was good. ".utf8)),
    ("zeroes", [UInt8](repeating: 0, count: 8_192)),
    ("noise", noise()),
  ]

  private static func noise() -> [UInt8] {
    var generator = SplitMix(seed: 2)
    return (0..<20_000).map { _ in .random(in: 0...255, using: &generator) }
  }

  @Test(arguments: garbage.map(\.0))
  func `Garbage in the place of the schedule is left as it is`(what: String) async throws {
    let bytes = try #require(Self.garbage.first { $0.0 == what }).1
    let scene = try await scene()
    let trial = try scene.trial()
    try trial.folder.write(bytes: bytes, to: Trial.schedule)
    let result = try await trial.run(scene.arguments, phase: "one")
    checkEnd(result, [74, 78], what)
    #expect(try File.bytes(of: trial.path) == bytes)
    try trial.folder.rename(Trial.schedule, to: "state/aside")
    #expect(
      try await trial.run(scene.arguments, phase: "two").outcome == CommandResult.Outcome(0))
    #expect(try await trial.plans() == scene.after.withoutPast)
  }

  @Test func `An empty file is a new schedule`() async throws {
    let scene = try await scene()
    let trial = try scene.trial()
    try trial.folder.write(bytes: [], to: Trial.schedule)
    let results = [
      try await trial.run(scene.arguments, phase: "one"),
      try await trial.run(scene.arguments, phase: "two"),
    ]
    #expect(results[1].outcome == CommandResult.Outcome(0))
    let told = ["one", "two"].flatMap { trial.heard(.stdout, $0).flatMap(\.self) }
    #expect(scene.expected[.stdout]?.isSubset(of: told) == true)
    #expect(told.count == Set(told).count)
    #expect(try await trial.plans() == scene.after.withoutPast)
  }

  @Test(arguments: [
    ("a newer version's", 60, [0, 0, 0, 99]), ("another program's", 68, [0x47, 0x46, 0x53, 0x47]),
    ("no program's", 68, [0, 0, 0, 0]),
  ])
  func `A file that is not for us is refused and stays as it is`(
    what: String, offset: Int, mark: [UInt8]
  ) async throws {
    let scene = try await scene()
    let trial = try scene.trial()
    var bytes = try schedule(scene)
    bytes.replaceSubrange(offset..<offset + 4, with: mark)
    try trial.folder.write(bytes: bytes, to: Trial.schedule)
    for arguments in [scene.arguments, ["deliver"], ["schedule", "list"]] {
      checkEnd(try await trial.run(arguments, phase: "one"), [78], what)
      #expect(try File.bytes(of: trial.path) == bytes, "\(what)")
    }
    #expect(trial.heard(.stdout, "one").isEmpty)
  }

  @Test(arguments: ["symbolic link", "hard link", "named pipe"])
  func `What is no plain file of one name is refused`(what: String) async throws {
    let scene = try await scene()
    let trial = try scene.trial()
    let folder = trial.folder
    let bytes = try File.bytes(of: trial.path)
    try folder.rename(Trial.schedule, to: "elsewhere")
    switch what {
    case "symbolic link": try folder.makeLink(Trial.schedule, to: "\(folder.path)/elsewhere")
    case "hard link": try folder.makeHardLink(Trial.schedule, to: "elsewhere")
    default: try folder.makeNamedPipe(Trial.schedule)
    }
    for arguments in [scene.arguments, ["deliver"], ["schedule", "list"]] {
      let result = try await trial.run(arguments, phase: "one")
      checkEnd(result, [77], what)
    }
    #expect(try File.bytes(of: "\(folder.path)/elsewhere") == bytes)
  }

  @Test func `A file that is deleted while a run uses it costs no notice`() async throws {
    let scene = try await scene()
    let places = Set(scene.trace).sorted()
    try await forEach(places) { place in
      let trial = try scene.trial()
      let run = try RunningCommand(
        try trial.command(
          scene.arguments, phase: "one",
          variables: ["CHECK_LOANS_FAILPOINT": "\(place)=stop"]))
      #expect(try await run.waitUntilStopped(), "\(place)")
      try trial.folder.remove(Trial.schedule)
      run.send(.goOn)
      checkEnd(try await run.end(), [0, 73, 74, 77, 78], "deleted at \(place)")
      #expect(
        try await trial.run(scene.arguments, phase: "two").outcome == CommandResult.Outcome(0),
        "\(place)")
      let told = ["one", "two"].flatMap { trial.heard(.stdout, $0).flatMap(\.self) }
      #expect(scene.expected[.stdout]?.isSubset(of: told) == true, "deleted at \(place)")
      #expect(try await trial.plans().withoutPast == scene.after.withoutPast, "deleted at \(place)")
      #expect(try await trial.integrity() == "ok")
    }
  }
}

/// Counts what happens at the same time.
private actor Counter {
  private(set) var value = 0

  func increment() { value += 1 }
}
