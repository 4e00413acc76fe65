internal import Loans

/// The ladders of a schedule, by their numbers.
struct Ladders {
  private let ladders: [Int64: Ladder]

  /// Reads them.
  ///
  /// - Throws: `DatabaseError` `SQLITE_CORRUPT` for one that makes no sense.
  init(_ database: Database) throws {
    ladders = try database.values(
      "SELECT id, remind, expired, repeat_expired, expired_until, at, withheld FROM ladder"
    ) { row in
      guard let leads = row.days(1, 0...Ladder.longest),
        let delays = row.days(2, 1...Ladder.longest),
        let time = row.text(5).flatMap({ CivilTime(iso: $0.utf8) }),
        row.optionalInteger(3).map({ (1...Int64(Ladder.longest)).contains($0) }) ?? true,
        row.optionalInteger(4).map({ (1...1_000_000).contains($0) }) ?? true,
        row.text(6).map({ LoanStatus(rawValue: $0) != nil }) ?? true
      else { throw DatabaseError.damage("a ladder") }
      return Ladder(
        leads: leads, delays: delays, period: row.optionalInteger(3).map { Int($0) },
        limit: row.optionalInteger(4).map { Int($0) }, time: time,
        withheld: row.text(6).flatMap(LoanStatus.init(rawValue:)))
    }
  }

  /// The number of a ladder; `nil` if it is not stored.
  func number(of ladder: Ladder) -> Int64? {
    ladders.filter { $0.value == ladder }.keys.min()
  }

  /// The times of day at which reminders fire.
  var times: Set<CivilTime> { Set(ladders.values.map(\.time)) }

  /// The ladder with a number; `nil` if there is none.
  subscript(number: Int64) -> Ladder? { ladders[number] }
}

extension Database {
  /// Stores a ladder.
  ///
  /// - Returns: its number.
  func store(_ ladder: Ladder) throws -> Int64 {
    try run(
      """
      INSERT INTO ladder (remind, expired, repeat_expired, expired_until, at, withheld)
      VALUES (?, ?, ?, ?, ?, ?)
      """, ladder.reminders.map { -$0 }.description, ladder.expired.description, ladder.period,
      ladder.limit, ladder.time.description, ladder.withheld?.rawValue)
    return insertedID
  }
}

extension Statement {
  /// The numbers of days in a column; `nil` if it holds anything else.
  fileprivate func days(_ column: Int32, _ range: ClosedRange<Int>) -> [Int]? {
    guard let text = text(column), text.hasPrefix("["), text.hasSuffix("]") else { return nil }
    let words = text.dropFirst().dropLast().split(separator: ",")
    let days = words.compactMap { Int($0.drop { $0 == " " }) }.filter(range.contains)
    return days.count == words.count ? days : nil
  }
}
