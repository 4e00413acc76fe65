import Glibc
import Loans

/// The time in a zone, for a run that asks once, and where time zones are looked up.
enum SystemClock {
  /// The civil time now, to the second.
  ///
  /// - Parameter zone: as for the variable TZ, already checked; `nil` for the system's zone.
  /// - Returns: `nil` outside the years 1 to 9999.
  static func now(in zone: String?) -> CivilDateTime? {
    ZoneClock.enter(zone)
    return ZoneClock.read()?.now
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
    var bytes: [UInt8] = []
    // As long as most zone files.
    var piece = [UInt8](repeating: 0, count: 4_096)
    while bytes.count < 1 << 18 {
      let length = unsafe read(descriptor, &piece, piece.count)
      if length < 0 && errno == EINTR { continue }
      if length <= 0 { break }
      bytes += piece[..<length]
    }
    return bytes
  }
}
