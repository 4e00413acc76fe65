public import Loans

/// A way to tell someone about loans.
public protocol Notifier: Sendable {
  /// Under this name deliveries are recorded: `stdout`, `notify-send`.
  var channel: String { get }

  /// Groups what is due into messages; each message is delivered whole or not at all.
  ///
  /// - Parameter notices: everything that this run delivers through the channel.
  /// - Returns: every notice exactly once, in the order given; no message is empty.
  func messages(for notices: [Notice]) -> [ArraySlice<Notice>]

  /// Sends one message and returns once it has been handed over.
  ///
  /// - Parameters:
  ///   - message: one of ``messages(for:)``; nothing happens if it is empty.
  ///   - today: the day that the words count from.
  /// - Throws: ``NotifierError``; the message then counts as not delivered.
  func send(_ message: ArraySlice<Notice>, today: CivilDate) async throws(NotifierError)
}
