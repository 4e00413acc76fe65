import Testing

/// Runs tests that keep their thread waiting for a child one after the other.
///
/// There are as many threads for tests as cores. Were all of them waiting, no other test would go on,
/// and a deadline would pass with nobody to see that it was kept.
struct WaitingTrait: SuiteTrait, TestTrait, TestScoping {
  let isRecursive = true

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    await Turn.shared.take()
    let result: Result<Void, any Error>
    do { result = .success(try await function()) } catch { result = .failure(error) }
    await Turn.shared.pass()
    try result.get()
  }
}

extension Trait where Self == WaitingTrait {
  /// Waits for children, and so runs while no other test with this trait does.
  static var waiting: Self { WaitingTrait() }
}

/// Whose turn it is among tests that wait.
private actor Turn {
  static let shared = Turn()

  private var isTaken = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  func take() async {
    if isTaken {
      await withCheckedContinuation { waiting.append($0) }
    } else {
      isTaken = true
    }
  }

  func pass() {
    if waiting.isEmpty { isTaken = false } else { waiting.removeFirst().resume() }
  }
}
