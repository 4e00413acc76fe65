// The sentences about a book that borrowers read, in mail, letters, notifications and calendars. There a book
// is due, or overdue, and no loan expires.

extension Message {
  // Translators: the form of a date with the name of the month, which follows.
  package static let longDate = message(context: "date", "{day} {monthName} {year}")
  /// The names of the months in the case in which a date has them.
  static let monthNames = [
    // Translators: the months in "22 November 2026", inflected as needed there.
    message(context: "month of a date", "January"),
    message(context: "month of a date", "February"),
    message(context: "month of a date", "March"),
    message(context: "month of a date", "April"),
    message(context: "month of a date", "May"),
    message(context: "month of a date", "June"),
    message(context: "month of a date", "July"),
    message(context: "month of a date", "August"),
    message(context: "month of a date", "September"),
    message(context: "month of a date", "October"),
    message(context: "month of a date", "November"),
    message(context: "month of a date", "December"),
  ]

  // Translators: the quotation marks of titles in messages.
  package static let quotedBook = message(context: "title", "“{title}”")
  // Translators: follows a title.
  package static let authorOfBook = message(context: "after a title", " by {author}")
  // Translators: in place of a title that is not told; {number} is a barcode or the like.
  package static let bookByNumber = message("Book {number}")
  // Translators: in place of a title that is not told or known.
  package static let bookUntitled = message("A book")

  // Translators: {title} is the book's, perhaps with its author; it must be returned by then.
  package static let dueToday = message("{title} is due today")
  package static let dueTomorrow = message("{title} is due tomorrow")
  package static let dueSoon = plural(
    "{title} is due in {count} day", "{title} is due in {count} days")
  package static let overdue = plural(
    "{title} is {count} day overdue", "{title} is {count} days overdue")
  // Translators: {sentence} is "… is due today" or "… is due tomorrow"; {moment} a date, perhaps with a time.
  package static let dueWithDate = message("{sentence}, {moment}")
  // Translators: {sentence} is "… is due in 3 days".
  package static let dueSoonWithDate = message("{sentence}, on {moment}")
  // Translators: {sentence} is "… is 3 days overdue".
  package static let overdueWithDate = message("{sentence} (due {moment})")
  // Translators: in a calendar, which may be looked at on any day.
  package static let dueOn = message("{title} is due on {moment}")
  // Translators: the borrower has said so, and the library has not found the book.
  package static let isSaidToBeBack = message("The library has been told that it is back.")
  // Translators: appended to a sentence about a book, with its comma.
  package static let notRenewableBook = message(", cannot be renewed")
}
