import ArgumentParser
import LoanCatalogue
import Loans
import ReminderSchedule

/// The end of a silence as it is given: a number of days from today, or the day on which notices are
/// sent again.
enum SilenceEnd: Sendable {
  case days(Int)
  case day(CivilDate)

  private static let longest = 36_500

  /// Reads `3d`, `2w` or a day; `nil` for anything else.
  init?(argument: String) {
    if let days = Self.days(argument) {
      self = .days(days)
    } else if let moment = try? CivilDateTime.parse(argument), argument.utf8.count == 10 {
      self = .day(moment.date)
    } else {
      return nil
    }
  }

  private static func days(_ text: String) -> Int? {
    let factor = text.hasSuffix("d") ? 1 : text.hasSuffix("w") ? 7 : 0
    guard factor > 0, let number = Int(text.dropLast()), (1...longest / factor).contains(number)
    else { return nil }
    return number * factor
  }

  @Sendable static func parseDays(_ text: String) throws -> SilenceEnd {
    guard let days = days(text) else {
      throw ValidationError("give days or weeks, as in 3d or 2w, up to \(longest) days")
    }
    return .days(days)
  }

  @Sendable static func parseDay(_ text: String) throws -> SilenceEnd {
    guard text.utf8.count == 10 else {
      throw ValidationError("write it as YYYY-MM-DD, for example 2026-12-01")
    }
    return .day(try CivilDateTime.parse(text).date)
  }

  /// The day on which notices are sent again.
  func day(from today: CivilDate) -> CivilDate {
    switch self {
    case .days(let days): today.adding(days: days)
    case .day(let day): day
    }
  }

  /// - Throws: ``CommandError`` with the status `usage` for a day that is not to come.
  func check(today: CivilDate) throws(CommandError) {
    if day(from: today) > today { return }
    throw CommandError(.usage, "\(day(from: today)) is not after today, \(today); give a later day")
  }
}

extension SilenceEnd: CustomStringConvertible {
  /// The end as it can be given.
  var description: String {
    switch self {
    case .days(let days): "\(days)d"
    case .day(let day): "\(day)"
    }
  }
}

/// The options for the end of a silence.
struct EndOptions: ParsableArguments, DescribedOptions {
  static let facts: [OptionFact] = [
    OptionFact("until", .text, .line), OptionFact("for", .text, .line),
  ]

  @Option(
    help: ArgumentHelp(
      "Day on which notices are sent again: YYYY-MM-DD.", valueName: "date"),
    transform: SilenceEnd.parseDay)
  var until: SilenceEnd?

  @Option(
    help: ArgumentHelp(
      "Time after which notices are sent again: days or weeks, as in 3d or 2w.", valueName: "time"),
    transform: SilenceEnd.parseDays)
  var `for`: SilenceEnd?

  /// The one that is given.
  var given: SilenceEnd? { until ?? `for` }

  func validate() throws {
    if until != nil, `for` != nil { throw ValidationError("give either --until or --for") }
  }
}

/// The conditions of a silence.
struct SilenceConditionOptions: ParsableArguments, DescribedOptions {
  static let facts: [OptionFact] = [
    "borrower", "email", "category", "status", "loan", "title", "kind", "channel",
  ].map { OptionFact($0, .text, .line) }

  @Option(
    help: ArgumentHelp("The borrower, by the whole name in the catalogue.", valueName: "name"))
  var borrower: String?

  @Option(help: ArgumentHelp("The borrower's address in the catalogue.", valueName: "address"))
  var email: String?

  @Option(
    help: ArgumentHelp("The borrower's category in the catalogue.", valueName: "category"))
  var category: String?

  @Option(
    help: "The loan's status: lost, claimed-returned or recalled.",
    completion: .list(LoanStatus.allCases.map(\.rawValue)),
    transform: { text in
      if let status = LoanStatus(rawValue: text) { return status }
      throw ValidationError("give lost, claimed-returned or recalled")
    })
  var status: LoanStatus?

  @Option(help: ArgumentHelp("The book's id or barcode in the catalogue.", valueName: "id"))
  var loan: String?

  @Option(
    help: ArgumentHelp(
      "The title, in which * stands for any text, ? for a character and [abc] for one of these.",
      valueName: "pattern"))
  var title: String?

  @Option(
    help: "Only notices of this kind: reminder or expired.",
    completion: .list(Notice.Kind.allCases.map(\.rawValue)),
    transform: { text in
      if let kind = Notice.Kind(rawValue: text) { return kind }
      throw ValidationError("give reminder or expired")
    })
  var kind: Notice.Kind?

  @Option(help: ArgumentHelp("Only notices through this channel.", valueName: "channel"))
  var channel: ChannelName?

  /// The texts that select loans.
  var texts: [String] {
    [borrower, email, category, status?.rawValue, loan, title].compactMap(\.self)
  }

  func conditions(_ environment: Environment) throws(CommandError) -> SilenceConditions {
    try channel.map { channel throws(CommandError) in try environment.checkKnown(channel) }
    var conditions = SilenceConditions()
    conditions.borrower = borrower?.spaceNormalized
    conditions.email = email?.spaceNormalized
    conditions.category = category?.spaceNormalized
    conditions.status = status
    conditions.loan = loan?.spaceNormalized
    conditions.title = title?.spaceNormalized
    conditions.kind = kind
    conditions.channel = channel.map { environment.resolved($0).name }
    return conditions
  }

  func validate() throws {
    if texts.isEmpty {
      throw ValidationError(
        "say which loans: give --borrower, --email, --category, --status, --loan or --title")
    }
    if texts.contains(where: { $0.spaceNormalized.isEmpty }) {
      throw ValidationError("a condition is empty; is a shell variable unset?")
    }
  }
}
