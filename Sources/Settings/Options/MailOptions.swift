package import ArgumentParser
package import CommandOutput
package import Languages
package import Loans
import Mail
package import Notifiers
import System

/// The options for messages to borrowers, through the channels `mail` and `maildir:DIR`.
package struct MailOptions: ParsableArguments, DescribedOptions {
  package init() {}

  package static let facts: [OptionFact] = [
    OptionFact("mail-from", .text, .file), OptionFact("mail-reply-to", .text, .file),
    OptionFact("mail-bounce", .text, .file), OptionFact("mail-fallback", .text, .file),
    OptionFact("mail-redirect", .text, .file),
    OptionFact("mail-program", .list, .file, path: .program),
    OptionFact("mail-limit", .number, .file), OptionFact("mail-max-borrowers", .number, .file),
    OptionFact("mail-unsubscribe", .list, .file), OptionFact("mail-format", .text, .file),
    OptionFact("mail-css", .text, .file, path: .file),
  ]

  @Option(
    help: ArgumentHelp(
      "Sender of mail, as in Town Library <desk@example.org>.", valueName: "mailbox"),
    transform: mailbox)
  package var mailFrom: Mailbox?

  @Option(
    help: ArgumentHelp("Mailbox for replies. (default: the sender)", valueName: "mailbox"),
    transform: mailbox)
  var mailReplyTo: Mailbox?

  @Option(
    help: ArgumentHelp(
      "Mailbox for reports of undelivered mail. (default: the sender)",
      valueName: "mailbox"), transform: mailbox)
  package var mailBounce: Mailbox?

  @Option(
    help: ArgumentHelp(
      "Mailbox of the desk, for notices to borrowers without an address.",
      valueName: "mailbox"), transform: mailbox)
  var mailFallback: Mailbox?

  @Option(
    help: ArgumentHelp(
      "Mailbox that gets all mail instead of the borrowers, for a trial.", valueName: "mailbox"),
    transform: mailbox)
  var mailRedirect: Mailbox?

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "Program that takes messages, and its arguments, one word each time. (default: sendmail)",
      valueName: "word"), transform: word)
  var mailProgram: [String] = []

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Most messages in one run, 1 to 1000000.", valueName: "number"),
    transform: number(1...1_000_000))
  var mailLimit = 500

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Most borrowers who can share an address, 1 to 1000; an address of more is not used.",
      valueName: "number"), transform: number(1...1_000))
  var mailMaxBorrowers = MailSettings.mostBorrowers

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "Link, https: or mailto:, with which a borrower can stop the mail; one of each at most.",
      valueName: "link"), transform: link)
  var mailUnsubscribe: [UnsubscribeLink] = []

  @Option(
    help: ArgumentHelp("Body of mail: text and HTML, or text.", valueName: "both|text"),
    completion: .list(MailSettings.Format.allCases.map(\.rawValue)), transform: choice)
  var mailFormat = MailSettings.Format.both

  @Option(
    help: ArgumentHelp("Style sheet (CSS) for the HTML of mail.", valueName: "file"),
    completion: .file(extensions: ["css"]))
  package var mailCss: String?

  package func validate() throws {
    if Set(mailUnsubscribe.map(\.isWebPage)).count < mailUnsubscribe.count {
      throw ValidationError("give no second link that begins with https: or with mailto:")
    }
  }

  @Sendable private static func word(_ text: String) throws -> String {
    if text.isEmpty { throw ValidationError("give a program, or an argument of it") }
    return text
  }

  @Sendable private static func mailbox(_ text: String) throws -> Mailbox {
    do { return try Mailbox(text) } catch { throw ValidationError("\(text.quoted()) \(error)") }
  }

  @Sendable private static func link(_ text: String) throws -> UnsubscribeLink {
    do { return try UnsubscribeLink(text) } catch {
      throw ValidationError("\(text.quoted()) \(error)")
    }
  }

  /// The program that takes messages, and its arguments; `nil` for that of the mail system.
  package func program(_ environment: Environment) -> [String]? {
    guard let program = mailProgram.first else { return nil }
    let path = program.contains("/") ? environment.absolutePath(program) : program
    return [path] + mailProgram.dropFirst()
  }

  /// The settings of mail.
  ///
  /// - Parameters:
  ///   - sender: who sends them if nobody is set.
  ///   - key: gives the secret for links, if one is needed.
  ///   - language: the language of messages to the library.
  /// - Throws: ``CommandError`` with the status `badSetting` if there is no sender, or the style cannot
  ///   be used.
  package func settings(
    _ environment: Environment, sender: Mailbox? = nil, _ language: Language,
    key: () throws(CommandError) -> [UInt8],
    _ languageOf: @escaping @Sendable (Notice) -> Language
  ) throws(CommandError) -> MailSettings {
    guard let from = mailFrom ?? sender else {
      let file = environment.settingsFileToWrite
      let state = file.map(FileSystem.exists) == false ? ", which does not exist," : ""
      throw CommandError(
        .badSetting,
        """
        mail needs a sender; set mail-from = "Town Library <desk@example.org>" in \
        \(file?.visible ?? "a settings file")\(state) or use --mail-from
        """)
    }
    var settings = MailSettings(from: from)
    (settings.replyTo, settings.fallback) = (mailReplyTo, mailFallback)
    (settings.redirect, settings.limit) = (mailRedirect, mailLimit)
    settings.mostBorrowers = mailMaxBorrowers
    (settings.format, settings.unsubscribe) = (mailFormat, mailUnsubscribe)
    if mailUnsubscribe.contains(where: \.hasToken) { settings.unsubscribeKey = try key() }
    settings.style = try style(environment)
    (settings.deskLanguage, settings.language) = (language, languageOf)
    return settings
  }

  private func style(_ environment: Environment) throws(CommandError) -> StyleSheet? {
    guard let mailCss else { return nil }
    let words: String
    do {
      let bytes = try WholeFile.bytes(of: mailCss, limit: StyleSheet.longest)
      return try StyleSheet(String(decoding: bytes, as: UTF8.self))
    } catch let error as WholeFile.Failure {
      words =
        "\(mailCss.visible): "
        + error.words("style", limit: StyleSheet.longest, harm: "goes out in every mail")
    } catch {
      words = "\(mailCss.visible): \(error)"
    }
    throw CommandError(.badSetting, words).located(at: "mail-css", [], environment.given)
  }
}

/// How much of the titles a channel gives away, `none` or `mail=initials`.
package struct TitleChoice: ExpressibleByArgument, Sendable, Hashable {
  /// The channel; `nil` for all that have no choice of their own.
  package let channel: ChannelName?
  package let detail: TitleDetail

  package init?(argument: String) {
    let parts = argument.split(separator: "=", omittingEmptySubsequences: false)
    guard let last = parts.last, let detail = TitleDetail(rawValue: String(last)) else {
      return nil
    }
    self.detail = detail
    if parts.count == 1 {
      channel = nil
    } else {
      let name = parts.dropLast().joined(separator: "=")
      guard let channel = ChannelName(argument: name) else { return nil }
      self.channel = channel
    }
  }

  package var defaultValueDescription: String {
    (channel.map { "\($0.name)=" } ?? "") + detail.rawValue
  }

  package static let allValueStrings = TitleDetail.allCases.map(\.rawValue)
}

extension Environment {
  /// The most borrowers that an address may have, as the settings say.
  package var mostBorrowers: Int {
    given["mail-max-borrowers"]?.texts.first.flatMap { Int($0) } ?? MailSettings.mostBorrowers
  }
}
