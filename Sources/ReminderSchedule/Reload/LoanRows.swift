internal import Loans

/// The values of a loan's row, except its texts.
struct LoanRow {
  var id: Int64 = 0
  var identity: Int64
  var ordinal: Int64
  /// A hash of everything that a reading compares; never that of a loan that was cancelled.
  var hash: Int64
  var expiration: Int64
  var fireAt: Int64
  var ladder: Int64
  var person: Int64
  var armedOn: Int64
  var openDays: OpenDays?

  /// The hash of a loan whose notices the user has cancelled.
  static let cancelled: Int64 = 0

  /// The row of a loan that is scheduled for the first time today.
  init(
    _ loan: some LoanParts, _ identity: LoanIdentity, hash: Int64, _ plan: LoanPlan, ladder: Int64,
    today: CivilDate
  ) {
    self.identity = Int64(bitPattern: identity.hash)
    ordinal = Int64(identity.ordinal)
    self.hash = hash
    expiration = Int64(plan.expiration.dayNumber)
    fireAt = Int64(plan.firstFireAt.ordinal)
    self.ladder = ladder
    person = Person.number(of: loan)
    armedOn = Int64(today.dayNumber)
    openDays = plan.openDays
  }

  /// The hash of a loan.
  ///
  /// - Parameters:
  ///   - fingerprint: a hash of its texts and its ordinal.
  ///   - ladder: the number of the plan's ladder.
  static func hash(_ fingerprint: UInt64, _ plan: LoanPlan, ladder: Int64) -> Int64 {
    var hash = fingerprint
    func combine(_ number: Int) {
      hash = (hash ^ UInt64(bitPattern: Int64(number))) &* 0x9E37_79B9_7F4A_7C15
      hash ^= hash >> 29
    }
    combine(plan.expiration.dayNumber)
    combine(plan.firstFireAt.ordinal)
    combine(Int(ladder))
    if let days = plan.openDays { combine(days.before.dayNumber << 32 ^ days.after.dayNumber) }
    return hash == 0 ? 1 : Int64(bitPattern: hash)
  }

  /// Keeps the day on which the loan was first scheduled, if it was with the same dates, person and
  /// ladder.
  ///
  /// - Parameter row: a query's row that begins with these columns: ``columnsBefore``.
  mutating func keepArmed(_ row: Statement) {
    if row.integer(1) == expiration, row.integer(2) == person, row.integer(3) == ladder {
      armedOn = row.integer(4)
    }
  }

  /// The columns of what was stored of a loan before.
  static let columnsBefore = "id, expiration, person, ladder, armed_on, fields"
}

/// Loans on their way into their table, thirty-two of them to a statement: to begin and end one takes
/// SQLite as long as to insert a row.
struct LoanRows {
  private let database: Database
  private var rows: [LoanRow] = []
  /// The texts of all of them, and where those of each end.
  private var texts = TextBuffer()
  private var ends: [Int] = []
  private let insertion: Statement

  private static let most = 32

  init(_ database: Database) throws {
    self.database = database
    insertion = try database.statement(Self.insertion(of: Self.most))
  }

  private static func insertion(of count: Int) -> String {
    let row = "(?, ?, ?, ?, ?, ?, ?, 1, ?, ?, ?, ?, ?)"
    return "INSERT OR REPLACE INTO loan VALUES "
      + Array(repeating: row, count: count).joined(separator: ", ")
  }

  /// Adds the texts of the next row.
  mutating func addTexts(of loan: some LoanParts) {
    StoredTexts.append(loan, to: &texts)
    ends.append(texts.count)
  }

  /// The texts that were added last.
  var lastTexts: String {
    String(decoding: texts.bytes[(ends.dropLast().last ?? 0)..<texts.count], as: UTF8.self)
  }

  /// Adds a row, whose texts were added, or replaces the one with its number.
  mutating func add(_ row: LoanRow) throws {
    rows.append(row)
    if rows.count == Self.most { try flush() }
  }

  /// Stores the rows that are on their way.
  mutating func flush() throws {
    if rows.isEmpty { return }
    let isWhole = rows.count == Self.most
    let statement = isWhole ? insertion : try database.statement(Self.insertion(of: rows.count))
    var start = 0
    var hasOpenDays = false
    for (row, end) in zip(rows, ends) {
      statement.bind(integer: row.id)
      statement.bind(integer: row.identity)
      statement.bind(integer: row.hash)
      statement.bind(integer: row.expiration)
      statement.bind(integer: row.fireAt)
      statement.bind(integer: row.ladder)
      statement.bind(integer: row.ordinal)
      statement.bind(integer: row.person)
      statement.bind(integer: row.armedOn)
      if let days = row.openDays {
        statement.bind(days.before.dayNumber, days.after.dayNumber)
        hasOpenDays = true
      } else {
        statement.skip(2)
      }
      statement.bind(text: texts.bytes.span.extracting(start..<end), isCopied: false)
      start = end
    }
    try statement.run()
    if hasOpenDays { statement.clear() }
    rows.removeAll(keepingCapacity: true)
    texts.removeAll()
    ends.removeAll(keepingCapacity: true)
  }
}
