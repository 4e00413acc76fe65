// The report as a table or a page: its headings, and the short texts of its columns.

extension Message {
  // Translators: headings of loans that have something in common, and end with no full stop.
  package static let expiredGroup = message(context: "group of loans", "Expired")
  package static let todayGroup = message(context: "group of loans", "Today")
  package static let tomorrowGroup = message(context: "group of loans", "Tomorrow")
  package static let weekGroup = message(context: "group of loans", "This week")
  package static let laterGroup = message(context: "group of loans", "Later")
  package static let withheldGroup = message(
    context: "group of loans", "Lost or claimed returned")
  package static let noBorrowerGroup = message(context: "group of loans", "No borrower")
  package static let noLibraryGroup = message(context: "group of loans", "No library")
  // Translators: the loans to take back on one way to the library. For {weekday} see "return it by".
  package static let visitGroup = plural(
    "By {weekday} {date}: {count} book", "By {weekday} {date}: {count} books")
  // Translators: the same with the library's name.
  package static let visitGroupAt = plural(
    "By {weekday} {date}, at {library}: {count} book",
    "By {weekday} {date}, at {library}: {count} books")

  // Translators: headings of columns; "Expires" is above dates, "When" above "in 3 days".
  package static let dateColumn = message(context: "column", "Expires")
  package static let daysColumn = message(context: "column", "When")
  package static let titleColumn = message(context: "column", "Title")
  package static let authorColumn = message(context: "column", "Author")
  package static let borrowerColumn = message(context: "column", "Borrower")
  package static let libraryColumn = message(context: "column", "Library")
  // Translators: columns of lists for staff; "Notice" is above the day on which the notice is sent.
  package static let callNumberColumn = message(context: "column", "Call number")
  package static let barcodeColumn = message(context: "column", "Barcode")
  package static let noticeColumn = message(context: "column", "Notice")
  package static let addressColumn = message(context: "column", "Address")
  package static let booksColumn = message(context: "column", "Books")
  package static let titlesColumn = message(context: "column", "Titles")

  // Translators: when a loan expires or expired, in a column of its own.
  package static let today = message(context: "when", "today")
  package static let tomorrow = message(context: "when", "tomorrow")
  package static let yesterday = message(context: "when", "yesterday")
  package static let daysAhead = plural("in {count} day", "in {count} days")
  package static let daysAgo = plural("{count} day ago", "{count} days ago")

  // Translators: the last line of a report that leaves loans out; --all and --within are options.
  package static let moreLoans = plural(
    "{count} more loan expires later: --all shows it too",
    "{count} more loans expire later: --all shows them too, --within 14 those of two weeks")
}
