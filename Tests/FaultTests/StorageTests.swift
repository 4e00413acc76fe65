import TestSupport
import Testing

/// Whatever the disk refuses, the schedule is the old one or the new one and nothing is lost.
struct StorageTests {
  private static let plots: [Scene.Plot] =
    Effort.isFull ? [.firstLoad, .reload, .deliver] : [.firstLoad, .reload]

  @Test(arguments: FailingCalls.Fault.allCases, plots)
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
