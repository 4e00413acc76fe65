internal import Loans

/// What is stored of a loan by its plan alone: it is worked out once for all loans that have the same.
package struct ScheduledDay: Sendable {
  let expiration: Int64
  let fireAt: Int64
  /// The number of the plan's ladder.
  let ladder: Int64
  let openDays: OpenDays?
  /// Whether the loans have notices, and have not expired.
  let isScheduled: Bool
  /// A hash of what is stored.
  let hash: UInt64

  init(_ plan: LoanPlan, ladder: Int64, isScheduled: Bool) {
    expiration = Int64(plan.expiration.dayNumber)
    fireAt = Int64(plan.firstFireAt.ordinal)
    (self.ladder, self.isScheduled, openDays) = (ladder, isScheduled, plan.openDays)
    let days = plan.openDays.map { Int64($0.before.dayNumber << 32 ^ $0.after.dayNumber) }
    hash = [expiration, fireAt, ladder, days ?? 0].reduce(0) { hash, number in
      let product = (hash ^ UInt64(bitPattern: number)) &* 0x9E37_79B9_7F4A_7C15
      return product ^ product >> 29
    }
  }
}

/// The values of a loan's row, except its texts.
struct LoanRow {
  var id: Int64 = 0
  let identity: LoanIdentity
  /// See ``hash(_:_:)``.
  let hash: Int64
  let day: ScheduledDay
  let person: Int64
  /// The day on which it was scheduled for the first time.
  var armedOn: Int64

  /// The hash of a loan whose notices the user has cancelled.
  static let cancelled: Int64 = 0

  /// The hash of everything that a reading compares; never that of a loan that was cancelled.
  ///
  /// - Parameter fingerprint: a hash of its texts.
  static func hash(_ fingerprint: UInt64, _ day: ScheduledDay) -> Int64 {
    let hash = fingerprint ^ day.hash
    return hash == 0 ? 1 : Int64(bitPattern: hash)
  }

  /// Keeps the day on which the loan was first scheduled, if it was with the same dates, person and
  /// ladder.
  ///
  /// - Parameter row: a query's row that begins with these columns: ``columnsBefore``.
  mutating func keepArmed(_ row: Statement) {
    if row.integer(1) == day.expiration, row.integer(2) == person, row.integer(3) == day.ladder {
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
  private var texts: [UInt8] = []
  private var ends: [Int] = []
  private let insertion: Statement
  /// The highest number of a row in the table.
  private var highest: Int64

  private static let most = 32

  init(_ database: Database) throws {
    self.database = database
    highest = try database.integer("SELECT max(id) FROM loan") ?? 0
    insertion = try database.statement(Self.insertion(of: Self.most))
  }

  private static func insertion(of count: Int) -> String {
    let row = "(?, ?, ?, ?, ?, ?, ?, 1, ?, ?, ?, ?, ?)"
    return "INSERT OR REPLACE INTO loan VALUES "
      + Array(repeating: row, count: count).joined(separator: ", ")
  }

  /// Adds the texts of the next row.
  mutating func addTexts(of number: Int, in loans: EncodedLoans) {
    loans.appendTexts(of: number, to: &texts)
    ends.append(texts.count)
  }

  /// The texts that were added last.
  var lastTexts: String {
    String(decoding: texts[(ends.dropLast().last ?? 0)..<texts.count], as: UTF8.self)
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
    // Whether values are bound that another run of the statement may not have.
    var isLeftOver = false
    for (row, end) in zip(rows, ends) {
      if row.id == highest &+ 1 {
        // Numbered by SQLite, which then does not search for its place.
        statement.skip(1)
      } else {
        statement.bind(integer: row.id)
        isLeftOver = true
      }
      highest = max(highest, row.id)
      statement.bind(integer: Int64(bitPattern: row.identity.hash))
      statement.bind(integer: row.hash)
      statement.bind(integer: row.day.expiration)
      statement.bind(integer: row.day.fireAt)
      statement.bind(integer: row.day.ladder)
      statement.bind(integer: Int64(row.identity.ordinal))
      statement.bind(integer: row.person)
      statement.bind(integer: row.armedOn)
      if let days = row.day.openDays {
        statement.bind(days.before.dayNumber, days.after.dayNumber)
        isLeftOver = true
      } else {
        statement.skip(2)
      }
      statement.bind(text: texts.span.extracting(start..<end), isCopied: false)
      start = end
    }
    try statement.run()
    if isLeftOver { statement.clear() }
    rows.removeAll(keepingCapacity: true)
    texts.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
  }
}
