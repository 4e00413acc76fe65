public import Loans

/// A day or a range of days that somebody has written down, once or for every year, perhaps with a
/// name: `2026-12-24..2027-01-03 Christmas` or `03-15`.
public struct DayRange: Hashable, Sendable, CustomStringConvertible {
  private enum Days: Hashable {
    case once(ClosedRange<CivilDate>)
    /// Between two days of the year, each as month times 100 plus day; over the year's end where the
    /// first is the greater.
    case yearly(first: Int, last: Int)
  }

  /// The reason why a text names no days.
  public struct Fault: Error, Hashable, Sendable {
    /// One lower-case line: what is wrong and what to write; harmless on a terminal.
    public var message: String

    /// A fault with this message.
    public init(message: String) { self.message = message }
  }

  private let days: Days
  /// The text after the days.
  public let name: String?
  /// The text that it was read from.
  public let description: String

  /// Reads `YYYY-MM-DD` or `MM-DD`, or two of the same kind with `..` between them, then perhaps a
  /// space and a name.
  ///
  /// - Throws: ``Fault``.
  public init(reading text: String) throws(Fault) {
    description = text
    let words = text.split(maxSplits: 1) { $0.isWhitespace }
    let ends = (words.first ?? "").split(omittingEmptySubsequences: false) { $0 == "." }
    guard ends.count == 1 || ends.count == 3 && ends[1].isEmpty, let first = ends.first,
      let last = ends.last
    else { throw Self.form(text) }
    if first.utf8.count == 10 {
      let (first, last) = (try Self.date(first, of: text), try Self.date(last, of: text))
      if last < first { throw Fault(message: "\(text.quoted()) ends before it begins") }
      days = .once(first...last)
    } else {
      days = .yearly(
        first: try Self.dayOfYear(first, of: text), last: try Self.dayOfYear(last, of: text))
    }
    let name = words.dropFirst().first.map { $0.drop(while: \.isWhitespace) } ?? ""
    // A range with spaces around its middle would be its first day.
    if name.hasPrefix("..") || name.hasPrefix("-") { throw Self.form(text) }
    self.name = name.isEmpty ? nil : String(name)
  }

  /// Whether a day is one of them; 29 February of every year is one of leap years only.
  public func contains(_ day: CivilDate) -> Bool {
    switch days {
    case .once(let range): return range.contains(day)
    case .yearly(let first, let last):
      let (_, month, number) = day.parts
      let dayOfYear = month * 100 + number
      if first <= last { return (first...last).contains(dayOfYear) }
      return dayOfYear >= first || dayOfYear <= last
    }
  }

  private static func date(_ text: Substring, of whole: String) throws(Fault) -> CivilDate {
    do throws(CivilDate.ParseFailure) {
      return try CivilDate(iso: Array(text.utf8).span)
    } catch {
      throw error == .form ? form(whole) : notADay(text)
    }
  }

  /// The month and day, 29 February included, as month times 100 plus day.
  private static func dayOfYear(_ text: Substring, of whole: String) throws(Fault) -> Int {
    guard text.utf8.count == 5 else { throw form(whole) }
    do throws(CivilDate.ParseFailure) {
      let (_, month, day) = try CivilDate(iso: Array("2000-\(text)".utf8).span).parts
      return month * 100 + day
    } catch {
      throw error == .form ? form(whole) : notADay(text)
    }
  }

  private static func form(_ text: String) -> Fault {
    Fault(
      message: """
        \(text.quoted()) does not begin with a day; write YYYY-MM-DD, or MM-DD for every year, or two \
        of them as in 2026-12-24..2027-01-03, and a name after a space
        """)
  }

  private static func notADay(_ text: Substring) -> Fault {
    Fault(message: "\(String(text).quoted()) is not a day of the calendar")
  }
}
