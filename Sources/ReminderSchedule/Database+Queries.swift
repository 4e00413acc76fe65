internal import GRDB
internal import Loans

extension Database {
  /// The paths of catalogues by row number; all of them, or those named.
  func catalogues(_ paths: [String]?) throws -> [Int64: String] {
    var found: [Int64: String] = [:]
    let rows = try Row.fetchCursor(self, sql: "SELECT id, path FROM catalogue")
    while let row = try rows.next() {
      let path: String = row[1]
      // A path is bytes: names that Unicode takes for equal are different files.
      let isWanted = paths?.contains { $0.utf8.elementsEqual(path.utf8) } ?? true
      if isWanted { found[row[0]] = path }
    }
    return found
  }

  /// How many loans have not expired and are not cancelled, and when the first of their reminders
  /// fires after `now`.
  func pending(
    after now: CivilDateTime, catalogues: some Sequence<Int64>
  ) throws -> (count: Int, nextFireAt: CivilDateTime?) {
    let sql = """
      SELECT count(*), CAST(min(CASE WHEN fire_at > \(now.ordinal) THEN fire_at END) AS INTEGER)
      FROM loan
      WHERE \(Self.scheduled(in: catalogues)) AND expiration >= \(now.date.dayNumber)
      """
    let row = try Row.fetchOne(self, sql: sql)
    let next: Int? = row?[1]
    return (row?[0] ?? 0, next.flatMap(CivilDateTime.init(ordinal:)))
  }

  /// The first moment after `now` at which a loan that has not expired does.
  func nextExpiry(
    after now: CivilDateTime, catalogues: some Sequence<Int64>
  ) throws -> CivilDateTime? {
    let sql = """
      SELECT min(expiration) FROM loan
      WHERE \(Self.scheduled(in: catalogues)) AND expiration >= \(now.date.dayNumber)
      """
    let day = try Int.fetchOne(self, sql: sql)
    return day.flatMap(CivilDate.init(dayNumber:)).map { CivilDateTime($0.adding(days: 1)) }
  }

  /// What is due and not delivered through a channel: the longest expired first.
  ///
  /// - Parameters:
  ///   - channel: the channel; `nil` for one through which nothing was ever delivered.
  ///   - repeatExpired: the days from one delivery of an expired notice to the next.
  ///   - limit: the most notices wanted.
  func due(
    at now: CivilDateTime, channel: String?, catalogues: [String]?, repeatExpired: Int?,
    limit: Int = .max
  ) throws -> [DueNotice] {
    let paths = try self.catalogues(catalogues)
    let channel = try channel.flatMap(knownChannelID) ?? -1
    let today = now.date.dayNumber
    let sql = """
      SELECT loan.id, loan.catalogue, loan.expiration, loan.expiration < \(today), detail.*
      FROM loan LEFT JOIN detail ON detail.loan = loan.id
      WHERE \(Self.scheduled(in: paths.keys))
        AND (loan.expiration < \(today) OR loan.fire_at <= \(now.ordinal))
        AND NOT EXISTS (
          SELECT 1 FROM delivery
          WHERE delivery.loan = loan.id AND delivery.kind = (loan.expiration < \(today))
            AND delivery.expiration = loan.expiration AND delivery.channel = \(channel)
            AND \(Self.isDone(today: now.date, repeatExpired: repeatExpired)))
      ORDER BY loan.expiration, loan.id LIMIT \(limit)
      """
    let rows = try Row.fetchCursor(self, sql: sql)
    var due: [DueNotice] = []
    while let row = try rows.next() {
      let id: Int = row[0]
      // Every loan has its texts, in the same transaction; this one's notice would be lost.
      if row.hasNull(atIndex: 4) { throw Schema.damage("no texts of loan \(id)") }
      guard let catalogue = paths[row[1]], let loan = Self.loan(row, firstText: 6, day: row[2])
      else { throw Schema.damage("the expiration of loan \(id)") }
      let kind = Notice.Kind(stored: row[3])
      due.append(
        DueNotice(reminderID: id, notice: Notice(kind: kind, loan: loan, catalogue: catalogue)))
    }
    return due
  }

  /// How many loans have a reminder that has fired, and how many have expired, whether they were
  /// told of or not.
  func openCount(
    at now: CivilDateTime, catalogues: some Sequence<Int64>
  ) throws -> (reminders: Int, expired: Int) {
    let today = now.date.dayNumber
    let sql = """
      SELECT count(*), coalesce(sum(expiration < \(today)), 0) FROM loan
      WHERE \(Self.scheduled(in: catalogues))
        AND (expiration < \(today) OR fire_at <= \(now.ordinal))
      """
    guard let row = try Row.fetchOne(self, sql: sql) else { return (0, 0) }
    let (all, expired): (Int, Int) = (row[0], row[1])
    return (all - expired, expired)
  }

  /// The condition for a delivery after which nothing is due.
  private static func isDone(today: CivilDate, repeatExpired: Int?) -> String {
    let isDelivered = "delivery.delivered_at IS NOT NULL"
    guard let days = repeatExpired else { return isDelivered }
    let done = Repetition(days: days).doneBy(today: today)
    return """
      \(isDelivered) AND (loan.expiration >= \(today.dayNumber) OR (
        delivery.delivered_at >= \(done.lowerBound) AND
        delivery.delivered_at < \(done.upperBound)))
      """
  }

  /// The condition for rows of present loans, not cancelled, of some catalogues.
  private static func scheduled(in catalogues: some Sequence<Int64>) -> String {
    let list = catalogues.map { String($0) }.joined(separator: ", ")
    return "loan.cancelled = 0 AND loan.left_on IS NULL AND loan.catalogue IN (\(list))"
  }

  private static func loan(_ row: Row, firstText: Int, day: Int) -> Loan? {
    guard let expiration = CivilDate(dayNumber: day) else { return nil }
    return Loan(
      id: row[firstText], title: row[firstText + 1], author: row[firstText + 2],
      isbn: row[firstText + 3], barcode: row[firstText + 4], borrower: row[firstText + 5],
      email: row[firstText + 6], expiration: expiration)
  }
}
