public import Loans

/// A form in which a system writes dates, perhaps with an hour and a zone.
///
/// `yyyy`, `MM`, `dd`, `HH`, `hh`, `mm` and `ss` are numbers of that many digits, `yy` is a year from
/// 2000 to 2099, `M`, `d`, `H` and `h` are numbers of one or two digits, `MMM` is the English name of a
/// month in three letters, `a` is AM or PM and goes with `h` or `hh`, `S` stands for the digits of a
/// fraction, and `X` for a zone: `Z`, `+02:00`, `+0200` or `+02`. What is in brackets may be missing;
/// everything else is literal, and any white space counts as one space.
public struct DateForm: Hashable, Sendable {
  /// The form as it is written.
  public let text: String
  /// The form with and without each of its optional parts, those with most parts first.
  private let variants: [[Part]]
  /// Whether an instant means its day in UTC, whatever the library's time zone is.
  let takesUTCDay: Bool
  private static let mostOptions = 6

  private enum Part: Hashable, Sendable {
    case literal(UInt8)
    case number(Field, digits: ClosedRange<Int>)
    /// One of these names, all as long and in small letters; the first means this number, the next the next.
    case name(Field, [String], first: Int)
    case zone

    /// The part of a date that it names.
    var field: Field? {
      switch self {
      case .literal: nil
      case .number(let field, _), .name(let field, _, _): field
      case .zone: .zone
      }
    }
  }

  private enum Field: Int, CaseIterable, Sendable {
    case year, month, day, hour, minute, second, fraction, zone
    /// An hour from 1 to 12, and whether it is before noon, 0, or after, 1.
    case halfDayHour, half

    /// What it says, in whatever way.
    var meaning: Field { self == .halfDayHour ? .hour : self }
  }

  /// The meaning of a text of some form.
  public enum Reading: Hashable, Sendable {
    /// A day, and the hour if there is one, in the library's own time.
    case civil(CivilDate, CivilTime?)
    /// An instant, in seconds since 1970-01-01T00:00:00Z.
    case instant(Int)
  }

  /// The reason why a text is not a form.
  struct SyntaxError: Error, Equatable {
    /// One lower-case sentence.
    var message: String
  }

  /// The tool's own form, `yyyy.MM.dd`.
  public static let dotted = DateForm(known: "yyyy.MM.dd")

  /// - Parameter text: must be a form.
  init(known text: String) {
    do throws(SyntaxError) {
      try self.init(text)
    } catch {
      preconditionFailure(error.message)
    }
  }

  /// - Throws: ``SyntaxError``.
  init(_ text: String, takesUTCDay: Bool = false) throws(SyntaxError) {
    let text = text.spaceNormalized
    self.text = text
    self.takesUTCDay = takesUTCDay
    if text.utf8.count(where: { $0 == UInt8(ascii: "[") }) > Self.mostOptions {
      throw SyntaxError(message: "the form \(text.quoted()) has too many parts that may be missing")
    }
    var rest = text.utf8[...]
    // Without an optional part there may be more white space than a value has.
    variants = try Self.variants(&rest, of: text).map { parts in
      Array(parts.split(separator: .literal(0x20)).joined(separator: [.literal(0x20)]))
    }
    if !rest.isEmpty { throw SyntaxError(message: "a [ is missing in the form \(text.quoted())") }
    for parts in variants { try check(parts) }
  }

  /// - Throws: ``SyntaxError`` if a text could be read in two ways, something is named twice, or lacks
  ///   what it belongs to.
  private func check(_ parts: [Part]) throws(SyntaxError) {
    let fields = parts.compactMap(\.field)
    let meanings = Set(fields.map(\.meaning))
    if meanings.count < fields.count {
      throw SyntaxError(message: "the form \(text.quoted()) names something twice")
    }
    for (field, name) in [(Field.year, "yyyy"), (.month, "MM"), (.day, "dd")]
    where !meanings.contains(field) {
      throw SyntaxError(message: "the form \(text.quoted()) has no \(name)")
    }
    for (part, next) in zip(parts, parts.dropFirst()) {
      guard case (.number(_, let digits), .number) = (part, next), digits.count > 1 else {
        continue
      }
      throw SyntaxError(
        message: """
          in the form \(text.quoted()) numbers of any length touch; write MM, dd or HH, or \
          something between
          """)
    }
    for (field, other, words) in [
      (Field.halfDayHour, Field.half, "h without a (AM or PM); H is an hour up to 24"),
      (.half, .halfDayHour, "a (AM or PM) without h"), (.minute, .hour, "minutes without hours"),
      (.second, .minute, "seconds without minutes"), (.fraction, .second, "S without seconds"),
    ] where fields.contains(field) && !meanings.union(fields).contains(other) {
      throw SyntaxError(message: "the form \(text.quoted()) has \(words)")
    }
  }

  /// The letters that stand for themselves.
  public var literals: String { text.filter { $0.isLetter && !Self.known.contains($0) } }

  private static let known = "yMdHhamsSX"

  private static let letters: [String: Part] = [
    "yyyy": .number(.year, digits: 4...4), "yy": .number(.year, digits: 2...2),
    "MMM": .name(.month, months, first: 1), "MM": .number(.month, digits: 2...2),
    "M": .number(.month, digits: 1...2),
    "dd": .number(.day, digits: 2...2), "d": .number(.day, digits: 1...2),
    "HH": .number(.hour, digits: 2...2), "H": .number(.hour, digits: 1...2),
    "hh": .number(.halfDayHour, digits: 2...2), "h": .number(.halfDayHour, digits: 1...2),
    "a": .name(.half, ["am", "pm"], first: 0),
    "mm": .number(.minute, digits: 2...2), "ss": .number(.second, digits: 2...2),
    "S": .number(.fraction, digits: 1...Int.max), "X": .zone,
  ]

  private static let months = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
  ]

  /// Reads the letters of a form, up to its end or that of the brackets around.
  private static func variants(
    _ rest: inout Substring.UTF8View, of text: String
  ) throws(SyntaxError) -> [[Part]] {
    var variants: [[Part]] = [[]]
    while let byte = rest.first, byte != UInt8(ascii: "]") {
      if byte == UInt8(ascii: "[") {
        rest.removeFirst()
        let inner = try Self.variants(&rest, of: text)
        guard rest.popFirst() == UInt8(ascii: "]") else {
          throw SyntaxError(message: "a ] is missing in the form \(text.quoted())")
        }
        variants = variants.flatMap { start in inner.map { start + $0 } + [start] }
        continue
      }
      let isLetter = known.utf8.contains(byte)
      let run = String(decoding: rest.prefix { $0 == byte }, as: UTF8.self)
      guard let part = isLetter ? letters[run] : .literal(byte) else {
        throw SyntaxError(
          message: """
            \(run.quoted()) means nothing in the form \(text.quoted()); known are yyyy, yy, MM, M, \
            MMM, dd, d, HH, H, hh, h, a, mm, ss, S, X and what is in brackets
            """)
      }
      variants = variants.map { $0 + [part] }
      rest.removeFirst(isLetter ? run.utf8.count : 1)
    }
    return variants
  }
}

extension DateForm {
  /// Reads a text of this form.
  ///
  /// 24:00 is the end of the day that it is written with. A date with a zone and no hour is the day
  /// as it is written.
  ///
  /// - Throws: `CivilDate.ParseFailure` `form` if the text is of another form, `notADay` if there is
  ///   no such day or hour.
  func read(_ text: Span<UInt8>) throws(CivilDate.ParseFailure) -> Reading {
    // What fits as a whole counts.
    for parts in variants {
      if let numbers = Self.match(parts, text) { return try reading(numbers) }
    }
    throw .form
  }

  /// Reads a text in the first of these forms that fits.
  ///
  /// - Throws: as ``read(_:)``; `notADay` if that is so in any form.
  static func read(
    _ text: Span<UInt8>, as forms: [DateForm]
  ) throws(CivilDate.ParseFailure) -> Reading {
    var failure = CivilDate.ParseFailure.form
    for form in forms {
      do throws(CivilDate.ParseFailure) {
        return try form.read(text)
      } catch {
        if error == .notADay { failure = error }
      }
    }
    throw failure
  }

  private typealias Numbers = InlineArray<10, Int?>

  private func reading(_ numbers: Numbers) throws(CivilDate.ParseFailure) -> Reading {
    func number(_ field: Field) -> Int { numbers[field.rawValue] ?? 0 }
    guard let date = CivilDate(year: number(.year), month: number(.month), day: number(.day))
    else { throw .notADay }
    guard var hour = numbers[Field.hour.rawValue] else { return .civil(date, nil) }
    if let half = numbers[Field.half.rawValue] {
      guard (1...12).contains(hour) else { throw .notADay }
      hour = hour % 12 + 12 * half
    }
    let (minute, second) = (number(.minute), number(.second))
    guard minute < 60, second <= 60, hour < 24 || hour == 24 && minute == 0 && second == 0
    else { throw .notADay }
    // A leap second counts as the one before it, and the end of a day as its last second.
    let time = hour == 24 ? 86_399 : hour * 3_600 + minute * 60 + min(second, 59)
    guard let offset = numbers[Field.zone.rawValue] else {
      return .civil(date, CivilTime(secondOfDay: time))
    }
    let instant = date.dayNumber * 86_400 + time - offset
    if takesUTCDay { return .civil(CivilDateTime(ordinal: instant)?.date ?? date, nil) }
    return .instant(instant)
  }

  private static func match(_ parts: [Part], _ text: Span<UInt8>) -> Numbers? {
    var numbers = Numbers(repeating: nil)
    var index = 0
    for part in parts {
      switch part {
      case .literal(let byte):
        guard index < text.count, text[index] == byte else { return nil }
        index += 1
      case .name(let field, let names, let first):
        let end = min(index + names[0].utf8.count, text.count)
        let name = String(decoding: [UInt8](copying: text.extracting(index..<end)), as: UTF8.self)
        guard let number = names.firstIndex(of: name.lowercased()) else { return nil }
        numbers[field.rawValue] = first + number
        index = end
      case .zone:
        guard let offset = readZone(text, &index) else { return nil }
        numbers[Field.zone.rawValue] = offset
      case .number(let field, let digits):
        guard let number = readNumber(digits, text, &index) else { return nil }
        if field == .fraction { continue }
        let century = field == .year && digits == 2...2 ? 2_000 : 0
        numbers[field.meaning.rawValue] = century + number
      }
    }
    return index == text.count ? numbers : nil
  }

  /// Reads a number of as many digits as there are, up to the most.
  private static func readNumber(
    _ digits: ClosedRange<Int>, _ text: Span<UInt8>, _ index: inout Int
  ) -> Int? {
    let start = index
    var number = 0
    // A fraction may have any number of digits, and its value is not wanted.
    while index < text.count, index - start < digits.upperBound, text[index].isASCIIDigit {
      number = number &* 10 &+ Int(text[index] - UInt8(ascii: "0"))
      index += 1
    }
    return digits.contains(index - start) ? number : nil
  }

  /// Seconds east of Greenwich: `Z`, `+hh`, `+hhmm` or `+hh:mm`, at most 14 hours (XML Schema 1.0
  /// part 2, 3.2.7).
  private static func readZone(_ text: Span<UInt8>, _ index: inout Int) -> Int? {
    guard index < text.count else { return nil }
    let sign = text[index]
    index += 1
    if sign == UInt8(ascii: "Z") { return 0 }
    guard "+-".utf8.contains(sign), let hours = readNumber(2...2, text, &index) else { return nil }
    let hasColon = index < text.count && text[index] == UInt8(ascii: ":")
    if hasColon { index += 1 }
    let hasMinutes = hasColon || index < text.count && text[index].isASCIIDigit
    guard let minutes = hasMinutes ? readNumber(2...2, text, &index) : 0, minutes < 60,
      hours * 60 + minutes <= 14 * 60
    else { return nil }
    return (hours * 60 + minutes) * (sign == UInt8(ascii: "-") ? -60 : 60)
  }
}
