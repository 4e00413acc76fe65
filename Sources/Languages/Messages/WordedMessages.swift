extension Message {
  /// The messages that a library can word itself, by their names in its settings.
  public static let worded: [String: Message] = [
    "mail-subject": .mailSubject, "mail-greeting": .mailGreeting,
    "mail-greeting-anyone": .mailGreetingAnyone, "mail-intro-expired": .mailIntroExpired,
    "mail-intro-today": .mailIntroToday, "mail-intro-soon": .mailIntroSoon,
    "mail-count": .mailCount, "mail-closed-note": .mailClosedNote, "mail-more": .mailMore,
    "mail-closing": .mailClosing, "mail-reason": .mailReason,
    "mail-reason-nameless": .mailReasonNameless, "loan-today": .expiresToday,
    "loan-tomorrow": .expiresTomorrow, "loan-soon": .expiresLater,
    "loan-yesterday": .expiredYesterday, "loan-expired": .expiredEarlier,
    "desktop-digest": .loansToMind,
  ]

  /// Whether it is left out where its wording is empty.
  public var isOptional: Bool { [.mailReason, .mailReasonNameless].contains(self) }
}
