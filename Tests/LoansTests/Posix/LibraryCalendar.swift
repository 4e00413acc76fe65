import Glibc

/// The C library's calendar, to compare with.
enum LibraryCalendar {
  /// Year, month and day of the day so many days after 1970-01-01; gmtime_r(3).
  static func parts(ofDay dayNumber: Int) -> (year: Int, month: Int, day: Int) {
    var instant = time_t(dayNumber * 86_400)
    var fields = unsafe tm()
    unsafe gmtime_r(&instant, &fields)
    return unsafe (Int(fields.tm_year) + 1_900, Int(fields.tm_mon) + 1, Int(fields.tm_mday))
  }

  /// Seconds since 1970-01-01T00:00:00; parts beyond their range carry over. timegm(3)
  static func seconds(
    year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0
  ) -> Int {
    var fields = unsafe tm()
    unsafe fields.tm_year = Int32(year - 1_900)
    unsafe fields.tm_mon = Int32(month - 1)
    unsafe fields.tm_mday = Int32(day)
    unsafe fields.tm_hour = Int32(hour)
    unsafe fields.tm_min = Int32(minute)
    unsafe fields.tm_sec = Int32(second)
    return unsafe timegm(&fields)
  }

  /// Whether nothing of the parts carries over.
  static func hasDay(year: Int, month: Int, day: Int) -> Bool {
    let dayNumber = seconds(year: year, month: month, day: day) / 86_400
    return parts(ofDay: dayNumber) == (year, month, day)
  }
}
