internal import Loans

/// The day of the last run, if there was one, and the age of the ledger, which a wrong clock must not
/// change.
struct LastRun {
  /// The civil day on which the last reload or delivery was, by the clock of that run.
  var day: Int?
  /// The day from which the age of the ledger is counted: the day of the last run, unless it came
  /// there too fast.
  var ledgerDay: Int?

  /// The number of days for which a loan that has left is kept, with its deliveries.
  static let lifetime = 400

  /// The most days by which the ledger ages from one day with a run to the next.
  ///
  /// So a clock that is years ahead for some days makes nothing forgotten.
  fileprivate static let longestStep = 30

  /// 2026-01-01, before which this ledger was on no machine: an earlier day is that of a clock
  /// without battery, which says nothing about other clocks.
  fileprivate static let firstPossibleDay = 20_454

  /// The day on which a loan leaves that is missing today: never before one known to be past.
  func dayOfLeaving(today: CivilDate) -> CivilDate {
    guard let day, let known = CivilDate(dayNumber: day) else { return today }
    return max(today, known)
  }
}

extension Database {
  /// When the last run was.
  func lastRun() throws -> LastRun {
    try rows("SELECT last_day, ledger_day FROM counter") { counter in
      for column in 0...1 as ClosedRange<Int32>
      where counter.optionalInteger(column) != nil && counter.day(column) == nil {
        throw DatabaseError.damage("the day of the last run")
      }
      return LastRun(day: counter.day(0)?.dayNumber, ledgerDay: counter.day(1)?.dayNumber)
    }.first ?? LastRun()
  }

  /// Remembers that there was a run; writes nothing if the last one was on that day, and less than ten
  /// minutes before.
  ///
  /// If a clock was ahead until then, forgets the expired notices, of expirations that have not passed,
  /// which were delivered in what is the future: once the loan has really expired it must be sent. Two
  /// days ahead it can be in another time zone.
  func noteRun(at now: ClockTime) throws {
    try note(run: now)
    let today = now.time.date
    let last = try lastRun().day
    if last == today.dayNumber { return }
    try forgetRecipients(before: today)
    try run(
      """
      UPDATE counter SET last_day = ?1,
        ledger_day = coalesce(min(?1, ledger_day + \(LastRun.longestStep)), ?1)
      """, today.dayNumber)
    guard let last, last > today.dayNumber + 2 || last < LastRun.firstPossibleDay,
      today.dayNumber >= LastRun.firstPossibleDay
    else { return }
    try run(
      "DELETE FROM delivery WHERE rung > 0 AND expiration >= ? AND delivered_at >= ?",
      today.dayNumber, CivilDateTime(today.adding(days: 3)).ordinal)
  }

  /// Remembers the time of a run, to ten minutes.
  func note(run now: ClockTime) throws { try note(now, in: "counter", "run", row: 1) }

  /// Remembers the time of the last good reading of a catalogue, to ten minutes.
  func note(readingOf catalogue: Int64, at now: ClockTime) throws {
    try note(now, in: "catalogue", "read", row: catalogue)
  }

  /// Remembers the time of something in two columns of a row, `read_at` and `read_utc_offset`, unless
  /// one less than ten minutes away is there: a run that changes nothing else would have to wait for
  /// the disk each time.
  private func note(_ now: ClockTime, in table: String, _ name: String, row: Int64) throws {
    try run(
      """
      UPDATE \(table) SET \(name)_at = ?1, \(name)_utc_offset = ?2
      WHERE rowid = ?3 AND coalesce(
        abs(?1 - coalesce(?2, 0) - \(name)_at + coalesce(\(name)_utc_offset, 0)) >= 600, 1)
      """, now.time.ordinal, now.utcOffset, row)
  }

  /// The highest number that a loan ever had, so that no number comes to mean another loan.
  ///
  /// - Parameter catalogue: one whose loans must not have a higher one.
  func lastNumber(catalogue: Int64) throws -> Int64 {
    let number = try integer("SELECT last_id FROM counter") ?? 0
    let all = LoanID.all(of: catalogue)
    let last = try integer(
      "SELECT number FROM loan WHERE id BETWEEN ? AND ? ORDER BY id DESC LIMIT 1",
      all.lowerBound, all.upperBound)
    guard (0..<LoanID.numbers).contains(number), last ?? 0 <= number else {
      throw DatabaseError.damage("the highest number of a loan")
    }
    return number
  }

  /// The number of a catalogue, which is made if it is new, and gets this name for its library.
  func catalogueID(_ path: String, library: String?) throws -> Int64 {
    try run(
      """
      INSERT INTO catalogue (path, library) VALUES (?1, ?2)
      ON CONFLICT (path) DO UPDATE SET library = ?2 WHERE library IS NOT ?2
      """, path, library)
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
}

extension Database {
  /// Forgets what left a catalogue long ago, with what was delivered of it.
  ///
  /// Everything is kept for 400 days. Of a catalogue from which loans leave in great numbers only the
  /// latest are kept, though never for less than a week: 25,000 loans, or a quarter as many as it has;
  /// and 100,000 deliveries, or twice as many as it has loans, beside those of loans that are kept.
  ///
  /// - Parameter loans: how many loans the catalogue has.
  func prune(_ catalogue: Int64, loans: Int, last: LastRun, today: CivilDate) throws {
    guard let ledgerDay = last.ledgerDay else { return }
    let oldest = min(today.dayNumber, ledgerDay) - LastRun.lifetime
    try run("DELETE FROM silence WHERE until < ?", oldest)
    let youngest = last.dayOfLeaving(today: today).adding(days: -7).dayNumber
    let firstDay = try firstKept(
      of: "left_on", in: "loan", catalogue, count: max(25_000, loans / 4), from: Int64(oldest),
      through: Int64(youngest))
    if let firstDay {
      try run("DELETE FROM loan WHERE catalogue = ? AND left_on < ?", catalogue, firstDay)
    }
    let firstTime = try firstKept(
      of: "at", in: "delivery", catalogue, count: max(100_000, loans * 2),
      from: Int64(oldest) * 86_400, through: Int64(youngest) * 86_400)
    if let firstTime { try forgetDeliveries(catalogue, before: firstTime) }
  }

  /// The first value that is kept of a column; `nil` if all of them are.
  ///
  /// - Parameters:
  ///   - count: how many of the latest are kept in any case; none is forgotten for their number until
  ///     there are an eighth more, so that this is not done every day.
  ///   - oldest: what is before this is never kept, and what is from `youngest` on always.
  private func firstKept(
    of column: String, in table: String, _ catalogue: Int64, count: Int, from oldest: Int64,
    through youngest: Int64
  ) throws -> Int64? {
    let rows = "FROM \(table) WHERE catalogue = ? AND \(column) IS NOT NULL"
    let found = try self.rows("SELECT count(*), min(\(column)) \(rows)", catalogue) { row in
      (row.integer(0), row.optionalInteger(1) ?? .max)
    }
    guard let (known, first) = found.first, first < youngest else { return nil }
    if known <= count + count / 8 { return first < oldest ? oldest : nil }
    let last = try integer(
      "SELECT \(column) \(rows) ORDER BY \(column) DESC LIMIT 1 OFFSET ?", catalogue, count)
    return last.map { max(oldest, min($0, youngest)) }
  }

  /// Forgets what was delivered before a time, except for loans that are there or left.
  private func forgetDeliveries(_ catalogue: Int64, before time: Int64) throws {
    let all = LoanID.all(of: catalogue)
    // Not with NOT IN: for each pair that is not found, SQLite would look through all for a NULL.
    try run(
      """
      DELETE FROM delivery
      WHERE catalogue = ?1 AND at < ?2 AND (identity, expiration) IN (
        SELECT identity, expiration FROM delivery WHERE catalogue = ?1 AND at < ?2
        EXCEPT SELECT identity, expiration FROM loan WHERE id BETWEEN ?3 AND ?4)
      """, catalogue, time, all.lowerBound, all.upperBound)
    if changes > 0 { try forgetReasons() }
  }

  /// Forgets reasons to which nothing in the ledger refers any longer.
  func forgetReasons() throws {
    try execute(
      """
      DELETE FROM reason
      WHERE id NOT IN (SELECT reason FROM delivery WHERE reason IS NOT NULL)
        AND id NOT IN (SELECT reason FROM recipient WHERE reason IS NOT NULL)
      """)
  }
}
