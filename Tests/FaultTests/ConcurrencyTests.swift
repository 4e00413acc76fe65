import TestSupport
import Testing

/// Many runs at a time, and none disturbs another.
struct ConcurrencyTests {
  @Test func `Fifty runs at once tell each notice once`() async throws {
    let scene = try await Scenes.shared.scene(.unchangedReload)
    let trial = try scene.trial()
    // A program first, so that it takes a while.
    let channels = [Channel.program, .stdout]
    let notify = channels.flatMap { ["--notify", $0.name(programs: scene.folder.path)] }
    let check = notify + ["\(scene.folder.path)/books.xml"]
    let kinds = [
      check, ["deliver", "--config", "\(scene.folder.path)/listed.toml"] + notify,
      ["schedule", "list"],
      ["schedule", "cancel", "999999"], check,
    ]
    var runs: [(arguments: [String], run: RunningCommand)] = []
    let lock = try HeldLock("\(trial.path).lock")
    for number in 0..<50 {
      let arguments = kinds[number % kinds.count]
      var command = try trial.command(arguments, phase: "one")
      if arguments[0] == "schedule" { command.output = .captured }
      runs.append((arguments, try RunningCommand(command)))
    }
    lock.release()
    for (arguments, run) in runs {
      let result = try await run.end()
      let fine: Set<Int32> =
        switch arguments.prefix(2) {
        case ["schedule", "list"]: [0]
        case ["schedule", "cancel"]: [64, 75]
        default: [0, 75]
        }
      checkEnd(result, fine, "\(arguments.prefix(2))")
      if arguments[1] == "list" { #expect(result.lines.count == scene.before.count) }
    }
    for channel in channels {
      let told = trial.heard(channel, "one").flatMap(\.self)
      #expect(Set(told) == scene.expected[channel])
      #expect(told.count == Set(told).count, "told twice through \(channel)")
    }
    #expect(try await trial.integrity() == "ok")
    #expect(try await trial.plans() == scene.after)
  }

  @Test func `A run that finds another at work ends with 75 and changes nothing`() async throws {
    let scene = try await Scenes.shared.scene(.reload, loans: 200)
    let trial = try scene.trial()
    let first = try await stopped(scene, trial, at: scene.trace[scene.trace.count / 2])
    // All wait at the same time.
    try await forEach([scene.arguments, ["deliver"], ["schedule", "cancel", "--all"]]) {
      arguments in
      let second = try await trial.run(arguments, phase: "two")
      checkEnd(second, [75], "\(arguments)")
      #expect(second.elapsed >= .seconds(4), "it waits for a while")
    }
    #expect(trial.heard(.stdout, "two").isEmpty)
    try trial.folder.write("one\n", to: "phase")
    first.send(.goOn)
    #expect(try await first.end().outcome == CommandResult.Outcome(0))
    try await scene.finish(trial, "after a run that found another")
    #expect(trial.heard(.stdout, "two").isEmpty)
  }

  /// The run of a scene, stopped in the middle.
  private func stopped(_ scene: Scene, _ trial: Trial, at place: String) async throws
    -> RunningCommand
  {
    var command = try trial.command(
      scene.arguments, phase: "one",
      variables: ["CHECK_LOANS_FAILPOINT": "\(place)=stop"])
    // It waits while other runs do not get the lock.
    command.deadline = .seconds(600)
    let run = try RunningCommand(command)
    guard try await run.waitUntilStopped() else {
      throw Unexpected("not stopped at \(place)", try await run.end())
    }
    return run
  }

  @Test func `A reader sees the old or the new schedule while a run is under way`() async throws {
    let scene = try await Scenes.shared.scene(.reload, loans: 200)
    for place in Set(scene.trace).sorted() {
      let trial = try scene.trial()
      let run = try await stopped(scene, trial, at: place)
      // Of the file itself, since it must bear being read now.
      let plans = try await trial.plans(ofCopy: false)
      #expect(plans == scene.before || plans == scene.after, "at \(place)")
      run.send(.goOn)
      #expect(try await run.end().outcome == CommandResult.Outcome(0), "at \(place)")
      try await scene.finish(trial, "read at \(place)")
      #expect(trial.heard(.stdout, "two").isEmpty)
    }
  }

  @Test func `A killed holder frees the lock at once`() async throws {
    let scene = try await Scenes.shared.scene(.reload, loans: 200)
    for place in Set(scene.trace).sorted() {
      let trial = try scene.trial()
      let run = try await stopped(scene, trial, at: place)
      run.send(.kill)
      #expect(try await run.end().ending == .signaled(9))
      let next = try await trial.run(scene.arguments, phase: "two")
      #expect(next.outcome == CommandResult.Outcome(0), "killed at \(place)")
    }
  }

  @Test(arguments: Channel.all.filter { $0 != .stdout })
  func `A program that hangs does not keep the lock when its starter is killed`(channel: Channel)
    async throws
  {
    let scene = try await Scenes.shared.scene(.fewDue, loans: 200)
    let trial = try scene.trial()
    let arguments = [
      "--notify", channel.name(programs: scene.folder.path), "\(scene.folder.path)/books.xml",
    ]
    let run = try RunningCommand(try trial.command(arguments, phase: "hanging"))
    let end = ContinuousClock.now + .seconds(20)
    while !trial.folder.contains("hangs"), ContinuousClock.now < end {
      try await Task.sleep(for: .milliseconds(5))
    }
    #expect(trial.folder.contains("hangs"), "\(channel) was not reached")
    run.send(.kill)
    #expect(try await run.end().ending == .signaled(9))
    // While a process becomes another program, it has no command line.
    var left = Processes.mentioning(trial.folder.path)
    while left.isEmpty, ContinuousClock.now < end {
      try await Task.sleep(for: .milliseconds(5))
      left = Processes.mentioning(trial.folder.path)
    }
    #expect(!left.isEmpty, "the program does not hang")
    let next = try await trial.run(arguments, phase: "two")
    #expect(next.outcome == CommandResult.Outcome(0))
    #expect(Set(trial.heard(channel, "two").flatMap(\.self)) == scene.expected[channel])
    for number in left.keys { Processes.kill(number) }
  }
}
