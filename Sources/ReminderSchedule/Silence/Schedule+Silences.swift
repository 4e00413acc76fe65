public import Loans

extension Schedule {
  /// Silences loans of the schedule, each in place of a silence that it has of its own.
  ///
  /// - Parameters:
  ///   - ids: the loans' numbers.
  ///   - origin: the reason for it, and who has ordered it.
  ///   - until: the day from which the notices of a catalogue's loans are sent again; `nil` if the book
  ///     is reported as returned: until the loan has left its catalogue or was renewed.
  /// - Returns: what became of each.
  public func silence(
    loans ids: [Int], by origin: Silence.Origin, until: (_ catalogue: String) -> CivilDate?
  ) throws(ScheduleError) -> SilencedLoans {
    try writeByUser { database in
      let ladders = try Ladders(database)
      var result = SilencedLoans()
      for number in ids {
        guard let loan = try database.presentLoan(number, ladders) else {
          result.unknown.append(number)
          continue
        }
        if try database.hasAlike(loan.row) {
          result.alike.append(number)
          continue
        }
        let end = until(loan.catalogue)
        let earlier = try database.rows(
          "SELECT until FROM loan, silence WHERE loan.id = ? AND \(Silence.isOfLoan)", loan.row
        ) { $0.day(0) }.first
        if let end, let earlier {
          guard let earlier else {
            result.returned.append(number)
            continue
          }
          if earlier > end { result.shortened.append((number, earlier)) }
        }
        try database.store(SilenceConditions(), about: loan.row, end, origin)
        result.silenced.append(loan)
      }
      return result
    }
  }

  /// Silences all loans, of now and later, that meet some conditions.
  ///
  /// - Parameters:
  ///   - conditions: the conditions, one of which at least selects loans.
  ///   - until: the day from which their notices are sent again; `nil` for never.
  ///   - origin: the reason for it, and who has ordered it.
  /// - Returns: the silence's number, and how many loans in a catalogue meet the conditions now.
  public func silence(
    _ conditions: SilenceConditions, until: CivilDate?, by origin: Silence.Origin
  ) throws(ScheduleError) -> (id: Int, loans: Int) {
    precondition(conditions.selectLoans, "a silence of everything")
    return try writeByUser { database in
      let id = try database.store(conditions, about: nil, until, origin)
      let loans = try database.count(
        "silence, loan WHERE silence.id = ? AND \(Silence.isAboutLoan)", id)
      return (id, loans)
    }
  }

  /// Ends silences.
  ///
  /// - Returns: the numbers that no silence has.
  public func endSilences(_ ids: [Int]) throws(ScheduleError) -> (ended: Int, unknown: [Int]) {
    try writeByUser { database in
      var result = (ended: 0, unknown: [Int]())
      for id in ids {
        try database.run("DELETE FROM silence WHERE id = ?", id)
        if database.changes > 0 { result.ended += 1 } else { result.unknown.append(id) }
      }
      return result
    }
  }
}

extension ScheduleReader {
  /// The silences that have not ended, in the order in which they were made.
  public func silences(today: CivilDate) throws(ScheduleError) -> [Silence] {
    try connection.transact { database in
      let ladders = try Ladders(database)
      return try database.rows(Silence.queryOfAll, today.dayNumber) { row in
        try Silence(row, target: row.optionalInteger(13).flatMap { try database.loan($0, ladders) })
      }
    }
  }

  /// The numbers of a report about catalogues: of loans that are silenced and would be open, see
  /// ``openCount(at:catalogues:)``; and of books that are reported as returned and to be looked for.
  public func silencedCount(
    at now: CivilDateTime, catalogues: [String]? = nil
  ) throws(ScheduleError) -> (loans: Int, overdueReturns: Int) {
    try connection.transact { database in
      var count = (loans: 0, overdueReturns: 0)
      guard try database.hasSilences else { return count }
      let latest = now.date.adding(days: 1 - Silence.daysToReturn)
      // Deliveries make no difference; no channel has the number 0.
      try Standings(database, at: now).forEachOpen(catalogues, silenced: true, channel: 0) { _ in
        count.loans += 1
      }
      for range in try database.ranges(catalogues) {
        count.overdueReturns += try database.count(
          """
          loan CROSS JOIN silence
          WHERE loan.id BETWEEN ?1 AND ?2 AND until IS NULL AND made_at < ?3 AND \(Silence.isOfLoan)
          """, range, CivilDateTime(latest).ordinal)
      }
      return count
    }
  }

  /// The names of those who have borrowed something, each once; 10,000 at most.
  public func borrowers() throws(ScheduleError) -> [String] {
    try connection.transact { database in
      try database.texts(
        """
        SELECT DISTINCT \(StoredTexts.column(.borrower)) AS borrower FROM loan
        WHERE borrower IS NOT NULL LIMIT 10000
        """)
    }
  }
}

extension Database {
  /// Stores a silence, in place of another one about the same loan.
  ///
  /// - Returns: its number.
  @discardableResult
  fileprivate func store(
    _ conditions: SilenceConditions, about loan: Int64?, _ until: CivilDate?,
    _ origin: Silence.Origin
  ) throws -> Int {
    try run(
      """
      INSERT OR REPLACE INTO silence (catalogue, identity, expiration, person, borrower, email,
        category, status, loan, title, kind, channel, until, reason, made_by, made_at)
      SELECT loan.id >> \(LoanID.shift), identity, expiration, person,
        ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?
      FROM (SELECT 1) LEFT JOIN loan ON loan.id = ?
      """, conditions.borrower, conditions.email, conditions.category,
      conditions.status?.rawValue, conditions.loan, conditions.title, conditions.kind?.rawValue,
      conditions.channel, until?.dayNumber,
      origin.reason, origin.by, origin.at.ordinal, loan)
    return Int(insertedID)
  }

  /// Whether several loans are alike in what a silence knows of one.
  ///
  /// - Parameter id: the row number of the loan.
  fileprivate func hasAlike(_ id: Int64) throws -> Bool {
    try integer(
      """
      SELECT 1 FROM loan JOIN loan AS other ON other.id <> loan.id
        AND other.id >> \(LoanID.shift) = loan.id >> \(LoanID.shift) AND other.identity = loan.identity
        AND other.expiration = loan.expiration AND other.person = loan.person
      WHERE loan.id = ? LIMIT 1
      """, id) != nil
  }
}

/// What became of loans that were to be silenced.
public struct SilencedLoans: Sendable {
  /// Those that were silenced.
  public var silenced: [ScheduledLoan] = []
  /// The numbers of those of them that were silenced for longer, with the day until which.
  public var shortened: [(id: Int, until: CivilDate)] = []
  /// The numbers of those that are reported as returned, which stay silenced for longer.
  public var returned: [Int] = []
  /// The numbers of those that nothing distinguishes from others, so that nobody could say which is
  /// meant once one of them has left.
  public var alike: [Int] = []
  /// The numbers that no loan in a catalogue has.
  public var unknown: [Int] = []
}
