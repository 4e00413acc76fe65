internal import Loans

/// The day of the last run, if there was one, and the age of the ledger, which a wrong clock must not
/// change.
struct LastRun {
  /// The civil day on which the last reload or delivery was, by the clock of that run.
  var day: CivilDate?
  /// The day from which the age of the ledger is counted: the day of the last run, unless it came
  /// there too fast.
  var ledgerDay: CivilDate?

  /// The number of days for which a loan that has left is kept, with its deliveries.
  static let lifetime = 400

  /// The most days by which the ledger ages from one day with a run to the next.
  ///
  /// So a clock that is years ahead for some days makes nothing forgotten.
  fileprivate static let longestStep = 30

  /// The day on which a loan leaves that is missing today: never before one known to be past.
  func dayOfLeaving(today: CivilDate) -> CivilDate { max(today, day ?? today) }
}

extension Database {
  /// When the last run was.
  func lastRun() throws -> LastRun {
    try rows("SELECT last_day, ledger_day FROM counter") { counter in
      for column in 0...1 as ClosedRange<Int32>
      where counter.optionalInteger(column) != nil && counter.day(column) == nil {
        throw DatabaseError.damage("the day of the last run")
      }
      return LastRun(day: counter.day(0), ledgerDay: counter.day(1))
    }.first ?? LastRun()
  }

  /// Remembers that there was a run; writes nothing if the last one was on that day, and less than ten
  /// minutes before.
  func noteRun(at now: ClockTime) throws {
    try note(now, in: "counter", "run", row: 1)
    try run(
      """
      UPDATE counter SET last_day = ?1,
        ledger_day = coalesce(min(?1, ledger_day + \(LastRun.longestStep)), ?1)
      WHERE last_day IS NOT ?1
      """, now.time.date.dayNumber)
  }

  /// Remembers the time of the last good reading of a catalogue, to ten minutes if its loans were as before, and
  /// what is kept of it.
  func note(
    readingOf catalogue: Int64, at now: ClockTime, modifiedAt: ClockTime?, isDelivered: Bool,
    hasChanged: Bool
  ) throws {
    try note(now, in: "catalogue", "read", row: catalogue, step: hasChanged ? 1 : 600)
    try run(
      """
      UPDATE catalogue SET modified_at = ?1, modified_utc_offset = ?2, unknown_since = NULL,
        is_delivered = max(is_delivered, ?3)
      WHERE id = ?4 AND (is_delivered < ?3 OR unknown_since IS NOT NULL OR
        modified_at - coalesce(modified_utc_offset, 0) IS NOT ?1 - coalesce(?2, 0))
      """, modifiedAt?.time.ordinal, modifiedAt?.utcOffset, isDelivered ? 1 : 0, catalogue)
  }

  /// The day of the last good reading of a catalogue.
  func dayOfReading(of catalogue: Int64) throws -> Int? {
    try integer("SELECT read_at / 86400 FROM catalogue WHERE id = ?", catalogue).map { Int($0) }
  }

  /// Remembers the time of something in two columns of a row, `read_at` and `read_utc_offset`, unless
  /// one less than a step of seconds away is there: a run that changes nothing else would have to wait for
  /// the disk each time.
  private func note(
    _ now: ClockTime, in table: String, _ name: String, row: Int64, step: Int = 600
  ) throws {
    try run(
      """
      UPDATE \(table) SET \(name)_at = ?1, \(name)_utc_offset = ?2
      WHERE rowid = ?3 AND coalesce(
        abs(?1 - coalesce(?2, 0) - \(name)_at + coalesce(\(name)_utc_offset, 0)) >= ?4, 1)
      """, now.time.ordinal, now.utcOffset, row, step)
  }

  /// The highest number that a loan ever had, so that no number comes to mean another loan.
  ///
  /// - Parameter catalogue: one whose loans must not have a higher one.
  /// - Returns: the number, and whether the catalogue has no loans.
  func lastNumber(catalogue: Int64) throws -> (number: Int64, isFirst: Bool) {
    let number = try integer("SELECT last_id FROM counter") ?? 0
    let all = LoanID.all(of: catalogue)
    let last = try integer(
      "SELECT id FROM loan WHERE id BETWEEN ? AND ? ORDER BY id DESC LIMIT 1", all)
    guard (0..<LoanID.numbers).contains(number),
      last ?? 0 <= all.lowerBound + number
    else {
      throw DatabaseError.damage("the highest number of a loan")
    }
    return (number, last == nil)
  }

  /// The number of a catalogue, which is made if it is new, and gets this name for its library.
  func catalogueID(_ path: String, library: String?, today: CivilDate) throws -> Int64 {
    try run(
      """
      INSERT INTO catalogue (path, library, added_on, is_delivered) VALUES (?1, ?2, ?3, 0)
      ON CONFLICT (path) DO UPDATE SET library = ?2 WHERE library IS NOT ?2
      """, path, library, today.dayNumber)
    guard let id = try knownCatalogueID(path) else {
      throw DatabaseError.damage("the path of a catalogue")
    }
    return id
  }

  /// The number of a catalogue; `nil` if the schedule does not have it.
  func knownCatalogueID(_ path: String) throws -> Int64? {
    // Paths are compared as bytes: names that are equal by Unicode are different files.
    guard let id = try integer("SELECT id FROM catalogue WHERE path = ?", path) else {
      return nil
    }
    guard (0..<1 << 22).contains(id) else { throw DatabaseError.damage("a catalogue's number") }
    return id
  }

  /// Forgets what left a catalogue long ago, with what was delivered of it.
  ///
  /// Everything is kept for 400 days. Of a catalogue from which loans leave in great numbers only the
  /// latest are kept, though never for less than a week: 25,000 loans, or a quarter as many as it has;
  /// and 100,000 deliveries, or twice as many as it has loans, beside those of loans that are kept.
  ///
  /// - Parameter loans: how many loans the catalogue has.
  func prune(_ catalogue: Int64, loans: Int, last: LastRun, today: CivilDate) throws {
    guard let ledgerDay = last.ledgerDay else { return }
    let oldest = min(today, ledgerDay).dayNumber - LastRun.lifetime
    let youngest = last.dayOfLeaving(today: today).adding(days: -7).dayNumber
    let all = LoanID.all(of: catalogue)
    let left = "left_loan WHERE id BETWEEN ?1 AND ?2"
    let firstDay = try firstKept(
      of: "left_on", in: left, all, count: max(25_000, loans / 4), from: oldest, through: youngest)
    if let firstDay { try run("DELETE FROM \(left) AND left_on < ?3", all, firstDay) }
    let firstTime = try firstKept(
      of: "at", in: "delivery WHERE catalogue BETWEEN ?1 AND ?2", catalogue...catalogue,
      count: max(100_000, loans * 2), from: oldest * 86_400, through: youngest * 86_400)
    if let firstTime {
      // Not with NOT IN: for each pair that is not found, SQLite would look through all for a NULL.
      try run(
        """
        DELETE FROM delivery WHERE catalogue = ?4 AND at < ?1 AND (identity, expiration) IN (
          SELECT identity, expiration FROM delivery WHERE catalogue = ?4 AND at < ?1
          EXCEPT SELECT identity, expiration FROM loan WHERE id BETWEEN ?2 AND ?3
          EXCEPT SELECT identity, expiration FROM left_loan WHERE id BETWEEN ?2 AND ?3)
        """, firstTime, all, catalogue)
      if changes > 0 { try forgetReasons() }
    }
    try run(
      """
      DELETE FROM silence WHERE until < ?1 OR catalogue = ?2 AND made_at < ?1 * 86400
        AND identity NOT IN (SELECT identity FROM loan WHERE id BETWEEN ?3 AND ?4)
      """, oldest, catalogue, all)
  }

  /// The first value that is kept of a column; `nil` if all of them are.
  ///
  /// - Parameters:
  ///   - rows: the table, and a condition with the ends of a range.
  ///   - count: how many of the latest are kept in any case; none is forgotten for their number until
  ///     there are an eighth more, so that this is not done every day.
  ///   - oldest: what is before this is never kept, and what is from `youngest` on always.
  private func firstKept(
    of column: String, in rows: String, _ range: ClosedRange<Int64>, count: Int, from oldest: Int,
    through youngest: Int
  ) throws -> Int? {
    let found = try self.rows("SELECT count(*), min(\(column)) FROM \(rows)", range) { row in
      (row.integer(0), row.optionalInteger(1).map { Int($0) } ?? .max)
    }
    guard let (known, first) = found.first, first < youngest else { return nil }
    if known <= count + count / 8 { return first < oldest ? oldest : nil }
    let last = try integer(
      "SELECT \(column) FROM \(rows) ORDER BY \(column) DESC LIMIT 1 OFFSET ?3", range, count)
    return last.map { max(oldest, min(Int($0), youngest)) }
  }

  /// Forgets reasons to which nothing in the ledger refers any longer.
  func forgetReasons() throws {
    try execute(
      """
      DELETE FROM reason
      WHERE id NOT IN (SELECT reason FROM delivery WHERE reason IS NOT NULL)
      """)
  }
}
