import ArgumentParser
import CommandOutput
import LoanCatalogue
import Loans
import Settings

/// `check-loans profiles`.
struct ProfilesCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "profiles",
    abstract: "List the known formats of catalogues, print one, or check your own.",
    discussion: """
      A profile says where the loans are in a document, and how their dates are written. It is \
      detected from the beginning of a catalogue, unless --profile names one.

      A profile is a small XML file. To write your own, start from a similar one.

      Examples:
        check-loans profiles
        check-loans profiles show koha-ilsdi > ours.xml
        check-loans profiles check ours.xml --try export.xml
        check-loans --profile ours.xml --state none --all export.xml

      Exit status: 0 done, 64 wrong usage, 65 --try has found an error, 66 a profile or catalogue \
      cannot be read, 74 output failed, 78 a profile is wrong.
      """)

  static let facts: [OptionFact] = [OptionFact("try", .text, .line)]

  static var scheme: SettingsScheme? { nil }

  @Argument(
    help: ArgumentHelp(
      "show NAME prints a profile as XML; check FILE checks one of your own and describes it.",
      valueName: "action"), completion: .list(["show", "check"]))
  var words: [String] = []

  @Option(
    help: ArgumentHelp(
      "With check, show the fields of the first loans in this catalogue.",
      valueName: "catalogue"), completion: .file())
  var `try`: String?

  func validate() throws {
    let isAction = words.count == 2 && ["show", "check"].contains(words[0])
    if !words.isEmpty && !isAction {
      throw ValidationError("write show NAME, check FILE, or nothing for a list")
    }
    if `try` != nil && words.first != "check" {
      throw ValidationError("--try shows what a profile reads; write check FILE before it")
    }
  }

  func run(_ environment: Environment, _ console: Console) throws -> ExitStatus {
    if words.first == "show" {
      guard let document = BuiltInProfiles.document(named: words[1]) else {
        throw CommandError(.usage, NamedProfile.unknown(words[1]))
      }
      try console.print(document.span)
      return .done
    }
    if words.first == "check" {
      let profile = try NamedProfile(words[1], environment).profile
      try console.print(profile.description + profile.literals)
      return try `try`.map { try printLoans(of: $0, profile, environment, console) } ?? .done
    }
    for name in BuiltInProfiles.names {
      guard let profile = BuiltInProfiles.profile(named: name) else { continue }
      try console.print(profile.description)
    }
    return .done
  }
}

extension ProfilesCommand {
  /// Prints what the first loans of a catalogue are, read by a profile, and what is wrong with them.
  ///
  /// - Returns: `invalidData` if something is an error.
  private func printLoans(
    of path: String, _ profile: CatalogueProfile, _ environment: Environment, _ console: Console
  ) throws -> ExitStatus {
    var status = ExitStatus.done
    // Where only the day of lending is known, any number of days shows what is read.
    let countsFromLoan = profile.records.flatMap(\.fields).contains(where: \.countsFromLoan)
    let reader = CatalogueReader(
      profile: profile, loanDays: countsFromLoan ? 28 : nil,
      civilTime: try LocalClock(environment["TZ"], environment.variables).civilTime)
    let most = 3
    var (loans, others) = (0, 0)
    let reading = try reader.open(path)
    while loans < most, let batch = try reading.next() {
      try batch.forEach { diagnostic in
        guard loans < most else { return }
        if diagnostic.severity == .error { status = .invalidData }
        try console.print(line: LocatedDiagnostic(path: path, diagnostic: diagnostic).line)
      } record: { record in
        guard loans < most else { return }
        if record.isLent { loans += 1 } else { others += 1 }
        let words = record.isLent ? record.description : "a book that is not lent\n"
        let place = "\(path.visible):\(record.location.line):\(record.location.column)"
        if record.isLent || others <= most { try console.print("\(place): \(words)") }
      }
    }
    return status
  }
}

extension CatalogueProfile {
  /// What it reads, on several lines.
  fileprivate var description: String {
    let places = Self.unique(records.map(\.path.withoutConditions))
    let names = Self.unique(
      LoanField.allCases.filter { field in
        records.contains { $0.fields.contains { $0.field == field } }
          || lookups.contains { $0.fields.contains { $0.field == field } }
      }.map { "\($0)" })
    let forms = Self.unique(
      expirations.flatMap(\.forms).map(\.text))
    var text = "\(name): \(title.visible)\n"
    for place in places { text += "  loan   \(place.visible)\n" }
    if !names.isEmpty { text += "  with   \(names.joined(separator: ", "))\n" }
    if !forms.isEmpty {
      text += "  dates  \(forms.joined(separator: " | ").visible)\(counting)\n"
    }
    return text
  }

  /// The letters in the forms of its dates that stand for themselves, on a line.
  fileprivate var literals: String {
    let forms = records.flatMap(\.fields).flatMap(\.forms)
    let letters = Self.unique(forms.flatMap(\.literals).map(String.init))
    return letters.isEmpty ? "" : "         literal \(letters.joined(separator: ", "))\n"
  }

  private var expirations: [FieldRule] {
    records.flatMap(\.fields).filter { $0.field == .expiration }
  }

  private static func unique(_ texts: [String]) -> [String] {
    var known: Set<String> = []
    return texts.filter { known.insert($0).inserted }
  }

  /// The way expirations are counted that a catalogue does not have.
  private var counting: String {
    guard expirations.contains(where: \.countsFromLoan) else { return "" }
    return expirations.allSatisfy(\.countsFromLoan)
      ? ", counted from the day of lending (--loan-days)"
      : ", or counted from the day of lending (--loan-days)"
  }
}

extension LoanRecord {
  /// What it is, and its fields, on several lines.
  fileprivate var description: String {
    let kind =
      switch expiration {
      case .date: "a loan"
      case .none: "a loan without expiration"
      case .unusable: "a loan without a usable date"
      }
    return LoanField.allCases.filter { $0 != .loaned }.reduce("\(kind)\n") { text, field in
      text + "  \("\(field)".padded(to: 12))\((value(of: field) ?? "-").visible)\n"
    }
  }

  private func value(of field: LoanField) -> String? {
    guard field == .expiration, let loan else { return text(of: field) }
    return loan.expiration.dotted
      + (loan.expirationTime.map { " \($0)" } ?? "")
  }
}
