import Glibc
package import LoanCatalogue
import Synchronization
import System
import SystemPackage

/// Shows on a terminal how far a run has come, if it takes longer than a second.
package final class Progress: Sendable {
  private struct State {
    /// The progress of each catalogue, by its place among all.
    var readings: [Int: ReadingProgress] = [:]
    var next = Duration.seconds(1)
  }

  /// Bytes of all catalogues; `nil` if one is standard input.
  private let total: Int?
  private let line: StatusLine
  private let columns: Int
  private let start = ContinuousClock.now
  private let state = Mutex(State())
  private static let pause = Duration.milliseconds(200)

  /// - Returns: `nil` where standard error is not a terminal that can show it.
  package init?(of catalogues: [String], _ variables: [String: String], _ console: Console) {
    guard ProcessSetup.isErrorATerminal, let terminal = variables["TERM"], terminal != "dumb"
    else { return nil }
    let sizes = catalogues.map { (try? Stat(of: $0))?.regularSize }
    total = sizes.contains(nil) ? nil : sizes.compactMap(\.self).reduce(0, +)
    line = console.statusLine
    columns = ProcessSetup.terminalSize(at: STDERR_FILENO)?.columns ?? 80
  }

  /// A function that notes how far a catalogue has come.
  ///
  /// - Parameter number: its place among all.
  package func notes(of number: Int) -> @Sendable (ReadingProgress) -> Void {
    { [self] reading in
      let elapsed = start.duration(to: .now)
      let text = state.withLock { state -> String? in
        state.readings[number] = reading
        guard elapsed >= state.next else { return nil }
        state.next = elapsed + Self.pause
        let bytes = state.readings.values.reduce(0) { $0 + $1.bytes }
        let loans = state.readings.values.reduce(0) { $0 + $1.loans }
        return Self.text(
          bytes: bytes, total: total, loans: loans, elapsed: elapsed, columns: columns)
      }
      if let text { line.show(text) }
    }
  }

  /// `120 of 240 MB, 475000 loans, 2 s left`.
  package static func text(
    bytes: Int, total: Int?, loans: Int, elapsed: Duration, columns: Int
  ) -> String {
    let megabytes = bytes / 1_000_000
    var text =
      total.map { "\(megabytes) of \(max($0 / 1_000_000, megabytes)) MB" }
      ?? "\(megabytes) MB"
    text += ", \(counted(loans, "loan"))"
    if let total, bytes > 0, total >= bytes {
      let left = elapsed * (Double(total - bytes) / Double(bytes))
      let seconds = left.components.seconds + 1
      text += ", \(seconds < 120 ? "\(seconds) s" : "\(seconds / 60) min") left"
    }
    // A full line would go on in the next one, which is never removed.
    return String(text.prefix(max(0, columns - 1)))
  }
}
