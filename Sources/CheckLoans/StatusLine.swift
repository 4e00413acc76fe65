import Notifiers
import Synchronization

/// A line at the end of a terminal's standard error that is written over and over, and is gone once
/// anything else is written.
final class StatusLine: Sendable {
  private enum State { case hidden, shown, forbidden }

  private let output: CheckedOutput
  private let state = Mutex(State.hidden)

  init(_ output: CheckedOutput) { self.output = output }

  /// Shows a text without control characters in place of the one before.
  func show(_ text: String) {
    state.withLock { state in
      guard state != .forbidden else { return }
      write("\r\(text)\u{1B}[K")
      state = .shown
    }
  }

  /// Removes the line, so that something else can be written.
  ///
  /// - Parameter forGood: whether there is to be none from now on.
  func clear(forGood: Bool = false) {
    state.withLock { state in
      if state == .shown { write("\r\u{1B}[K") }
      if forGood { state = .forbidden } else if state == .shown { state = .hidden }
    }
  }

  private func write(_ text: String) {
    try? output.write(text)
    try? output.flush()
  }
}
