// What check-loans schedule explain prints about one loan: a sentence on each line.

extension Message {
  // Translators: the first line is put together from these five, {title} being in quotation marks.
  package static let explainedLoan = message("Loan {number}: {title}")
  package static let explainedAuthor = message(" by {author}")
  package static let explainedCatalogue = message(", of the catalogue {catalogue}.")

  package static let leftCatalogue = message(
    "The last day to keep it was {date}; since {day} its catalogue no longer has it.")
  // Translators: {renewal} is "; it can be renewed", "; it cannot be renewed again" or nothing.
  package static let itExpiresToday = message(
    "It expires today: the last day to keep it is {date}{renewal}.")
  package static let itExpiresTomorrow = message(
    "It expires tomorrow: the last day to keep it is {date}{renewal}.")
  package static let itExpiresLater = plural(
    "It expires in {count} day: the last day to keep it is {date}{renewal}.",
    "It expires in {count} days: the last day to keep it is {date}{renewal}.")
  package static let itExpiredYesterday = message(
    "It expired yesterday: the last day to keep it was {date}{renewal}.")
  package static let itExpiredEarlier = plural(
    "It expired {count} day ago: the last day to keep it was {date}{renewal}.",
    "It expired {count} days ago: the last day to keep it was {date}{renewal}.")
  package static let itIsRenewable = message("; it can be renewed")
  package static let itIsNotRenewable = message("; it cannot be renewed again")

  // Translators: a moment within a sentence; it is {time} in the messages that follow.
  package static let moment = message("{date} at {time}")
  // Translators: the last of several parts in a row.
  package static let lastListed = message(context: "list", "{first} and {last}")
  package static let hasNoReminder = message("It has no reminder.")
  package static let remindersAre = message("Its reminders are for {times}.")
  package static let remindersWere = message("Its reminders were for {times}.")
  package static let reminderWouldBeDue = message("Its reminder would have been due on {time}.")
  package static let reminderWasDue = message("Its reminder was due from {time}.")
  package static let reminderIsFor = message("Its reminder is for {time}.")
  package static let reminderWillBeDue = message("Its reminder will be due on {time}.")
  package static let reminderWasDueUntil = message(
    "Its reminder was due from {time} until it expired.")
  package static let reminderIsDue = message("Its reminder has been due since {time}.")

  package static let nothingSent = message("Nothing has been sent about it yet.")
  // Translators: {notice} at the beginning of a sentence; in the nominative.
  package static let theReminder = message(context: "beginning of a sentence", "The reminder")
  package static let theExpiredNotice = message(
    context: "beginning of a sentence", "The expired notice")
  // Translators: a loan was renewed, and {notice} was about the date before.
  package static let ofFormerExpiration = message("{notice} for its former expiration {date}")
  // Translators: {when} is " on 2026-11-23 at 06:21" or nothing; the next message makes it.
  package static let wasDelivered = message("{notice} was delivered through {channel}{when}")
  package static let on = message(context: "moment", " on {time}")
  // Translators: {delivery} is the message "… was delivered through …".
  package static let delivered = message("{delivery}.")
  package static let deliveredToLibrary = message(
    "{delivery}, to the library: the borrower has no usable address.")
  package static let deliveredToLibraryInstead = message("{delivery}, to the library: {error}.")
  package static let deliveredAtAttempt = message("{delivery}, at attempt {count}.")
  package static let deliveredBefore = message("{delivery}; an earlier one on {times}.")
  package static let deliveredBeforeAtAttempt = message(
    "{delivery}, at attempt {count}; an earlier one on {times}.")
  package static let repeatFailed = message("{delivery}; sending it again failed{when}: {error}.")
  package static let repeatBegan = message(
    "{delivery}; sending it again began{when}, {uncertainty}.")
  package static let wasNotDelivered = message(
    "{notice} was not delivered through {channel}{when}: {error}.")
  package static let wasNotDeliveredAfter = plural(
    "{notice} was not delivered through {channel}{when}, after {count} attempt: {error}.",
    "{notice} was not delivered through {channel}{when}, after {count} attempts: {error}.")
  package static let wasMarked = message(
    "{notice} was marked as delivered through {channel}{when}, and not sent.")
  package static let wasBeingSent = message(
    "{notice} was being sent through {channel}{when}, {uncertainty}.")
  // Translators: this is {uncertainty}.
  package static let uncertainty = message(
    "and no result is recorded: a run is sending it now, or was interrupted, in which case it may or may not have arrived"
  )

  // Translators: {silence} is one of the three messages that follow.
  package static let silenced = message("Silenced {silence}.")
  package static let silencedThrough = message("Silenced through {channel} {silence}.")
  // Translators: {who} has given {reason}; both are as somebody wrote them.
  package static let silencedUntil = message("until {date} by {who}: {reason}")
  package static let silencedAsReturned = message("by {who}: {reason}")
  package static let silencedForEver = message("forever by {who}: {reason}")

  package static let nextNothingLeft = message(
    "Next: nothing, since the catalogue no longer has it.")
  package static let nextNothingCancelled = message(
    "Next: nothing, since it was cancelled; the next run that reads the catalogue schedules it again."
  )
  package static let nextNothingWithheld = message(
    "Next: nothing, as long as its catalogue says so and no rule of the settings names that status."
  )
  package static let nextNothingReturned = message(
    "Next: nothing until the loan is renewed or disappears from its catalogue.")
  package static let nextNothingSilenced = message(
    "Next: nothing until somebody ends the silence: check-loans silence end {number}.")
  // Translators: {clauses} are those that follow, with {clause} and {next} between them.
  package static let nextIs = message("Next: {clauses}.")
  package static let nextFrom = message("Next, from {time} on: {clauses}.")
  package static let clauses = message(context: "list", "{clause}; {next}")

  // Translators: {notice} in the clauses; in the nominative.
  package static let reminderClause = message(context: "clause", "the reminder")
  package static let expiredClause = message(context: "clause", "the expired notice")
  package static let nextClause = message(context: "clause", "then the next one")
  package static let comesOn = message("{notice}, on {time}")
  package static let nothingToCome = message("nothing, since no notice is to come")
  package static let countsAsExpired = message(
    "if the book is neither returned nor renewed, it counts as expired from {date}")
  package static let wasDeliveredThroughAll = message(
    "{notice} was delivered through every channel that was tried")
  package static let wasDeliveredForGood = message(
    "{notice} was delivered through every channel that was tried, and will not be sent again")
  package static let isSilencedThrough = message("{notice} is silenced through {channel}")
  // Translators: {option} is an option of the command line.
  package static let runDelivers = message("the next run with {option} delivers {notice}")
  package static let runTriesAgain = message(
    "the next run with {option} tries again to deliver {notice}")
  package static let waitsForAddress = message(
    "no run with {option} delivers {notice} until the catalogue has another address")
  package static let waitsForNewerFile = message(
    "no run with {option} delivers {notice} until a newer file of the catalogue is read")
  package static let waitsForBorrower = message(
    "no run with {option} delivers {notice} until the library's server knows the borrower again")
  package static let waitsForAnswer = message(
    "no run with {option} delivers {notice} without --backlog: it and many others are days late")
  package static let waitsForName = message(
    "no run with {option} delivers {notice} until it is known whether the catalogue was moved")

  // Translators: {reason} is a word for programs, in English.
  package static let reason = message("Reason: {reason}")
}
