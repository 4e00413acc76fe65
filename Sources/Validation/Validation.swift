package import CommandOutput
import Dispatch
import LoanCatalogue
import Synchronization
import System

/// One run of `validate`: reads catalogues, several side by side, and reports what is wrong with them
/// in the order in which they were given.
///
/// A catalogue whose turn has come is reported while it is read. One that is read before its turn waits
/// as soon as it has found so much that keeping it would take memory: with two threads, `a.xml` is
/// printed as it is read, and `b.xml` is kept until `a.xml` is finished.
package final class Validation: Sendable {
  private struct State {
    /// The next catalogue to be read.
    var next = 0
    /// The catalogue that is reported now.
    var turn = 0
    /// Catalogues that were read before their turn.
    var finished: [Int: ResultsWriter.Piece] = [:]
    /// Threads that wait for a turn.
    var waiting: [(turn: Int, signal: DispatchSemaphore)] = []
    /// Why nothing more is wanted, if that is so.
    var failure: CommandError?
    var writer: ResultsWriter

    mutating func write(_ piece: ResultsWriter.Piece) throws(CommandError) {
      if let failure { throw failure }
      do throws(CommandError) {
        try writer.add(piece)
      } catch {
        failure = error
        throw error
      }
    }
  }

  private let request: ValidationRequest
  private let console: Console
  private let progress: Progress?
  private let state: Mutex<State>
  /// The number of catalogues that each thread may be ahead of the one that is reported.
  private static let lead = 16

  /// - Throws: ``CommandError`` if the results cannot be written.
  package init(_ request: ValidationRequest, _ console: Console) throws(CommandError) {
    self.request = request
    self.console = console
    progress = request.isQuiet ? nil : Progress(of: request.catalogues, request.variables, console)
    state = Mutex(State(writer: try ResultsWriter(request, console)))
  }

  /// - Throws: ``CommandError`` if nothing more can be done.
  package func run() throws(CommandError) -> ExitStatus {
    let threads = (1..<max(1, request.jobs)).compactMap { _ in
      try? SystemThread { self.validateNext() }
    }
    validateNext()
    for thread in threads { thread.join() }
    return try state.withLock { state throws(CommandError) in
      if let failure = state.failure { throw failure }
      console.statusLine.clear()
      try state.writer.end()
      if !request.isQuiet { console.printError(state.writer.tally.words) }
      return state.writer.status.worse(state.writer.tally.errors > 0 ? .findings : .done)
    }
  }

  /// Validates one catalogue after another until there are none left.
  private func validateNext() {
    while let number = next() {
      wait(forTurn: number - Self.lead * request.jobs)
      var last = ResultsWriter.Piece()
      do throws(CommandError) {
        last = try validate(number)
      } catch {
        state.withLock { $0.failure = $0.failure ?? error }
      }
      finish(number, last)
    }
  }

  private func next() -> Int? {
    state.withLock { state in
      guard state.failure == nil, state.next < request.catalogues.count else { return nil }
      defer { state.next += 1 }
      return state.next
    }
  }

  /// - Returns: the last of what was found.
  private func validate(_ number: Int) throws(CommandError) -> ResultsWriter.Piece {
    var reader = request.reader
    reader.onProgress = progress?.notes(of: number)
    var validation = CatalogueValidation(of: request.catalogues[number], request, reader) {
      piece throws(CommandError) in
      self.wait(forTurn: number)
      try self.state.withLock { state throws(CommandError) in try state.write(piece) }
    }
    return try validation.run()
  }

  private func finish(_ number: Int, _ last: ResultsWriter.Piece) {
    state.withLock { state in
      state.finished[number] = last
      while let piece = state.finished.removeValue(forKey: state.turn) {
        // A failure is noted there.
        try? state.write(piece)
        state.turn += 1
      }
      for thread in state.waiting where thread.turn <= state.turn { thread.signal.signal() }
      state.waiting.removeAll { $0.turn <= state.turn }
    }
  }

  private func wait(forTurn turn: Int) {
    let signal = state.withLock { state -> DispatchSemaphore? in
      if turn <= state.turn { return nil }
      let signal = DispatchSemaphore(value: 0)
      state.waiting.append((turn, signal))
      return signal
    }
    signal?.wait()
  }
}
