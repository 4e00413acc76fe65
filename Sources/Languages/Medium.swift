internal import Loans

/// Where words about a loan are read.
///
///     report     "Abigél" expires tomorrow (2026.11.22), by Szabó Magda
///     message    “Abigél” by Szabó Magda is due tomorrow, 22 November 2026
///     calendar   “Abigél” by Szabó Magda is due on 22 November 2026
public enum Medium: Sendable {
  /// A report, in which a loan expires; also what standard output has of a notice.
  case report
  /// Whatever a borrower is sent or shown, on the day on which it is written: a book is due.
  case message
  /// An entry of a calendar, which is looked at before its day.
  case calendar
}

extension Medium {
  /// The sentence about an expiration that is this many days away, without the date.
  func sentence(daysLeft days: Int) -> Message {
    switch (self, days) {
    case (.report, 0): .expiresToday
    case (.report, 1): .expiresTomorrow
    case (.report, 2...): .expiresLater
    case (.report, -1): .expiredYesterday
    case (.report, _): .expiredEarlier
    case (_, 0): .dueToday
    case (_, 1): .dueTomorrow
    case (_, 2...): .dueSoon
    case (_, _): .overdue
    }
  }

  /// The same with the date.
  func datedSentence(daysLeft days: Int, hasTime: Bool) -> Message {
    switch self {
    case .report: hasTime ? .datedWithTime : .dated
    case _ where days < 0: .overdueWithDate
    case .message: days < 2 ? .dueWithDate : .dueSoonWithDate
    case .calendar: .dueOn
    }
  }

  /// The form of dates.
  var date: Message { self == .report ? .date : .longDate }
  /// The quotation marks of titles.
  var title: Message { self == .report ? .quotedTitle : .quotedBook }
  /// The author, after the title or at the end.
  var author: Message { self == .report ? .author : .authorOfBook }
  /// The names of a book without title, by what is known of it.
  var numbers: [(field: LoanField, name: Message)] {
    self == .report
      ? [(.id, .untitledWithID), (.barcode, .untitledWithBarcode)]
      : [(.barcode, .bookByNumber), (.id, .bookByNumber)]
  }
  /// The name of a book about which nothing is known.
  var untitled: Message { self == .report ? .untitled : .bookUntitled }
  /// The words for a loan that cannot be renewed.
  var notRenewable: Message { self == .report ? .notRenewable : .notRenewableBook }
}
