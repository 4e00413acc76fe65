import ArgumentParser
import CommandOutput
import Languages
import Loans
import ReminderSchedule
import ReminderService
import Runs
import Settings

/// `check-loans schedule explain`.
struct ExplainCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Explain what was sent about a loan, what failed, and what comes next.",
    discussion: """
      For each loan, prints its expiration, each notice that was delivered, when and through which \
      channel, each failure with its cause, the next notice, and in one word the reason why a \
      notice is sent now or not. Loans that left their catalogue within the last 400 days are \
      included. Does not lock the schedule.

      Examples:
        check-loans schedule explain 3
        check-loans schedule explain bk102 "Egri csillagok"
        check-loans schedule explain --borrower "Halmos Benedek"
      """)

  static let facts: [OptionFact] =
    [
      OptionFact("borrower", .text, .line), OptionFact("email", .text, .line),
      OptionFact("format", .text, .run),
    ] + DeliveryTimeOptions.facts + ClosedDayOptions.facts + StaleOptions.facts
    + ClockOptions.facts + StateOptions.facts + LanguageOptions.facts

  @Argument(
    help: ArgumentHelp(
      """
      Number of a loan, as schedule list shows it, or the id, the barcode or a part of the title \
      of a book, ignoring case.
      """, valueName: "loan"), completion: LoanNumbers.completion)
  var loans: [String] = []

  @Option(
    help: ArgumentHelp(
      """
      Explain loans to borrowers whose name contains this, ignoring case, and loans about which \
      they got a notice.
      """, valueName: "name"))
  var borrower: String?

  @Option(
    help: ArgumentHelp(
      """
      Explain loans to the borrower with this e-mail address, and loans about which that address \
      got a notice.
      """, valueName: "address"))
  var email: String?

  @Option(help: "Format of the explanation.")
  var format = OutputFormat.text

  @OptionGroup(visibility: .hidden) var times: DeliveryTimeOptions
  @OptionGroup(visibility: .hidden) var closed: ClosedDayOptions
  @OptionGroup(visibility: .hidden) var stale: StaleOptions
  @OptionGroup var clock: ClockOptions
  @OptionGroup var state: StateOptions
  @OptionGroup var language: LanguageOptions

  /// The most loans that are explained.
  private static let most = 20

  func validate() throws {
    if loans.isEmpty && borrower == nil && email == nil {
      throw ValidationError("name a loan, or give --borrower or --email")
    }
  }

  func run(_ environment: Environment, _ console: Console) throws -> ExitStatus {
    // What programs read stays as it is.
    let language = format == .json ? .english : try language.language(environment)
    let (now, clock) = try clock.read(environment)
    let schedule = try ScheduleReader(opening: state.path(environment))
    let (numbers, unknown) = try found(in: schedule)
    var documents: [JSONValue] = []
    let asked = try numbers.prefix(Self.most).compactMap { number in
      try schedule.history(of: number, at: now).map { (number, $0.catalogue) }
    }
    let known = try KnownCatalogues(
      asked.map(\.1), environment, clock, now: self.clock.now.now, closed: closed, stale: stale)
    let times = DeliveryTimes(times, known.closedDays, today: now.date, schedule)
    let status = console.report(times.problems)
    let stale = try StaleCatalogues(schedule, known.staleLimits, at: clock.clockTime(now))
    // Looked up once something is due: it takes as long as a delivery.
    var inBacklog: Set<Int>?
    let here = now
    var questions: [String] = []
    let delivered = try environment.delivered(schedule).names
    let open = try KnownCatalogues(delivered, environment, clock, now: self.clock.now.now).zones
      .withoutMoved(schedule) { questions.append($0) }
    let moved = Set(delivered).subtracting(open.flatMap(\.names))
    var (isAnyStale, isAnyMoved) = (false, false)
    for (number, catalogue) in asked {
      // The catalogue may have its own time zone.
      guard
        let now = known.now(of: catalogue), let history = try schedule.history(of: number, at: now)
      else { continue }
      var reason = history.reason
      if reason == .due {
        let loans = try inBacklog ?? environment.loansInBacklog(schedule, at: here)
        if loans.contains(number) { reason = .backlog }
        inBacklog = loans
      }
      let held = times.reason(of: history.catalogue, at: now)
      var heldUntil: CivilDateTime?
      if let held, [.due, .failed].contains(reason) { (reason, heldUntil) = held }
      let isStale = stale.contains(history.catalogue)
      if [.due, .failed].contains(reason), history.loan.expiration < now.date, isStale {
        reason = .staleCatalogue
      }
      if [.staleCatalogue, .unknownBorrower].contains(reason) { isAnyStale = true }
      if [.due, .failed, .backlog].contains(reason), moved.contains(history.catalogue) {
        (reason, isAnyMoved) = (.movedCatalogue, true)
      }
      let isHeld = [.backlog, .movedCatalogue, .unknownBorrower].contains(reason)
      let hold = isHeld ? reason : isStale ? .staleCatalogue : nil
      let sentences = Explanation(
        history, now: now, heldUntil: heldUntil, hold: hold, in: language
      ).sentences
      if format == .json {
        documents.append(history.json(at: now, reason, sentences))
        continue
      }
      if number != numbers.first { try console.print(line: "") }
      let last = language.text(.reason, ["reason": reason.rawValue])
      for sentence in sentences + [last] { try console.print(line: sentence) }
    }
    let omitted = max(0, numbers.count - Self.most)
    if format == .json {
      let document: JSONValue = [
        "version": 1, "loans": .array(documents), "omitted": .int(omitted),
      ]
      try console.print(line: document.text)
    } else if omitted > 0 {
      try console.print(line: "\n\(language.text(.more, count: omitted))")
    }
    if isAnyStale { _ = console.report(stale) }
    if isAnyMoved { questions.forEach { console.printError($0) } }
    for message in unknown { console.printError(message) }
    return unknown.isEmpty ? status : .usage
  }

  /// The numbers of the loans that are asked for, each once, and messages about what means none.
  private func found(in schedule: ScheduleReader) throws -> (numbers: [Int], unknown: [String]) {
    var (numbers, unknown): ([Int], [String]) = ([], [])
    for text in loans {
      let found = try schedule.loans(named: text)
      numbers += found
      if !found.isEmpty { continue }
      let near = text.nearest(among: try schedule.suggestions())
      unknown.append(
        "there is no loan \(text.quoted()) in the schedule; "
          + (near.map { "did you mean \($0.quoted())?" } ?? "see check-loans schedule list"))
    }
    if borrower != nil || email != nil {
      var found = try schedule.loans { loan in
        loan.borrower.fits(anyCase: borrower)
          && email.map { loan.email?.lowercased() == $0.lowercased() } ?? true
      }
      // Who was told may not be who has the book now.
      if borrower == nil || email == nil {
        found += try schedule.loans(toldTo: { told in
          let name: String? = told
          return email.map { told.lowercased() == $0.lowercased() }
            ?? name.fits(anyCase: borrower)
        })
      }
      numbers += found
      if found.isEmpty {
        let asked = [borrower, email].compactMap { $0?.quoted() }.joined(separator: " and ")
        unknown.append(
          "there is no loan to \(asked) in the schedule; see check-loans schedule list")
      }
    }
    var seen: Set<Int> = []
    return (numbers.filter { seen.insert($0).inserted }, unknown)
  }
}

extension LoanHistory {
  fileprivate func json(
    at now: CivilDateTime, _ reason: NoticeReason, _ sentences: [String]
  ) -> JSONValue {
    let notices = notices.map { notice in
      [
        "kind": .string(notice.kind.rawValue), "expiration": .string("\(notice.expiration)"),
        "deliveries": .array(notice.deliveries.map(\.json)),
      ] as JSONValue
    }
    return .object(
      scheduled.jsonMembers + [
        ("library", JSONValue(scheduled.library)),
        ("expiration", .string("\(scheduled.loan.expiration)")),
        ("leftOn", JSONValue(scheduled.leftOn?.description)),
        ("reason", .string(reason.rawValue)),
        ("next", scheduled.nextJSON(after: now)), ("notices", .array(notices)),
        ("sentences", .array(sentences.map { .string($0) })),
      ])
  }
}
