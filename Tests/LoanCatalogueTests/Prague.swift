import Loans

/// The civil time of Prague in the years of the European Union's summer time, without any time zone
/// database: an hour ahead of UTC, two from the last Sunday of March to that of October, both at
/// 01:00 UTC (Directive 2000/84/EC).
enum Prague {
  static func civilTime(at instant: Int) -> CivilDateTime? {
    guard let utc = CivilDateTime(ordinal: instant) else { return nil }
    let year = utc.date.parts.year
    guard let start = lastSunday(of: 3, year), let end = lastSunday(of: 10, year) else {
      return nil
    }
    let isSummer = (start.ordinal + 3_600..<end.ordinal + 3_600).contains(instant)
    return CivilDateTime(ordinal: instant + (isSummer ? 7_200 : 3_600))
  }

  private static func lastSunday(of month: Int, _ year: Int) -> CivilDateTime? {
    guard let last = CivilDate(year: year, month: month, day: 31) else { return nil }
    // 1970-01-01 was a Thursday.
    let daysSinceSunday = (last.dayNumber % 7 + 7 + 4) % 7
    return CivilDateTime(last.adding(days: -daysSinceSunday))
  }
}
