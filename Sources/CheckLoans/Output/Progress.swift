import LoanCatalogue
import Loans
import Synchronization
import System

/// Shows on a terminal how far a run has come, if it takes longer than a second.
final class Progress: Sendable {
  private struct State {
    /// The progress of each catalogue, by its place among all.
    var readings: [Int: ReadingProgress] = [:]
    /// Bytes of all catalogues; `nil` if one is standard input.
    var total: Int??
    var next: Duration
  }

  private let catalogues: [String]
  private let line: StatusLine
  private let columns: Int
  private let start = ContinuousClock.now
  private let state = Mutex(State(next: .seconds(1)))
  private static let pause = Duration.milliseconds(200)

  /// - Returns: `nil` where standard error is not a terminal that can show it.
  init?(of catalogues: [String], _ environment: Environment, _ console: Console) {
    guard ProcessSetup.isErrorATerminal, let terminal = environment["TERM"], terminal != "dumb"
    else { return nil }
    self.catalogues = catalogues
    line = console.statusLine
    columns = ProcessSetup.errorColumns ?? 80
  }

  /// A function that notes how far a catalogue has come.
  ///
  /// - Parameter number: its place among all.
  func notes(of number: Int) -> @Sendable (ReadingProgress) -> Void {
    { self.note($0, of: number) }
  }

  /// Notes how far a catalogue has come.
  private func note(_ reading: ReadingProgress, of number: Int) {
    let elapsed = start.duration(to: .now)
    let text = state.withLock { state -> String? in
      state.readings[number] = reading
      guard elapsed >= state.next else { return nil }
      state.next = elapsed + Self.pause
      return self.text(&state, elapsed)
    }
    if let text { line.show(text) }
  }

  private func text(_ state: inout State, _ elapsed: Duration) -> String {
    let total = state.total ?? totalSize()
    state.total = .some(total)
    let bytes = state.readings.values.reduce(0) { $0 + $1.bytes }
    let loans = state.readings.values.reduce(0) { $0 + $1.loans }
    return Self.text(bytes: bytes, total: total, loans: loans, elapsed: elapsed, columns: columns)
  }

  private func totalSize() -> Int? {
    var total = 0
    for path in catalogues {
      guard let size = FileVersion(of: path)?.regularSize else { return nil }
      total += size
    }
    return total
  }

  /// `120 of 240 MB, 475000 loans, 2 s left`.
  static func text(
    bytes: Int, total: Int?, loans: Int, elapsed: Duration, columns: Int
  ) -> String {
    let megabytes = bytes / 1_000_000
    var text =
      total.map { "\(megabytes) of \(max($0 / 1_000_000, megabytes)) MB" }
      ?? "\(megabytes) MB"
    text += ", \(counted(loans, "loan"))"
    if let total, bytes > 0, total >= bytes {
      let left = elapsed * (Double(total - bytes) / Double(bytes))
      text += ", \(words(forSeconds: Int(left.components.seconds) + 1)) left"
    }
    // A full line would go on in the next one, which is never removed.
    return String(text.prefix(max(0, columns - 1)))
  }

  private static func words(forSeconds seconds: Int) -> String {
    seconds < 120 ? "\(seconds) s" : "\(seconds / 60) min"
  }
}
