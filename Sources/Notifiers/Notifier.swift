public import Loans

/// When messages are sent, and among how many open notices.
public struct Occasion: Sendable, Hashable {
  /// The library's civil time; the words of a message count from its day.
  public var now: CivilDateTime
  /// How many notices of the schedule are open, for badges.
  public var openCount: Int

  /// The moment `now`, with so many open notices.
  public init(now: CivilDateTime, openCount: Int) {
    self.now = now
    self.openCount = openCount
  }
}

/// A way to tell someone about loans.
public protocol Notifier: Sendable {
  /// Under this name deliveries are recorded: `stdout`, `notify-send`, `exec:PROGRAM`.
  var channel: String { get }

  /// How many messages may be marked in the ledger together, at least 1: more only where sending
  /// one costs less than marking it. Those that were sent and not yet marked are sent again after
  /// a crash.
  var messagesPerMark: Int { get }

  /// Groups what is due into messages; each message is delivered whole or not at all.
  ///
  /// - Parameter notices: everything that this run delivers through the channel.
  /// - Returns: every notice exactly once, in the order given; no message is empty.
  func messages(for notices: [Notice]) -> [ArraySlice<Notice>]

  /// Sends one message and returns once it has been handed over.
  ///
  /// - Parameters:
  ///   - message: one of ``messages(for:)``; nothing happens if it is empty.
  ///   - occasion: the moment that the words count from.
  /// - Throws: ``NotifierError``; the message then counts as not delivered.
  func send(_ message: ArraySlice<Notice>, on occasion: Occasion) async throws(NotifierError)
}

extension Notifier {
  /// 1: each message is marked by itself.
  public var messagesPerMark: Int { 1 }
}
