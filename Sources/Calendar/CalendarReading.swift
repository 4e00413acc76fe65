public import Loans

/// A problem in an iCalendar file.
public struct CalendarFault: Error, Hashable, Sendable {
  /// The line, from 1.
  public var line: Int
  /// One lower-case line: what is wrong and what to do; harmless on a terminal.
  public var message: String

  /// A problem on a line.
  public init(line: Int, _ message: String) {
    self.line = line
    self.message = message
  }
}

/// The days of the whole-day events in an iCalendar file.
///
/// Every event counts that is not cancelled, whether it says that it takes up time or not: calendars
/// of holidays say that they do not. Recurring events are expanded by libical.
///
/// - SeeAlso: RFC 5545.
public struct CalendarReading: Hashable, Sendable {
  /// The days within the period, in order.
  public let days: [CalendarDay]
  /// What is wrong with the file, and hides no whole-day event.
  public let warnings: [CalendarFault]
  /// The number of events that were chosen.
  public let chosen: Int

  /// The most days of one file.
  public static let most = 5_000

  /// The most problems of one kind that are reported one by one.
  private static let mostWarnings = 10

  /// The longest name of an event, in characters.
  private static let longestName = 200

  /// The longest time for all recurrence rules; those of real calendars take milliseconds.
  private static let timeout = Duration.seconds(2)

  /// Reads a file.
  ///
  /// - Parameters:
  ///   - bytes: the file, in UTF-8.
  ///   - period: the days that matter.
  ///   - isChosen: whether an event counts that has these texts: its summary, its categories and its
  ///     description.
  /// - Throws: ``CalendarFault`` if it is not a whole calendar, or an event makes no sense.
  public init(
    _ bytes: [UInt8], within period: ClosedRange<CivilDate>,
    isChosen: ([String]) -> Bool = { _ in true }
  ) throws(CalendarFault) {
    let (events, broken) = try Self.events(bytes)
    let chosen = events.filter { isChosen($0.texts) }
    // The occurrences that other events take the place of, or call off.
    let replaced = Dictionary(grouping: events.filter { $0.replaced != nil }, by: \.identity)
      .mapValues { Set($0.compactMap(\.replaced)) }
    var days: [CalendarDay] = []
    let deadline = SuspendingClock.now + Self.timeout
    for event in chosen where !event.days.isEmpty && !event.isCancelled {
      var starts = try event.starts(in: period, until: deadline)
      let name = event.name?.shortened(to: Self.longestName)
      if event.replaced == nil { starts.subtract(replaced[event.identity] ?? []) }
      for start in starts {
        for distance in event.days {
          let day = start.adding(days: distance)
          guard period.contains(day) else { continue }
          days.append(CalendarDay(day: day, name: name, line: event.line))
        }
      }
      if days.count > Self.most {
        throw CalendarFault(
          line: event.line,
          "there are more than \(Self.most) days up to here; choose events, or use another calendar"
        )
      }
    }
    self.days = days.sorted { ($0.day, $0.line) < ($1.day, $1.line) }
    self.chosen = chosen.count
    let timed = chosen.filter { $0.days.isEmpty && !$0.isCancelled }
    warnings =
      Self.warnings(broken.map { ($0.number, $0.text) }) { text in
        "\(text.quoted()) is not of the form NAME:VALUE; it is ignored"
      }
      + Self.warnings(timed.map { ($0.line, $0) }) { _ in
        "this event has a time of day and closes no day; only events of whole days do"
      }
  }

  /// A warning for each problem of a kind, and for the many after the first ones together.
  private static func warnings<Problem>(
    _ problems: [(line: Int, Problem)], message: (Problem) -> String
  ) -> [CalendarFault] {
    var warnings = problems.prefix(mostWarnings).map { CalendarFault(line: $0, message($1)) }
    if let next = problems.dropFirst(mostWarnings).first {
      warnings.append(
        CalendarFault(
          line: next.line,
          "\(message(next.1)); \(problems.count - mostWarnings) are like this from here on"))
    }
    return warnings
  }

  /// The events of a file, and its lines that are none.
  private static func events(
    _ bytes: [UInt8]
  ) throws(CalendarFault) -> (events: [CalendarEvent], broken: [(text: String, number: Int)]) {
    var events: [CalendarEvent] = []
    var broken: [(text: String, number: Int)] = []
    // The components around a line, each with the line where it begins.
    var open: [(name: String, line: Int)] = []
    var lines: [ContentLine] = []
    var isCalendar = false
    for (text, number) in ContentLine.unfolded(bytes) {
      guard let line = ContentLine(text, number: number) else {
        if !isCalendar { break }
        broken.append((text, number))
        continue
      }
      let name = line.value.uppercased()
      if !isCalendar && (line.name != "BEGIN" || name != "VCALENDAR") { break }
      isCalendar = true
      switch line.name {
      case "BEGIN":
        open.append((name, number))
        if open.last?.name == "VEVENT" { lines = [] }
      case "END":
        guard let last = open.popLast(), last.name == name else {
          throw CalendarFault(
            line: number, "END:\(name.shortened(to: 80).visible) ends nothing that began")
        }
        if name == "VEVENT" { events.append(try CalendarEvent(line: last.line, lines)) }
      default:
        if open.last?.name == "VEVENT" { lines.append(line) }
      }
    }
    if !isCalendar {
      throw CalendarFault(line: 1, "this is not a calendar; expected BEGIN:VCALENDAR")
    }
    if let last = open.last {
      throw CalendarFault(
        line: last.line,
        "BEGIN:\(last.name.shortened(to: 80).visible) has no end; is the file cut short?")
    }
    return (events, broken)
  }
}
