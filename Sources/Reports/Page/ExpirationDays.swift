import Loans

/// The numbers of loans that expire on the days around today.
package struct ExpirationDays {
  /// The first and the last of the days, counted from today.
  static let range = -7...42

  let today: CivilDate
  /// The number of each day, by its distance from ``range``'s beginning.
  private(set) var counts = [Int](repeating: 0, count: range.count)

  init(today: CivilDate) { self.today = today }

  /// Counts a loan, if its day is one of them.
  mutating func add(_ expiration: CivilDate) {
    let distance = today.days(until: expiration)
    if Self.range.contains(distance) { counts[distance - Self.range.lowerBound] += 1 }
  }

  /// The days, each with its number; fewer at the ends of the calendar.
  var all: [(day: CivilDate, distance: Int, count: Int)] {
    zip(Self.range, counts).compactMap { distance, count in
      CivilDate(dayNumber: today.dayNumber + distance).map { ($0, distance, count) }
    }
  }
}
