public import Loans
internal import Mail
internal import System

/// Hands messages to the mail system through the interface of sendmail(8), which all of them have.
///
/// The program gets the message on its standard input and one recipient as an argument, so that nothing
/// in the message can add another.
public struct MailNotifier: MailingNotifier {
  /// The channel's name, `mail` unless it is another's.
  public let channel: String

  /// Where mail systems have it by the Filesystem Hierarchy Standard, and had it before.
  package var places = standardPlaces
  private static let standardPlaces = ["/usr/sbin/sendmail", "/usr/lib/sendmail"]

  /// The program that takes mail if no other is named.
  package static var standardProgram: String { program(in: standardPlaces) }

  private static func program(in places: [String]) -> String {
    places.first(where: FileSystem.mayRun) ?? "sendmail"
  }

  /// What messages consist of, and who gets them.
  public let settings: MailSettings
  private let program: [String]?
  private let bounce: EmailAddress
  private let environment: [String: String]
  private let timeout: Duration

  /// A notifier that runs a program once for every message, as ``ProgramNotifier`` does.
  ///
  /// - Parameters:
  ///   - channel: the channel's name.
  ///   - settings: what messages consist of.
  ///   - program: a path or a name, and arguments; by default `/usr/sbin/sendmail`,
  ///     `/usr/lib/sendmail` or `sendmail` in PATH, whichever is there first.
  ///   - bounce: the envelope's sender, who is told what could not be delivered; by default the
  ///     sender.
  ///   - environment: where the variables are taken from that the program may have.
  ///   - timeout: how long one message may take; a mail server may greet late.
  public init(
    channel: String = "mail", settings: MailSettings, program: [String]? = nil,
    bounce: EmailAddress? = nil,
    environment: [String: String], timeout: Duration = .seconds(60)
  ) {
    precondition(program?.isEmpty != true, "a program without a name")
    self.channel = channel
    self.settings = settings
    self.program = program
    self.bounce = bounce ?? settings.from.address
    self.environment = environment
    self.timeout = timeout
  }

  /// Runs the program and waits for its end; status 0 means that the mail system has the message.
  ///
  /// - Throws: ``NotifierError`` with the code `undeliverable` if a borrower's address was refused for
  ///   good, `temporary` for any other failure of the program, `unavailable`, `failed` or `systemLimit`.
  public func send(
    _ message: ArraySlice<Notice>, in context: DeliveryContext
  ) throws(NotifierError) {
    if message.isEmpty { return }
    let mail = try mail(about: message, in: context)
    let command = program ?? [Self.program(in: places)]
    let program = ChannelProgram(
      channel: channel, program: command[0], environment: environment, timeout: timeout,
      advice: self.program == nil ? .sendmail : .mail)
    let recipient = mail.to.address.description
    // An address never begins with a hyphen, so -- is one lock more. Of the mail systems of Debian
    // nullmailer swallows it, and all others know it.
    let arguments = command.dropFirst() + ["-i", "-f", bounce.description, "--", recipient]
    let report = try program.report(of: Array(arguments), input: mail.bytes)
    if report.ending.isSuccess && !report.timedOut { return }
    throw failure(report, of: program, mail.to, message.first?.number, setting(of: context))
  }
}

// MARK: - Failures

extension MailNotifier {
  /// A refusal for good by sysexits.h: EX_DATAERR, EX_NOUSER, EX_NOHOST.
  private static let refusals: Set<ChildProcess.Ending> = [.exited(65), .exited(67), .exited(68)]

  /// The setting that gives the recipient of a message; `nil` if it is the catalogue that does.
  private func setting(of context: DeliveryContext) -> String? {
    if settings.redirect != nil { return "mail-redirect" }
    return context.address == nil ? "mail-fallback" : nil
  }

  private func failure(
    _ report: ChildProcess.Report, of program: ChannelProgram, _ mailbox: Mailbox, _ loan: Int?,
    _ setting: String?
  ) -> NotifierError {
    if report.timedOut { return program.error(.temporary, program.lateness) }
    let recipient = mailbox.address.description
    let words = report.failure {
      ServerReply(in: $0) != nil
    } shown: {
      hidingReaders(in: $0, mailbox)
    }
    guard Self.refusals.contains(report.ending),
      refusesRecipient(report.errors, recipient, report.ending)
    else {
      return program.error(.temporary, "\(words); \(ChannelProgram.Advice.mail.failure)")
    }
    // It would be no fault of the borrowers whom the message is about.
    if let setting { return program.error(.temporary, "\(words); correct \(setting)") }
    let whose = loan.map { "the address of loan \($0)" } ?? "the borrower's address"
    return program.error(.undeliverable, "\(words); correct \(whose) in the catalogue")
  }

  /// A line with `…` in place of readers, since it goes to logs and cron's mail; the library's own addresses
  /// stay.
  private func hidingReaders(in line: String, _ recipient: Mailbox) -> String {
    let own = [
      bounce, settings.from.address, settings.fallback?.address, settings.redirect?.address,
    ]
    .compactMap { $0?.key }
    let address = recipient.address.description
    let isReader = !own.contains(address.lowercased())
    var line = isReader ? line.hiding(address) : line
    line = line.replacing(/=\?[^\s?]+\?[BbQq]\?[^\s?]*\?=/, with: "…")
    let anyAddress =
      #/
      [^\s<>()\[\]"',;:] [^\s<>()\[\]",;:]* @
      [^\s<>()\[\]"',;:]* [^\s<>()\[\]"',;:.]
      /#
    line = line.replacing(anyAddress) { match in
      own.contains(match.output.lowercased()) ? match.output : "…"
    }
    guard isReader else { return line }
    // Some servers name nothing but the mailbox, or its file.
    let mailbox = address.prefix { $0 != "@" }.trimmingPrefix("\"").prefix { $0 != "\"" }
    let names = [recipient.name ?? "", String(mailbox), String(mailbox.prefix { $0 != "+" })]
    // A short number is the code of a reply.
    return names.filter { $0.count > 3 || Int($0) == nil }.reduce(line) { $0.hiding($1) }
  }

  /// Whether a refusal for good is clearly about the recipient; without any reply, EX_NOUSER is.
  private func refusesRecipient(
    _ errors: String, _ recipient: String, _ ending: ChildProcess.Ending
  ) -> Bool {
    let senders = [bounce, settings.from.address].map(\.description)
    if senders.contains(where: errors.mentions), !errors.mentions(recipient) { return false }
    if errors.lowercased().contains("relay") { return false }
    let replies = errors.split(whereSeparator: \.isNewline).lazy.compactMap { ServerReply(in: $0) }
    return replies.first?.refusesRecipient
      ?? (ending == .exited(67) || errors.saysThatNobodyIsThere)
  }
}

extension String {
  /// The text with `…` in place of each whole word or group of words that is a name, whatever its case.
  fileprivate func hiding(_ name: String) -> String {
    if name.isEmpty { return self }
    return replacing(Regex<Substring>(verbatim: name).ignoresCase()) { match in
      let around = [self[..<match.range.lowerBound].last, self[match.range.upperBound...].first]
      return around.contains { $0.map { $0.isLetter || $0.isNumber || $0 == "@" } ?? false }
        ? match.output : "…"
    }
  }
}
