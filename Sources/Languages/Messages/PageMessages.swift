// The report as a page: what the table does not have.

extension Message {
  // Translators: the heading of a page about loans.
  package static let pageTitle = message(context: "page", "Book loans")
  // Translators: the name of a list of links to the parts of a page, for screen readers.
  package static let partsOfPage = message(context: "page", "Parts of this page")
  // Translators: above a chart with a bar for each day.
  package static let chartTitle = message(context: "page", "Expirations day by day")
  package static let calendarTitle = message(context: "page", "Calendar of weeks")
  package static let calendarCaption = message(
    context: "page", "Number of loans that expire on each day")
  // Translators: above the first days of weeks, such as 11.23, in a narrow column.
  package static let weekColumn = message(context: "column", "Week")
  // Translators: on a day when the library is closed, in a narrow column.
  package static let closedDay = message(context: "day", "closed")
  // Translators: a day without its year. {day02} and {month02} have two digits.
  package static let shortDate = message(context: "day and month", "{month02}.{day02}")
  /// The days of the week as headings of narrow columns, Monday first.
  package static let weekdays = [
    // Translators: the short names of weekdays above the columns of a calendar.
    message(context: "calendar", "Mon"),
    message(context: "calendar", "Tue"),
    message(context: "calendar", "Wed"),
    message(context: "calendar", "Thu"),
    message(context: "calendar", "Fri"),
    message(context: "calendar", "Sat"),
    message(context: "calendar", "Sun"),
  ]

  // Translators: before a field for words, such as a name, that a loan in the table has.
  package static let findLoans = message(context: "page", "Find loans")
  // Translators: the loans in the table that have the words; {count} is the number of all.
  package static let shownLoans = plural("{shown} of {count} loan", "{shown} of {count} loans")
  // Translators: the heading of a table.
  package static let loanTable = message(context: "page", "Loans")
  package static let nothingToReport = message("No loan needs attention.")
  // Translators: {command} is a part of a command line.
  package static let moreLoansElsewhere = plural(
    "and {count} more loan; see it with {command}",
    "and {count} more loans; see them with {command}")
  package static let laterLoans = plural(
    "{count} more loan expires later", "{count} more loans expire later")
  // Translators: the names of the catalogues follow in a list.
  package static let incompleteCatalogues = plural(
    "{count} catalogue could not be read completely; loans of it may be missing on this page",
    "{count} catalogues could not be read completely; loans of them may be missing on this page")

  // Translators: the heading of a page with letters to be printed.
  package static let letters = plural("{count} letter", "{count} letters")
  package static let loansWithoutLetter = plural(
    "{count} loan names no borrower, so there is no letter about it",
    "{count} loans name no borrower, so there are no letters about them")
}
