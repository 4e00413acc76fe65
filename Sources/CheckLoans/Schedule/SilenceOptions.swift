import ArgumentParser
import CommandOutput
import LoanCatalogue
import Loans
import ReminderSchedule
import Reports
import Settings

/// The end of a silence as it is given: a number of days from today, the day on which notices are sent
/// again, or none.
enum SilenceEnd: Sendable {
  case days(Int)
  case day(CivilDate)
  case forever

  /// Reads `3d`, `2w`, a day, or `forever`.
  @Sendable static func parse(_ text: String) throws -> SilenceEnd {
    if text == "forever" { return .forever }
    if let span = TimeSpan(text, "dw") { return .days(span.seconds / 86_400) }
    if let moment = try? CivilDateTime.parse(text), text.utf8.count == 10 {
      return .day(moment.date)
    }
    throw ValidationError("give days or weeks, as in 3d or 2w, a day, as in 2026-12-01, or forever")
  }

  /// The day on which notices are sent again; `nil` for never.
  ///
  /// - Throws: ``CommandError`` with the status `usage` for a day that is not to come.
  func day(from today: CivilDate) throws(CommandError) -> CivilDate? {
    switch self {
    case .forever: return nil
    case .days(let days): return today.adding(days: days)
    case .day(let day):
      if day > today { return day }
      throw CommandError(.usage, "\(day) is not after today, \(today); give a later day")
    }
  }
}

/// The conditions of a silence.
struct SilenceConditionOptions: ParsableArguments, DescribedOptions {
  static let facts: [OptionFact] = [
    "borrower-is", "email", "category", "status", "loan", "title", "kind", "channel",
  ].map { OptionFact($0, .text, .line) }

  @Option(
    help: ArgumentHelp("Whole name of the borrower, as in the catalogue.", valueName: "name"))
  var borrowerIs: String?

  @Option(
    help: ArgumentHelp("E-mail address of the borrower, as in the catalogue.", valueName: "address")
  )
  var email: String?

  @Option(
    help: ArgumentHelp("Category of the borrower, as in the catalogue.", valueName: "category"))
  var category: String?

  @Option(
    help: "Status of the loan: lost, claimed-returned or recalled.",
    completion: .list(LoanStatus.allCases.map(\.rawValue)),
    transform: { text in
      if let status = LoanStatus(rawValue: text) { return status }
      throw ValidationError("give lost, claimed-returned or recalled")
    })
  var status: LoanStatus?

  @Option(help: ArgumentHelp("Id or barcode of the book, as in the catalogue.", valueName: "id"))
  var loan: String?

  @Option(
    help: ArgumentHelp(
      "Title, where * matches any text, ? a character, and [abc] one of these.",
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
    [borrowerIs, email, category, status?.rawValue, loan, title].compactMap(\.self)
  }

  func conditions(_ environment: Environment) throws(CommandError) -> SilenceConditions {
    try channel.map { channel throws(CommandError) in try environment.checkKnown(channel) }
    var conditions = SilenceConditions()
    conditions.borrower = borrowerIs?.spaceNormalized
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
        "say which loans: give --borrower-is, --email, --category, --status, --loan or --title")
    }
    if texts.contains(where: { $0.spaceNormalized.isEmpty }) {
      throw ValidationError("a condition is empty; is a shell variable unset?")
    }
  }
}
