import Loans

/// The mistake in the text of a date, and the date that must have been meant.
struct DateFault {
  let finding: Finding
  /// The day, if that is beyond doubt.
  private(set) var replacement: CivilDate?

  /// - Parameters:
  ///   - text: what is in place of a date.
  ///   - field: ``LoanField/expiration`` or ``LoanField/loaned``.
  ///   - forms: in which it may be written.
  ///   - isLendingDay: whether an expiration is counted from it.
  init(
    _ failure: CivilDate.ParseFailure, _ text: String, in field: LoanField, forms: [DateForm],
    isLendingDay: Bool
  ) {
    let isNative = forms == [.dotted]
    let name = field == .loaned || isLendingDay ? "loan date" : "expiration"
    let code: Diagnostic.Code
    var message = "\(name) \(text.quoted()) is not "
    switch failure {
    case .form:
      code = .dateFormat
      message += "of the form \(forms.map(\.text).joined(separator: " or "))"
      if isNative {
        let meant = DateSuggestion(text)
        message += meant.words
        replacement = meant.isInOrder ? meant.days.first : nil
      }
    case .notADay:
      code = .impossibleDate
      message +=
        isNative ? "a calendar date; \(Self.reason(text))" : "a day and hour of the calendar"
    }
    finding = Finding(field == .loaned ? .invalidLoanDate : code, message)
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
