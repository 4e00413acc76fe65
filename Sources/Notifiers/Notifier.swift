public import Loans

/// The circumstances in which messages are sent.
public struct DeliveryContext: Sendable, Hashable {
  /// The library's civil time; a message counts days from its date.
  public var now: CivilDateTime
  /// The seconds by which that is ahead of UTC, if they are known.
  public var utcOffset: Int?
  /// How many notices of the schedule are open, for badges; 0 if the notifier does not need it.
  public var openCount: Int

  /// The address that a message is for; `nil` where the channel needs none, or has none that can be
  /// used, so that the library itself gets the message.
  public var address: String?

  /// The circumstances at `now`, with this many open notices.
  public init(
    now: CivilDateTime, utcOffset: Int? = nil, openCount: Int, address: String? = nil
  ) {
    self.now = now
    self.utcOffset = utcOffset
    self.openCount = openCount
    self.address = address
  }
}

/// The notices of a channel that may be in one message.
public enum Grouping: Sendable, Hashable {
  /// All of them.
  case together
  /// Those for one borrower, by name and address.
  case byBorrower
  /// Those for one address, once a day; those without a valid one are for the library itself.
  ///
  /// - Parameters:
  ///   - hasFallback: whether the library has an address for the latter; else they stay pending.
  ///   - limit: the most messages of one run.
  ///   - mostBorrowers: the most borrowers that an address may have: that of more is none, but what
  ///     somebody typed where there was none.
  case byAddress(hasFallback: Bool, limit: Int, mostBorrowers: Int)
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

  /// The notices that may be in one message.
  var grouping: Grouping { get }

  /// Whether it says how many notices are open, which takes a while to count.
  var needsOpenCount: Bool { get }

  /// Groups what is due into messages; each message is delivered whole or not at all, unless the error
  /// says which part was.
  ///
  /// - Parameter notices: everything that this run delivers through the channel, or, with a
  ///   ``grouping``, to one borrower or address.
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

  /// All notices together.
  public var grouping: Grouping { .together }

  /// No.
  public var needsOpenCount: Bool { false }
}
