internal import Loans

extension Database {
  /// The paths of catalogues by row number; all of them, or those named.
  func catalogues(_ paths: [String]?) throws -> [Int64: String] {
    var found: [Int64: String] = [:]
    try forEachCatalogue(paths) { id, path in found[id] = path }
    return found
  }

  /// Calls `body` with the row number and path of each catalogue, or of those named.
  func forEachCatalogue(_ paths: [String]?, _ body: (Int64, String) -> Void) throws {
    let rows = try RowStatement(self, sql: "SELECT id, path FROM catalogue")
    while try rows.next() {
      guard let path = rows.text(1) else { throw Schema.damage("the path of a catalogue") }
      // A path is bytes: names that Unicode takes for equal are different files.
      let isWanted = paths?.contains { $0.utf8.elementsEqual(path.utf8) } ?? true
      if isWanted { body(rows.integer(0), path) }
    }
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
    let row = try RowStatement(once: self, sql: sql)
    guard try row.next() else { return (0, nil) }
    let next = row.optionalInteger(1).map { Int($0) }
    return (Int(row.integer(0)), next.flatMap(CivilDateTime.init(ordinal:)))
  }

  /// The first moment after `now` at which a loan that has not expired does.
  func nextExpired(
    after now: CivilDateTime, catalogues: some Sequence<Int64>
  ) throws -> CivilDateTime? {
    let sql = """
      SELECT min(expiration) FROM loan
      WHERE \(Self.scheduled(in: catalogues)) AND expiration >= \(now.date.dayNumber)
      """
    let day = try integer(sql: sql).map { Int($0) }
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
    let done =
      repeatExpired.map { Repetition(days: $0).doneBy(today: now.date) } ?? Int.min..<Int.max
    let rows = try RowStatement(self, sql: Self.due(in: paths.keys))
    rows.query { parameters in
      parameters.bind(now.date.dayNumber)
      parameters.bind(now.ordinal)
      parameters.bind(channel)
      parameters.bind(done.lowerBound)
      parameters.bind(done.upperBound)
      parameters.bind(limit)
    }
    var due: [DueNotice] = []
    while try rows.next() {
      let id = Int(rows.integer(0))
      // Every loan has its texts, in the same transaction; this one's notice would be lost.
      if rows.optionalInteger(4) == nil { throw Schema.damage("no texts of loan \(id)") }
      guard let catalogue = paths[rows.integer(1)],
        let expiration = CivilDate(dayNumber: Int(rows.integer(2)))
      else { throw Schema.damage("the expiration of loan \(id)") }
      let notice = Notice(
        kind: Notice.Kind(stored: rows.integer(3)),
        loan: rows.loan(from: 6, expiration: expiration), catalogue: catalogue)
      due.append(DueNotice(reminderID: id, notice: notice))
    }
    return due
  }

  /// The query for what is due; its parameters are the day, the moment, the channel, the moments
  /// between which an expired notice's last delivery keeps it from being due, and a limit.
  private static func due(in catalogues: some Sequence<Int64>) -> String {
    """
    SELECT loan.id, loan.catalogue, loan.expiration, loan.expiration < ?1, detail.*
    FROM loan LEFT JOIN detail ON detail.loan = loan.id
    WHERE \(scheduled(in: catalogues)) AND (loan.expiration < ?1 OR loan.fire_at <= ?2)
      AND NOT EXISTS (
        SELECT 1 FROM delivery
        WHERE delivery.loan = loan.id AND delivery.kind = (loan.expiration < ?1)
          AND delivery.expiration = loan.expiration AND delivery.channel = ?3
          AND delivery.delivered_at IS NOT NULL
          AND (loan.expiration >= ?1
            OR (delivery.delivered_at >= ?4 AND delivery.delivered_at < ?5)))
    ORDER BY loan.expiration, loan.id LIMIT ?6
    """
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
    let row = try RowStatement(once: self, sql: sql)
    guard try row.next() else { return (0, 0) }
    let (all, expired) = (Int(row.integer(0)), Int(row.integer(1)))
    return (all - expired, expired)
  }

  /// The condition for rows of present loans, not cancelled, of some catalogues.
  private static func scheduled(in catalogues: some Sequence<Int64>) -> String {
    let list = catalogues.map { String($0) }.joined(separator: ", ")
    return "loan.cancelled = 0 AND loan.left_on IS NULL AND loan.catalogue IN (\(list))"
  }
}
