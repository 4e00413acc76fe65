// The last line of the report: parts that follow each other, each with the comma or semicolon before it.

extension Message {
  // Translators: the summary begins with this, as in "12 loans, 3 expired, 1 expires today".
  package static let loans = plural("{count} loan", "{count} loans")
  package static let expiredLoans = plural(", {count} expired", ", {count} expired")
  package static let loansOfToday = plural(", {count} expires today", ", {count} expire today")
  // Translators: the number of loans with reminders to come.
  package static let scheduledLoans = plural(", {count} scheduled", ", {count} scheduled")
  // Translators: the number of loans about which nothing is sent for now.
  package static let silencedLoans = plural(", {count} silenced", ", {count} silenced")
  package static let nothingScheduled = message(", nothing scheduled (--state none)")
  package static let nextReminder = message(", next reminder {date} {time}")
  package static let noReminder = message(", no further reminder")
  package static let nothingWritten = message(", nothing written (--dry-run)")
  package static let booksOnShelf = plural(
    "; {count} book on the shelf", "; {count} books on the shelf")
  package static let lostLoans = plural("; {count} lost", "; {count} lost")
  // Translators: their borrowers have said that the books are back.
  package static let claimedLoans = plural(
    "; {count} claimed returned", "; {count} claimed returned")
  package static let overdueReturns = plural(
    "; {count} book reported as returned, still on loan (see check-loans silence list)",
    "; {count} books reported as returned, still on loan (see check-loans silence list)")
  package static let loansWithoutExpiration = plural(
    "; {count} loan without expiration", "; {count} loans without expiration")
  // Translators: appended to "loans without expiration".
  package static let uncountedLoans = plural(
    ", {count} of them with a lending date (use --loan-days)",
    ", {count} of them with a lending date (use --loan-days)")
  package static let booksLeftOut = plural(
    "; {count} book left out, see the errors", "; {count} books left out, see the errors")
  // Translators: the formats of the catalogues.
  package static let readAs = message("; read as {profiles}")

  // Translators: for --dry-run; {sentence} is the line of a notice.
  package static let wouldDeliver = message("would deliver through {channel}: {sentence}")
  package static let wouldHold = message(
    "would hold until {date} {time}, for {channel}: {sentence}")

  // Translators: this language's own name for itself, such as Deutsch.
  package static let languageName = message(context: "name of the language", "English")
}
