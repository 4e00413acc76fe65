internal import Loans

// Names in braces: {title} is a book's title, in quotation marks where there is room for
// them; {date} a date; {count} a number. Values cannot be inflected, so a translation has them in the
// nominative, or after a colon.

extension Message {
  // Translators: the form of a date in reports. {day02} and {month02} have two digits.
  package static let date = message(context: "date", "{year}.{month02}.{day02}")
  // Translators: the same within a sentence; English has ISO 8601 there.
  package static let dateInSentence = message(
    context: "date in a sentence", "{year}-{month02}-{day02}")
  // Translators: the quotation marks of titles in reports.
  package static let quotedTitle = message(context: "title", "\"{title}\"")
  package static let untitledWithID = message("(untitled, id {id})")
  package static let untitledWithBarcode = message("(untitled, barcode {barcode})")
  package static let untitled = message("(untitled)")

  // Translators: these five are for reports. {title} is the book's; it must be returned by then.
  package static let expiresToday = message("{title} expires today")
  package static let expiresTomorrow = message("{title} expires tomorrow")
  package static let expiresLater = plural(
    "{title} expires in {count} day", "{title} expires in {count} days")
  package static let expiredYesterday = message("{title} expired yesterday")
  package static let expiredEarlier = plural(
    "{title} expired {count} day ago", "{title} expired {count} days ago")

  // Translators: {sentence} is one of those before, such as "Abigél" expires tomorrow.
  package static let dated = message("{sentence} ({date})")
  package static let datedWithTime = message("{sentence} ({date} {time})")

  // Translators: these are appended to a sentence about a book, with their comma.
  package static let author = message(", by {author}")
  package static let borrower = message(", lent to {borrower}")
  // Translators: {library} is the library's name; appended to a sentence about a book.
  package static let library = message(", at {library}")
  package static let renewable = message(", can be renewed")
  package static let notRenewable = message(", cannot be renewed again")

  // Translators: {status} is one of the three words that follow; appended to a sentence about a book.
  package static let status = message(", {status}")
  // Translators: the status of a loan; also in a column of its own.
  package static let lost = message(context: "status", "lost")
  // Translators: the borrower has said that the book is back, and the library has not found it.
  package static let claimedReturned = message(context: "status", "claimed returned")
  // Translators: another reader waits for the book, and it has to come back sooner.
  package static let recalled = message(context: "status", "recalled")
  package static let isLost = message("It is recorded as lost.")
  package static let isClaimedReturned = message(
    "It is recorded as claimed returned: the borrower has said that it is back.")
  package static let isRecalled = message("It was recalled: another reader is waiting for it.")

  // Translators: appended to "… expires in 3 days (2026.11.22)". For {weekday} see "return it by".
  package static let closedThen = message(
    "; the library is closed that day, so return it by {weekday} ({date})")
  // Translators: for {weekday} see "open again on".
  package static let opensAgain = message("; the library opens again on {weekday} ({date})")
  // Translators: for {weekday} see "open again on".
  package static let openedAgain = message(
    "; the library was closed that day and opened again on {weekday} ({date})")

  /// The days of the week in the case in which a book is to be returned by them, Monday first.
  static let byWeekday = [
    // Translators: the weekdays in "return it by {weekday}", inflected as needed there.
    message(context: "return it by", "Monday"),
    message(context: "return it by", "Tuesday"),
    message(context: "return it by", "Wednesday"),
    message(context: "return it by", "Thursday"),
    message(context: "return it by", "Friday"),
    message(context: "return it by", "Saturday"),
    message(context: "return it by", "Sunday"),
  ]
  /// The days of the week in the case in which something happens on them, Monday first.
  static let onWeekday = [
    // Translators: the weekdays in "opens again on {weekday}", with a preposition if that depends on them.
    message(context: "open again on", "Monday"),
    message(context: "open again on", "Tuesday"),
    message(context: "open again on", "Wednesday"),
    message(context: "open again on", "Thursday"),
    message(context: "open again on", "Friday"),
    message(context: "open again on", "Saturday"),
    message(context: "open again on", "Sunday"),
  ]
}
