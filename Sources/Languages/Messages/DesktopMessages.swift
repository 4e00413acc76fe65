// A notification on the desktop.

extension Message {
  package static let returnOrRenew = message("Return or renew it by {date}.")
  package static let returnOrRenewAt = message("Return or renew it at {library} by {date}.")
  package static let returnOnly = message("Return it by {date}; it cannot be renewed.")
  package static let returnOnlyAt = message(
    "Return it at {library} by {date}; it cannot be renewed.")
  package static let lateReturnOrRenew = message(
    "It was due on {date}: return or renew it now.")
  package static let lateReturnOrRenewAt = message(
    "It was due on {date}: return or renew it now at {library}.")
  package static let lateReturnOnly = message(
    "It was due on {date}: return it now; it cannot be renewed.")
  package static let lateReturnOnlyAt = message(
    "It was due on {date}: return it now at {library}; it cannot be renewed.")

  // Translators: {numbers} is "4 overdue", "3 due soon", or both.
  package static let booksToReturn = plural(
    "{count} book to return: {numbers}", "{count} books to return: {numbers}")
  package static let numberOverdue = plural("{count} overdue", "{count} overdue")
  package static let numberDueSoon = plural("{count} due soon", "{count} due soon")
  // Translators: two of several parts in a row.
  package static let listed = message(context: "list", "{first}, {second}")
  package static let more = plural("and {count} more", "and {count} more")
  package static let runList = message("Run check-loans schedule list for all of them.")

  // Translators: a button.
  package static let remindTomorrow = message("Remind me tomorrow")
  // Translators: a button.
  package static let haveReturned = message("I have returned it")
}
