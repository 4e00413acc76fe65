internal import Synchronization

/// A source of the events of a schedule: any number of observers get each event once, in the order in
/// which they happened.
public final class ScheduleEvents: Sendable {
  /// The sequences of the observers; `nil` after the end.
  private let continuations = Mutex<[AsyncStream<ScheduleEvent>.Continuation]?>([])
  private let onEvent: @Sendable (ScheduleEvent) -> Void

  /// - Parameter onEvent: called with each event when it happens; it must not take long, and must not
  ///   use the schedule.
  public init(onEvent: @escaping @Sendable (ScheduleEvent) -> Void = { _ in }) {
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
    continuations.withLock { continuations in
      if continuations == nil { continuation.finish() }
      continuations?.append(continuation)
    }
    return stream
  }

  /// Ends the sequences of all observers, after the events that were announced.
  public func finish() {
    continuations.withLock { continuations in
      for continuation in continuations ?? [] { continuation.finish() }
      continuations = nil
    }
  }

  func announce(_ event: ScheduleEvent) {
    onEvent(event)
    continuations.withLock { continuations in
      continuations?.removeAll { continuation in
        if case .terminated = continuation.yield(event) { true } else { false }
      }
    }
  }
}
