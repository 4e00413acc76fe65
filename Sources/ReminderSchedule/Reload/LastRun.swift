internal import Loans

/// The day of the last run, if there was one, and the age of the ledger, which a wrong clock must not
/// change.
struct LastRun: Equatable {
  /// The civil day on which the last reload or delivery was, by the clock of that run.
  var day: Int?
  /// The day from which the age of the ledger is counted: the day of the last run, unless it came
  /// there too fast.
  var ledgerDay: Int?

  /// The number of days for which a loan that has left is kept, with its deliveries.
  private static let lifetime = 400

  /// The most days by which the ledger ages from one day with a run to the next.
  ///
  /// So a clock that is years ahead for some days makes nothing forgotten.
  private static let longestStep = 30

  /// 2026-01-01, before which this ledger was on no machine: an earlier day is that of a clock
  /// without battery, which says nothing about other clocks.
  static let firstPossibleDay = 20_454

  /// The last run after one on `today`.
  func followed(by today: Int) -> LastRun {
    guard let day, let ledgerDay else { return LastRun(day: today, ledgerDay: today) }
    if day == today { return self }
    return LastRun(day: today, ledgerDay: min(today, ledgerDay + Self.longestStep))
  }

  /// The day before which loans that left may be forgotten by a run on `today`; `nil` for none.
  func oldestKept(today: Int) -> Int? {
    ledgerDay.map { min(today, $0) - Self.lifetime }
  }

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

  /// Remembers that there was a run on a day; writes nothing if that was the last one's day too.
  func noteRun(on today: CivilDate) throws {
    let last = try lastRun()
    let next = last.followed(by: today.dayNumber)
    guard next != last, let day = next.day, let ledgerDay = next.ledgerDay else { return }
    try run("UPDATE counter SET last_day = ?, ledger_day = ?", day, ledgerDay)
    if let before = last.day, before > day + 2 || before < LastRun.firstPossibleDay {
      try forgetFuture(today)
    }
  }

  /// Forgets expired notices of expirations that have not passed, delivered in what is the future.
  ///
  /// A clock was ahead then, and once the loan has really expired the notice must be sent. Two days
  /// ahead it can be in another time zone.
  private func forgetFuture(_ today: CivilDate) throws {
    guard today.dayNumber >= LastRun.firstPossibleDay else { return }
    try run(
      "DELETE FROM delivery WHERE rung > 0 AND expiration >= ? AND delivered_at >= ?",
      today, CivilDateTime(today.adding(days: 3)))
  }

  /// The highest number that a loan ever had, so that no number comes to mean another loan.
  ///
  /// - Parameter catalogue: one whose loans must not have a higher one.
  func lastNumber(catalogue: Int64) throws -> Int64 {
    let number = try integer("SELECT last_id FROM counter") ?? 0
    let all = LoanID.all(of: catalogue)
    let last = try integer(
      "SELECT id FROM loan WHERE id BETWEEN ? AND ? ORDER BY id DESC LIMIT 1", all.lowerBound,
      all.upperBound)
    guard (0..<LoanID.numbers).contains(number), LoanID(last ?? 0).number <= number else {
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
