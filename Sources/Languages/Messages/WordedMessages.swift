extension Message {
  /// The messages that a library can word itself, by their names in its settings.
  public static let worded: [String: Message] = [
    "mail-subject": .mailSubject, "mail-greeting": .mailGreeting,
    "mail-greeting-anyone": .mailGreetingAnyone, "mail-intro-overdue": .mailIntroOverdue,
    "mail-intro-today": .mailIntroToday, "mail-intro-soon": .mailIntroSoon,
    "mail-count": .mailCount, "mail-closed-note": .mailClosedNote, "mail-more": .mailMore,
    "mail-closing": .mailClosing, "mail-reason": .mailReason,
    "mail-reason-nameless": .mailReasonNameless, "due-today": .dueToday,
    "due-tomorrow": .dueTomorrow, "due-soon": .dueSoon, "overdue": .overdue,
    "desktop-digest": .booksToReturn,
  ]

  /// Whether it is left out where its wording is empty.
  public var isOptional: Bool { [.mailReason, .mailReasonNameless].contains(self) }
}
