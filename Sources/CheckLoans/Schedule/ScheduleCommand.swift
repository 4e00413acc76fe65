import ArgumentParser
import CommandOutput
import Languages
import Loans
import ReminderSchedule
import Runs
import Settings
import System

/// `check-loans schedule`.
struct ScheduleCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schedule",
    abstract: "Show, explain and change the schedule of notices.",
    discussion: """
      Examples:
        check-loans schedule list
        check-loans schedule explain bk102
        check-loans schedule snooze 3
        check-loans schedule forget old-books.xml
      """,
    subcommands: [
      ListCommand.self, ExplainCommand.self, SnoozeCommand.self, ReturnedCommand.self,
      CancelCommand.self, AgainCommand.self, ForgetCommand.self, RenameChannelCommand.self,
      RenameCatalogueCommand.self,
    ],
    defaultSubcommand: ListCommand.self)
}

/// `check-loans schedule cancel`.
struct CancelCommand: ScheduleChange {
  static let configuration = CommandConfiguration(
    commandName: "cancel",
    abstract: "Cancel pending notices until their catalogue is read again.",
    discussion: """
      The next run that reads the catalogue schedules the notices again. To stop notices for \
      longer, use schedule snooze, which holds until a day, or schedule returned, which holds \
      until the loan leaves its catalogue. Takes the numbers that schedule list shows, \
      not the id of a book.

      Examples:
        check-loans schedule cancel --all
        check-loans schedule cancel 3 7
      """)

  static let facts: [OptionFact] =
    StateOptions.facts + QuietOptions.facts + [OptionFact("all", .flag, .line)]

  @Argument(
    help: ArgumentHelp("Numbers of loans, as schedule list shows them.", valueName: "id"),
    completion: LoanNumbers.completion, transform: LoanNumbers.parse)
  var ids: [Int] = []

  @Flag(help: "Cancel all pending notices.")
  var all = false

  @OptionGroup var state: StateOptions

  @OptionGroup var quiet: QuietOptions

  func validate() throws {
    guard all == ids.isEmpty else {
      throw ValidationError("give either --all or the IDs that schedule list shows")
    }
  }

  func change(
    _ schedule: Schedule, _ environment: Environment, _ changes: inout ScheduleChanges
  ) throws {
    let (loans, unknown) = all ? ([], []) : try schedule.cancel(ids: Set(ids).sorted())
    let count = all ? try schedule.cancelAll() : loans.count
    if count > 0 {
      let titles = all ? "" : ": \(loans.titles)"
      let catalogue = "\(count == 1 ? "its" : "their") catalogue is next read"
      changes.done = [
        "cancelled the notices of \(counted(count, "loan")) until \(catalogue)\(titles)"
      ]
    } else if unknown.isEmpty {
      changes.done = ["nothing to cancel"]
    }
    changes.complain(aboutUnknown: unknown)
  }
}

/// `check-loans schedule forget`.
struct ForgetCommand: ScheduleChange {
  static let configuration = CommandConfiguration(
    commandName: "forget",
    abstract: "Remove catalogues, channels, borrowers or refused addresses from the schedule.",
    discussion: """
      A forgotten catalogue is no longer listed, counted or delivered, and a forgotten channel no \
      longer shows its failures. When it is used again, it counts as new, and every due notice is \
      sent. For a borrower, removes the loans that are no longer in a catalogue, and what was sent \
      about them.

      Examples:
        check-loans schedule forget old-books.xml
        check-loans schedule forget --channel exec:/srv/old-script
      """)

  static let facts: [OptionFact] =
    [
      OptionFact("channel", .list, .line), OptionFact("borrower-is", .list, .line),
      OptionFact("address", .list, .line),
    ] + StateOptions.facts + QuietOptions.facts

  @Argument(
    help: "Catalogues, as schedule list shows them; - is standard input.",
    completion: .custom { _, _, word in ScheduleCompletion.catalogues(of: word) })
  var catalogues: [String] = []

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp("Forget this channel, named as for --notify.", valueName: "channel"))
  var channel: [ChannelName] = []

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp(
      "Forget the returned loans of the borrower with this e-mail address, or with this name and no address.",
      valueName: "borrower"))
  var borrowerIs: [String] = []

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp("Forget that this e-mail address was refused.", valueName: "address"))
  var address: [String] = []

  @OptionGroup var state: StateOptions

  @OptionGroup var quiet: QuietOptions

  var files: [String] { catalogues }

  func validate() throws {
    if catalogues.isEmpty && channel.isEmpty && borrowerIs.isEmpty && address.isEmpty {
      throw ValidationError("name a catalogue, or give --channel, --borrower-is or --address")
    }
    if borrowerIs.contains(where: \.trimmed.isEmpty) {
      throw ValidationError("--borrower-is needs a name or an address; is a shell variable unset?")
    }
  }

  func change(
    _ schedule: Schedule, _ environment: Environment, _ changes: inout ScheduleChanges
  ) throws {
    func note(_ sentence: String?, otherwise complaint: String) {
      if let sentence {
        changes.done.append(sentence)
      } else {
        changes.complaints.append(complaint)
      }
    }
    for channel in channel.map(environment.resolved) {
      let name = channel.name.visible
      let count = try schedule.forget(channel: channel.name)
      note(
        count.map { "forgot the channel \(name) with \(counted($0, "notice"))" },
        otherwise: "nothing was ever sent through the channel \(name)")
    }
    for borrower in borrowerIs {
      let forgotten = try schedule.forget(borrower: borrower)
      let present = forgotten.present
      let words =
        """
        forgot \(counted(forgotten.returned, "returned loan")) and \
        \(counted(forgotten.notices, "notice")) of \(borrower.visible)
        """
      let others = forgotten.addresses.sorted().map(\.visible).joined(separator: ", ")
      let rest =
        present == 0
        ? ""
        : """
        ; \(counted(present, "loan")) \(present == 1 ? "is" : "are") still in a catalogue, and what was sent \
        about \(present == 1 ? "it" : "them") is kept
        """
      note(
        forgotten.isNothing ? nil : words + rest,
        otherwise: "the schedule has nothing about a borrower \(borrower.quoted())")
      if !others.isEmpty {
        changes.complaints.append(
          "loans to \(borrower.quoted()) with an e-mail address are known by that: \(others)")
      }
    }
    if !borrowerIs.isEmpty {
      do throws(ScheduleError) { try schedule.eraseForgotten() } catch {
        changes.complaints.append(
          "the file may still have copies of what was forgotten: \(error); run this command again")
      }
    }
    for address in address {
      let isForgotten = try schedule.forget(address: EmailAddress.key(of: address) ?? address)
      note(
        isForgotten ? "notices go to \(address.visible) again" : nil,
        otherwise: "the address \(address.visible) was not refused")
    }
    for name in catalogues {
      let known = try schedule.reader.catalogues()
      var loans: Int?
      if let catalogue = environment.name(of: name, in: known) {
        // What was fetched of it has readers' names in it.
        let path = try state.path(environment)
        try? FileSystem.remove(CatalogueFetch.file(of: catalogue, besideSchedule: path))
        loans = try schedule.forget(catalogue: catalogue)
      }
      note(
        loans.map { "forgot \(name.visible) with \(counted($0, "loan"))" },
        otherwise: known.unknownWords(name))
    }
  }
}

/// `check-loans schedule again`.
struct AgainCommand: TimedChange {
  static let configuration = CommandConfiguration(
    commandName: "again",
    abstract: "Send the current notice of a loan again.",
    discussion: """
      The next run sends it through each channel that has delivered it. Mail still sends at most \
      one message a day to an address. A silenced loan waits until its silence ends.

      Example:
        check-loans schedule again 3
      """)

  static let facts: [OptionFact] = ChangeOptions.facts

  @OptionGroup var loans: LoanIDs

  @OptionGroup var change: ChangeOptions

  func change(
    _ schedule: Schedule, _ time: ChangeTime, _ changes: inout ScheduleChanges
  ) throws {
    let known = try time.catalogues(of: schedule)
    // A catalogue may have its own time zone.
    let now = { catalogue in known.now(of: catalogue) ?? time.now }
    var unknown: [Int] = []
    for id in Set(loans.ids).sorted() {
      guard let (scheduled, isSentAgain) = try schedule.sendAgain(id, at: now) else {
        unknown.append(id)
        continue
      }
      let now = now(scheduled.catalogue)
      let title = scheduled.loan.label()
      if !isSentAgain {
        let hasNotice = scheduled.plan.reached(at: now) != nil
        let reason = hasNotice ? "its notice is still to be sent" : "no notice is due now"
        changes.notes.append("loan \(id), \(title): \(reason), so there is nothing to send again")
        continue
      }
      let kind = scheduled.loan.expiration < now.date ? "expired notice" : "reminder"
      let notice = "the \(kind) of loan \(id)"
      let line =
        switch try schedule.reader.history(of: id, at: now)?.reason {
        case .silenced: "\(notice) is sent again once the loan is no longer silenced"
        case .cancelled: "the next run that reads the catalogue sends \(notice) again"
        default: "the next run sends \(notice) again"
        }
      changes.done.append("\(line): \(title)")
    }
    changes.complain(aboutUnknown: unknown)
  }
}

extension Environment {
  /// The schedule in the standard place, for a shell to complete words from.
  fileprivate var standardSchedule: ScheduleReader? {
    (try? standardStateFile()).flatMap { try? ScheduleReader(opening: $0) }
  }

  /// The name that a catalogue has in the schedule; `nil` if none of those known is meant.
  ///
  /// A file that was known by a path that now leads elsewhere is taken at its word.
  func name(of catalogue: String, in known: [String]) -> String? {
    [absolutePath(catalogue), catalogueName(catalogue), catalogue].first { name in
      known.contains { $0.utf8.elementsEqual(name.utf8) }
    }
  }

  /// The names that catalogues have in the schedule.
  ///
  /// - Throws: ``CommandError`` with the status `usage` for one that it does not have.
  func names(of catalogues: [String], in known: [String]) throws(CommandError) -> [String] {
    var names: [String] = []
    for catalogue in catalogues {
      guard let name = name(of: catalogue, in: known) else {
        throw CommandError(.usage, known.unknownWords(catalogue))
      }
      names.append(name)
    }
    return names
  }
}

extension [String] {
  /// The message about a catalogue that is none of these.
  func unknownWords(_ catalogue: String) -> String {
    let known = map(\.visibleCatalogue).joined(separator: ", ")
    return "there is no catalogue \(catalogue.visible) in the schedule; "
      + (isEmpty ? "it is empty" : "it has \(known.shortened(to: 300))")
  }
}

/// What a shell completes from the schedule in the standard place.
enum ScheduleCompletion {
  /// The catalogues in the schedule, those in the working directory by relative paths.
  static func catalogues(of word: String) -> [String] {
    guard let environment = try? Environment.ofProcess(),
      let names = try? environment.standardSchedule?.catalogues()
    else { return [] }
    let directory = "\(environment.workingDirectory)/"
    return names.filter(\.isCompletable).map { name in
      // What begins with a hyphen would be an option.
      word.hasPrefix("/") || !name.hasPrefix(directory) || name.hasPrefix("\(directory)-")
        ? name : String(name.dropFirst(directory.count))
    }
  }
}

/// Numbers of loans in the schedule.
enum LoanNumbers {
  /// More would be no help.
  private static let most = 1_000

  /// Reads a number.
  @Sendable static func parse(_ text: String) throws -> Int {
    if let number = Int(text) { return number }
    throw ValidationError(
      "give the number of a loan, as \"schedule list\" shows it, not an id or a title")
  }

  /// What a shell completes.
  static let completion = CompletionKind.custom { _, _, _ in
    guard let environment = try? Environment.ofProcess(),
      let schedule = environment.standardSchedule,
      let now = try? LocalClock(environment["TZ"], environment.variables).read()?.now,
      var entries = try? schedule.entries(in: [(now, nil)])
    else { return [] }
    var numbers: [String] = []
    while numbers.count < most, let entry = try? entries.next() {
      if numbers.last != "\(entry.id)" { numbers.append("\(entry.id)") }
    }
    return numbers
  }
}
