import Dispatch
public import Testing

/// Runs tests that keep their thread busy or waiting for seconds on a thread apart, one after the
/// other.
///
/// There are as many threads for tests as cores. Were all of them taken, no other test would go on,
/// and what it does within a deadline would come too late.
public struct OwnThreadTrait: SuiteTrait, TestTrait, TestScoping {
  /// Whether it holds for each test of a suite: it does.
  public let isRecursive = true

  /// Waits for its turn and runs the test, on a thread apart.
  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await Self.turn.pass {
      try await withTaskExecutorPreference(ThreadsApart.shared) { try await function() }
    }
  }

  private static let turn = Turnstile(places: 1)
}

extension Trait where Self == OwnThreadTrait {
  /// Keeps its thread for seconds, and so runs on one apart, while no other test with this trait does.
  public static var ownThread: Self { OwnThreadTrait() }
}

/// Threads that are none of those for all tests.
private final class ThreadsApart: TaskExecutor {
  static let shared = ThreadsApart()

  private let queue = DispatchQueue(label: "tests on threads apart", attributes: .concurrent)

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { [self] in unsafe job.runSynchronously(on: asUnownedTaskExecutor()) }
  }
}
