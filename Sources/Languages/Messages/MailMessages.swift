/// The sentences of a message to a borrower.
///
/// All may have `{borrower}`, `{library}`, `{sender}` and `{today}` besides what they have here.
extension Message {
  // Translators: the subject. {date} is the day on which the first book is due, which may have passed.
  package static let mailSubject = plural(
    "{count} book to return, due {date}", "{count} books to return, the first due {date}")
  // Translators: {borrower} is a name, in the nominative.
  package static let mailGreeting = message("Dear {borrower},")
  // Translators: the greeting where no name is known, or where a message is for several people.
  package static let mailGreetingAnyone = message("Dear reader,")
  // Translators: before a list of books.
  package static let mailIntroOverdue = plural(
    "This book is overdue. Please return it:",
    "These {count} books are overdue. Please return them:")
  // Translators: before a list of books.
  package static let mailIntroToday = plural(
    "This book is due today:", "These {count} books are due today:")
  // Translators: before a list of books.
  package static let mailIntroSoon = plural(
    "This book is due soon:", "These {count} books are due soon:")
  // Translators: in place of a list of books whose titles are not told.
  package static let mailCount = plural(
    "{count} book, due {date}", "{count} books, the first due {date}")
  // Translators: after a list of books that is too long.
  package static let mailMore = plural("and {count} more book", "and {count} more books")
  // Translators: after a book that is due on a closed day; {weekday} is as in "return it by {weekday}".
  package static let mailClosedNote = message(
    "The library is closed that day; please return it by {weekday}, {date}.")
  // Translators: after a book that was due on a closed day; {weekday} is as in "open again on {weekday}".
  package static let mailReopens = message("The library opens again on {weekday}, {date}.")
  // Translators: after a book that was due on a closed day; {weekday} is as in "open again on {weekday}".
  package static let mailReopened = message(
    "The library was closed that day and opened again on {weekday}, {date}.")
  // Translators: after a book; {library} is a name, such as the Central Library.
  package static let mailPlace = message("Return it at {library}.")
  // Translators: after a book.
  package static let mailRenewable = message("It can be renewed.")
  // Translators: after a book.
  package static let mailNotRenewable = message("It cannot be renewed.")
  // Translators: \n is a line break; {sender} is the name of the library.
  package static let mailClosing = message("Kind regards,\n{sender}")
  // Translators: why one gets the message, at its end; {library} is a name, such as the Central Library.
  package static let mailReason = message(
    "You are receiving this message because you have borrowed something from {library}.")
  // Translators: the same where no name is known.
  package static let mailReasonNameless = message(
    "You are receiving this message because you have borrowed something from the library.")
  // Translators: a link at the end of a message.
  package static let mailUnsubscribe = message("Stop these messages")
}

/// The sentences of a message to the library about borrowers who cannot be written to.
extension Message {
  // Translators: the subject.
  package static let deskSubject = plural(
    "Reminders for {count} borrower without a usable address",
    "Reminders for {count} borrowers without a usable address")
  package static let deskIntro = plural(
    "This borrower could not be reached by e-mail. Please let them know in another way.",
    "These borrowers could not be reached by e-mail. Please let them know in another way.")
  // Translators: in place of a borrower's name.
  package static let deskNameless = message("Borrower without a name")
  // Translators: the reason why a borrower could not be written to; so are those that follow.
  package static let deskNoAddress = message("The catalogue has no e-mail address.")
  package static let deskInvalidAddress = message("The address {address} is not valid.")
  package static let deskUnusableAddress = message("Nothing is sent to the address {address}.")
}
