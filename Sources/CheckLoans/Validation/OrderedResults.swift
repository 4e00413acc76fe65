import Dispatch
import Synchronization

/// Brings what several threads find into the order of the catalogues.
///
/// A catalogue whose turn has come goes straight on; one that is ahead of it waits as soon as it
/// has found so much that keeping it would take memory.
final class OrderedResults: Sendable {
  private struct State {
    var turn = 0
    var finished: [Int: ResultsSink.Piece] = [:]
    var waiting: [Int: DispatchSemaphore] = [:]
    var failure: CommandError?
    let sink: ResultsSink

    mutating func put(_ piece: ResultsSink.Piece) throws(CommandError) {
      if let failure { throw failure }
      do throws(CommandError) {
        try sink.add(piece)
      } catch {
        failure = error
        throw error
      }
    }
  }

  private let state: Mutex<State>

  init(_ sink: sending ResultsSink) {
    state = Mutex(State(sink: sink))
  }

  /// Why nothing more is wanted, if that is so.
  var failure: CommandError? { state.withLock { $0.failure } }

  /// Notes why nothing more is wanted; the first reason counts.
  func fail(_ error: CommandError) {
    state.withLock { $0.failure = $0.failure ?? error }
  }

  /// Hands over a part of a catalogue's results; waits for the catalogue's turn.
  ///
  /// - Throws: ``CommandError`` if the results cannot be written.
  func add(_ piece: ResultsSink.Piece, of number: Int) throws(CommandError) {
    waitForTurn(number)
    try state.withLock { state throws(CommandError) in try state.put(piece) }
  }

  /// Hands over the last of a catalogue's results.
  ///
  /// - Returns: how many catalogues are finished now that were not before.
  func finish(_ piece: ResultsSink.Piece, of number: Int) -> Int {
    state.withLock { state in
      state.finished[number] = piece
      var count = 0
      while let next = state.finished.removeValue(forKey: state.turn) {
        // What fails is noted there.
        try? state.put(next)
        state.turn += 1
        count += 1
      }
      state.waiting.removeValue(forKey: state.turn)?.signal()
      return count
    }
  }

  private func waitForTurn(_ number: Int) {
    let signal = state.withLock { state -> DispatchSemaphore? in
      if state.turn == number { return nil }
      let signal = DispatchSemaphore(value: 0)
      state.waiting[number] = signal
      return signal
    }
    signal?.wait()
  }

  /// Ends the results.
  ///
  /// - Throws: ``CommandError`` if they cannot be written.
  func end<Result: Sendable>(
    _ body: (ResultsSink) throws(CommandError) -> Result
  ) throws(CommandError) -> Result {
    try state.withLock { state throws(CommandError) in
      if let failure = state.failure { throw failure }
      return try body(state.sink)
    }
  }
}
