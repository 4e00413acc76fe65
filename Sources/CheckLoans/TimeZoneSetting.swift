import Loans

/// The library's time zone, as the variable TZ names it.
///
/// glibc takes a zone that it does not know for UTC without a word, so that it is checked here.
struct TimeZoneSetting {
  /// What to put into TZ; `nil` for the system's zone.
  let variable: String?
  /// What the zone is called in results.
  let name: String

  /// - Parameter text: a zone of the time zone database with or without `:` before it, a file, a
  ///   rule in POSIX form, or empty for UTC; `nil` for the system's zone.
  /// - Throws: ``CommandError`` with the status `badSetting`.
  init(_ text: String?, environment: Environment) throws(CommandError) {
    guard let text else {
      variable = nil
      name = try Self.systemName()
      return
    }
    guard Self.isKnown(text, environment: environment) else {
      throw CommandError(
        .badSetting,
        """
        the time zone \(text.quoted()) is unknown; \(TimeZoneNames.advice(instead: text))
        """)
    }
    variable = text
    name = text.isEmpty ? "UTC" : text
  }

  /// - Throws: ``CommandError`` if the system names a zone that it does not have.
  private static func systemName() throws(CommandError) -> String {
    let isThere = SystemClock.isZoneFile("/etc/localtime")
    guard let target = SymbolicLink.target(of: "/etc/localtime") else {
      return isThere ? "localtime" : "UTC"
    }
    if !isThere && !target.hasSuffix("/UTC") {
      throw CommandError(
        .badSetting,
        """
        the system's time zone \(target.quoted()) is not there; set --time-zone, or install the \
        zones (Debian: apt install tzdata)
        """)
    }
    return nameInDatabase(target) ?? "localtime"
  }

  /// What follows the first `zoneinfo/` in a path.
  private static func nameInDatabase(_ path: String) -> String? {
    let directory = "zoneinfo/".utf8
    var rest = path.utf8[...]
    while !rest.starts(with: directory) {
      if rest.popFirst() == nil { return nil }
    }
    return String(rest.dropFirst(directory.count))
  }

  private static func isKnown(_ text: String, environment: Environment) -> Bool {
    let name = text.hasPrefix(":") ? String(text.dropFirst()) : text
    if name.isEmpty || name == "UTC" { return true }
    if isZoneFile(name, environment: environment) { return true }
    return !text.hasPrefix(":") && POSIXZone.isValid(name)
  }

  private static func isZoneFile(_ name: String, environment: Environment) -> Bool {
    if name.hasPrefix("/") { return SystemClock.isZoneFile(name) }
    if name.split(separator: "/").contains("..") { return false }
    var directory = environment["TZDIR"] ?? ""
    if directory.isEmpty { directory = "/usr/share/zoneinfo" }
    return SystemClock.isZoneFile("\(directory)/\(name)")
  }
}

/// The POSIX form of a time zone, `CET-1CEST,M3.5.0,M10.5.0/3`; see tzset(3).
enum POSIXZone {
  /// Whether the text is of the form.
  static func isValid(_ text: String) -> Bool {
    var rest = text[...]
    guard takeName(&rest), takeTime(&rest, hours: 0...24) else { return false }
    if rest.isEmpty { return true }
    guard takeName(&rest) else { return false }
    if let next = rest.first, next != ",", !takeTime(&rest, hours: 0...24) { return false }
    if rest.isEmpty { return true }
    return takeRule(&rest) && takeRule(&rest) && rest.isEmpty
  }

  /// Three letters or more, or anything plain in angle brackets.
  private static func takeName(_ rest: inout Substring) -> Bool {
    if rest.first == "<" {
      guard let end = rest.firstIndex(of: ">") else { return false }
      let name = rest[rest.index(after: rest.startIndex)..<end]
      rest = rest[rest.index(after: end)...]
      return name.count >= 3
        && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "+-".contains($0)) }
    }
    let name = rest.prefix { $0.isASCII && $0.isLetter }
    rest = rest.dropFirst(name.count)
    return name.count >= 3
  }

  /// `[+-]hh[:mm[:ss]]`.
  private static func takeTime(_ rest: inout Substring, hours: ClosedRange<Int>) -> Bool {
    if let sign = rest.first, "+-".contains(sign) { rest.removeFirst() }
    guard takeNumber(&rest, hours) else { return false }
    for _ in 0..<2 where rest.first == ":" {
      rest.removeFirst()
      guard takeNumber(&rest, 0...59) else { return false }
    }
    return true
  }

  /// `,Mm.w.d`, `,Jn` or `,n`, each with `/time` behind it or not.
  private static func takeRule(_ rest: inout Substring) -> Bool {
    guard rest.popFirst() == "," else { return false }
    switch rest.first {
    case "M":
      rest.removeFirst()
      guard takeNumber(&rest, 1...12), rest.popFirst() == ".", takeNumber(&rest, 1...5),
        rest.popFirst() == ".", takeNumber(&rest, 0...6)
      else { return false }
    case "J":
      rest.removeFirst()
      guard takeNumber(&rest, 1...365) else { return false }
    default:
      guard takeNumber(&rest, 0...365) else { return false }
    }
    guard rest.first == "/" else { return true }
    rest.removeFirst()
    return takeTime(&rest, hours: 0...167)
  }

  private static func takeNumber(_ rest: inout Substring, _ range: ClosedRange<Int>) -> Bool {
    let digits = rest.prefix { $0.isASCII && $0.isNumber }
    rest = rest.dropFirst(digits.count)
    guard digits.count <= 3, let number = Int(digits) else { return false }
    return range.contains(number)
  }
}
