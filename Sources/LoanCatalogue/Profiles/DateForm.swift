public import Loans

/// A form in which a system writes dates, perhaps with an hour and a zone.
///
/// `yyyy`, `MM`, `dd`, `HH`, `mm` and `ss` are numbers of so many digits, `yy` a year from 2000 to
/// 2099, `M`, `d` and `H` numbers of one or two digits, `MMM` is the English name of a month in three letters, `S` the digits of a fraction, and
/// `X` a zone: `Z`, `+02:00`, `+0200` or `+02`. What is in brackets may be missing; everything else
/// stands for itself.
public struct DateForm: Hashable, Sendable {
  /// The form as it is written.
  public let text: String
  /// The form with and without each of its optional parts, those with most parts first.
  private let variants: [[Part]]
  private static let mostOptions = 6
  private static let longest = 200

  private enum Part: Hashable, Sendable {
    case number(Field, digits: ClosedRange<Int>)
    case monthName
    case zone
    case literal(UInt8)
    case optional([Part])

    /// What of a date it names.
    var field: Field? {
      switch self {
      case .number(let field, _): field == .fraction ? nil : field
      case .monthName: .month
      case .zone, .literal, .optional: nil
      }
    }

    /// How many digits it has, if it is a number.
    var digits: ClosedRange<Int>? {
      guard case .number(_, let digits) = self else { return nil }
      return digits
    }
  }

  private enum Field: Hashable, Sendable {
    case year, month, day, hour, minute, second, fraction
  }

  /// What a text of some form says.
  public enum Reading: Hashable, Sendable {
    /// A day, and the hour if it is told, as the library's people would say them.
    case civil(CivilDate, CivilTime?)
    /// An instant, in seconds since 1970-01-01T00:00:00Z.
    case instant(Int)
  }

  /// Why a text is no form.
  struct SyntaxError: Error, Equatable {
    /// One lower-case sentence.
    var message: String
  }

  /// The tool's own form, `yyyy.MM.dd`.
  public static let dotted: DateForm = {
    do throws(SyntaxError) {
      return try DateForm("yyyy.MM.dd")
    } catch {
      preconditionFailure(error.message)
    }
  }()

  /// - Throws: ``SyntaxError``.
  init(_ text: String) throws(SyntaxError) {
    self.text = text
    if text.utf8.count > Self.longest {
      throw SyntaxError(message: "a form has no more than \(Self.longest) bytes")
    }
    if text.utf8.count(where: { $0 == UInt8(ascii: "[") }) > Self.mostOptions {
      throw SyntaxError(message: "the form \(text.quoted()) has too many parts that may be missing")
    }
    var rest = text.utf8[...]
    let parts = try Self.parts(&rest, of: text)
    if !rest.isEmpty { throw SyntaxError(message: "a [ is missing in the form \(text.quoted())") }
    variants = Self.variants(of: parts[...])
    for (field, name) in [(Field.year, "yyyy"), (.month, "MM"), (.day, "dd")]
    where !parts.contains(where: { $0.field == field }) {
      throw SyntaxError(message: "the form \(text.quoted()) has no \(name)")
    }
    try checkVariants()
  }

  /// - Throws: ``SyntaxError`` if a text could be read in two ways, or something is named twice.
  private func checkVariants() throws(SyntaxError) {
    for parts in variants {
      for (part, next) in zip(parts, parts.dropFirst())
      where part.digits.map({ $0.count > 1 }) == true && next.digits != nil {
        throw SyntaxError(
          message: """
            in the form \(text.quoted()) numbers of any length touch; write MM, dd or HH, or \
            something between
            """)
      }
      let fields = parts.compactMap(\.field)
      if Set(fields).count < fields.count {
        throw SyntaxError(message: "the form \(text.quoted()) names something twice")
      }
    }
  }

  private static let letters: [String: Part] = [
    "yyyy": .number(.year, digits: 4...4), "yy": .number(.year, digits: 2...2),
    "MMM": .monthName, "MM": .number(.month, digits: 2...2), "M": .number(.month, digits: 1...2),
    "dd": .number(.day, digits: 2...2), "d": .number(.day, digits: 1...2),
    "HH": .number(.hour, digits: 2...2), "H": .number(.hour, digits: 1...2),
    "mm": .number(.minute, digits: 2...2), "ss": .number(.second, digits: 2...2),
    "S": .number(.fraction, digits: 1...Int.max), "X": .zone,
  ]

  /// Takes the letters of a form, as far as its end or that of the brackets around.
  private static func parts(
    _ rest: inout Substring.UTF8View, of text: String
  ) throws(SyntaxError) -> [Part] {
    var parts: [Part] = []
    while let byte = rest.first, byte != UInt8(ascii: "]") {
      if byte == UInt8(ascii: "[") {
        rest.removeFirst()
        parts.append(.optional(try Self.parts(&rest, of: text)))
        guard rest.popFirst() == UInt8(ascii: "]") else {
          throw SyntaxError(message: "a ] is missing in the form \(text.quoted())")
        }
      } else if "yMdHmsSX".utf8.contains(byte) {
        let run = String(decoding: rest.prefix { $0 == byte }, as: UTF8.self)
        guard let part = letters[run] else {
          throw SyntaxError(
            message: """
              \(run.quoted()) means nothing in the form \(text.quoted()); known are yyyy, yy, MM, \
              M, MMM, dd, d, HH, H, mm, ss, S, X and what is in brackets
              """)
        }
        parts.append(part)
        rest.removeFirst(run.utf8.count)
      } else {
        parts.append(.literal(byte))
        rest.removeFirst()
      }
    }
    return parts
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
  func read(_ text: ArraySlice<UInt8>) throws(CivilDate.ParseFailure) -> Reading {
    // What fits as a whole counts.
    for parts in variants {
      if let found = Self.match(parts, text) { return try found.reading }
    }
    throw .form
  }

  private static func variants(of parts: ArraySlice<Part>) -> [[Part]] {
    guard let first = parts.first else { return [[]] }
    let rest = variants(of: parts.dropFirst())
    guard case .optional(let inner) = first else { return rest.map { [first] + $0 } }
    return variants(of: inner[...]).flatMap { inner in rest.map { inner + $0 } } + rest
  }

  private struct Found {
    var numbers: [Field: Int] = [:]
    /// Seconds east of Greenwich.
    var offset: Int?

    var reading: Reading {
      get throws(CivilDate.ParseFailure) {
        guard
          let date = CivilDate(
            year: numbers[.year] ?? 0, month: numbers[.month] ?? 0, day: numbers[.day] ?? 0)
        else { throw .notADay }
        guard let hour = numbers[.hour] else { return .civil(date, nil) }
        let (minute, second) = (numbers[.minute] ?? 0, numbers[.second] ?? 0)
        guard minute < 60, second <= 60, hour < 24 || hour == 24 && minute == 0 && second == 0
        else { throw .notADay }
        // A leap second counts as the one before it, and the end of a day as its last second.
        let time = hour == 24 ? 86_399 : hour * 3_600 + minute * 60 + min(second, 59)
        if let offset { return .instant(date.dayNumber * 86_400 + time - offset) }
        return .civil(date, CivilTime(secondOfDay: time))
      }
    }
  }

  private static func match(_ parts: [Part], _ text: ArraySlice<UInt8>) -> Found? {
    var (found, rest) = (Found(), text)
    for part in parts {
      switch part {
      case .literal(let byte):
        guard rest.popFirst() == byte else { return nil }
      case .number(let field, let digits):
        // Of one or two digits two are taken if there are two.
        let available = rest.prefix(digits.upperBound).prefix { $0.isASCIIDigit }
        guard digits.contains(available.count) else { return nil }
        rest = rest.dropFirst(available.count)
        if field == .fraction { continue }
        found.numbers[field] = number(available) + (field == .year && digits == 2...2 ? 2_000 : 0)
      case .monthName:
        guard let month = month(rest.prefix(3)) else { return nil }
        found.numbers[.month] = month
        rest = rest.dropFirst(3)
      case .zone:
        guard let offset = takeZone(&rest) else { return nil }
        found.offset = offset
      case .optional: return nil
      }
    }
    return rest.isEmpty ? found : nil
  }

  private static func number(_ digits: ArraySlice<UInt8>) -> Int {
    digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
  }

  private static func month(_ name: ArraySlice<UInt8>) -> Int? {
    let months = [
      "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]
    let name = String(decoding: name, as: UTF8.self).lowercased()
    return months.firstIndex(of: name).map { $0 + 1 }
  }

  /// `Z`, `+hh`, `+hhmm` or `+hh:mm`, at most 14 hours away (XML Schema 1.0 part 2, 3.2.7).
  private static func takeZone(_ rest: inout ArraySlice<UInt8>) -> Int? {
    guard let sign = rest.popFirst() else { return nil }
    if sign == UInt8(ascii: "Z") { return 0 }
    guard sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"),
      let hours = takeTwoDigits(&rest)
    else { return nil }
    let hasColon = rest.first == UInt8(ascii: ":")
    if hasColon { rest.removeFirst() }
    let digits = takeTwoDigits(&rest)
    if hasColon && digits == nil { return nil }
    let minutes = digits ?? 0
    guard minutes < 60, hours * 60 + minutes <= 14 * 60 else { return nil }
    let offset = hours * 3_600 + minutes * 60
    return sign == UInt8(ascii: "-") ? -offset : offset
  }

  private static func takeTwoDigits(_ rest: inout ArraySlice<UInt8>) -> Int? {
    let digits = rest.prefix(2)
    guard digits.count == 2, digits.allSatisfy(\.isASCIIDigit) else { return nil }
    rest = rest.dropFirst(2)
    return number(digits)
  }
}

extension UInt8 {
  var isASCIIDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}
