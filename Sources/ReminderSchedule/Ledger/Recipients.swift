public import Loans

/// Addresses to which nothing is sent, each with the reason.
public struct UnusableAddresses: Sendable {
  fileprivate var reasons: [Int64: String] = [:]

  /// Why nothing is sent to an address, in upper or lower case; `nil` if it can be used; untrusted.
  public subscript(address: String) -> String? { reasons[Person.number(of: address)] }
}

extension ScheduleReader {
  /// The addresses that a channel has refused for ever, and those that more borrowers share than can
  /// have one address.
  ///
  /// - Parameters:
  ///   - channel: the channel's name; `nil` for all channels: then the reasons are harmless on a
  ///     terminal and without the channel's name.
  ///   - mostBorrowers: the most borrowers that an address may have.
  public func unusableAddresses(
    for channel: String? = nil, mostBorrowers: Int
  ) throws(ScheduleError) -> UnusableAddresses {
    try connection.transact { database in
      var addresses = UnusableAddresses()
      let borrower = StoredTexts.column(.borrower)
      _ = try database.rows(
        """
        SELECT person, count(DISTINCT lower(\(borrower))) AS borrowers FROM loan
        WHERE person IN (SELECT person FROM loan GROUP BY person HAVING count(*) > ?1)
        GROUP BY person HAVING borrowers > ?1
        """, mostBorrowers
      ) { row in
        addresses.reasons[row.integer(0)] = """
          \(row.integer(1)) borrowers have the same address, so it is probably a placeholder; correct \
          the catalogue, or raise mail-max-borrowers
          """
      }
      _ = try database.rows(
        """
        SELECT person, text, name FROM delivery
          JOIN reason ON reason.id = delivery.reason JOIN channel ON channel.id = delivery.channel
        WHERE name = coalesce(?1, name) AND \(Database.isRefused)
        """, channel
      ) { row in
        let reason = row.text(1) ?? ""
        let shown = channel == nil ? Delivery.failure(reason, of: row.text(2) ?? "") : reason
        addresses.reasons[row.integer(0)] = shown
      }
      return addresses
    }
  }

  /// The addresses to which a channel sent messages yesterday or today, in lower case, each with the
  /// times of these; the library's own is empty.
  ///
  /// The days are those of the library that wrote. A message of today that is a day old, or one of
  /// yesterday that is two days old, went out on an earlier date here, from a library further east, and
  /// does not count.
  ///
  /// - Parameters:
  ///   - channel: the channel's name.
  ///   - now: the library's time.
  public func addressesWritten(
    by channel: String, at now: ClockTime
  ) throws(ScheduleError) -> [String: Set<CivilDateTime>] {
    try connection.transact { database in
      var written: [String: Set<CivilDateTime>] = [:]
      guard let id = try database.knownChannelID(channel) else { return [:] }
      _ = try database.rows(
        """
        SELECT coalesce(delivered_at, at) AS written_at, utc_offset, sent_to, reason FROM delivery
        WHERE channel = ?1 AND attempts > 0 AND written_at / 86400 BETWEEN ?2 - 1 AND ?2
          AND (delivered_at IS NOT NULL OR state = \(Delivery.State.delivered.stored))
        """, id, now.time.date.dayNumber
      ) { row in
        guard let time = row.clockTime(0) else { return }
        let daysAgo = time.time.date.days(until: now.time.date)
        if time.seconds(until: now) >= 86_400 * (daysAgo + 1) { return }
        if let address = row.text(2) {
          written[address.lowercased(), default: []].insert(time.time)
        } else if row.optionalInteger(3) != nil {
          written["", default: []].insert(time.time)
        }
      }
      return written
    }
  }

  /// Calls `body` with each rung, in their order, and the borrower and the e-mail address of its loan;
  /// both are untrusted.
  public func forEachBorrower(
    of rungs: some Collection<DueRung> & Sendable,
    _ body: (_ rung: DueRung, _ borrower: String?, _ email: String?) -> Void
  ) throws(ScheduleError) {
    try connection.transact { database in
      for due in rungs {
        let texts =
          try database.rows("SELECT fields FROM loan WHERE id = ?", due.id) {
            $0.text(0).flatMap(StoredTexts.init)
          }.first ?? nil
        body(due, texts?[.borrower], texts?[.email])
      }
    }
  }
}

extension Schedule {
  /// Notes that the address for some notices has refused them for ever: they have failed so far, or
  /// the library was written to instead.
  ///
  /// - Parameter reason: what the channel said; untrusted.
  public func noteRefused(
    _ notices: some Collection<DueNotice> & Sendable, channel: String, reason: String
  ) throws(ScheduleError) {
    try write { database in
      let update = try database.statement(
        """
        UPDATE delivery SET reason = ?2,
          state = iif(state = \(Delivery.State.delivered.stored), state,
            \(Delivery.State.undeliverable.stored))
        WHERE \(Schema.isDeliveryOfFirst) AND rung = ?3
          AND channel = (SELECT id FROM channel WHERE name = ?4) AND reason IS NOT NULL
        """)
      let reason = try database.reasonID(reason)
      for due in notices {
        update.bind(due.due.id, reason, due.notice.rung, channel)
        try update.run()
      }
    }
  }

  /// Forgets that an address was refused, in upper or lower case.
  ///
  /// What could not be delivered there has failed, and is tried again.
  ///
  /// - Returns: whether it was refused.
  public func forget(address: String) throws(ScheduleError) -> Bool {
    try writeByUser { database in
      let person = Person.number(of: address)
      try database.run(
        """
        UPDATE delivery SET
          state = iif(state = \(Delivery.State.delivered.stored), state,
            \(Delivery.State.failed.stored)),
          reason = iif(state = \(Delivery.State.delivered.stored), ?2, reason)
        WHERE person = ?1 AND \(Database.isRefused)
        """, person, database.reasonID(Delivery.toLibrary))
      return database.changes > 0
    }
  }
}

extension Database {
  /// An SQL condition: whether the address of a delivery has refused a message for ever; the library may
  /// have been written to since.
  static let isRefused = """
    delivery.attempts > 0 AND (state = \(Delivery.State.undeliverable.stored)
      OR state = \(Delivery.State.delivered.stored) AND delivery.reason IS NOT NULL
        AND delivery.reason NOT IN (SELECT id FROM reason WHERE text = '\(Delivery.toLibrary)'))
    """
}
