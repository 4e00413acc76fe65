internal import Loans

/// The standing of a loan: all that decides about its notices, and what became of them.
///
/// What is due, the plan, the list, the status, an explanation and the badge are functions of it.
struct Standing {
  /// The row number of the loan.
  let id: Int64
  /// When its notices fire.
  let plan: LoanPlan
  /// Whether the user has cancelled its notices, until the next reload.
  let isCancelled: Bool
  /// The day on which it was first scheduled with its expiration, person and ladder.
  let armedOn: CivilDate
  /// The first day on which it was no longer in its catalogue; `nil` if it is there.
  let leftOn: CivilDate?
  /// Whether the library's server says that it does not know the borrower, so that nothing is sent.
  var isBorrowerUnknown = false
  /// The deliveries of its notices to the person who has it, by channel, and for each its reminders
  /// before the others.
  var deliveries: [Delivery] = []

  /// Selects the columns that are read, in their order.
  static func columns(of table: LoanTable) -> String {
    """
    loan.id, loan.expiration, fire_at, ladder, open_before, open_after, hash, armed_on, \(table.leftOn)
    """
  }
  /// The number of these.
  static let columnCount: Int32 = 9

  /// The standing of the loan in a row that begins with these, without its deliveries.
  ///
  /// - Throws: `DatabaseError` `SQLITE_CORRUPT` for days that no calendar has, and an unknown ladder.
  init(_ row: Statement, _ ladders: Ladders) throws {
    id = row.integer(0)
    let number = id & (LoanID.numbers - 1)
    guard let expiration = row.day(1), let fireAt = row.time(2), let armedOn = row.day(7) else {
      throw DatabaseError.damage("the dates of loan \(number)")
    }
    guard let ladder = ladders[row.integer(3)] else {
      throw DatabaseError.damage("the ladder of loan \(number)")
    }
    var days: OpenDays?
    if let before = row.day(4), let after = row.day(5) {
      days = OpenDays(before: before, after: after)
    }
    plan = LoanPlan(ladder, expiration: expiration, openDays: days, firstFireAt: fireAt)
    isCancelled = row.integer(6) == LoanRow.cancelled
    self.armedOn = armedOn
    leftOn = row.day(8)
  }

  /// The number by which people know the loan.
  var number: Int { Int(id & (LoanID.numbers - 1)) }

  /// The number of its catalogue.
  var catalogue: Int64 { id >> LoanID.shift }

  /// The furthest rung that was delivered through a channel, or through any; `nil` if none was.
  ///
  /// - Parameter time: by when; `nil` for now.
  func told(through channel: String?, by time: CivilDateTime? = nil) -> Int? {
    var told: Int?
    for delivery in deliveries where channel.map(delivery.isThrough) ?? true {
      if let rung = delivery.deliveredRung { told = max(told ?? rung, rung) }
      guard let time else { continue }
      for mark in delivery.marks where Delivery.counts(mark.at, at: time) {
        told = max(told ?? mark.rung, mark.rung)
      }
    }
    return told
  }

  /// The deliveries of its reminders, or of the notices after its expiration.
  func deliveries(of kind: Notice.Kind) -> [Delivery] {
    deliveries.filter { Notice.Kind(rung: $0.rung) == kind }
  }

  /// Whether it is open, for a badge: its first notice has fired, or it has expired.
  func isOpen(at now: CivilDateTime) -> Bool {
    !isCancelled && plan.ladder.withheld == nil
      && (plan.expiration < now.date || plan.firstFireAt <= now)
  }
}

/// What all questions about the standing of loans look up, read once for each question.
struct Standings {
  let database: Database
  let now: CivilDateTime
  let ladders: Ladders
  let channels: [Int64: Channel]
  private let reasons: [Int64: String]
  private let hasSilences: Bool
  /// The catalogues whose borrower the library's server does not know.
  private let unknownBorrowers: Set<Int64>
  /// What is being sent right now, by the row numbers of the loans.
  private var sending: [Int64: [Delivery]] = [:]

  /// - Parameter sent: how many messages of the outbox were sent, and are delivered, while those that
  ///   were not begun are as they were before; if it is `nil`, all of them are being sent.
  init(_ database: Database, at now: CivilDateTime, sent: OutboxCount? = nil) throws {
    (self.database, self.now) = (database, now)
    ladders = try Ladders(database)
    channels = try database.channels()
    hasSilences = try database.hasSilences
    unknownBorrowers = Set(
      try database.rows("SELECT id FROM catalogue WHERE unknown_since IS NOT NULL") {
        $0.integer(0)
      })
    reasons = try database.values("SELECT id, text FROM reason") { $0.text(1) ?? "" }
    _ = try database.rows(
      """
      SELECT loan.id, channel, rung, \(Delivery.State.sending.stored), 1, at, utc_offset, NULL, sent_to,
        NULL, sending, message
      FROM outbox JOIN loan ON loan.id = loan AND \(Schema.isOfLoan("outbox"))
      ORDER BY channel, rung
      """
    ) { row in
      guard var delivery = delivery(row, from: 1) else { return }
      if let sent, sent.sending == row.optionalInteger(10) {
        let message = row.integer(11)
        if message > sent.sent { return }
        if message < sent.sent {
          (delivery.state, delivery.deliveredAt) = (.delivered, delivery.at)
          delivery.deliveredRung = delivery.rung
        }
      }
      sending[row.integer(0), default: []].append(delivery)
    }
  }

  /// Calls `body` with the standing of loans, in the order of their rows.
  ///
  /// - Parameters:
  ///   - ranges: their row numbers.
  ///   - table: the loans in their catalogues, or those that have left.
  ///   - condition: which of them, in SQL, with parameters from ?4 on.
  ///   - channel: the only channel whose deliveries count; `nil` for all.
  func forEach<each Value: Bindable>(
    in ranges: [ClosedRange<Int64>], of table: LoanTable = .present, where condition: String = "1",
    _ values: repeat each Value, channel: Int64? = nil, _ body: (Standing) throws -> Void
  ) throws {
    let query = try database.statement(
      """
      SELECT \(Standing.columns(of: table)),
        delivery.channel, rung, state, attempts, at, utc_offset, delivered_at, sent_to, reason
      FROM \(table.rawValue) AS loan LEFT JOIN delivery ON \(Schema.isOfLoan("delivery"))
        AND (?3 IS NULL OR delivery.channel = ?3)
      WHERE loan.id BETWEEN ?1 AND ?2 AND (\(condition))
      ORDER BY loan.id
      """)
    defer { query.reset() }
    for range in ranges {
      query.bind(range, channel)
      query.bind(repeat each values)
      var standing: Standing?
      while try query.step() {
        if standing?.id != query.integer(0) {
          if let standing { try body(completed(standing)) }
          var next = try Standing(query, ladders)
          next.isBorrowerUnknown =
            !unknownBorrowers.isEmpty && unknownBorrowers.contains(next.catalogue)
          standing = next
        }
        if let delivery = delivery(query, from: Standing.columnCount) {
          standing?.deliveries.add(delivery, now: now)
        }
      }
      if let standing { try body(completed(standing)) }
    }
  }

  /// The standing of a loan in its catalogue, or of one that has left; `nil` if there is no such row.
  func standing(of id: Int64) throws -> Standing? {
    for table in LoanTable.allCases {
      var found: Standing?
      try forEach(in: [id...id], of: table) { found = $0 }
      if let found { return found }
    }
    return nil
  }

  /// A standing with what is being sent right now, which is the latest, by channel.
  private func completed(_ standing: Standing) -> Standing {
    let sending = sending.isEmpty ? [] : sending[standing.id] ?? []
    if sending.isEmpty, standing.deliveries.count < 2 { return standing }
    var standing = standing
    for delivery in sending { standing.deliveries.add(delivery, now: now) }
    standing.deliveries.sort { ($0.channel, $0.rung) < ($1.channel, $1.rung) }
    return standing
  }

  /// The delivery in the columns of a row that begin with its channel; `nil` if there is none.
  func delivery(_ row: Statement, from column: Int32) -> Delivery? {
    guard let channel = row.optionalInteger(column).flatMap({ channels[$0] }) else { return nil }
    var delivery = Delivery(
      channel: channel.name,
      isInUse: channel.isInUse(on: now.date),
      state: .init(stored: row.integer(column + 2)), at: row.time(column + 4),
      utcOffset: row.offset(column + 5), attempts: Int(row.integer(column + 3)),
      sentTo: row.text(column + 7),
      error: row.optionalInteger(column + 8).flatMap { reasons[$0] },
      deliveredAt: row.time(column + 6), rung: Int(row.integer(column + 1)))
    if let at = delivery.deliveredAt {
      if Delivery.counts(at, at: now) {
        delivery.deliveredRung = delivery.rung
      } else {
        delivery.marks = [Delivery.Mark(rung: delivery.rung, at: at)]
      }
    }
    return delivery
  }

  /// Whether the notice that a loan has on a day is silenced.
  ///
  /// - Parameter channel: the name of the channel; `nil` for all of them.
  func isSilenced(_ standing: Standing, on day: CivilDate, through channel: String?) throws -> Bool
  {
    guard hasSilences, standing.leftOn == nil else { return false }
    return try database.isSilenced(standing.id, day, channel)
  }

  /// The silences that hold for the notice of a loan, the one that ends last first.
  func silences(of loan: ScheduledLoan) throws -> [Silence] {
    guard hasSilences, loan.leftOn == nil else { return [] }
    return try database.silences(of: loan, today: now.date)
  }
}

/// The two tables of loans.
enum LoanTable: String, CaseIterable {
  /// The loans that their catalogues have.
  case present = "loan"
  /// Those that have left within the last 400 days.
  case left = "left_loan"

  /// The keys of all loans, in SQL.
  static let keys =
    allCases
    .map { "SELECT id, identity, expiration, copy, person FROM \($0.rawValue)" }
    .joined(separator: " UNION ALL ")

  /// The day on which a loan left, in SQL.
  var leftOn: String { self == .left ? "left_on" : "NULL" }
}

/// What the ledger knows of a channel.
struct Channel {
  var name: String
  /// The numbers of the days on which it was first and last used.
  var firstUsed: Int
  var lastUsed: Int

  /// Whether a run has named it within the last seven days.
  func isInUse(on day: CivilDate) -> Bool {
    lastUsed >= day.adding(days: -Delivery.daysInUse).dayNumber
  }
}

extension Database {
  /// The channels of the ledger, by their numbers.
  func channels() throws -> [Int64: Channel] {
    try values("SELECT id, name, first_used, last_used FROM channel") { row in
      Channel(
        name: row.text(1) ?? "", firstUsed: Int(row.integer(2)), lastUsed: Int(row.integer(3)))
    }
  }
}
