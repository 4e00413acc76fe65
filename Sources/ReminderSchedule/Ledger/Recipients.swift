public import Loans

/// What a channel that writes to addresses knows of one of them.
public enum AddressState: Hashable, Sendable {
  /// Another run has sent it a message today.
  case wasWritten
  /// It was refused for ever.
  ///
  /// - Parameter reason: what the channel said; untrusted.
  case isRefused(reason: String)
}

extension Schedule {
  /// The addresses that a run leaves out today: those to which another one has sent a message, and those
  /// that were refused.
  ///
  /// - Parameters:
  ///   - channel: the channel's name.
  ///   - today: the library's date; the dates of libraries in different time zones can be a day apart.
  public func addresses(
    of channel: String, today: CivilDate
  ) throws(ScheduleError) -> [String: AddressState] {
    try reader.connection.read { database in
      guard let id = try database.knownChannelID(channel) else { return [:] }
      let rows = try database.rows(
        """
        SELECT address, text, recipient.reason
        FROM recipient LEFT JOIN reason ON reason.id = recipient.reason
        WHERE channel = ?1
          AND (recipient.reason IS NOT NULL OR run IS NOT ?2 AND sent_on BETWEEN ?3 AND ?3 + 1)
        """, id, run, today.dayNumber
      ) { row -> (String, AddressState) in
        let isRefused = row.optionalInteger(2) != nil
        return (row.text(0) ?? "", isRefused ? .isRefused(reason: row.text(1) ?? "") : .wasWritten)
      }
      return Dictionary(rows) { first, _ in first }
    }
  }

  /// Forgets that an address was refused, or written to today, by any channel; in upper or lower case.
  ///
  /// What could not be delivered there has failed, and is tried again.
  ///
  /// - Returns: whether anything was known of it.
  public func forget(address: String) throws(ScheduleError) -> Bool {
    try writeByUser { database in
      try database.run("DELETE FROM recipient WHERE lower(address) = lower(?)", address)
      if database.changes == 0 { return false }
      try database.run(
        """
        UPDATE delivery SET state = \(Delivery.State.failed.stored)
        WHERE state = \(Delivery.State.undeliverable.stored) AND EXISTS (
          SELECT 1 FROM loan WHERE \(Schema.isDeliveryOfLoan) AND lower(email) = lower(?))
        """, address)
      return true
    }
  }
}

extension ScheduleReader {
  /// Calls `body` with the borrower and the e-mail address of each of some loans, in their order, and
  /// with how often a notice of the loan has failed through a channel; both texts are untrusted.
  public func forEachBorrower(
    of rungs: some Collection<DueRung> & Sendable, channel: String,
    _ body: (_ borrower: String?, _ email: String?, _ failures: Int) -> Void
  ) throws(ScheduleError) {
    try connection.read { database in
      let id = try database.knownChannelID(channel)
      for due in rungs {
        // A loan that is not there has no notice either.
        let found = try database.rows(Self.borrower, due.id, id) {
          ($0.text(0), $0.text(1), Int($0.integer(2)))
        }.first
        body(found?.0, found?.1, found?.2 ?? 0)
      }
    }
  }

  private static let borrower = """
    SELECT borrower, email, (
      SELECT max(attempts) FROM delivery
      WHERE \(Schema.isDeliveryOfLoan) AND channel = ?2
        AND state = \(Delivery.State.failed.stored))
    FROM loan WHERE id = ?1
    """

  /// Whether anything was ever delivered through a channel.
  public func hasDelivered(through channel: String) throws(ScheduleError) -> Bool {
    try connection.read { database in
      guard let id = try database.knownChannelID(channel) else { return false }
      return try database.hasDelivered(id)
    }
  }
}

extension Database {
  /// Whether anything was ever delivered through a channel.
  func hasDelivered(_ channel: Int64) throws -> Bool {
    try integer(
      "SELECT 1 FROM delivery WHERE channel = ? AND delivered_at IS NOT NULL LIMIT 1", channel)
      != nil
  }

  /// Notes the addresses of the outbox to which messages were sent, and that of the next one if it was
  /// refused.
  ///
  /// - Parameters:
  ///   - sent: how many messages were sent.
  ///   - number: the number of the run.
  ///   - reason: the number of the error by which the next address was refused.
  func noteRecipients(sent: Int, run number: Int64?, refused reason: Int64?) throws {
    let columns = "INSERT INTO recipient (channel, address, sent_on, run, reason)"
    try run(
      """
      \(columns) SELECT channel, address, max(at) / 86400, ?2, NULL FROM outbox
      WHERE message < ?1 AND address IS NOT NULL GROUP BY channel, address
      ON CONFLICT (channel, address) DO UPDATE SET
        sent_on = excluded.sent_on, run = excluded.run, reason = NULL
      """, sent, number)
    guard let reason else { return }
    try run(
      """
      \(columns) SELECT DISTINCT channel, address, NULL, NULL, ?2 FROM outbox
      WHERE message = ?1 AND address IS NOT NULL
      ON CONFLICT (channel, address) DO UPDATE SET reason = excluded.reason
      """, sent, reason)
  }

  /// Forgets on which days addresses were written to, but for the last ones.
  func forgetRecipients(before today: CivilDate) throws {
    try run(
      "DELETE FROM recipient WHERE reason IS NULL AND sent_on < ?",
      today.adding(days: -2).dayNumber)
  }
}
