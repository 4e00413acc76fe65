internal import Synchronization

/// A source of the events of a schedule: any number of observers get each event once, in the order in
/// which they happened.
public final class ScheduleEvents: Sendable {
  private struct State {
    var continuations: [Int: AsyncStream<ScheduleEvent>.Continuation] = [:]
    var nextNumber = 0
    var isFinished = false
  }

  private let state = Mutex(State())
  private let onEvent: (@Sendable (ScheduleEvent) -> Void)?

  /// - Parameter onEvent: called with each event when it happens; it must not take long, and must not
  ///   use the schedule.
  public init(onEvent: (@Sendable (ScheduleEvent) -> Void)? = nil) {
    self.onEvent = onEvent
  }

  deinit {
    finish()
  }

  /// All events from now on, for one observer.
  ///
  /// Events that an observer has not consumed yet are kept, so it should keep up. The sequence ends
  /// with ``finish()``, or when this value goes away.
  public func stream() -> AsyncStream<ScheduleEvent> {
    let (stream, continuation) = AsyncStream.makeStream(of: ScheduleEvent.self)
    let number = state.withLock { state -> Int? in
      if state.isFinished { return nil }
      state.nextNumber += 1
      state.continuations[state.nextNumber] = continuation
      return state.nextNumber
    }
    guard let number else {
      continuation.finish()
      return stream
    }
    continuation.onTermination = { [weak self] _ in
      self?.state.withLock { state in _ = state.continuations.removeValue(forKey: number) }
    }
    return stream
  }

  /// Ends the sequences of all observers, after the events that were announced.
  public func finish() {
    let continuations = state.withLock { state in
      state.isFinished = true
      defer { state.continuations = [:] }
      return state.continuations.values
    }
    for continuation in continuations { continuation.finish() }
  }

  /// Whether there is any observer.
  var areObserved: Bool { onEvent != nil || state.withLock { !$0.continuations.isEmpty } }

  func announce(_ event: ScheduleEvent) {
    onEvent?(event)
    let continuations = state.withLock { $0.continuations.values }
    for continuation in continuations { continuation.yield(event) }
  }
}
