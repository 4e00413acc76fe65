internal import Loans

extension Database {
  /// For how many days after a loan has left its catalogue its ledger is kept.
  static var ledgerLifetime: Int { 400 }

  /// For how many days after that its rows are kept, by which it can be explained, and returns
  /// under its number; the rest of its ledger then becomes small (see ``Departures``).
  static var rowLifetime: Int { 7 }

  /// The row number of a catalogue, which is made if it is new.
  func catalogueID(_ path: String) throws -> Int64 {
    // As what is due is found, so that the two agree even on a damaged file.
    var known: Int64?
    try forEachCatalogue([path]) { id, _ in known = id }
    if let known { return known }
    try execute(sql: "INSERT INTO catalogue (path) VALUES (?)") { $0.bind(path) }
    guard PageNumber.catalogues.contains(lastInsertedRowID) else {
      throw Schema.damage("the number of a catalogue")
    }
    return lastInsertedRowID
  }

  /// The highest number that a loan ever had, so that no number comes to mean another loan.
  func lastLoanID() throws -> Int64 {
    let id = try integer(sql: "SELECT last_id FROM counter") ?? 0
    guard (0..<PageNumber.end).contains(id) else {
      throw Schema.damage("the highest number of a loan")
    }
    return id
  }

  /// The highest number that a stored loan has.
  func highestNumber() throws -> Int64 {
    var highest = try integer(sql: "SELECT max(id) FROM loan") ?? 0
    let lookup = LoanLookup(self)
    for catalogue in try catalogueIDs() {
      let last = try lookup.readPage(around: PageNumber.end - 1, catalogue)
      highest = max(highest, last?.loans.last?.id ?? 0)
    }
    return highest
  }

  /// The number by which the schedule is known.
  func identity() throws -> Int64 {
    try integer(sql: "SELECT identity FROM counter") ?? 0
  }

  /// Remembers the highest number that a loan has.
  func setLastLoanID(_ id: Int64) throws {
    try execute(sql: "UPDATE counter SET last_id = ?") { $0.bind(id) }
  }

  /// Whether anything was ever delivered or tried of a catalogue's loans, or of any loan that
  /// is stored.
  func hasLedger(catalogue: Int64) throws -> Bool {
    if try Departures.exist(self, catalogue: catalogue) { return true }
    return try condition(
      sql: "SELECT EXISTS (SELECT 1 FROM delivery) OR EXISTS (SELECT 1 FROM flight)") ?? false
  }

  /// When the last run was.
  func lastRun() throws -> LastRun {
    let statement = try RowStatement(self, sql: "SELECT last_day, ledger_day FROM counter")
    guard try statement.next() else { return LastRun() }
    let (day, ledgerDay) = (statement.optionalInteger(0), statement.optionalInteger(1))
    for case let day? in [day, ledgerDay] where CivilDate(dayNumber: Int(day)) == nil {
      throw Schema.damage("the day of the last run")
    }
    return LastRun(day: day.map { Int($0) }, ledgerDay: ledgerDay.map { Int($0) })
  }

  /// Remembers that there was a run on a day; writes nothing if that was the last one's day too.
  func noteRun(on today: CivilDate) throws {
    let last = try lastRun()
    let next = last.followed(by: today.dayNumber)
    guard next != last else { return }
    try execute(sql: "UPDATE counter SET last_day = ?, ledger_day = ?") { parameters in
      parameters.bind(next.day.map { Int64($0) })
      parameters.bind(next.ledgerDay.map { Int64($0) })
    }
  }
}

/// The day of the last run, so far as there was one, and what the clock's errors must not touch.
struct LastRun: Equatable {
  /// The civil day on which the last reload or delivery was, by the clock of that run.
  var day: Int?
  /// The day from which the age of the ledger is counted: the day of the last run, unless it came
  /// there too fast.
  var ledgerDay: Int?

  /// By how much the ledger ages at most from one day with a run to the next.
  ///
  /// A clock that stands years ahead for some days so makes nothing forgotten.
  private static var longestStep: Int { 30 }

  /// What is remembered after a run on `today`.
  func followed(by today: Int) -> LastRun {
    guard let day, let ledgerDay else { return LastRun(day: today, ledgerDay: today) }
    if day == today { return self }
    return LastRun(day: today, ledgerDay: min(today, ledgerDay + Self.longestStep))
  }

  /// What left before this day may be forgotten by a run on `today`; `nil` for nothing.
  func oldestKept(today: Int) -> Int? {
    ledgerDay.map { min(today, $0) - Database.ledgerLifetime }
  }

  /// The day on which a loan leaves that is missed today: never before one known to be past.
  func dayOfLeaving(today: CivilDate) -> CivilDate {
    guard let day, let known = CivilDate(dayNumber: day) else { return today }
    return max(today, known)
  }
}
