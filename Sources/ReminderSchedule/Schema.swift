internal import GRDB

/// The tables of a schedule, and what tells one from another program's file.
///
/// `loan` has one narrow row per loan with a usable expiration, all that a reload compares and
/// all that decides what is due; both kinds of notice derive from it. `detail` has the texts,
/// which are only read to be shown and, for a renewed loan, not even written. Days are day
/// numbers, moments are ordinals of `CivilDateTime`. Neither table has an index beside its
/// row number: a reload of a million loans would spend more time on one than on the rows.
///
/// `delivery` is the ledger: what happened to a kind of notice for an expiration of a loan, per
/// channel. It refers to the loan's row, which therefore stays, marked with the day on which the
/// loan left its catalogue.
enum Schema {
  /// "LOAN" in ASCII, at byte 68 of the file.
  static let applicationID: Int32 = 0x4C4F_414E

  /// One step per version; a step, once published, never changes.
  private static let steps = [
    """
    CREATE TABLE catalogue (
      id INTEGER PRIMARY KEY,
      path TEXT NOT NULL UNIQUE
    );
    CREATE TABLE loan (
      id INTEGER PRIMARY KEY,
      catalogue INTEGER NOT NULL,
      key INTEGER NOT NULL,
      fingerprint INTEGER NOT NULL,
      expiration INTEGER NOT NULL,
      fire_at INTEGER NOT NULL,
      cancelled INTEGER NOT NULL,
      left_on INTEGER
    );
    CREATE TABLE detail (
      loan INTEGER PRIMARY KEY,
      identity TEXT NOT NULL,
      loan_id TEXT, title TEXT, author TEXT, isbn TEXT, barcode TEXT, borrower TEXT, email TEXT
    );
    CREATE TABLE delivery (
      loan INTEGER NOT NULL,
      kind INTEGER NOT NULL,
      expiration INTEGER NOT NULL,
      channel TEXT NOT NULL,
      state INTEGER NOT NULL,
      attempts INTEGER NOT NULL,
      at INTEGER NOT NULL,
      error TEXT,
      PRIMARY KEY (loan, kind, expiration, channel)
    ) WITHOUT ROWID;
    CREATE TABLE counter (last_id INTEGER NOT NULL);
    INSERT INTO counter VALUES (0);
    """
  ]

  /// Makes the tables of a new file, or brings those of an older version up to date.
  ///
  /// - Throws: `ScheduleError` `notASchedule` for any other file, which is left as it is.
  static func migrate(_ database: Database, path: String) throws {
    let version = try check(database, path: path)
    guard version < steps.count else { return }
    for step in steps[version...] { try database.execute(sql: step) }
    try database.execute(
      sql: "PRAGMA application_id = \(applicationID); PRAGMA user_version = \(steps.count)")
  }

  /// Refuses another program's file and a newer version's.
  ///
  /// - Returns: the version of the tables, 0 for none.
  static func check(_ database: Database, path: String) throws -> Int {
    let application = try Int32.fetchOne(database, sql: "PRAGMA application_id") ?? 0
    let version = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
    let tables = try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_master") ?? 0
    if application == 0, version == 0, tables == 0 { return 0 }
    guard application == applicationID, version > 0 else {
      throw refusal(path, "belongs to another program")
    }
    guard version <= steps.count else {
      throw refusal(path, "was written by a newer version of check-loans")
    }
    return version
  }

  private static func refusal(_ path: String, _ what: String) -> ScheduleError {
    ScheduleError(.notASchedule, path: path, ScheduleError.notASchedule(path, what))
  }
}
