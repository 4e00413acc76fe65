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
  /// The days that each occurrence fills from midnight to midnight, counted from its first; none if it
  /// only takes some hours.
  private(set) var days = 0..<1
  /// Whether Outlook marks it as an all-day event.
  private let isAllDay: Bool
  private(set) var isCancelled = false
  /// The occurrence of another event that it takes the place of.
  private(set) var replaced: CivilDate?
  private var rules: [ContentLine] = []
  /// The rules of the days that are taken out.
  private var exclusions: [ContentLine] = []
  private var added: [CivilDate] = []
  private(set) var excluded: Set<CivilDate> = []

  /// Longer events are mistakes.
  private static let longest = 3_660

  /// Reads an event.
  ///
  /// - Parameter lines: those between its beginning and its end, without those of components in it.
  init(line: Int, _ lines: [ContentLine]) throws(CalendarFault) {
    self.line = line
    isAllDay = lines.contains {
      $0.name.hasSuffix("-ALLDAYEVENT") && $0.value.uppercased() == "TRUE"
    }
    for line in lines { try read(line) }
    guard let begin = lines.last(where: { $0.name == "DTSTART" }) else {
      throw CalendarFault(line: line, "this event has no DTSTART; add the line of its first day")
    }
    let start = try moment(begin.value, begin)
    var end = start
    if let line = lines.first(where: { $0.name == "DTEND" }) {
      end = try moment(line.value, line)
      if end.date < start.date {
        throw CalendarFault(line: line.number, "this event ends before it begins")
      }
    } else if let line = lines.first(where: { $0.name == "DURATION" }) {
      end = CivilDateTime(ordinal: start.ordinal + (try Self.seconds(line))) ?? CivilDateTime(.last)
    }
    // 23:59 is the end of a day, too, and some programs write the last day in place of the one after.
    let length = start.date.days(until: end.date) + (end.time.secondOfDay >= 86_340 ? 1 : 0)
    let least = isAllDay || begin.value.utf8.count == 8 ? 1 : 0
    let first = start.time == .midnight ? 0 : 1
    days = first..<max(first, length, least)
    if days.upperBound > Self.longest {
      throw CalendarFault(line: line, "this event lasts for more than ten years; correct its end")
    }
  }

  private mutating func read(_ line: ContentLine) throws(CalendarFault) {
    switch line.name {
    case "UID": identity = line.value
    case "SUMMARY": name = line.text
    case "CATEGORIES": others += line.texts
    case "DESCRIPTION": others.append(line.text)
    case "DTSTART": start = try moment(line.value, line).date
    case "STATUS": isCancelled = line.value.uppercased() == "CANCELLED"
    case "RECURRENCE-ID":
      if line.parameters.contains("RANGE=THISANDFUTURE") {
        throw CalendarFault(
          line: line.number,
          "a change of all later occurrences is not supported; end the event, and add another one")
      }
      replaced = try moment(line.value, line).date
    case "RRULE": rules.append(line)
    // Of an older standard (RFC 2445, section 4.8.5.2).
    case "EXRULE": exclusions.append(line)
    case "RDATE": added += try dates(line)
    case "EXDATE": excluded.formUnion(try dates(line))
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
    let first = period.lowerBound.adding(days: 1 - days.upperBound)
    let period = first...period.upperBound
    return try Set(added + [start]).union(days(of: rules, from: start, in: period, until: deadline))
      .subtracting(excluded)
      .subtracting(days(of: exclusions, from: start, in: period, until: deadline))
      .filter { period.contains($0) }
  }

  private func days(
    of rules: [ContentLine], from start: CivilDate, in period: ClosedRange<CivilDate>,
    until deadline: SuspendingClock.Instant
  ) throws(CalendarFault) -> [CivilDate] {
    var days: [CivilDate] = []
    for rule in rules {
      do throws(RecurrenceRule.Failure) {
        days += try RecurrenceRule.days(
          rule.value.uppercased(), from: start, in: period, until: deadline)
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
    return days
  }
}

// MARK: - Values

extension CalendarEvent {
  /// A date and time as it is written; the midnight of a date alone.
  ///
  /// Outlook may write the midnights of an all-day event in UTC. The day meant is then the nearest one: in
  /// zones up to 13 hours ahead it begins at 11:00 UTC the day before.
  private func moment(
    _ value: some StringProtocol, _ line: ContentLine
  ) throws(CalendarFault) -> CivilDateTime {
    let isUTC = isAllDay && value.hasSuffix("Z")
    let digits = value.utf8.prefix(8)
    let rest = value.utf8.dropFirst(8).first
    // What is no time of day is no midnight, either.
    var clock = rest == nil ? 0 : Int(value.dropFirst(9).prefix(6)) ?? 120_000
    if !(0...240_000).contains(clock) { clock = 120_000 }
    let second = clock / 10_000 * 3_600 + clock / 100 % 100 * 60 + clock % 100
    if digits.count == 8, digits.allSatisfy({ (48...57).contains($0) }),
      rest == nil || rest == UInt8(ascii: "T"), let number = Int(String(value.prefix(8))),
      let date = CivilDate(year: number / 10_000, month: number / 100 % 100, day: number % 100),
      let moment = CivilDateTime(
        ordinal: date.dayNumber * 86_400 + second + (isUTC ? 13 * 3_600 : 0))
    {
      return isUTC ? CivilDateTime(moment.date) : moment
    }
    throw CalendarFault(
      line: line.number, "\(String(value).quoted()) is not a day; write it as 20261224")
  }

  private func dates(_ line: ContentLine) throws(CalendarFault) -> [CivilDate] {
    var dates: [CivilDate] = []
    for value in line.value.split(separator: ",") { dates.append(try moment(value, line).date) }
    return dates
  }

  /// The seconds of a duration.
  private static func seconds(_ line: ContentLine) throws(CalendarFault) -> Int {
    guard
      line.value.wholeMatch(
        of: #/\+?P(?=.)(?:[0-9]{1,6}W|(?:[0-9]{1,6}D)?(?:T(?:[0-9]{1,6}[HMS])+)?)/#) != nil
    else {
      throw CalendarFault(
        line: line.number, "\(line.value.quoted()) is not a duration; write it as P2D")
    }
    let units: [Substring: Int] = ["W": 604_800, "D": 86_400, "H": 3_600, "M": 60, "S": 1]
    return line.value.matches(of: #/([0-9]+)([WDHMS])/#)
      .reduce(0) { $0 + (Int($1.1) ?? 0) * (units[$1.2] ?? 0) }
  }
}
