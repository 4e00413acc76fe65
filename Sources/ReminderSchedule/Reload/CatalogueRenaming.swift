internal import Loans

extension Schedule {
  /// Gives a catalogue another name, under which its loans and what was delivered count.
  ///
  /// If the schedule has a catalogue of that name, what was delivered of one of the two counts, and the loans
  /// are those of the one that was read last, as if they had been read under the other name.
  ///
  /// - Returns: how many loans it has; `nil` if the schedule has no such catalogue, or it has the name.
  public func rename(catalogue: String, to name: String) throws(ScheduleError) -> Int? {
    let transaction = try begin()
    let reading = try reader.connection.transact { try $0.laterReading(of: name, than: catalogue) }
    if let reading { try take(reading, into: catalogue) }
    let count = try writeByUser { database -> Int? in
      guard let id = try database.knownCatalogueID(catalogue),
        !catalogue.utf8.elementsEqual(name.utf8)
      else { return nil }
      if let other = try database.knownCatalogueID(name) {
        if reading != nil { try database.run(Self.noteReading, other, id) }
        try database.merge(other, into: id)
      }
      try database.run("UPDATE catalogue SET path = ? WHERE id = ?", name, id)
      return try database.count("loan WHERE id BETWEEN ? AND ?", LoanID.all(of: id))
    }
    try transaction.commit()
    return count
  }

  /// Gives a catalogue, ?2, the time of the last reading of another, ?1, and what is known of that.
  private static let noteReading = """
    UPDATE catalogue SET library = other.library, read_at = other.read_at,
      read_utc_offset = other.read_utc_offset, modified_at = other.modified_at,
      modified_utc_offset = other.modified_utc_offset, unknown_since = other.unknown_since
    FROM catalogue AS other WHERE other.id = ?1 AND catalogue.id = ?2
    """

  /// Replaces the loans of a catalogue by those of another reading.
  private func take(_ reading: StoredReading, into catalogue: String) throws(ScheduleError) {
    // No run was later; what is known of those must not change.
    let time = try reader.lastRun() ?? reading.time
    var reload = try beginReload(of: catalogue, at: time.time, utcOffset: time.utcOffset)
    var (last, count) = (reading.rows.lowerBound, 0)
    while true {
      let loans = try reader.connection.perform { database in
        let ladders = try Ladders(database)
        return try database.rows(
          """
          \(ScheduledLoan.query(.present)) WHERE loan.id > ? AND loan.id <= ?
          ORDER BY loan.id LIMIT 1000
          """, last, reading.rows.upperBound
        ) { row in try ScheduledLoan(row, ladders) }
      }
      guard let end = loans.last else { break }
      last = end.row
      count += loans.count
      for loan in loans {
        // The next reading finds another fingerprint, and stores what it has.
        try reload.add(
          loan.loan, loan.identity, fingerprint: 0, try reload.day(of: loan.plan))
      }
    }
    _ = try reload.commit(records: count, allowEmpty: true)
  }
}

/// The last reading of a catalogue, as it is stored.
private struct StoredReading {
  let time: ClockTime
  /// The row numbers of its loans.
  let rows: ClosedRange<Int64>
}

extension Database {
  /// The last reading of a catalogue, unless that of another one was later.
  fileprivate func laterReading(of name: String, than other: String) throws -> StoredReading? {
    guard let id = try knownCatalogueID(name), let other = try knownCatalogueID(other), id != other
    else { return nil }
    let time = try rows(
      """
      SELECT later.read_at, later.read_utc_offset FROM catalogue AS later, catalogue
      WHERE later.id = ?1 AND catalogue.id = ?2
        AND later.read_at - coalesce(later.read_utc_offset, 0)
          >= coalesce(catalogue.read_at - coalesce(catalogue.read_utc_offset, 0), 0)
      """, id, other
    ) { $0.clockTime(0) }.first
    return (time ?? nil).map { StoredReading(time: $0, rows: LoanID.all(of: id)) }
  }

  /// Makes a catalogue a part of another one, and forgets it.
  fileprivate func merge(_ other: Int64, into id: Int64) throws {
    try run(
      """
      UPDATE catalogue SET is_delivered = max(catalogue.is_delivered, other.is_delivered)
      FROM catalogue AS other WHERE other.id = ?1 AND catalogue.id = ?2
      """, other, id)
    try mergeDeliveries(by: "catalogue", from: other, into: id)
    try mergeSilences(of: other, into: id)
    try moveLeftLoans(of: other, to: id)
    _ = try forgetLoans(of: other)
    try numberCopies(in: id)
    try run("DELETE FROM catalogue WHERE id = ?", other)
  }

  /// Of two silences of the same loan the one holds that was made later, but none against that the book was
  /// returned.
  private func mergeSilences(of other: Int64, into id: Int64) throws {
    for (loser, winner) in [(id, other), (other, id)] {
      try run(
        """
        DELETE FROM silence WHERE catalogue = ?1 AND EXISTS (
          SELECT 1 FROM silence AS better
          WHERE better.catalogue = ?2 AND better.identity = silence.identity
            AND better.expiration = silence.expiration AND better.person = silence.person
            AND (better.until IS NULL, better.made_at) > (silence.until IS NULL, silence.made_at))
        """, loser, winner)
    }
    try run("UPDATE OR IGNORE silence SET catalogue = ?2 WHERE catalogue = ?1", other, id)
    try run("DELETE FROM silence WHERE catalogue = ?", other)
  }

  /// Gives a catalogue the loans that have left another one, or leave it now, unless it has the same itself.
  private func moveLeftLoans(of other: Int64, to id: Int64) throws {
    let (rows, distance) = (LoanID.all(of: other), (id - other) << LoanID.shift)
    func own(_ table: LoanTable, _ loan: LoanTable) -> String {
      """
      SELECT 1 FROM \(table.rawValue) AS own
      WHERE own.id >> \(LoanID.shift) = ?3 AND own.identity = \(loan.rawValue).identity
        AND own.expiration = \(loan.rawValue).expiration AND own.person = \(loan.rawValue).person
      """
    }
    try run(
      """
      INSERT INTO left_loan
      SELECT loan.*, coalesce(read_at / 86400, added_on) FROM loan, catalogue
      WHERE loan.id BETWEEN ?1 AND ?2 AND catalogue.id = ?3
        AND NOT EXISTS (\(own(.present, .present)))
      """, rows, id)
    for table in LoanTable.allCases {
      try run(
        "DELETE FROM left_loan WHERE id BETWEEN ?1 AND ?2 AND EXISTS (\(own(table, .left)))", rows,
        id)
    }
    // Those set apart have the number of their row for an identity, and so has what was told of them.
    for table in ["delivery", "silence"] {
      try run(
        """
        UPDATE OR IGNORE \(table) SET identity = identity + ?4
        WHERE catalogue = ?3 AND identity BETWEEN ?1 AND ?2
        """, rows, id, distance)
    }
    try run(
      """
      UPDATE left_loan SET id = id + ?3, identity = iif(identity = id, id + ?3, identity)
      WHERE id BETWEEN ?1 AND ?2
      """, rows, distance)
  }
}
