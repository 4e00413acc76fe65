public import Loans

/// A calendar of whole days as a file for programs that show calendars.
///
/// Texts can be anything: what could steer or reorder a line is made visible, and no text ends the
/// property that it is in.
///
/// - SeeAlso: RFC 5545; RFC 7986, section 5, for the calendar's own properties.
public struct WrittenCalendar: Sendable {
  /// The kind of its entries.
  public enum Kind: String, Sendable {
    /// An event, which every program shows.
    case event = "VEVENT"
    /// A task, which can be ticked off.
    case task = "VTODO"
  }

  private let kind: Kind
  private let name: String
  private var lines = CalendarLines()
  /// The number of its entries.
  public private(set) var count = 0

  /// A calendar without entries.
  ///
  /// - Parameters:
  ///   - identity: the same for as long as it is the same calendar, and no other's; `nil` for none.
  ///   - modified: when it was last changed, in UTC.
  ///   - program: what writes it, with its version.
  public init(
    _ name: String, identity: String? = nil, modified: CivilDateTime, program: String,
    kind: Kind = .event
  ) {
    (self.kind, self.name) = (kind, name)
    lines.bytes = Self.beginning(identity: identity)
    lines.add(text: "-//check-loans//\(program)//EN", to: "PRODID")
    lines.add("CALSCALE", "GREGORIAN")
    lines.add("METHOD", "PUBLISH")
    lines.add(text: name, to: "NAME")
    lines.add(text: name, to: "X-WR-CALNAME")
    lines.add("LAST-MODIFIED", modified.utc)
    lines.add("REFRESH-INTERVAL;VALUE=DURATION", "PT12H")
    lines.add("X-PUBLISHED-TTL", "PT12H")
  }

  /// The beginning of every file of a calendar with this identity.
  public static func beginning(identity: String?) -> [UInt8] {
    var lines = CalendarLines()
    lines.add("BEGIN", "VCALENDAR")
    lines.add("VERSION", "2.0")
    // With UID, which RFC 7986 has for it, vdirsyncer takes all entries for one.
    if let identity { lines.add("X-CHECK-LOANS-IDENTITY", identity) }
    return lines.bytes
  }

  /// The file.
  public var bytes: [UInt8] { lines.bytes + "END:VCALENDAR\r\n".utf8 }

  /// Adds an entry of a whole day.
  ///
  /// - Parameters:
  ///   - identity: the same for as long as the entry may be moved or reworded, and no other's.
  ///   - modified: when it was last changed, in UTC.
  ///   - summary: what is to be done.
  ///   - description: the details, a line each.
  ///   - location: where it is to be done.
  ///   - alarm: how many hours before the day begins an alarm goes off; `nil` for no alarm.
  public mutating func add(
    on day: CivilDate, identity: String, modified: CivilDateTime, summary: String,
    description: String, location: String? = nil, alarm: Int? = nil
  ) {
    count += 1
    lines.add("BEGIN", kind.rawValue)
    lines.add("UID", identity)
    lines.add("DTSTAMP", modified.utc)
    lines.add("LAST-MODIFIED", modified.utc)
    // Rises when the entry is put off, so that nothing needs to be remembered of earlier files.
    lines.add("SEQUENCE", "\(max(0, day.dayNumber - Self.firstOfSequence))")
    if kind == .task {
      lines.add("DUE;VALUE=DATE", day.compact)
      lines.add("STATUS", "NEEDS-ACTION")
    } else {
      lines.add("DTSTART;VALUE=DATE", day.compact)
      // The calendar ends with the year 9999; without an end, the event has one day too.
      if day < .last { lines.add("DTEND;VALUE=DATE", day.adding(days: 1).compact) }
      lines.add("TRANSP", "TRANSPARENT")
    }
    lines.add("CLASS", "PRIVATE")
    lines.add(text: name, to: "CATEGORIES")
    lines.add(text: summary, to: "SUMMARY")
    lines.add(text: description, to: "DESCRIPTION")
    if let location { lines.add(text: location, to: "LOCATION") }
    if let alarm {
      lines.add("BEGIN", "VALARM")
      lines.add("ACTION", "DISPLAY")
      lines.add(text: summary, to: "DESCRIPTION")
      // A task has no beginning, from which hours would otherwise be counted.
      lines.add(kind == .task ? "TRIGGER;RELATED=END" : "TRIGGER", "-PT\(alarm)H")
      lines.add("END", "VALARM")
    }
    lines.add("END", kind.rawValue)
  }

  /// The number of 2000-01-01, from which a sequence counts days.
  private static let firstOfSequence = 10_957
}

/// The lines of an iCalendar file.
///
/// - SeeAlso: RFC 5545, section 3.1.
private struct CalendarLines {
  var bytes: [UInt8] = []

  /// The most bytes of a line, without its end.
  private static let longest = 75

  /// Adds a property with a text, escaped as of RFC 5545, section 3.3.11.
  mutating func add(text: String, to name: String) {
    add(
      name,
      text.escaped { scalar, _ in
        switch scalar {
        case "\n": "\\n"
        case "\\", ";", ",": "\\\(scalar)"
        case _ where scalar.isUnsafeToShow: "\\\(scalar.escape)"
        default: nil
        }
      })
  }

  /// Adds a property, in several lines if it is long; no character is cut in two.
  mutating func add(_ name: String, _ value: String) {
    let line = "\(name):\(value)"
    // Few lines are long.
    if line.utf8.count <= Self.longest {
      bytes += line.utf8
      bytes += "\r\n".utf8
      return
    }
    var count = 0
    for scalar in line.unicodeScalars {
      let length = scalar.utf8.count
      if count + length > Self.longest {
        bytes += "\r\n ".utf8
        count = 1
      }
      bytes += scalar.utf8
      count += length
    }
    bytes += "\r\n".utf8
  }
}

extension CivilDate {
  /// `20261122`.
  fileprivate var compact: String { description.replacing("-", with: "") }
}

extension CivilDateTime {
  /// A time in UTC, `20261121T060000Z`.
  fileprivate var utc: String { "\(description.filter { $0 != "-" && $0 != ":" })Z" }
}
