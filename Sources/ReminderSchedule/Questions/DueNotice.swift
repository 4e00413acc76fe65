public import Loans

/// A notice that is due and has not been delivered through a channel.
public struct DueNotice: Hashable, Sendable {
  /// The number of the loan in the schedule, as `schedule list` shows it.
  public let reminderID: Int
  /// The notice.
  public let notice: Notice
  /// The number of days from the expiration: −1 for a reminder on the day before, 1 for the first
  /// expired notice.
  public let rung: Int
  let key: LedgerKey
}

extension Database {
  /// The notices that are due, the longest expired first.
  ///
  /// - Parameters:
  ///   - channel: the channel; `nil` for all that are open, whether or not they were delivered.
  ///   - repeatExpired: the days from one delivery of an expired notice to the next.
  ///   - limit: the most notices wanted.
  func due(
    at now: CivilDateTime, channel: String?, catalogues: [String]?, repeatExpired: Int?,
    limit: Int = .max
  ) throws -> [DueNotice] {
    let done = repeatExpired.map { Repetition(days: $0).doneBy(today: now.date) }
    let query = try statement(Self.dueQuery)
    let channel = try channel.flatMap(knownChannelID) ?? 0
    let ranges = try ranges(catalogues)
    var found: [DueNotice] = []
    for range in ranges {
      query.bind(
        range.lowerBound, range.upperBound, now.date, now, channel, done?.lowerBound ?? .min,
        done?.upperBound ?? .max, limit)
      while try query.step() {
        found.append(DueNotice(try LoanRow(query), at: now, repeatExpired: repeatExpired))
      }
    }
    if ranges.count > 1 { found.sort { $0.order < $1.order } }
    return found.count > limit ? Array(found.prefix(limit)) : found
  }

  /// A reminder is done once it was delivered on any rung; an expired notice if it was delivered
  /// within the time that counts.
  private static let dueQuery = """
    \(LoanRow.query)
    WHERE loan.id BETWEEN ?1 AND ?2 AND left_on IS NULL AND cancelled = 0
      AND (expiration < ?3 OR fire_at <= ?4)
      AND NOT EXISTS (
        SELECT 1 FROM delivery
        WHERE delivery.catalogue = loan.id >> \(LoanID.shift)
          AND delivery.identity = loan.identity AND delivery.expiration = loan.expiration
          AND delivery.channel = ?5 AND delivery.copy = loan.copy
          AND iif(
            loan.expiration < ?3, rung > 0 AND delivered_at >= ?6 AND delivered_at < ?7,
            rung <= 0 AND delivered_at IS NOT NULL))
    ORDER BY expiration, number, loan.id LIMIT ?8
    """
}

extension DueNotice {
  fileprivate init(_ row: LoanRow, at now: CivilDateTime, repeatExpired: Int?) {
    let expiration = row.loan.expiration
    let isExpired = expiration < now.date
    reminderID = Int(row.id.number)
    notice = Notice(
      kind: isExpired ? .expired : .reminder, loan: row.loan, catalogue: row.catalogue,
      library: row.library)
    rung =
      isExpired
      ? Rung.expired(expiration, today: now.date, repeatExpired: repeatExpired)
      : Rung.reminder(fireAt: row.fireAt, expiration: expiration)
    key = row.key
  }

  /// Orders notices by expiration, then by number.
  fileprivate var order: (Int, Int) { (notice.loan.expiration.dayNumber, reminderID) }
}
