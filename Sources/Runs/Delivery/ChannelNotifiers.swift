package import CommandOutput
package import Languages
package import Loans
package import Mail
package import Notifiers
package import Settings
import System

/// Makes the notifiers of channels from what the options and the settings file say of them.
package struct ChannelNotifiers {
  private let environment: Environment
  /// The language of whoever runs the program.
  let language: Language
  private let options: ChannelOptions
  let borrowers: BorrowerLanguages
  private let mail: MailSettings?

  /// - Parameters:
  ///   - channels: those that are used.
  ///   - state: where the schedule is, beside which the secret of links in mail is kept; without one they
  ///     are only examples.
  ///   - makesSecrets: whether a secret is made that is not there.
  ///   - sender: who sends mail if nobody is set.
  ///   - isLanguageFixed: whether all are written to in the language of whoever runs the program.
  /// - Throws: ``CommandError`` with the status `badSetting` if one of them cannot be used as it is set.
  package init(
    _ channels: [ChannelName], _ options: ChannelOptions, _ language: LanguageOptions,
    _ environment: Environment, state: StateOptions? = nil, makesSecrets: Bool = true,
    sender: Mailbox? = nil, isLanguageFixed: Bool = false
  ) throws(CommandError) {
    try options.checkTitles(environment)
    (self.environment, self.options) = (environment, options)
    let known = try language.own.known(environment)
    self.language = try language.language(environment, among: known)
    let borrowers = BorrowerLanguages(known, otherwise: self.language, environment)
    self.borrowers = borrowers
    mail =
      channels.contains(where: \.isMail)
      ? try options.mail.settings(
        environment, sender: sender, self.language,
        key: { () throws(CommandError) in
          guard let schedule = try state?.path(environment) else { return [] }
          let key = SecretKey(.mail, besideSchedule: schedule)
          return try makesSecrets ? key.secret() : key.existing() ?? []
        }
      ) {
        [language = self.language] in isLanguageFixed ? language : borrowers.language(of: $0)
      } : nil
  }

  /// The notifier of a channel, which gets no more of titles than its setting allows.
  ///
  /// - Parameter actions: gives notifications a button.
  func notifier(
    of channel: ChannelName, _ console: Console, actions: NotificationActions? = nil
  ) -> any Notifier {
    hidingTitles(of: channel, plainNotifier(of: channel, console, actions))
  }

  /// The message of mail about some notices; `nil` if there is nobody to send it to.
  package func message(about notices: [Notice], in context: DeliveryContext) -> MailMessage? {
    let detail = titles(of: .mail)
    return mail?.message(about: notices.map { $0.hidingTitles(detail) }[...], in: context)
  }

  /// What prints the messages of a channel that writes to addresses, in the form mboxrd; `nil` for other
  /// channels.
  func rehearsal(of channel: ChannelName, _ console: Console) -> (any Notifier)? {
    guard channel.isMail, var mail else { return nil }
    if channel != .mailRedirect { mail.redirect = nil }
    return hidingTitles(
      of: channel, MailRehearsal(channel: channel.name, settings: mail, output: console.output))
  }

  private func plainNotifier(
    of channel: ChannelName, _ console: Console, _ actions: NotificationActions?
  ) -> any Notifier {
    switch (channel, mail) {
    case (.notifySend, _):
      NotifySendNotifier(
        environment: environment.variables, userID: environment.userID, actions: actions,
        in: language)
    case (.exec(let program), _):
      ProgramNotifier.exec(
        program, environment: environment.variables, timeout: .seconds(options.execTimeout))
    case (.named(let name), _):
      environment.programNotifier(name, language) { [borrowers] in borrowers.language(of: $0) }
    case (.mail, let mail?), (.mailRedirect, let mail?):
      MailNotifier(
        channel: channel.name, settings: mail,
        program: options.mail.program(environment),
        bounce: options.mail.mailBounce?.address, environment: environment.variables)
    case (.maildir(let path), let mail?):
      MaildirNotifier(directory: path, settings: mail)
    case (.stdout, _): StandardOutputNotifier(output: console.output, in: language)
    case (.mail, nil), (.mailRedirect, nil), (.maildir, nil):
      preconditionFailure("\(channel.name) is none of the channels that were named at first")
    }
  }

  private func hidingTitles(of channel: ChannelName, _ notifier: any Notifier) -> any Notifier {
    let detail = titles(of: channel == .mailRedirect ? .mail : channel)
    return detail == .full ? notifier : DiscreetNotifier(notifier, detail)
  }

  /// How much of the titles a channel gets.
  func titles(of channel: ChannelName) -> TitleDetail {
    let own = options.titles.last { $0.channel.map(environment.resolved) == channel }?.detail
    let ofTable = environment.channelTable(channel.name)?.titles
    let ofAll = options.titles.last { $0.channel == nil }?.detail
    // What is for this run wins over the settings file.
    let isOfFile = environment.given["titles"]?.isFromFile ?? true
    return own ?? (isOfFile ? ofTable ?? ofAll : ofAll ?? ofTable) ?? .full
  }
}

/// A notifier that gets no more of the books than it may tell.
private struct DiscreetNotifier: Notifier {
  private let notifier: any Notifier
  private let detail: TitleDetail

  init(_ notifier: any Notifier, _ detail: TitleDetail) {
    (self.notifier, self.detail) = (notifier, detail)
  }

  var channel: String { notifier.channel }
  var messagesPerCommit: Int { notifier.messagesPerCommit }
  var grouping: Grouping { notifier.grouping }
  var needsOpenCount: Bool { notifier.needsOpenCount }

  func messages(for notices: [Notice]) -> [ArraySlice<Notice>] {
    notifier.messages(for: notices)
  }

  func send(
    _ message: ArraySlice<Notice>, in context: DeliveryContext
  ) throws(NotifierError) {
    try notifier.send(message.map { $0.hidingTitles(detail) }[...], in: context)
  }
}

/// Prints messages to borrowers instead of sending them.
private struct MailRehearsal: MailingNotifier {
  let channel: String
  let settings: MailSettings
  package let output: CheckedOutput

  func send(
    _ message: ArraySlice<Notice>, in context: DeliveryContext
  ) throws(NotifierError) {
    let text = try mail(about: message, in: context).mboxrd
    do throws(OutputError) {
      try output.write(text.utf8.span)
    } catch {
      throw NotifierError(
        .outputFailed(errno: error.errno), channel: channel, message: "\(error)")
    }
  }
}

/// The languages in which borrowers are written to: each in that of the loan, or else of the first rule
/// that fits, or else of whoever runs the program.
package struct BorrowerLanguages: Sendable {
  private let known: KnownLanguages
  private let standard: Language
  private let environment: Environment
  private let rules: [RuleTable]

  package init(_ known: KnownLanguages, otherwise standard: Language, _ environment: Environment) {
    (self.known, self.standard, self.environment) = (known, standard, environment)
    rules = (environment.given.file?.rules ?? []).filter { $0.language != nil }
  }

  /// The language of the borrower to whom a notice is sent.
  package func language(of notice: Notice) -> Language {
    let rule = rules.first { environment.fits($0, notice) }?.language
    for text in [notice.loan.language, rule] {
      if let text, let language = known.language(for: text) {
        return environment.worded(language)
      }
    }
    return standard
  }
}
