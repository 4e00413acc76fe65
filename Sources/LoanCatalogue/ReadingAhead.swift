internal import Dispatch
internal import Loans
internal import Synchronization

/// What a reader has to hand over.
enum ReadingEvent: Sendable {
  case record(LoanRecord)
  case diagnostic(Diagnostic)
}

/// Reads a catalogue on a thread of its own, a little ahead of those who use what it holds.
///
/// Parsing and storing take about as long, so that with two cores a large catalogue takes little
/// more than half the time.
final class ReadingAhead: Sendable {
  private static let batchSize = 256
  private static let batchBytes = 1 << 20
  private static let batchesAhead = 8

  private struct State {
    var batches: [[ReadingEvent]] = []
    var isCancelled = false
    /// What came out at the end; `nil` before.
    var result: Result<CatalogueSummary, any Error>?
  }

  /// Thrown into the reader when nobody wants the rest.
  private struct Cancelled: Error {}

  private let state = Mutex(State())
  private let room = DispatchSemaphore(value: 0)
  private let supply = DispatchSemaphore(value: 0)

  /// Starts to read.
  ///
  /// - Parameter read: reads the whole catalogue, and hands over each event in order.
  init(_ read: @escaping @Sendable ((ReadingEvent) throws -> Void) throws -> CatalogueSummary) {
    // A semaphore must not end below the value that it began with.
    for _ in 0..<Self.batchesAhead { room.signal() }
    // A queue of its own gets a thread of its own, however few the machine has cores.
    DispatchQueue(label: "reading ahead").async { [self] in
      var batch: [ReadingEvent] = []
      var bytes = 0
      let result = Result {
        try read { event in
          batch.append(event)
          if case .record(let record) = event { bytes += record.size }
          if batch.count == Self.batchSize || bytes > Self.batchBytes {
            try hand(over: batch)
            batch.removeAll(keepingCapacity: true)
            bytes = 0
          }
        }
      }
      // Also before a failure: what was read before it has been read. If nobody wants it, this
      // throws at once.
      try? hand(over: batch)
      state.withLock { $0.result = result }
      supply.signal()
    }
  }

  private func hand(over batch: [ReadingEvent]) throws {
    try checkWanted()
    room.wait()
    try checkWanted()
    state.withLock { $0.batches.append(batch) }
    supply.signal()
  }

  private func checkWanted() throws {
    if state.withLock({ $0.isCancelled }) { throw Cancelled() }
  }

  /// Calls `use` with each event, in order.
  ///
  /// - Throws: what `use` or the reading threw; in either case the reading has ended.
  func forEach(_ use: (ReadingEvent) throws -> Void) throws -> CatalogueSummary {
    while true {
      supply.wait()
      let batch = state.withLock { $0.batches.isEmpty ? nil : $0.batches.removeFirst() }
      guard let batch else { break }
      room.signal()
      do {
        for event in batch { try use(event) }
      } catch {
        cancel()
        throw error
      }
    }
    let result = state.withLock { $0.result }
    guard let result else { preconditionFailure("a reading without events has no result") }
    return try result.get()
  }

  /// Waits until the reader has noticed.
  private func cancel() {
    state.withLock { $0.isCancelled = true }
    // It may be waiting once, and never again.
    room.signal()
    while state.withLock({ $0.result == nil }) { supply.wait() }
  }
}
