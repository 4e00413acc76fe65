public import Loans

/// The circumstances in which messages are sent.
public struct DeliveryContext: Sendable, Hashable {
  /// The library's civil time; a message counts days from its date.
  public var now: CivilDateTime
  /// How many notices of the schedule are open, for badges.
  public var openCount: Int

  /// The circumstances at `now`, with this many open notices.
  public init(now: CivilDateTime, openCount: Int) {
    self.now = now
    self.openCount = openCount
  }
}

/// A way to tell someone about loans.
public protocol Notifier: Sendable {
  /// The name under which deliveries are recorded: `stdout`, `notify-send`, `exec:PROGRAM`.
  var channel: String { get }

  /// How many messages may be noted in the ledger by one commit, at least 1.
  ///
  /// More than one only makes sense where sending one costs less than a commit. Those that were sent
  /// and not yet noted are sent again after a power cut.
  var messagesPerCommit: Int { get }

  /// Groups what is due into messages; each message is delivered whole or not at all.
  ///
  /// - Parameter notices: everything that this run delivers through the channel.
  /// - Returns: every notice exactly once, in the order given; no message is empty.
  func messages(for notices: [Notice]) -> [ArraySlice<Notice>]

  /// Sends one message and returns once it has been handed over; the thread waits meanwhile.
  ///
  /// - Parameters:
  ///   - message: one of ``messages(for:)``; nothing happens if it is empty.
  ///   - context: the time from which a message counts, and what else it needs to know.
  /// - Throws: ``NotifierError``; the message then counts as not delivered.
  func send(_ message: ArraySlice<Notice>, in context: DeliveryContext) throws(NotifierError)
}

extension Notifier {
  /// 1, a commit for each message.
  public var messagesPerCommit: Int { 1 }
}
