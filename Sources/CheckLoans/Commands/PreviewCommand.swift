import ArgumentParser
import CommandOutput
import Loans
import Mail
import Notifiers
import ReminderSchedule
import ReminderService
import Reports
import Runs
import Settings
import Validation

/// The form of a preview.
enum PreviewFormat: String, CaseIterable, ExpressibleByArgument {
  case text
  case html
  case eml
}

/// `check-loans preview`.
struct PreviewCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "preview",
    abstract: "Print a message to a borrower as mail would send it.",
    discussion: """
      Sends nothing. The message has the due notices of the catalogues named, including those sent \
      before; without a catalogue, it is about invented books. Wordings, titles and style are \
      those of the settings file.

      Examples:
        check-loans preview --language hu
        check-loans preview --format html books.xml > mail.html
      """)

  static let facts: [OptionFact] =
    [OptionFact("borrower", .text, .line), OptionFact("format", .text, .run)]
    + LanguageOptions.facts + ChannelOptions.facts + CatalogueOptions.facts + NowOptions.facts
    + StateOptions.facts

  @Argument(
    help:
      "Catalogues to read. (default: invented books; with --borrower, those of the settings file)",
    completion: .file())
  var catalogues: [String] = []

  @Option(
    help: ArgumentHelp(
      "Print the first message to a borrower whose name contains this, ignoring case.",
      valueName: "name"))
  var borrower: String?

  @Option(help: "Print the message as text, as HTML, or whole (eml).")
  var format = PreviewFormat.text

  @OptionGroup var language: LanguageOptions
  @OptionGroup(visibility: .hidden) var channels: ChannelOptions
  @OptionGroup(visibility: .hidden) var catalogue: CatalogueOptions
  @OptionGroup var now: NowOptions
  @OptionGroup var state: StateOptions

  var files: [String] { catalogues }
  var readingOptions: CatalogueOptions? { catalogue }

  func run(_ environment: Environment, _ console: Console) throws -> ExitStatus {
    let sender = try Mailbox("Town Library <library@example.org>")
    let hasState = try state.optionalPath(environment) != nil
    let notifiers = try ChannelNotifiers(
      [.mail], channels, language, environment, state: hasState ? state : nil,
      makesSecrets: false, sender: sender,
      isLanguageFixed: environment.given["language"]?.isFromCommandLine == true)
    let clock = try catalogue.zone.clock(environment)
    let now = try clock.now(now.now)
    let (notices, status) = try notices(at: now, environment, console)
    let context = DeliveryContext(
      now: now, utcOffset: now.utcOffset(clock.civilTime), openCount: 0,
      address: notices.first?.loan.email)
    guard !notices.isEmpty, let message = notifiers.message(about: notices, in: context) else {
      let name = borrower.map { " named \($0.quoted())" } ?? ""
      console.printError("nothing is due for a borrower\(name) with an e-mail address")
      return status
    }
    switch format {
    case .text: try console.print(message.text)
    case .html: try console.print(message.html ?? message.text)
    case .eml: try console.print(message.bytes.span)
    }
    return status
  }

  /// The notices of one message, and the status of reading the catalogues.
  private func notices(
    at now: CivilDateTime, _ environment: Environment, _ console: Console
  ) throws -> ([Notice], ExitStatus) {
    if catalogues.isEmpty && borrower == nil { return (Self.invented(today: now.date), .done) }
    let schedule = try Schedule()
    let read = try environment.catalogues(
      catalogues, catalogue, now: self.now.now, schedule: nil,
      example: "check-loans preview books.xml")
    var reading = CatalogueReadings(schedule, console)
    reading.isKept = false
    for entry in read { _ = try reading.read(entry) }
    let due = try schedule.reader.due(at: now, channel: ChannelName.mail.name).map(\.notice)
    let first = due.first {
      $0.loan.addressKey != nil && $0.loan.borrower.fits(anyCase: borrower)
    }
    return (
      due.filter { first != nil && $0.loan.addressKey == first?.loan.addressKey }, reading.status
    )
  }

  /// One book of each kind.
  private static func invented(today: CivilDate) -> [Notice] {
    [
      ("Egri csillagok", "Gárdonyi Géza", -3), ("Abigél", "Szabó Magda", 0),
      ("Emma", "Jane Austen", 1),
    ]
    .map { title, author, days in
      Notice(
        rung: -days,
        loan: Loan(
          title: title, author: author, borrower: "Kovács Anna", email: "anna@example.org",
          renewable: days > 0, expiration: today.adding(days: days)), catalogue: "books.xml")
    }
  }
}

extension Loan {
  /// The key of the borrower's address; `nil` for none, or one that is not valid.
  fileprivate var addressKey: String? { EmailAddress.key(of: email) }
}
