import Loans
import System

/// The names of the time zones that the system knows, for completion and for guesses.
package enum TimeZoneNames {
  /// The zones of `zone.tab`, and UTC; none but that where the time zone database is not installed.
  package static var all: [String] {
    let bytes = (try? WholeFile.bytes(of: "/usr/share/zoneinfo/zone.tab", limit: 1_000_000)) ?? []
    return ["UTC"]
      + bytes.split(separator: UInt8(ascii: "\n")).compactMap { line in
        let columns = line.split(separator: UInt8(ascii: "\t"))
        guard line.first != UInt8(ascii: "#"), columns.count > 2 else { return nil }
        return String(decoding: columns[2], as: UTF8.self)
      }
  }

  /// What to give instead of an unknown name.
  ///
  /// - Parameter directory: where the zones are looked for, if a variable says so.
  package static func advice(instead name: String, in directory: String?) -> String {
    if let directory, all.contains(String(name.trimmingPrefix(":"))) {
      return "its data is not in TZDIR, \(directory.visible); unset TZDIR"
    }
    let city = "/\(name.lowercased())"
    let guess =
      name.contains("/")
      ? name.nearest(among: all) : all.first { $0.lowercased().hasSuffix(city) }
    if let guess, guess != name { return "did you mean \(guess)?" }
    return "give one of /usr/share/zoneinfo such as Europe/Budapest (Debian: apt install tzdata)"
  }

  /// A warning of a zone such as `UTC+5`, which POSIX counts the other way than people do; `nil` for
  /// any other.
  package static func warning(of zone: String) -> String? {
    // The expression is compiled each time, which few zones are worth.
    guard zone.hasPrefix("UTC") || zone.hasPrefix("GMT"), zone != "UTC", zone != "GMT",
      let match = zone.wholeMatch(of: #/(UTC|GMT)([+-])([01]?\d|2[0-4])(:\d{2})?/#)
    else { return nil }
    let (name, isPlus) = (match.output.1, match.output.2 == "+")
    let offset = "\(match.output.3)\(match.output.4 ?? "")"
    let hours = "\(offset) \(Int(offset) == 1 ? "hour" : "hours")"
    return """
      the time zone \(zone) is \(hours) \(isPlus ? "behind" : "ahead of") UTC, by the rules of \
      POSIX; if you mean the other way, write \(name)\(isPlus ? "-" : "+")\(offset)
      """
  }
}
