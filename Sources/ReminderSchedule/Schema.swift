internal import Failpoints

/// The tables of a schedule, and what tells one from another program's file.
///
/// `page` has the loans with a usable expiration, many in one row in the order of their numbers:
/// all that a reload compares and all that decides what is due (see ``LoanPage``); both kinds of
/// notice derive from it. `text_page` has their texts, which are only read to be shown (see
/// ``TextPage``). Pages are not changed: a loan that is no longer as its page has it gets a row in
/// `loan` that counts instead, and one in `text` if its texts are others, or one in `gone` if it is
/// no more. A few loans that are new have such rows alone. When there are many rows, all pages of
/// a catalogue are written anew (see ``Packing``). Days are day numbers, moments are ordinals of
/// `CivilDateTime`. No table has an index beside its row number: a reload of a million loans would
/// spend more time on one than on the rows.
///
/// `delivery` is the ledger: what happened to a kind of notice for an expiration of a loan, per
/// channel. It refers to the loan's number, so the loan stays for some days after it has left
/// its catalogue. `departed` is what remains after that: eight bytes for each channel, a
/// hash of identity and expiration, many in one row (see ``Departures``).
///
/// `flight` has the notices of a ``Sending`` that has not ended (see ``Flight``). `counter` has one
/// row: the highest number of a loan, the day of the last run, the day from which the age of the
/// ledger is counted, and a random number made with the tables.
enum Schema {
  /// "LOAN" in ASCII, at byte 68 of the file.
  static let applicationID: Int32 = 0x4C4F_414E

  /// A version that no release will reach, so it is damage.
  private static let impossibleVersion = 1_000

  private static let catalogue = """
    CREATE TABLE catalogue (
      id INTEGER PRIMARY KEY,
      path TEXT NOT NULL UNIQUE
    )
    """

  private static let loan = """
    CREATE TABLE loan (
      id INTEGER PRIMARY KEY,
      catalogue INTEGER NOT NULL,
      key INTEGER NOT NULL,
      fingerprint INTEGER NOT NULL,
      expiration INTEGER NOT NULL,
      fire_at INTEGER NOT NULL,
      cancelled INTEGER NOT NULL,
      left_on INTEGER
    )
    """

  private static let detail = """
    CREATE TABLE detail (
      loan INTEGER PRIMARY KEY,
      identity TEXT NOT NULL,
      loan_id TEXT, title TEXT, author TEXT, isbn TEXT, barcode TEXT, borrower TEXT, email TEXT
    )
    """

  /// ``detail`` with the time of day at which a loan ends, in seconds, as `ALTER TABLE` writes it.
  private static let timedDetail = """
    CREATE TABLE detail (
      loan INTEGER PRIMARY KEY,
      identity TEXT NOT NULL,
      loan_id TEXT, title TEXT, author TEXT, isbn TEXT, barcode TEXT, borrower TEXT, email TEXT
    , expiration_time INTEGER)
    """

  private static let page = """
    CREATE TABLE page (
      id INTEGER PRIMARY KEY,
      loans BLOB NOT NULL
    )
    """

  private static let textPage = """
    CREATE TABLE text_page (
      id INTEGER PRIMARY KEY,
      texts BLOB NOT NULL
    )
    """

  private static let text = """
    CREATE TABLE text (
      loan INTEGER PRIMARY KEY,
      texts BLOB NOT NULL
    )
    """

  private static let gone = """
    CREATE TABLE gone (
      loan INTEGER PRIMARY KEY,
      catalogue INTEGER NOT NULL
    )
    """

  private static let firstDelivery = """
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
    ) WITHOUT ROWID
    """

  private static let firstCounter = "CREATE TABLE counter (last_id INTEGER NOT NULL)"

  private static let channel = """
    CREATE TABLE channel (
      id INTEGER PRIMARY KEY,
      name TEXT NOT NULL UNIQUE
    )
    """

  private static let delivery = """
    CREATE TABLE delivery (
      loan INTEGER NOT NULL,
      kind INTEGER NOT NULL,
      expiration INTEGER NOT NULL,
      channel INTEGER NOT NULL,
      state INTEGER NOT NULL,
      attempts INTEGER NOT NULL,
      at INTEGER NOT NULL,
      error TEXT,
      delivered_at INTEGER,
      PRIMARY KEY (loan, kind, expiration, channel)
    ) WITHOUT ROWID
    """

  private static let departed = """
    CREATE TABLE departed (
      id INTEGER PRIMARY KEY,
      catalogue INTEGER NOT NULL,
      channel INTEGER NOT NULL,
      reminder_at INTEGER,
      expired_at INTEGER,
      marks BLOB NOT NULL
    )
    """

  private static let flight = """
    CREATE TABLE flight (
      batch INTEGER PRIMARY KEY,
      channel INTEGER NOT NULL,
      at INTEGER NOT NULL,
      notices BLOB NOT NULL
    )
    """

  private static let firstFlight = """
    CREATE TABLE flight (
      id INTEGER PRIMARY KEY,
      batch INTEGER NOT NULL,
      position INTEGER NOT NULL,
      loan INTEGER NOT NULL,
      kind INTEGER NOT NULL,
      expiration INTEGER NOT NULL,
      channel INTEGER NOT NULL,
      state INTEGER,
      attempts INTEGER,
      at INTEGER,
      error TEXT,
      delivered_at INTEGER
    )
    """

  private static let counter = """
    CREATE TABLE counter (
      last_id INTEGER NOT NULL,
      last_day INTEGER,
      ledger_day INTEGER,
      identity INTEGER NOT NULL
    )
    """

  /// What a step does that SQL cannot.
  private static let packDetails = "details"
  private static let packFlights = "flights"

  /// One step per version; a step, once published, never changes.
  private static let steps = [
    [catalogue, loan, detail, firstDelivery, firstCounter, "INSERT INTO counter VALUES (0)"],
    [
      channel,
      "INSERT INTO channel (name) SELECT DISTINCT channel FROM delivery ORDER BY channel",
      "ALTER TABLE delivery RENAME TO delivery_1",
      delivery,
      """
      INSERT INTO delivery
      SELECT loan, kind, expiration, (SELECT id FROM channel WHERE name = delivery_1.channel),
        state, attempts, at, error, CASE state WHEN 1 THEN at END
      FROM delivery_1
      """,
      "DROP TABLE delivery_1",
      departed, firstFlight,
      "ALTER TABLE counter RENAME TO counter_1",
      counter,
      "INSERT INTO counter SELECT last_id, NULL, NULL, random() FROM counter_1",
      "DROP TABLE counter_1",
    ],
    ["ALTER TABLE detail ADD COLUMN expiration_time INTEGER"],
    [
      page, textPage, text, gone, packDetails, "DROP TABLE detail",
      "ALTER TABLE flight RENAME TO flight_3", flight, packFlights, "DROP TABLE flight_3",
    ],
  ]

  /// The tables that each version has, as `sqlite_master` tells them.
  private static let tables: [Set<String>] = [
    [],
    [catalogue, loan, detail, firstDelivery, firstCounter],
    [catalogue, loan, detail, channel, delivery, departed, firstFlight, counter],
    [catalogue, loan, timedDetail, channel, delivery, departed, firstFlight, counter],
    [catalogue, loan, page, textPage, text, gone, channel, delivery, departed, flight, counter],
  ]

  /// The version that this program writes.
  static var version: Int { steps.count }

  /// Makes the tables of a new file, or brings those of an older version up to date.
  ///
  /// - Throws: `ScheduleError` `notASchedule` for any other file, which is left as it is;
  ///   `DatabaseError` `corrupt` for one that is damaged.
  static func migrate(_ database: Database, path: String) throws {
    let version = try check(database, path: path)
    guard version < steps.count else { return }
    for step in steps[version...] {
      for statement in step {
        switch statement {
        case packDetails: try database.packDetails()
        case packFlights: try database.packFlights()
        default: try database.execute(sql: statement)
        }
        failpoint("migration-step")
      }
    }
    try database.execute(
      sql: "PRAGMA application_id = \(applicationID); PRAGMA user_version = \(steps.count)")
    failpoint("migration-before-commit")
  }

  /// Refuses another program's file and a newer version's, and finds damage to the tables.
  ///
  /// - Returns: the version of the tables, 0 for none.
  static func check(_ database: Database, path: String) throws -> Int {
    let application = Int32(
      truncatingIfNeeded: try database.integer(sql: "PRAGMA application_id") ?? 0)
    let version = Int(try database.integer(sql: "PRAGMA user_version") ?? 0)
    let found = try definitions(database)
    if application == 0, version == 0, found.isEmpty { return 0 }
    guard application == applicationID else {
      // One bit off, in a file that has our tables, is no other program.
      let isFlipped = (application ^ applicationID).nonzeroBitCount == 1
      if isFlipped, tables[steps.count].isSubset(of: found) { throw damage("the application id") }
      throw ScheduleError(notASchedule: path, "belongs to another program")
    }
    guard (1..<impossibleVersion).contains(version) else { throw damage("the version") }
    guard version <= steps.count else {
      throw ScheduleError(notASchedule: path, "was written by a newer version of check-loans")
    }
    guard tables[version].isSubset(of: found) else { throw damage("the tables") }
    return version
  }

  /// How the tables were made that are there, with all else but SQLite's own.
  private static func definitions(_ database: Database) throws -> [String] {
    let rows = try RowStatement(
      once: database,
      sql: """
        SELECT coalesce(sql, '') FROM sqlite_master
        WHERE name NOT LIKE 'sqlite_autoindex_%' AND name NOT LIKE 'sqlite_stat%'
        """)
    var definitions: [String] = []
    while try rows.next() { definitions.append(rows.text(0) ?? "") }
    return definitions
  }

  /// Looks for damage everywhere, reading the whole file.
  ///
  /// `integrity_check`, not `quick_check`, which does not see an index that tells of another row.
  static func checkWhole(_ database: Database) throws {
    let finding = try database.text(sql: "PRAGMA integrity_check(1)")
    guard finding == "ok" else { throw damage(finding ?? "no result") }
  }

  /// The error of a damaged part.
  static func damage(_ what: String) -> DatabaseError {
    DatabaseError(.corrupt, message: "damaged: \(what)")
  }
}
