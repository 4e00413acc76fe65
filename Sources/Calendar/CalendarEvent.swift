internal import Loans

/// An event of an iCalendar file, as far as it says on which days it is.
///
/// - SeeAlso: RFC 5545, section 3.6.1.
struct CalendarEvent {
  /// The line on which it begins.
  let line: Int
  private(set) var identity = ""
  /// The texts by which it can be chosen; its name is the first.
  private(set) var name: String?
  private var others: [String] = []
  /// The first day of its first occurrence.
  private(set) var start: CivilDate?
  /// The number of days of each occurrence.
  private(set) var length = 1
  /// Whether it begins at a time of day.
  private(set) var isTimed = false
  private(set) var isCancelled = false
  /// The occurrence of another event that it takes the place of.
  private(set) var replaced: CivilDate?
  private var rules: [ContentLine] = []
  private var added: [CivilDate] = []
  private(set) var excluded: Set<CivilDate> = []

  /// Longer events are mistakes.
  private static let longest = 3_660

  /// Reads an event.
  ///
  /// - Parameter lines: those between its beginning and its end, without those of components in it.
  init(line: Int, _ lines: [ContentLine]) throws(CalendarFault) {
    self.line = line
    for line in lines { try read(line) }
    guard let start else {
      throw CalendarFault(line: line, "this event has no DTSTART; add the line of its first day")
    }
    if let line = lines.first(where: { $0.name == "DTEND" }) {
      // The day after the last one; some programs write the last one itself.
      length = max(start.days(until: try Self.date(line.value, line)), 1)
      if start.days(until: try Self.date(line.value, line)) < 0 {
        throw CalendarFault(line: line.number, "this event ends before it begins")
      }
    } else if let line = lines.first(where: { $0.name == "DURATION" }) {
      length = try Self.days(line)
    }
    if length > Self.longest {
      throw CalendarFault(line: line, "this event lasts for more than ten years; correct its end")
    }
  }

  private mutating func read(_ line: ContentLine) throws(CalendarFault) {
    switch line.name {
    case "UID": identity = line.value
    case "SUMMARY": name = line.text
    case "CATEGORIES": others += line.texts
    case "DESCRIPTION": others.append(line.text)
    case "DTSTART":
      start = try Self.date(line.value, line)
      isTimed = line.value.utf8.count > 8
    case "STATUS": isCancelled = line.value.uppercased() == "CANCELLED"
    case "RECURRENCE-ID":
      if line.parameters.contains("RANGE=THISANDFUTURE") {
        throw CalendarFault(
          line: line.number,
          "a change of all later occurrences is not supported; end the event, and add another one")
      }
      replaced = try Self.date(line.value, line)
    case "RRULE": rules.append(line)
    case "RDATE": added += try Self.dates(line)
    case "EXDATE": excluded.formUnion(try Self.dates(line))
    default: break
    }
  }

  /// The texts by which it can be chosen.
  var texts: [String] { [name].compactMap(\.self) + others }

  /// The first days of its occurrences that have a day in a period.
  ///
  /// - Parameter deadline: when its rules are given up.
  func starts(
    in period: ClosedRange<CivilDate>, until deadline: SuspendingClock.Instant
  ) throws(CalendarFault) -> Set<CivilDate> {
    guard let start else { return [] }
    let first = period.lowerBound.adding(days: 1 - length)
    var starts = Set(added + [start])
    for rule in rules {
      do throws(RecurrenceRule.Failure) {
        starts.formUnion(
          try RecurrenceRule.days(
            rule.value, from: start, in: first...period.upperBound, until: deadline))
      } catch {
        switch error {
        case .noLibrary:
          throw CalendarFault(
            line: rule.number,
            "recurring events need libical.so.3, which is not installed (Debian: libical3)")
        case .tooSlow:
          throw CalendarFault(
            line: rule.number,
            "the recurrence rules up to here take too long; leave out events, or use another calendar"
          )
        case .badRule:
          throw CalendarFault(
            line: rule.number,
            "\(rule.value.quoted()) is not a recurrence rule for whole days, as FREQ=YEARLY is")
        }
      }
    }
    return starts.subtracting(excluded).filter { first <= $0 && $0 <= period.upperBound }
  }
}

// MARK: - Values

extension CalendarEvent {
  /// The day of a date, or of a date and time.
  private static func date(
    _ value: some StringProtocol, _ line: ContentLine
  ) throws(CalendarFault) -> CivilDate {
    let digits = value.utf8.prefix(8)
    let rest = value.utf8.dropFirst(8).first
    if digits.count == 8, digits.allSatisfy({ (48...57).contains($0) }),
      rest == nil || rest == UInt8(ascii: "T"), let number = Int(String(value.prefix(8))),
      let date = CivilDate(year: number / 10_000, month: number / 100 % 100, day: number % 100)
    {
      return date
    }
    throw CalendarFault(
      line: line.number, "\(String(value).quoted()) is not a day; write it as 20261224")
  }

  private static func dates(_ line: ContentLine) throws(CalendarFault) -> [CivilDate] {
    var dates: [CivilDate] = []
    for value in line.value.split(separator: ",") { dates.append(try date(value, line)) }
    return dates
  }

  /// The whole days of a duration, at least one.
  private static func days(_ line: ContentLine) throws(CalendarFault) -> Int {
    guard
      let match = line.value.wholeMatch(
        of: #/\+?P(?=.)(?:([0-9]{1,6})W|(?:([0-9]{1,6})D)?(?:T[0-9HMS]+)?)/#)
    else {
      throw CalendarFault(
        line: line.number, "\(line.value.quoted()) is not a duration; write it as P2D")
    }
    let weeks = match.1.flatMap { Int($0) } ?? 0
    return max(weeks * 7 + (match.2.flatMap { Int($0) } ?? 0), 1)
  }
}
