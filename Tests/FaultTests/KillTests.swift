import TestSupport
import Testing

/// Killed at any place and moment, the command loses nothing and repeats only what was in flight.
struct KillTests {
  @Test(arguments: Scene.Plot.allCases)
  func `An undisturbed run tells everything once`(plot: Scene.Plot) async throws {
    let scene = try await Scenes.shared.scene(plot)
    let trial = try scene.trial()
    let result = try await trial.run(scene.arguments, phase: "one")
    #expect(result.status == plot.status)
    for channel in scene.channels where channel != .broken {
      let told = trial.heard(channel, "one").flatMap(\.self)
      #expect(Set(told) == scene.expected[channel], "\(channel)")
      #expect(told.count == Set(told).count, "\(channel)")
    }
    #expect(scene.expected.values.allSatisfy { !$0.isEmpty })
    let keepsPlans = [.unchangedReload, .deliver, .recovery].contains(plot)
    #expect((scene.before != scene.after) != keepsPlans)
    try await scene.finish(trial, "an undisturbed run")
  }

  @Test func `Every place where the program can be stopped is passed by some scene`()
    async throws
  {
    var passed: Set<String> = []
    for plot in Scene.Plot.allCases {
      passed.formUnion(try await Scenes.shared.scene(plot).trace)
    }
    let named = try Failpoints.named()
    #expect(!named.isEmpty)
    #expect(named.subtracting(passed).sorted() == [], "no scene passes there")
  }

  @Test(arguments: Scene.Plot.allCases)
  func `Killed at any failpoint, it loses nothing`(plot: Scene.Plot) async throws {
    let scene = try await Scenes.shared.scene(plot)
    let passes =
      Effort.isFull
      ? Failpoints.passes(scene.trace)
      : Failpoints.sample(
        scene.trace, common: Set(try await Scenes.shared.scene(.firstLoad).trace),
        rotation: Scene.Plot.allCases.firstIndex(of: plot) ?? 0)
    #expect(!passes.isEmpty)
    try await forEach(passes) { pass in
      let what = "\(plot) killed at \(pass)"
      let trial = try scene.trial()
      let killed = try await trial.run(
        scene.arguments, phase: "one",
        variables: ["CHECK_LOANS_FAILPOINT": "\(pass)=kill"])
      #expect(killed.ending == .signaled(9), "\(what): \(killed.errorText)")
      try await scene.checkAfterDisturbance(trial, what)
      try await scene.finish(trial, what)
    }
  }

  @Test(arguments: [
    ("shared-before-commit:1", 0), ("shared-committed:1", 12_000),
    ("shared-before-commit:2", 12_000), ("shared-committed:2", 18_001),
  ])
  func `Killed among many catalogues, it keeps those that were committed`(
    place: String, kept: Int
  ) async throws {
    let folder = try ScratchFolder()
    let trial = try Trial(in: folder, schedule: nil)
    let catalogues = try [6_000, 6_000, 6_000, 1].enumerated().map { number, loans in
      try folder.write(
        Library(loans: loans, due: 0, today: Scene.today).xml, to: "\(number).xml")
      return "\(folder.path)/\(number).xml"
    }
    let killed = try await trial.run(
      catalogues, phase: "one", variables: ["CHECK_LOANS_FAILPOINT": "\(place)=kill"])
    #expect(killed.ending == .signaled(9))
    let list = try await trial.run(["schedule", "list"], phase: "list")
    #expect(
      trial.folder.contents(of: "stdout.list").split(separator: "\n").count == kept,
      "\(list.errorText)")
    try await trial.run(catalogues, phase: "two")
    let told = trial.folder.contents(of: "stdout.two")
    #expect(told.contains("18001 scheduled"), "\(told)")
  }

  @Test func `Killed at any moment, it loses nothing`() async throws {
    let seed = testVariable("CHECK_LOANS_SEED").flatMap { UInt64($0) } ?? .random(in: 1...(.max))
    print("random moments: CHECK_LOANS_SEED=\(seed)")
    var generator = SplitMix(seed: seed)
    let plots: [Scene.Plot] = [.reload, .firstLoad, .deliver, .fewDue]
    let moments = (0..<Effort.kills).map { number in
      (number, plots[number % plots.count], Double.random(in: 0...1.1, using: &generator))
    }
    try await forEach(moments) { number, plot, part in
      let scene = try await Scenes.shared.scene(plot)
      let what = "\(plot) killed after \(part) of its time (seed \(seed), \(number))"
      let trial = try scene.trial()
      let run = try RunningCommand(
        try trial.command(scene.arguments, phase: "one"))
      try await Task.sleep(for: scene.duration * part)
      run.send(.kill)
      _ = try await run.end()
      try await scene.checkAfterDisturbance(trial, what)
      try await scene.finish(trial, what)
    }
  }
}

/// Random numbers that a seed repeats; Steele, Lea and Flood, "Fast splittable pseudorandom number
/// generators", 2014.
struct SplitMix: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
