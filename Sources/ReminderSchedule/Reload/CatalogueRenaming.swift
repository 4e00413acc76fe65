internal import Loans

extension Schedule {
  /// Gives a catalogue another name, under which its loans and what was delivered count.
  ///
  /// If the schedule has a catalogue of that name, what was delivered of one of the two counts, and the loans
  /// are those of the one that was read last, as if they had been read after the others.
  ///
  /// - Returns: how many loans it has; `nil` if the schedule has no such catalogue, or it has the name.
  public func rename(catalogue: String, to name: String) throws(ScheduleError) -> Int? {
    let transaction = try begin()
    let readings = try reader.connection.transact { try $0.readings(of: catalogue, name) }
    guard !catalogue.utf8.elementsEqual(name.utf8),
      readings.contains(where: { $0.path.utf8.elementsEqual(catalogue.utf8) })
    else { return nil }
    if readings.count == 2 { try take(readings[1], into: readings[0].path) }
    let count = try writeByUser { database in
      let id = readings[0].catalogue
      if readings.count == 2 { try database.merge(readings[1].catalogue, into: id) }
      try database.run("UPDATE catalogue SET path = ? WHERE id = ?", name, id)
      return try database.count("loan WHERE id BETWEEN ? AND ?", LoanID.all(of: id))
    }
    try transaction.commit()
    return count
  }

  /// Replaces the loans of a catalogue by those of a later reading.
  private func take(_ reading: StoredReading, into catalogue: String) throws(ScheduleError) {
    // No run was later; what is known of those must not change.
    guard let time = try reader.lastRun() ?? reading.time else { return }
    var reload = try beginReload(of: catalogue, at: time.time, utcOffset: time.utcOffset)
    let ladders = try reader.connection.perform { try Ladders($0) }
    let rows = LoanID.all(of: reading.catalogue)
    var (last, count) = (rows.lowerBound, 0)
    while true {
      let loans = try reader.connection.perform { database in
        try database.rows(
          """
          \(ScheduledLoan.query(.present)) WHERE loan.id > ? AND loan.id <= ?
          ORDER BY loan.id LIMIT 1000
          """, last, rows.upperBound
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
  /// The number of the catalogue.
  let catalogue: Int64
  let path: String
  /// `nil` if it was never read.
  let time: ClockTime?
}

extension Database {
  /// The last readings of two catalogues, as far as the schedule has them, the later one last.
  fileprivate func readings(of path: String, _ other: String) throws -> [StoredReading] {
    try rows(
      """
      SELECT id, path, read_at, read_utc_offset FROM catalogue WHERE path IN (?1, ?2)
      ORDER BY read_at - coalesce(read_utc_offset, 0), path = ?2
      """, path, other
    ) { StoredReading(catalogue: $0.integer(0), path: $0.text(1) ?? "", time: $0.clockTime(2)) }
  }

  /// Makes a catalogue, whose loans another one has now, a part of that, and forgets it.
  fileprivate func merge(_ other: Int64, into id: Int64) throws {
    try run(
      """
      UPDATE catalogue SET library = other.library, read_at = other.read_at,
        read_utc_offset = other.read_utc_offset, modified_at = other.modified_at,
        modified_utc_offset = other.modified_utc_offset, unknown_since = other.unknown_since,
        is_delivered = max(catalogue.is_delivered, other.is_delivered)
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

  /// Gives a catalogue the loans that have left another one, unless it has the same itself.
  private func moveLeftLoans(of other: Int64, to id: Int64) throws {
    let (rows, distance) = (LoanID.all(of: other), (id - other) << LoanID.shift)
    for table in LoanTable.allCases {
      try run(
        """
        DELETE FROM left_loan WHERE id BETWEEN ?1 AND ?2 AND EXISTS (
          SELECT 1 FROM \(table.rawValue) AS own
          WHERE own.id >> \(LoanID.shift) = ?3 AND own.identity = left_loan.identity
            AND own.expiration = left_loan.expiration AND own.person = left_loan.person)
        """, rows, id)
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
