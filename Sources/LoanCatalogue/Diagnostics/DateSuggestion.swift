import Loans

/// The only possible meaning of a date in another form, and what is wrong with it.
///
/// For `1/12/2026 18:00` it is `a date has no time; 2026.01.12 or 2026.12.01?`.
struct DateSuggestion {
  /// The days that the text can be read as: none, one, or two that differ by the order of day and
  /// month, which is never guessed.
  private(set) var days: [CivilDate] = []
  /// Whether year, month and day are digits in this order, so that only the form was wrong.
  private(set) var isInOrder = false
  /// The mistake besides the order and the characters between the numbers.
  private(set) var reason: String?

  /// Reads year, month and day in this order with any of `. - /` or white space between them, also
  /// without leading zeros or separators and with a full stop at the end; day, month and year, or
  /// month, day and year; a month's name; all of them also with a time after the date, or with
  /// letters that look like digits.
  init(_ text: String) {
    guard text.utf8.count <= 64, text.first != "-" else { return }
    if let numbers = Self.numbers(text) {
      read(numbers)
    } else if let (date, hasZone) = Self.dateBeforeTime(text) {
      let suggestion = Self(String(date))
      guard !suggestion.words.isEmpty else { return }
      // In another time zone it may be another day.
      if !hasZone { days = suggestion.days }
      reason = suggestion.reason ?? "a date has no time"
    } else {
      days = Self.dayWithMonthName(text).map { [$0] } ?? []
      if days.isEmpty { readLetters(text) }
    }
  }

  /// `; did you mean 2026.12.01?`, to follow on what was found; empty if there is nothing to say.
  var words: String {
    let dates = days.map(\.dotted).joined(separator: " or ")
    let question = days.count == 1 ? "did you mean \(dates)?" : "\(dates)?"
    return [reason, days.isEmpty ? nil : question].compactMap { $0.map { "; \($0)" } }.joined()
  }

  private static let formsInOrder = ["yyyy M d", "yyyyMMdd"].map { DateForm(known: $0) }
  private static let otherForms = ["M d yyyy", "d M yyyy"].map { DateForm(known: $0) }

  private mutating func read(_ numbers: String) {
    for form in Self.formsInOrder + Self.otherForms where !isInOrder {
      guard case .civil(let day, _)? = try? form.read(Array(numbers.utf8).span) else { continue }
      isInOrder = Self.formsInOrder.contains(form)
      if !days.contains(day) { days.append(day) }
    }
    let lengths = numbers.split(separator: " ").map(\.utf8.count)
    if lengths.count == 3 && lengths.allSatisfy({ $0 <= 2 }) {
      reason = "the year needs four digits"
    }
  }

  private mutating func readLetters(_ text: String) {
    let digits: [Character: Character] = ["O": "0", "o": "0", "I": "1", "l": "1"]
    guard let letter = text.first(where: { digits[$0] != nil }), let digit = digits[letter] else {
      return
    }
    let meant = Self(String(text.map { digits[$0] ?? $0 }))
    guard !meant.days.isEmpty else { return }
    days = meant.days
    reason = "the \(letter) is a letter, not the digit \(digit)"
  }
}

// MARK: - Parts of a date

extension DateSuggestion {
  /// The date before ` 18:00` or `T18:00:30Z`, and whether a zone follows.
  private static func dateBeforeTime(_ text: String) -> (date: Substring, hasZone: Bool)? {
    guard let colon = text.firstIndex(of: ":"),
      let start = text[..<colon].lastIndex(where: { " T".contains($0) }),
      Int(text[start..<colon].dropFirst()) != nil
    else { return nil }
    return (text[..<start], text[colon...].contains { "Z+-".contains($0) })
  }

  private static let monthNames = """
    january february march april may june july august september october november december \
    január február március április május június július augusztus szeptember október november \
    december
    """.split(separator: " ")

  /// The day in `1 Dec 2026` or `2026. december 1.`, in English or Hungarian.
  private static func dayWithMonthName(_ text: String) -> CivilDate? {
    let words = text.lowercased().split { ",.-/ ".contains($0) }
    guard words.count == 3, let name = words.first(where: { Int($0) == nil && $0.count >= 3 }),
      let month = monthNames.firstIndex(where: { $0.hasPrefix(name) }),
      let year = words.first(where: { Int($0) != nil && $0.utf8.count == 4 }),
      let day = words.first(where: { Int($0) != nil && $0.utf8.count <= 2 }),
      let year = Int(year), let day = Int(day)
    else { return nil }
    return CivilDate(year: year, month: month % 12 + 1, day: day)
  }

  /// The numbers in a text with a space between; `nil` if there is anything but digits and separators.
  private static func numbers(_ text: String) -> String? {
    let numbers = text.split { ".-/".contains($0) || $0.isWhitespace }
    guard numbers.allSatisfy({ $0.utf8.allSatisfy(\.isASCIIDigit) }) else { return nil }
    return numbers.joined(separator: " ")
  }
}
