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
  /// The addresses that a run leaves out today: those to which a message was sent, and those that were
  /// refused.
  ///
  /// - Parameters:
  ///   - channel: the channel's name.
  ///   - today: the library's date.
  ///   - utcOffset: the offset of its clock from UTC in seconds, if it is known. Where that is another,
  ///     the day is another: a library would otherwise wait for ever for one where it begins before.
  public func addresses(
    of channel: String, today: CivilDate, utcOffset: Int?
  ) throws(ScheduleError) -> [String: AddressState] {
    try reader.connection.read { database in
      guard let id = try database.knownChannelID(channel) else { return [:] }
      let rows = try database.rows(
        """
        SELECT address, text, recipient.reason
        FROM recipient LEFT JOIN reason ON reason.id = recipient.reason
        WHERE channel = ?1
          AND (recipient.reason IS NOT NULL OR utc_offset = ?2 AND sent_on = ?3)
        """, id, utcOffset ?? 0, today.dayNumber
      ) { row -> (String, AddressState) in
        let isRefused = row.optionalInteger(2) != nil
        return (row.text(0) ?? "", isRefused ? .isRefused(reason: row.text(1) ?? "") : .wasWritten)
      }
      return Dictionary(rows) { first, next in first == .wasWritten ? next : first }
    }
  }

  /// Forgets that an address was refused, or written to today, by any channel; in upper or lower case.
  ///
  /// What could not be delivered there has failed, and is tried again.
  ///
  /// - Parameters:
  ///   - address: the address.
  ///   - channel: the name of the only channel that forgets it; `nil` for all.
  /// - Returns: whether anything was known of it.
  public func forget(
    address: String, channel: String? = nil
  ) throws(ScheduleError) -> Bool {
    try writeByUser { database in
      let id = try channel.flatMap(database.knownChannelID)
      try database.run(
        """
        DELETE FROM recipient
        WHERE lower(address) = lower(?1) AND channel = coalesce(?2, channel)
        """, address, id)
      if database.changes == 0 { return false }
      try database.run(
        """
        UPDATE delivery SET state = \(Delivery.State.failed.stored)
        WHERE state = \(Delivery.State.undeliverable.stored) AND channel = coalesce(?2, channel)
          AND EXISTS (
            SELECT 1 FROM loan WHERE \(Schema.isDeliveryOfLoan) AND lower(email) = lower(?1))
        """, address, id)
      return true
    }
  }
}

extension ScheduleReader {
  /// Calls `body` with the borrower and the e-mail address of each of some loans, in their order, and
  /// with when a notice of the loan was last tried through a channel in vain, 0 for never; both texts are
  /// untrusted.
  public func forEachBorrower(
    of rungs: some Collection<DueRung> & Sendable, channel: String,
    _ body: (_ borrower: String?, _ email: String?, _ triedAt: Int) -> Void
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

  /// The addresses that were refused for ever, each with what the channel said, which is harmless on a
  /// terminal.
  public func refusedAddresses() throws(ScheduleError) -> [String: String] {
    try connection.read { database in
      let rows = try database.rows(
        """
        SELECT address, text, name FROM recipient
          JOIN reason ON reason.id = recipient.reason JOIN channel ON channel.id = recipient.channel
        """
      ) { ($0.text(0) ?? "", Delivery.failure($0.text(1) ?? "", of: $0.text(2) ?? "")) }
      return Dictionary(rows) { first, _ in first }
    }
  }

  private static let borrower = """
    SELECT borrower, email, (
      SELECT max(at) FROM delivery
      WHERE \(Schema.isDeliveryOfLoan) AND channel = ?2 AND attempts > 0
        AND state IN (\(Delivery.State.failed.stored), \(Delivery.State.sending.stored)))
    FROM loan WHERE id = ?1
    """

  /// Whether a notice was ever sent through a channel, or tried to be, or marked as delivered.
  public func wasUsed(channel: String) throws(ScheduleError) -> Bool {
    try connection.read { database in
      guard let id = try database.knownChannelID(channel) else { return false }
      return try database.integer(
        """
        SELECT 1 FROM delivery
        WHERE channel = ? AND (attempts > 0 OR delivered_at IS NOT NULL) LIMIT 1
        """, id) != nil
    }
  }
}

extension Database {
  /// Notes the addresses of the outbox to which messages were sent, and that of the next one if it was
  /// refused.
  ///
  /// - Parameters:
  ///   - sent: how many messages were sent.
  ///   - reason: the number of the error by which the next address was refused.
  func noteRecipients(sent: Int, refused reason: Int64?) throws {
    let insertion = """
      INSERT INTO recipient (channel, address, utc_offset, sent_on, reason)
      SELECT channel, address, coalesce(utc_offset, 0)
      """
    try run(
      """
      \(insertion), max(at) / 86400, NULL FROM outbox
      WHERE message < ?1 AND address IS NOT NULL GROUP BY 1, 2, 3
      ON CONFLICT DO UPDATE SET sent_on = excluded.sent_on, reason = NULL
      """, sent)
    guard let reason else { return }
    try run(
      """
      \(insertion), NULL, ?2 FROM outbox WHERE message = ?1 AND address IS NOT NULL GROUP BY 1, 2, 3
      ON CONFLICT DO UPDATE SET reason = excluded.reason
      """, sent, reason)
  }

  /// Forgets on which days addresses were written to, but for the last ones.
  func forgetRecipients(before today: CivilDate) throws {
    try run(
      "DELETE FROM recipient WHERE reason IS NULL AND sent_on < ?",
      today.adding(days: -2).dayNumber)
  }
}
