internal import CSQLite
internal import Failpoints
internal import Loans

/// The tables of a schedule, and what distinguishes it from another program's file.
///
/// - `catalogue`: the catalogues by path, each with the name of its library if that has one; the day
///   on which the schedule got it; the time of the last reading that could be used, to ten minutes, and
///   when its file was modified then; whether its notices are delivered, or it was only looked at; and
///   the day since which the server has not known the borrower, NULL if it does.
/// - `loan`: their loans with a usable expiration, in the order of each catalogue. The row's `id` is
///   made of both: the catalogue's number shifted left by 40 bits, and the loan's own number, by
///   which people know it (see ``LoanID``). So the loans of a catalogue lie side by side without an
///   index, which would cost more than the rows. `identity` and `ordinal` say which loan it is in
///   another version of the catalogue; `copy` counts loans alike in identity, expiration and person.
///   `hash` is of everything that a reading compares, see ``LoanRow``, and 0 once the user has
///   cancelled it. `person` is whom its notices are for, see ``Person``, and `armed_on` the day on which
///   it was first scheduled with this expiration, person and ladder. `fields` holds its texts, see
///   ``StoredTexts``.
/// - `left_loan`: loans that their catalogue no longer has, since the day `left_on`.
/// - `ladder`: the rungs by which loans are reminded of, each ladder once, see `Ladder`; `remind` and
///   `expired` are lists of days in JSON, and `withheld` is the status of loans that have no notices
///   for that reason. `fire_at` of a loan is when its first notice fires, and
///   `open_before` and `open_after` are the open days next to an expiration on a closed day.
/// - `delivery`: the ledger, keyed by what a notice says and to whom, and not by a loan's number: so a
///   loan that leaves, comes back, or returns to an earlier expiration finds its deliveries, and what
///   somebody else was told counts for nobody. `rung` is the signed number of days from the expiration,
///   see ``DueNotice/rung``; `sent_to` is the address or the name as it was told, NULL for nobody and
///   for the library.
/// - `channel`: names of channels, with the days on which each was first and last used.
/// - `reason`: what channels said when they failed, each once.
/// - `outbox`: the notices that are being sent right now, each with its loan's row, see ``Outbox``.
/// - `calendar`: the last good reading of each calendar of closed days, see ``KeptCalendar``.
/// - `silence`: what people have silenced, see ``Silence``: one loan, by its key in the ledger, or all
///   that meet the conditions that are not NULL.
/// - `counter`: one row: the highest number of a loan, the days from which the age of the ledger is
///   counted (see ``LastRun``), a random number made with the tables, and the time of the last run, to
///   ten minutes.
///
/// Days are day numbers from 1970-01-01, times are seconds of the library's civil time, see
/// `CivilDateTime.ordinal`. The views show both as people write them, and states in words; they are
/// documented for other programs, so columns are only added. This program reads the tables alone,
/// and replaces the views whose text differs when it opens a schedule for writing.
enum Schema {
  /// "LOAN" in ASCII, at byte 68 of the file.
  static let applicationID: Int32 = 0x4C4F_414E

  /// The version of the tables and indexes, which a change of any of them raises.
  static let version = 1

  /// How a loan's row and its deliveries are found from each other.
  ///
  /// - Parameter table: the ledger or the outbox.
  static func isOfLoan(_ table: String) -> String {
    """
    \(table).catalogue = loan.id >> \(LoanID.shift) AND \(table).identity = loan.identity
          AND \(table).expiration = loan.expiration AND \(table).copy = loan.copy
          AND \(table).person = loan.person
    """
  }

  /// The key of a loan's notices in the ledger.
  static let ledgerKey =
    "loan.id >> \(LoanID.shift), loan.identity, loan.expiration, loan.copy, loan.person"

  /// Whether a delivery is of the loan whose row number is the first parameter.
  static let isDeliveryOfFirst = """
    (catalogue, identity, expiration, copy, person) = (
          SELECT \(ledgerKey) FROM loan WHERE loan.id = ?1)
    """

  /// Whether the reminder was delivered that a loan has reached on the day of the last run, or else the
  /// first one.
  private static let isReminderTold = """
    delivery.rung BETWEEN coalesce(loan.rung, -\(Ladder.longest)) AND 0
          AND delivered_at <= (loan.last_day + 1) * 86400 + \(Delivery.farthestZones)
    """

  /// The columns of a loan, in the order in which rows are inserted.
  private static let loanColumns = """
    id INTEGER PRIMARY KEY, identity INTEGER, hash INTEGER, expiration INTEGER, fire_at INTEGER,
      ladder INTEGER, ordinal INTEGER, copy INTEGER, person INTEGER, armed_on INTEGER,
      open_before INTEGER, open_after INTEGER, fields TEXT
    """

  /// The columns by which a notice is known, in the ledger and the outbox.
  private static let noticeColumns = """
    catalogue INTEGER NOT NULL, identity INTEGER NOT NULL, expiration INTEGER NOT NULL,
      copy INTEGER NOT NULL, person INTEGER NOT NULL, channel INTEGER NOT NULL, rung INTEGER NOT NULL,
      at INTEGER NOT NULL, utc_offset INTEGER, sent_to TEXT
    """

  /// The definitions of the tables and indexes.
  static let tables = [
    """
    CREATE TABLE catalogue (
      id INTEGER PRIMARY KEY,
      path TEXT NOT NULL UNIQUE,
      library TEXT,
      added_on INTEGER NOT NULL,
      is_delivered INTEGER NOT NULL,
      read_at INTEGER,
      read_utc_offset INTEGER,
      modified_at INTEGER,
      modified_utc_offset INTEGER,
      unknown_since INTEGER
    )
    """,
    "CREATE TABLE loan (\(loanColumns))",
    "CREATE TABLE left_loan (\(loanColumns), left_on INTEGER)",
    "CREATE INDEX left_loan_identity ON left_loan (identity)",
    """
    CREATE TABLE ladder (
      id INTEGER PRIMARY KEY,
      remind TEXT NOT NULL,
      expired TEXT NOT NULL,
      repeat_expired INTEGER,
      expired_until INTEGER,
      at TEXT NOT NULL,
      withheld TEXT
    )
    """,
    """
    CREATE TABLE channel (
      id INTEGER PRIMARY KEY,
      name TEXT NOT NULL UNIQUE,
      first_used INTEGER NOT NULL,
      last_used INTEGER NOT NULL
    )
    """,
    """
    CREATE TABLE reason (
      id INTEGER PRIMARY KEY,
      text TEXT NOT NULL UNIQUE
    )
    """,
    """
    CREATE TABLE delivery (
      \(noticeColumns),
      state INTEGER NOT NULL,
      attempts INTEGER NOT NULL,
      delivered_at INTEGER,
      reason INTEGER,
      PRIMARY KEY (catalogue, identity, expiration, copy, person, channel, rung)
    ) WITHOUT ROWID
    """,
    """
    CREATE TABLE outbox (
      id INTEGER PRIMARY KEY,
      sending INTEGER NOT NULL,
      message INTEGER NOT NULL,
      loan INTEGER NOT NULL,
      \(noticeColumns)
    )
    """,
    """
    CREATE TABLE calendar (
      path TEXT PRIMARY KEY,
      read_on INTEGER NOT NULL,
      days TEXT NOT NULL
    ) WITHOUT ROWID
    """,
    """
    CREATE TABLE silence (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      catalogue INTEGER,
      identity INTEGER,
      expiration INTEGER,
      person INTEGER,
      borrower TEXT, email TEXT, category TEXT, status TEXT, loan TEXT, title TEXT,
      kind TEXT,
      channel TEXT,
      until INTEGER,
      reason TEXT NOT NULL,
      made_by TEXT NOT NULL,
      made_at INTEGER NOT NULL,
      UNIQUE (identity, expiration, person, catalogue)
    )
    """,
    """
    CREATE TABLE counter (
      last_id INTEGER NOT NULL,
      last_day INTEGER,
      ledger_day INTEGER,
      identity INTEGER NOT NULL,
      run_at INTEGER,
      run_utc_offset INTEGER
    )
    """,
  ]

  /// The definitions of the views, by name.
  ///
  /// `rank` is the number by which the latest of several loans is chosen: one in its catalogue is later
  /// than all that have left. The state of the last attempt is that of the row with the greatest time, and
  /// of several the furthest rung, as SQLite has it beside `max`.
  private static let views: KeyValuePairs = [
    "reminders": """
    CREATE VIEW reminders AS
    WITH reached AS (
      SELECT loan.*, last_day,
        (SELECT coalesce(max(-value) FILTER (WHERE day - value <= last_day), min(-value))
          FROM json_each(remind) WHERE (day - value) * 86400 + second >= fire_at) AS rung
      FROM (
        SELECT loan.*, coalesce(open_before, expiration) AS day, remind, expired, repeat_expired,
          expired_until, withheld, (substr(at, 1, 2) * 60 + substr(at, 4)) * 60 AS second
        FROM loan JOIN ladder ON ladder.id = loan.ladder
      ) AS loan, counter
    ), known AS (
      SELECT loan.*,
        EXISTS (
          SELECT 1 FROM delivery WHERE \(isOfLoan("delivery")) AND \(isReminderTold)) AS is_delivered,
        EXISTS (
          SELECT max(delivery.at * 10000 + delivery.rung)
          FROM delivery JOIN channel ON channel.id = delivery.channel
          WHERE \(isOfLoan("delivery")) AND delivery.rung <= 0
            AND last_used >= loan.last_day - \(Delivery.daysInUse)
          GROUP BY channel.id
          HAVING count(*) FILTER (WHERE \(isReminderTold)) = 0
            AND state IN (\(Delivery.State.failed.stored), \(Delivery.State.undeliverable.stored))
        ) AS has_failed,
        \(Silence.isSilenced(today: "loan.last_day")) AS is_silenced
      FROM reached AS loan
    )
    SELECT known.id & \(LoanID.numbers - 1) AS id, catalogue.path AS catalogue,
      coalesce(\(StoredTexts.column(.library)), catalogue.library) AS library,
      \(named([
        (.id, "loan_id"), (.title, "title"), (.author, "author"), (.borrower, "borrower"),
        (.email, "email"), (.barcode, "barcode"), (.isbn, "isbn"), (.language, "language"),
        (.category, "category"), (.type, "item_type"), (.renewable, "renewable"),
        (.status, "loan_status"),
      ])),
      date(expiration * 86400, 'unixepoch') AS expiration,
      strftime('%Y-%m-%dT%H:%M', coalesce((day + rung) * 86400 + second, fire_at), 'unixepoch')
        AS fire_at,
      CASE
        WHEN withheld IS NOT NULL AND hash <> 0 THEN 'withheld'
        WHEN known.is_delivered AND (hash = 0 OR NOT has_failed OR expiration < last_day) THEN 'delivered'
        WHEN hash = 0 THEN 'cancelled'
        WHEN expiration < last_day THEN 'expired'
        WHEN is_silenced THEN 'silenced'
        WHEN has_failed THEN 'failed'
        ELSE 'pending'
      END AS state,
      remind, expired AS remind_expired, repeat_expired, expired_until,
      date(open_before * 86400, 'unixepoch') AS open_before,
      date(open_after * 86400, 'unixepoch') AS open_after,
      date(armed_on * 86400, 'unixepoch') AS armed_on
    FROM known JOIN catalogue ON catalogue.id = known.id >> \(LoanID.shift)
    """,
    "deliveries": """
    CREATE VIEW deliveries AS
    WITH known AS (
      SELECT 1 << 62 | id AS rank, id, identity, ordinal, copy, expiration, person, fields FROM loan
      UNION ALL
      SELECT id, id, identity, ordinal, copy, expiration, person, fields FROM left_loan
    ), same AS (
      SELECT id >> \(LoanID.shift) AS catalogue, identity, copy, expiration, person,
        max(rank) AS id, fields
      FROM known GROUP BY 1, 2, 3, 4, 5
    ), latest AS (
      SELECT id >> \(LoanID.shift) AS catalogue, identity, ordinal, max(rank) AS id, fields
      FROM known GROUP BY 1, 2, 3
    )
    SELECT coalesce(same.id, latest.id) & \(LoanID.numbers - 1) AS id, catalogue.path AS catalogue,
      coalesce(\(StoredTexts.column(.library, of: "coalesce(same.fields, latest.fields)")),
        catalogue.library) AS library,
      \(StoredTexts.column(.title, of: "coalesce(same.fields, latest.fields)")) AS title,
      \(StoredTexts.column(.borrower, of: "same.fields")) AS borrower,
      \(StoredTexts.column(.email, of: "same.fields")) AS email,
      sent_to,
      date(delivery.expiration * 86400, 'unixepoch') AS expiration,
      CASE WHEN rung > 0 THEN 'expired' ELSE 'reminder' END AS kind, rung,
      channel.name AS channel,
      CASE state
        WHEN \(Delivery.State.delivered.stored) THEN 'delivered'
        WHEN \(Delivery.State.failed.stored) THEN 'failed'
        WHEN \(Delivery.State.undeliverable.stored) THEN 'undeliverable'
        ELSE 'sending'
      END AS state,
      attempts,
      strftime('%Y-%m-%dT%H:%M:%S', at, 'unixepoch') || coalesce(
        printf('%s%02d:%02d', CASE WHEN utc_offset < 0 THEN '-' ELSE '+' END,
          abs(utc_offset) / 3600, abs(utc_offset) / 60 % 60), '') AS at,
      reason.text AS error,
      strftime('%Y-%m-%dT%H:%M:%S', delivered_at, 'unixepoch') AS delivered_at
    FROM delivery
      JOIN catalogue ON catalogue.id = delivery.catalogue
      JOIN channel ON channel.id = delivery.channel
      LEFT JOIN reason ON reason.id = delivery.reason
      LEFT JOIN same ON same.catalogue = delivery.catalogue AND same.identity = delivery.identity
        AND same.expiration = delivery.expiration AND same.copy = delivery.copy
        AND same.person = delivery.person
      LEFT JOIN latest ON same.id IS NULL AND latest.identity = delivery.identity
        AND latest.catalogue = delivery.catalogue AND latest.ordinal = delivery.copy
    """,
    "silences": """
    CREATE VIEW silences AS
    SELECT silence.id, loan.id & \(LoanID.numbers - 1) AS reminder, borrower, email, category, status,
      silence.loan AS loan, title, kind, channel,
      date(until * 86400, 'unixepoch') AS until, reason, made_by,
      strftime('%Y-%m-%dT%H:%M:%S', made_at, 'unixepoch') AS made_at
    FROM silence LEFT JOIN loan ON \(Silence.isOfLoan)
    """,
  ]

  /// Texts of a loan as columns with these names.
  private static func named(_ columns: [(field: LoanField, name: String)]) -> String {
    columns.map { "\(StoredTexts.column($0.field)) AS \($0.name)" }.joined(separator: ", ")
  }

  /// Makes the tables and views of a new file.
  static func create(_ database: Database) throws {
    try database.execute("BEGIN IMMEDIATE TRANSACTION")
    for definition in tables + views.map(\.value) {
      try database.execute(definition)
      failpoint("tables-step")
    }
    try database.execute(
      """
      INSERT INTO counter VALUES (0, NULL, NULL, random(), NULL, NULL);
      PRAGMA application_id = \(applicationID);
      PRAGMA user_version = \(version)
      """)
    failpoint("tables-before-commit")
    try database.execute("COMMIT TRANSACTION")
  }

  /// Replaces the views whose text differs, as that of another version may.
  static func updateViews(_ database: Database) throws {
    let found = Set(try database.texts("SELECT sql FROM sqlite_master WHERE type = 'view'"))
    let outdated = views.filter { !found.contains($0.value) }
    if outdated.isEmpty { return }
    try database.execute("BEGIN IMMEDIATE TRANSACTION")
    do {
      for (name, definition) in outdated {
        try database.execute("DROP VIEW IF EXISTS \(name); \(definition)")
      }
    } catch let error as DatabaseError where error.code == SQLITE_ERROR {
      // Something else has the name.
      throw DatabaseError.damage("the views")
    }
    try database.execute("COMMIT TRANSACTION")
  }

  /// Refuses another program's file and a newer version's, and detects damage to the tables.
  ///
  /// - Returns: whether there are no tables yet.
  /// - Throws: `ScheduleError` `notASchedule`; `DatabaseError`.
  static func check(_ database: Database, path: String) throws -> Bool {
    let application: Int32
    let version: Int
    let found: Set<String>
    do {
      application = Int32(truncatingIfNeeded: try database.integer("PRAGMA application_id") ?? 0)
      version = Int(try database.integer("PRAGMA user_version") ?? 0)
      found = Set(try database.texts(Self.found))
    } catch let error as DatabaseError where error.code == SQLITE_ERROR {
      // Nothing else prevents reading the list of tables.
      throw DatabaseError.damage(error.message)
    }
    if application == 0, version == 0, found.isEmpty { return true }
    let isOurs = found.isSuperset(of: tables)
    guard application == applicationID else {
      throw ScheduleError.notASchedule(path, "belongs to another program")
    }
    // A version that changes the tables adds a case, which brings those of the one before up to date.
    switch version {
    case Self.version where isOurs: return false
    case Self.version: throw DatabaseError.damage("the tables")
    case Self.version...:
      throw ScheduleError.notASchedule(path, "was written by a newer version of check-loans")
    default: throw DatabaseError.damage("the version")
    }
  }

  /// The definitions of everything that is there, except SQLite's own.
  private static let found = """
    SELECT coalesce(sql, '') FROM sqlite_master
    WHERE name NOT LIKE 'sqlite_autoindex_%' AND name NOT LIKE 'sqlite_stat%'
    """

  /// Looks for damage everywhere, reading the whole file.
  ///
  /// It takes `integrity_check`, since `quick_check` misses an index that leads to another row. That
  /// passes over the list of free pages if SQLite comes upon a view first (3.40), so the list is checked
  /// with the table of definitions, too.
  static func checkWhole(_ database: Database) throws {
    for scope in ["1", "sqlite_master"] {
      let finding = try database.texts("PRAGMA integrity_check(\(scope))").first ?? "no result"
      if finding == "ok" { continue }
      let sentence = finding.split(separator: "\n").last.map(String.init) ?? finding
      throw database.error(SQLITE_CORRUPT, sentence)
    }
  }
}
