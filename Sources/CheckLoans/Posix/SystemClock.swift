import Glibc
import Loans

/// The one place that asks what time it is, and where time zones are looked up.
enum SystemClock {
  /// The civil time now, to the second.
  ///
  /// - Parameter zone: as for the variable TZ, already checked; `nil` for the system's zone.
  /// - SeeAlso: `time(2)`, `tzset(3)`, `localtime_r(3)`.
  static func now(in zone: String?) -> CivilDateTime? {
    if let zone { unsafe setenv("TZ", zone, 1) }
    tzset()
    var instant = time(nil)
    var parts = unsafe tm()
    guard unsafe localtime_r(&instant, &parts) != nil,
      let date = unsafe CivilDate(
        year: Int(parts.tm_year) + 1_900, month: Int(parts.tm_mon) + 1, day: Int(parts.tm_mday)),
      let time = unsafe CivilTime(
        secondOfDay: Int(parts.tm_hour) * 3_600 + Int(parts.tm_min) * 60
          + min(59, Int(parts.tm_sec)))
    else { return nil }
    return CivilDateTime(date, time)
  }

  /// Whether the file holds a compiled time zone, all of it.
  ///
  /// - SeeAlso: `tzfile(5)`.
  static func isZoneFile(_ path: String) -> Bool {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return ZoneFile.isWhole(firstBytes(of: descriptor))
  }

  /// What a file begins with; no zone file is as long as what is read at most.
  ///
  /// - SeeAlso: `read(2)`.
  private static func firstBytes(of descriptor: Int32) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 1 << 18)
    var count = 0
    while count < bytes.count {
      let length = unsafe bytes[count...].withUnsafeMutableBytes {
        unsafe read(descriptor, $0.baseAddress, $0.count)
      }
      if length < 0 && errno == EINTR { continue }
      if length <= 0 { break }
      count += length
    }
    return Array(bytes.prefix(count))
  }

  /// Where a symbolic link points.
  ///
  /// - SeeAlso: `readlink(2)`.
  static func target(ofLink path: String) -> String? {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let length = unsafe readlink(path, &buffer, buffer.count)
    guard length > 0 else { return nil }
    return String(decoding: buffer.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
