import Loans

/// What somebody who wrote a date in another form can only have meant.
enum DateSuggestion {
  /// A day, and how it was written.
  struct Reading: Equatable {
    var date: CivilDate
    /// Whether year, month and day were in this order, so that only the form was wrong.
    var isInOrder: Bool
  }

  /// The one day that `text` can be read as, or `nil` if there is none or more than one.
  ///
  /// Read are year, month and day in this order with any of `. - /` or white space between them,
  /// also without leading zeros or separators and with a full stop behind, and day, month and
  /// year where only one of the two orders gives a day.
  static func reading(_ text: String) -> Reading? {
    guard text.utf8.count <= 64, text.first != "-", let groups = digitGroups(text) else {
      return nil
    }
    let numbers = groups.compactMap { Int($0) }
    guard numbers.count == groups.count else { return nil }
    switch groups.map(\.count) {
    case [8]:
      return inOrder(numbers[0] / 10_000, numbers[0] / 100 % 100, numbers[0] % 100)
    case let lengths where lengths.count == 3 && lengths[0] == 4:
      return inOrder(numbers[0], numbers[1], numbers[2])
    case let lengths where lengths.count == 3 && lengths[2] == 4:
      return onlyReading(year: numbers[2], numbers[0], numbers[1])
        .map { Reading(date: $0, isInOrder: false) }
    default:
      return nil
    }
  }

  private static func inOrder(_ year: Int, _ month: Int, _ day: Int) -> Reading? {
    CivilDate(year: year, month: month, day: day).map { Reading(date: $0, isInOrder: true) }
  }

  private static func onlyReading(year: Int, _ first: Int, _ second: Int) -> CivilDate? {
    let dayFirst = CivilDate(year: year, month: second, day: first)
    let monthFirst = CivilDate(year: year, month: first, day: second)
    if let dayFirst, let monthFirst, dayFirst != monthFirst { return nil }
    return dayFirst ?? monthFirst
  }

  /// The runs of digits, any script's as ASCII, or `nil` if anything but separators is between.
  private static func digitGroups(_ text: String) -> [String]? {
    var groups: [String] = []
    var isInGroup = false
    for character in text.unicodeScalars {
      if let digit = digit(character) {
        if !isInGroup { groups.append("") }
        groups[groups.count - 1].append(String(digit))
        isInGroup = true
      } else if isSeparator(character) {
        isInGroup = false
      } else {
        return nil
      }
    }
    return groups
  }

  private static func digit(_ character: Unicode.Scalar) -> Int? {
    if character.isASCII {
      return ("0"..."9").contains(character) ? Int(character.value) - 0x30 : nil
    }
    return Character(character).wholeNumberValue.flatMap { $0 < 10 ? $0 : nil }
  }

  private static func isSeparator(_ character: Unicode.Scalar) -> Bool {
    switch character {
    case ".", "-", "/", " ", "\t", "\n", "\r": true
    default: !character.isASCII && character.properties.isWhitespace
    }
  }
}
