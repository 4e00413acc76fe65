import Loans

/// What is wrong with the text of a date, and what it can only have meant.
struct DateFault {
  let finding: Finding
  /// The day, where that is beyond doubt.
  let replacement: CivilDate?

  /// - Parameters:
  ///   - text: what stands in place of a date.
  ///   - field: ``LoanField/expiration`` or ``LoanField/loaned``.
  init(_ failure: CivilDate.ParseFailure, _ text: String, in field: LoanField) {
    let name = field == .loaned ? "loan date" : "expiration"
    let subject = "\(name) \(text.quoted())"
    switch failure {
    case .form:
      let meant = DateSuggestion(text)
      finding = Finding(
        field == .loaned ? .invalidLoanDate : .dateFormat,
        "\(subject) is not of the form yyyy.MM.dd\(meant.words)")
      replacement = meant.isInOrder ? meant.days.first : nil
    case .notADay:
      finding = Finding(
        field == .loaned ? .invalidLoanDate : .impossibleDate,
        "\(subject) is not a calendar date; \(Self.reason(text))")
      replacement = nil
    }
  }

  /// - Parameters:
  ///   - text: what stands in place of a date.
  ///   - field: ``LoanField/expiration`` or ``LoanField/loaned``.
  ///   - forms: in which it may be written.
  ///   - isLendingDay: whether an expiration is counted from it.
  init(
    _ failure: CivilDate.ParseFailure, _ text: String, in field: LoanField, forms: [DateForm],
    isLendingDay: Bool
  ) {
    let isLoanDate = field == .loaned
    let name = isLoanDate || isLendingDay ? "loan date" : "expiration"
    let subject = "\(name) \(text.quoted())"
    switch failure {
    case .form:
      let words = forms.map(\.text).joined(separator: " or ")
      finding = Finding(
        isLoanDate ? .invalidLoanDate : .dateFormat, "\(subject) is not of the form \(words)")
    case .notADay:
      finding = Finding(
        isLoanDate ? .invalidLoanDate : .impossibleDate,
        "\(subject) is not a day and hour of the calendar")
    }
    replacement = nil
  }

  /// - Parameter text: of the form `yyyy.MM.dd`.
  private static func reason(_ text: String) -> String {
    let parts = text.split(separator: ".").compactMap { Int($0) }
    return if parts[0] == 0 {
      "years begin with 0001"
    } else if !(1...12).contains(parts[1]) {
      "there are months 01 to 12"
    } else {
      "that month has days 01 to \(CivilDate.length(ofMonth: parts[1], year: parts[0]))"
    }
  }
}
