public import Languages
public import Loans
public import Mail

/// What the messages to borrowers consist of, and who gets them.
public struct MailSettings: Sendable {
  /// The forms that a message's body has.
  public enum Format: String, CaseIterable, Sendable {
    /// Plain text and HTML.
    case both
    /// Plain text alone.
    case text
  }

  /// The sender.
  public var from: Mailbox
  /// Where replies go, if not to the sender.
  public var replyTo: Mailbox?
  /// Who at the library gets what cannot be sent to a borrower; `nil` for nobody.
  public var fallback: Mailbox?
  /// Who gets all messages instead, for a trial; the subjects then begin with the real addresses.
  public var redirect: Mailbox?
  /// The most messages of one run.
  public var limit = 500
  /// The most borrowers that an address may have.
  ///
  /// An address of more is taken for a placeholder, and nothing is sent to it.
  public var mostBorrowers = Self.mostBorrowers
  /// The same unless it is set.
  public static let mostBorrowers = 6
  /// Where a recipient can say that there should be no more; a letter ends with the first.
  public var unsubscribe: [UnsubscribeLink] = []
  /// The secret of their tokens, at most 64 bytes.
  public var unsubscribeKey: [UInt8] = []
  /// The forms of the body.
  public var format = Format.both
  /// The look of the HTML.
  public var style: StyleSheet?
  /// The language of messages to the library.
  public var deskLanguage = Language.english
  /// The language of the borrower of a notice.
  public var language: @Sendable (Notice) -> Language = { _ in .english }

  /// The settings for messages from somebody, with everything else as it is by default.
  public init(from: Mailbox) {
    self.from = from
  }

  /// The message about some notices; `nil` if there is none, or nobody to send it to.
  ///
  /// - Parameters:
  ///   - notices: those for the address of `context`, or without one those for the library.
  ///   - context: the time and the address.
  public func message(
    about notices: ArraySlice<Notice>, in context: DeliveryContext
  ) -> MailMessage? {
    guard let first = notices.first else { return nil }
    let today = context.now.date
    let sender = from.name ?? from.address.description
    let reader = context.address.flatMap { try? EmailAddress($0) }
    guard let addressee = reader.map({ Mailbox(name: notices.borrower, $0) }) ?? fallback else {
      return nil
    }
    let recipient = redirect ?? addressee
    let links =
      reader == nil
      ? [] : unsubscribe.map { $0.link(for: recipient.address, key: unsubscribeKey) }
    let letter =
      reader == nil
      ? Letter(toDeskAbout: Array(notices), in: deskLanguage, today: today, sender: sender)
      : Letter(
        about: Array(notices), in: language(first), today: today, sender: sender,
        givesReason: true, unsubscribe: links.first)
    var message = MailMessage(
      from: from, to: recipient,
      subject: redirect == nil ? letter.subject : "\(addressee.address): \(letter.subject)",
      date: context.now,
      id: MessageID(
        // A mailbox that drops what it has already would drop a second trial.
        about: notices, to: (reader?.key ?? "") + (redirect == nil ? "" : "\n\(context.now)"),
        on: today, domain: from.address.domain),
      language: letter.language, text: letter.text)
    message.replyTo = replyTo
    message.utcOffset = context.utcOffset
    message.unsubscribe = links
    if format == .both { message.html = letter.html(style: style) }
    return message
  }
}

extension ArraySlice<Notice> {
  /// The name of the one borrower that all are for.
  fileprivate var borrower: String? {
    let names = Set(map(\.loan.borrower))
    return names.count == 1 ? first?.loan.borrower?.shortened(to: 100) : nil
  }
}

/// A notifier that writes to borrowers' addresses.
public protocol MailingNotifier: Notifier {
  /// What messages consist of, and who gets them.
  var settings: MailSettings { get }
}

extension MailingNotifier {
  /// By address, and what has none for the library.
  public var grouping: Grouping {
    .byAddress(
      hasFallback: settings.fallback != nil, limit: settings.limit,
      mostBorrowers: settings.mostBorrowers)
  }

  /// One message of all, since they are for one address.
  public func messages(for notices: [Notice]) -> [ArraySlice<Notice>] {
    notices.isEmpty ? [] : [notices[...]]
  }

  /// The message about notices, as ``MailSettings/message(about:in:)`` has it.
  ///
  /// - Throws: ``NotifierError`` with the code `failed` if there is nobody to send it to.
  public func mail(
    about notices: ArraySlice<Notice>, in context: DeliveryContext
  ) throws(NotifierError) -> MailMessage {
    if let message = settings.message(about: notices, in: context) { return message }
    throw NotifierError(
      .failed, channel: channel,
      message: "\(channel.visible) has no address for this message; set mail-fallback")
  }
}
