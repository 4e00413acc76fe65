import Synchronization
import System

/// A line at the end of a terminal's standard error that is written over and over, and is gone once
/// anything else is written.
package final class StatusLine: Sendable {
  private enum State { case hidden, shown, forbidden }

  /// An output that waits for nobody: where the terminal takes nothing, only this line is lost.
  private let output = CheckedOutput(descriptor: 2, timeout: .zero)
  private let state = Mutex(State.hidden)

  /// Shows a text without control characters in place of the one before.
  func show(_ text: String) {
    state.withLock { state in
      guard state != .forbidden else { return }
      state = write("\r\(text)\u{1B}[K") ? .shown : .forbidden
    }
  }

  /// Removes the line.
  package func clear() { whileHidden {} }

  /// Removes the line for good.
  func forbid() {
    state.withLock { state in
      hide(&state)
      state = .forbidden
    }
  }

  /// Writes something else than the line.
  func whileHidden(_ body: () -> Void) {
    state.withLock { state in
      hide(&state)
      body()
    }
  }

  private func hide(_ state: inout State) {
    if state == .shown { state = write("\r\u{1B}[K") ? .hidden : .forbidden }
  }

  private func write(_ text: String) -> Bool {
    (try? output.write(text)) != nil && (try? output.flush()) != nil
  }
}
