import Languages
import LoanCatalogue
import LoanRules
import Loans
import ReminderSchedule
import ReminderService

/// What one catalogue contributes to a report.
struct CatalogueReport {
  let catalogue: CatalogueToRead
  /// What it holds; nothing if it could not be read.
  var summary = CatalogueSummary()
  var expired = 0
  var expiresToday = 0
  /// Its reminders, of now or, if it could not be used, of before.
  var scheduled = 0
  var nextReminder: CivilDateTime?
  var diagnostics = 0
  /// Its loans that are silenced, and those said to be returned that are to be looked for.
  var silenced = (loans: 0, overdueReturns: 0)
  /// Why it could not be read; `nil` if it was.
  var failure: String?

  mutating func note(_ status: LoanStatus) {
    if status == .expired { expired += 1 }
    if status == .expiresToday { expiresToday += 1 }
  }

  fileprivate var json: JSONValue {
    .object([
      ("path", .string(catalogue.path)), ("loans", .int(summary.loans)),
      ("onShelf", .int(summary.onShelf)), ("expired", .int(expired)),
      ("expiresToday", .int(expiresToday)), ("scheduled", .int(scheduled)),
      ("diagnostics", .int(diagnostics)), ("profile", JSONValue(summary.profile)),
      ("withoutExpiration", .int(summary.withoutExpiration)),
      ("library", JSONValue(catalogue.source.library)), ("silenced", .int(silenced.loans)),
    ])
  }
}

/// The report of `check`: the lines of loans, and what they come to.
struct CheckReport {
  private let plan: CheckPlan
  // Looked up once: to read a wrapped option takes longer than to judge a loan.
  private let isText: Bool
  private let showsAll: Bool
  /// The lines so far, to go back to if a catalogue turns out to be unreadable.
  var lines: ReportLines
  /// The catalogues whose lines have been added.
  var catalogues: [CatalogueReport] = []
  private var diagnostics: [String] = []
  /// Whether some catalogue was read to its end.
  var hasRead = false

  /// - Parameter directory: where lines are kept that are too many for memory.
  init(_ plan: CheckPlan, directory: String) {
    self.plan = plan
    isText = plan.options.format == .text
    showsAll = plan.options.all
    lines = ReportLines(directory: directory)
  }

  /// The loans that have expired.
  var expired: Int { sum(\.expired) }
  /// The loans of the catalogues so far.
  var loans: Int { sum(\.summary.loans) }

  private func sum(_ number: (CatalogueReport) -> Int) -> Int {
    catalogues.reduce(0) { $0 + number($1) }
  }

  /// Adds the line of a loan, unless it needs no attention and not all are wanted.
  mutating func add(_ read: ReadLoan, of catalogue: CatalogueToRead) {
    guard plan.reports, showsAll || read.status.needsAttention else { return }
    let color = plan.isColored ? read.status.color : nil
    lines.add(read.expiration) { text in
      guard isText else { return text.append(contentsOf: ",\(Self.json(read, catalogue))".utf8) }
      if let color { text.append(contentsOf: color.utf8) }
      read.parts.appendLine(
        to: &text, today: catalogue.now.date, library: catalogue.source.library,
        openDays: read.plan.openDays, in: plan.language)
      text.append(contentsOf: (color == nil ? "\n" : "\u{1B}[0m\n").utf8)
    }
  }

  /// Adds a problem.
  mutating func add(_ diagnostic: LocatedDiagnostic) {
    if !isText { diagnostics.append(diagnostic.json.text) }
  }

  private static func json(_ read: ReadLoan, _ catalogue: CatalogueToRead) -> String {
    let loan = read.record.loan ?? Loan(expiration: read.expiration)
    let place: [(key: String, value: JSONValue)] = [
      ("catalogue", .string(catalogue.path)), ("line", .int(read.record.location.line)),
    ]
    let dates: [(key: String, value: JSONValue)] = [
      ("expiration", .string("\(loan.expiration)")),
      ("status", .string(read.status.rawValue)),
      ("daysLeft", .int(loan.daysLeft(today: catalogue.now.date))),
      ("remindAt", JSONValue(read.remindAt(catalogue.now)?.toTheMinute)),
      ("expirationTime", JSONValue(loan.expirationTime?.description)),
      ("openDays", read.plan.openDays?.json ?? .null),
    ]
    return JSONValue.object(place + loan.members(library: catalogue.source.library) + dates).text
  }
}

extension ReadLoan {
  /// The time of the reminder that was reached, or else of the one to come.
  fileprivate func remindAt(_ now: CivilDateTime) -> CivilDateTime? {
    let rung = plan.reached(at: now) ?? plan.next(after: now)?.rung
    return rung.flatMap { $0 > 0 ? nil : plan.fireDate($0) }
  }
}

// MARK: - Printing

extension CheckReport {
  /// - Throws: ``CommandError`` if standard output fails.
  func print(_ console: Console) throws(CommandError) {
    switch plan.options.format {
    case .text:
      try lines.forEach { text throws(CommandError) in try console.print(text) }
      if hasRead && !plan.options.printing.quiet.quiet { try console.print(line: summary) }
    case .json:
      let zone = JSONValue.string(plan.clock.name).text
      try console.print(
        "{\"version\":1,\"now\":\"\(plan.now)\",\"timeZone\":\(zone),\"catalogues\":")
      try console.print(JSONValue.array(catalogues.map(\.json)).text + ",\"loans\":[")
      var comma = 1
      try lines.forEach { text throws(CommandError) in
        try console.print(text.extracting(comma...))
        comma = 0
      }
      try console.print("],\"diagnostics\":[\(diagnostics.joined(separator: ","))],")
      let unread = JSONValue.unread(catalogues.map { ($0.catalogue.path, $0.failure) })
      try console.print(line: "\"unread\":\(unread.text)}")
    }
  }

  private var summary: String {
    language.text(.loans, count: loans) + language.text(.expiredLoans, count: expired)
      + language.text(.loansOfToday, count: sum(\.expiresToday)) + scheduleWords
      + (plan.isDryRun ? language.text(.nothingWritten) : "")
      + counted(.booksOnShelf, sum(\.summary.onShelf))
      + counted(.overdueReturns, sum(\.silenced.overdueReturns))
      + counted(.loansWithoutExpiration, sum(\.summary.withoutExpiration))
      + counted(.uncountedLoans, sum(\.summary.uncounted))
      + counted(.booksLeftOut, sum(\.summary.leftOut))
      + catalogues.compactMap(\.summary.profile).foreignWords(in: language)
  }

  private var language: Language { plan.language }

  /// A part of the summary, unless its number is 0.
  private func counted(_ message: Message, _ count: Int) -> String {
    count > 0 ? language.text(message, count: count) : ""
  }

  private var scheduleWords: String {
    if plan.state == nil { return language.text(.nothingScheduled) }
    let words =
      language.text(.scheduledLoans, count: sum(\.scheduled))
      + counted(.silencedLoans, sum(\.silenced.loans))
    guard let next = catalogues.compactMap(\.nextReminder).min() else {
      return words + language.text(.noReminder)
    }
    let values = ["date": language.dateInSentence(next.date), "time": next.time.description]
    return words + language.text(.nextReminder, values)
  }
}

extension [String] {
  /// `; read as alma` for the profiles of catalogues, unless every one is of the tool's own form.
  func foreignWords(in language: Language = .english) -> String {
    if allSatisfy({ $0 == CatalogueProfile.native.name }) { return "" }
    let names = indices.filter { firstIndex(of: self[$0]) == $0 }.map { self[$0] }
    return language.text(.readAs, ["profiles": names.joined(separator: ", ")])
  }
}

extension LoanStatus {
  /// The beginning of the colour of a line's urgency (ECMA-48, SGR).
  fileprivate var color: String? {
    switch self {
    case .expired: "\u{1B}[31m"
    case .expiresToday: "\u{1B}[33m"
    case .expiresSoon, .onLoan: nil
    }
  }
}
