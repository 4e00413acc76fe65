public import Loans

/// A notice that is due and has not been delivered through a channel.
public struct DueNotice: Hashable, Sendable {
  /// The number of the loan in the schedule, as `schedule list` shows it.
  public let reminderID: Int
  /// The notice.
  public let notice: Notice
  /// By how many days it comes after the expiration: −1 for a reminder on the day before, 1 for the
  /// first expired notice.
  public let rung: Int
  let key: LedgerKey
}

/// What is still to come.
public struct PendingNotices: Hashable, Sendable {
  /// How many loans have not expired and are not cancelled: each has a reminder, to come, due or
  /// delivered.
  public var count = 0
  /// When the first of the reminders to come fires; `nil` if there is none.
  public var nextFireAt: CivilDateTime?
  /// The midnight at which the first of the loans has expired; `nil` if there is none.
  public var nextExpired: CivilDateTime?

  /// When the next notice of either kind becomes due; `nil` if none does.
  public var next: CivilDateTime? { [nextFireAt, nextExpired].compactMap(\.self).min() }
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
    var paths: [Int64: String] = [:]
    var found: [DueNotice] = []
    let ranges = try ranges(catalogues)
    for range in ranges {
      query.bind(
        all: range.lowerBound, range.upperBound, Int64(now.date.dayNumber), Int64(now.ordinal),
        channel,
        Int64(done?.lowerBound ?? .min), Int64(done?.upperBound ?? .max), Int64(limit))
      while try query.step() {
        let row = try LoanRow(query)
        let path = try paths[row.id.catalogue] ?? path(ofCatalogue: row.id.catalogue)
        paths[row.id.catalogue] = path
        found.append(DueNotice(row, path, at: now, repeatExpired: repeatExpired))
      }
    }
    if ranges.count > 1 { found.sort { $0.place < $1.place } }
    return found.count > limit ? Array(found.prefix(limit)) : found
  }

  /// A reminder is done once it was delivered on any rung; an expired notice if it was delivered
  /// within the time that counts.
  private static let dueQuery = """
    SELECT \(LoanRow.columns) FROM loan
    WHERE id BETWEEN ?1 AND ?2 AND cancelled = 0 AND (expiration < ?3 OR fire_at <= ?4)
      AND NOT EXISTS (
        SELECT 1 FROM delivery
        WHERE delivery.catalogue = loan.id >> \(LoanID.shift)
          AND delivery.identity = loan.identity AND delivery.expiration = loan.expiration
          AND delivery.channel = ?5 AND delivery.copy = loan.copy
          AND iif(
            loan.expiration < ?3, rung > 0 AND delivered_at >= ?6 AND delivered_at < ?7,
            rung <= 0 AND delivered_at IS NOT NULL))
    ORDER BY expiration, number, id LIMIT ?8
    """

  /// How many loans have a reminder that has fired, and how many have expired, whether or not they
  /// were told.
  func openCount(at now: CivilDateTime) throws -> (reminders: Int, expired: Int) {
    let query = try statement(
      """
      SELECT count(iif(expiration >= ?1, 1, NULL)), count(iif(expiration < ?1, 1, NULL)) FROM loan
      WHERE cancelled = 0 AND (expiration < ?1 OR fire_at <= ?2)
      """)
    query.bind(all: Int64(now.date.dayNumber), Int64(now.ordinal))
    defer { query.reset() }
    return try query.step() ? (Int(query.integer(0)), Int(query.integer(1))) : (0, 0)
  }

  /// What is still to come after `now`.
  func pending(after now: CivilDateTime, catalogues: [String]?) throws -> PendingNotices {
    let query = try statement(
      """
      SELECT count(*), min(iif(fire_at > ?4, fire_at, NULL)), min(expiration) FROM loan
      WHERE id BETWEEN ?1 AND ?2 AND cancelled = 0 AND expiration >= ?3
      """)
    var pending = PendingNotices()
    for range in try ranges(catalogues) {
      query.bind(
        all: range.lowerBound, range.upperBound, Int64(now.date.dayNumber), Int64(now.ordinal))
      while try query.step() {
        pending.count += Int(query.integer(0))
        let fireAt = query.optionalInteger(1).flatMap { CivilDateTime(ordinal: Int($0)) }
        let expiration = query.optionalInteger(2).flatMap { CivilDate(dayNumber: Int($0)) }
        let expired = expiration.map { CivilDateTime($0.adding(days: 1)) }
        pending.nextFireAt = [pending.nextFireAt, fireAt].compactMap(\.self).min()
        pending.nextExpired = [pending.nextExpired, expired].compactMap(\.self).min()
      }
    }
    return pending
  }
}

extension DueNotice {
  fileprivate init(_ row: LoanRow, _ path: String, at now: CivilDateTime, repeatExpired: Int?) {
    let expiration = row.loan.expiration
    let isExpired = expiration < now.date
    reminderID = Int(row.id.number)
    notice = Notice(kind: isExpired ? .expired : .reminder, loan: row.loan, catalogue: path)
    rung =
      isExpired
      ? Rung.expired(expiration, today: now.date, repeatExpired: repeatExpired)
      : Rung.reminder(fireAt: row.fireAt, expiration: expiration)
    key = row.key
  }

  /// By expiration, then by number.
  fileprivate var place: (Int, Int) { (notice.loan.expiration.dayNumber, reminderID) }
}
