public import Loans

/// The last good reading of a catalogue, and what it has brought.
public struct CatalogueStatus: Hashable, Sendable {
  /// The catalogue's name in the schedule.
  public var name: String
  /// The untrusted name that people have for its library, if there is one.
  public var library: String?
  /// The time of the last reading that replaced its part of the schedule, to ten minutes; `nil` if there
  /// was none.
  public var readAt: ClockTime?
  /// The number of its loans.
  public var loans: Int
}

/// The notices that a channel has to send.
public struct ChannelStatus: Hashable, Sendable {
  /// The channel's name.
  public var name: String
  /// The loans of which a notice is still to come, the same for every channel.
  public var pending = 0
  /// The notices that are due and were not delivered through it.
  public var due = 0
  /// Those of them that it could not deliver when that was tried last.
  public var failed = 0
  /// Those of them whose borrower has no address that can be written to.
  public var undeliverable = 0
  /// Why some have failed, the last time; untrusted.
  public var error: String?
}

extension ScheduleReader {
  /// The time of the last run that reloaded or delivered, to ten minutes; `nil` if there was none.
  public func lastRun() throws(ScheduleError) -> ClockTime? {
    try connection.read { database in
      try database.rows("SELECT run_at, run_utc_offset FROM counter") { $0.clockTime(0) }
        .compactMap(\.self).first
    }
  }

  /// The catalogues in the schedule, by their names.
  public func catalogueStatus() throws(ScheduleError) -> [CatalogueStatus] {
    try connection.read { database in
      try database.rows(
        "SELECT path, library, read_at, read_utc_offset, id FROM catalogue ORDER BY path"
      ) { row in
        let all = LoanID.all(of: row.integer(4))
        let count = try database.integer(
          "SELECT count(*) FROM loan WHERE id BETWEEN ? AND ? AND left_on IS NULL",
          all.lowerBound, all.upperBound)
        return CatalogueStatus(
          name: row.text(0) ?? "", library: row.text(1), readAt: row.clockTime(2),
          loans: Int(count ?? 0))
      }
    }
  }

  /// The channels that a run has named within the last seven days, by their names.
  ///
  /// - Parameters:
  ///   - now: the library's civil time.
  ///   - catalogues: the catalogues whose loans count.
  public func channelStatus(
    at now: CivilDateTime, catalogues: [String]
  ) throws(ScheduleError) -> [ChannelStatus] {
    try connection.read { database in
      let ladders = try Ladders(database)
      let channels = try database.rows(
        "SELECT id, name FROM channel WHERE last_used >= ? ORDER BY name",
        now.date.adding(days: -Delivery.daysInUse).dayNumber
      ) { row in (row.integer(0), row.text(1) ?? "") }
      let pending =
        channels.isEmpty
        ? 0 : try database.loans(withNoticesAfter: now, catalogues, ladders).count
      return try channels.map { id, name in
        var status = ChannelStatus(name: name, pending: pending)
        for (_, due) in try database.due(at: [now], channel: name, catalogues).due {
          status.due += 1
          let last = try database.rows(Self.lastDelivery, due.id, id, due.rung) {
            (state: $0.integer(0), error: $0.text(1))
          }.first
          switch last?.state {
          case Delivery.State.failed.stored:
            status.failed += 1
            status.error = last?.error ?? status.error
          case Delivery.State.undeliverable.stored: status.undeliverable += 1
          default: break
          }
        }
        return status
      }
    }
  }

  /// The latest delivery of a loan's notices of the same kind.
  private static let lastDelivery = """
    SELECT state, text FROM (
      SELECT state, reason AS number, max(at) FROM loan JOIN delivery ON \(Schema.isDeliveryOfLoan)
      WHERE loan.id = ?1 AND channel = ?2 AND (rung > 0) = (?3 > 0)
    ) LEFT JOIN reason ON reason.id = number
    """
}
