// Entries of a calendar.

extension Message {
  // Translators: the name of a calendar of books to return.
  package static let calendarName = message("Library books")
  // Translators: the same of one reader; {borrower} is a name, in the nominative.
  package static let calendarNameOf = message("Library books: {borrower}")
  // Translators: what to do on a day; {title} is the book's, in quotation marks, in the nominative.
  package static let returnTitle = message("Return {title}")
  // Translators: what to do on a day.
  package static let returnBooks = plural("Return {count} book", "Return {count} books")
}
