import LoanCatalogue
import LoanRules
import Loans
import Synchronization
import System
import SystemPackage

/// What a run of `validate` is to do, with everything decided.
struct ValidationPlan: Sendable {
  let catalogues: [String]
  var reader: CatalogueReader
  let severities: SeverityPolicy
  let form: any FindingsForm
  /// The file that takes the results instead of standard output.
  let output: String?
  /// The most findings to show.
  let limit: Int
  /// How many catalogues are read side by side.
  let jobs: Int
  let environment: Environment
  let fixing: Fixing
  let isQuiet: Bool
  /// The time zone of the environment, if it is unknown.
  let unknownZone: UnknownZone?

  /// What is done about values that can be fixed.
  enum Fixing { case none, dryRun, replace }

  /// - Throws: ``CommandError`` with the status `usage` or `badSetting` if the options make no sense together.
  init(_ command: ValidateCommand, _ environment: Environment) throws(CommandError) {
    let given = try Self.catalogues(command, environment)
    catalogues = command.fixing.fix ? Self.unique(given, environment) : given
    severities = try Self.severities(command.rules, environment.given)
    let time = try Self.civilTime(command.rules.clock.zone, environment)
    unknownZone = time.clock
    var reader = CatalogueReader(
      profile: try command.form.profile(environment)?.profile,
      rules: try Self.rules(command.rules, environment, severities),
      loanDays: command.form.loanDays,
      civilTime: time.civilTime)
    output = try environment.output(command.output, sparing: catalogues)
    let isForGitHub = environment["GITHUB_ACTIONS"] == "true" && output == nil
    let format = command.format ?? (isForGitHub ? .github : .text)
    limit = command.shown.maxDiagnostics ?? .max
    let jobs = command.shown.jobs.count
    self.jobs = min(jobs, catalogues.count)
    // Cores that have no catalogue of their own read parts of one.
    reader.jobs = max(1, jobs / max(1, catalogues.count))
    self.reader = reader
    self.environment = environment
    fixing = try Self.fixing(command, environment, catalogues, hasOutput: output != nil)
    form =
      if fixing == .dryRun {
        DiffForm()
      } else if format == .text && output == nil {
        Self.terminalForm(command.shown.color, environment)
      } else {
        format.form
      }
    isQuiet = command.shown.quiet.quiet
  }

  /// The catalogue that is checked where nothing names one.
  private static let usualName = "books.xml"

  private static func catalogues(
    _ command: ValidateCommand, _ environment: Environment
  ) throws(CommandError) -> [String] {
    let givenList = environment.given["files-from"]
    let isProjectList = givenList?.isFromFile == true
    var catalogues = command.catalogues
    if catalogues.isEmpty && (givenList == nil || isProjectList),
      let files = environment.given.file?.listed
    {
      let directory = "\(environment.workingDirectory)/"
      let paths = files.texts.flatMap {
        FilePattern.files(at: $0, mayBeNone: command.allowNoFiles)
      }
      if paths.isEmpty && givenList == nil && !command.allowNoFiles {
        throw CommandError(.noInput, "\(files.place.visible): files names no catalogue")
      }
      catalogues = paths.map {
        $0.hasPrefix(directory) ? String($0.dropFirst(directory.count)) : $0
      }
      if givenList == nil { return catalogues }
    }
    guard let list = command.filesFrom else {
      if !catalogues.isEmpty { return catalogues }
      if command.fixing.fix {
        throw CommandError(.usage, "--fix changes only catalogues that are named; name one")
      }
      if FileSystem.exists(usualName) { return [usualName] }
      throw CommandError(
        .usage,
        """
        no catalogue is given, and there is no \(usualName) here; name one, - for standard input, a \
        list of them with --files-from, or "files" in .check-loans.toml
        """)
    }
    if list == "-" && catalogues.contains("-") {
      throw CommandError(
        .usage, "standard input cannot be both a catalogue and the list of them")
    }
    if isProjectList, let givenList { try checkIsInProject(list, givenList, environment) }
    catalogues += try FileList.read(list)
    if catalogues.isEmpty && !command.allowNoFiles {
      throw CommandError(
        .noInput,
        """
        \(list.visibleCatalogue): no catalogue is in the list; if that can be right, give \
        --allow-no-files
        """)
    }
    return catalogues
  }

  /// Checks that a project's list is one of its files: the lines of any other file would be shown as
  /// names of catalogues to all who can change the project.
  private static func checkIsInProject(
    _ list: String, _ value: Setting, _ environment: Environment
  ) throws(CommandError) {
    guard let file = environment.given.file?.path else { return }
    let directory = environment.catalogueName(file).split(separator: "/").dropLast()
    let target = FileSystem.realPath(of: list) ?? environment.catalogueName(list)
    guard !target.split(separator: "/").starts(with: directory) else { return }
    throw CommandError(
      .badSetting, "\(value.place.visible): the list is not in the directory of these settings")
  }

  /// The paths, each file once: a catalogue that is fixed must not be read by another thread.
  private static func unique(_ paths: [String], _ environment: Environment) -> [String] {
    var names: Set<[UInt8]> = []
    var files: Set<FileID> = []
    return paths.filter { path in
      guard names.insert(Array(environment.absolutePath(path).utf8)).inserted else { return false }
      return (try? Stat(of: path)).map { files.insert($0.fileID).inserted } ?? true
    }
  }

  private static func severities(
    _ options: RuleOptions, _ given: GivenSettings
  ) throws(CommandError) -> SeverityPolicy {
    let policy = SeverityPolicy(
      errors: Set(options.error), warnings: Set(options.warn),
      ignored: Set(options.ignore + (options.records.allowEmpty ? [.noLoans] : [])),
      isStrict: options.strict)
    if let code = policy.contradictions.first {
      let option = ["error", "warn", "ignore"].first {
        given[$0]?.texts.contains(code.rawValue) == true
      }
      throw CommandError(
        .usage,
        "\(code.rawValue) is given with two of --error, --warn and --ignore; choose one"
      ).located(at: option ?? "error", [], given)
    }
    return policy
  }

  private static func rules(
    _ options: RuleOptions, _ environment: Environment, _ severities: SeverityPolicy
  ) throws(CommandError) -> CatalogueRules {
    var rules = CatalogueRules(
      requiresExpiration: options.records.requireExpiration,
      expiration: { ExpirationRule.judge($0) })
    rules.honorsIgnoreComments = true
    rules.findsDuplicateLoans = !severities.ignored.contains(.duplicateLoan)
    rules.isbn = { ISBNRule.judge($0) }
    rules.email = { EmailRule.judge($0) }
    rules.period = { ExpirationRule.judge($1, loaned: $0) }
    guard let days = options.maxDays else { return rules }
    let today = try options.clock.read(environment).now.date
    rules.expiration = { ExpirationRule.judge($0, today: today, atMost: days) }
    rules.loanDate = { ExpirationRule.judge(loaned: $0, today: today) }
    return rules
  }

  /// What turns instants into the library's days.
  ///
  /// A time zone that is unknown matters only if there are any, unless it was asked for.
  private static func civilTime(
    _ zone: ZoneOptions, _ environment: Environment
  ) throws(CommandError) -> (clock: UnknownZone?, civilTime: @Sendable (Int) -> CivilDateTime?) {
    if zone.timeZone != nil { return (nil, try zone.clock(environment).civilTime) }
    do throws(CommandError) {
      return (nil, try LocalClock(environment["TZ"], environment).civilTime)
    } catch {
      let zone = UnknownZone(error)
      return (zone, { zone.civilTime(at: $0) })
    }
  }

  private static func fixing(
    _ command: ValidateCommand, _ environment: Environment, _ catalogues: [String],
    hasOutput: Bool
  ) throws(CommandError) -> Fixing {
    guard command.fixing.fix else {
      if environment.given["dry-run"]?.isFromCommandLine == true {
        throw CommandError(.usage, "--dry-run shows what --fix would do; give both")
      }
      return .none
    }
    if catalogues.contains("-") {
      throw CommandError(.usage, "standard input cannot be fixed; save it to a file first")
    }
    guard command.fixing.dryRun else { return .replace }
    if environment.given["format"]?.isFromCommandLine == true {
      throw CommandError(.usage, "--fix --dry-run prints a diff, which has no other --format")
    }
    if !hasOutput && (environment["GITHUB_ACTIONS"] == "true" || environment["TF_BUILD"] != nil) {
      throw CommandError(
        .usage,
        """
        the text of a catalogue in a diff could be taken for commands by what runs this; write the \
        diff to a file with --output
        """)
    }
    return .dryRun
  }

  /// The form for people, at a terminal with the catalogue's lines.
  private static func terminalForm(_ color: ColorOptions, _ environment: Environment) -> TextForm {
    let isColored = color.isColored(environment)
    guard isColored || ProcessSetup.isOutputATerminal else { return TextForm() }
    // Beside the line's number, and the marks of what is cut off.
    let width = min(ProcessSetup.terminalSize(at: 1)?.columns ?? 100, 160) - 11
    return TextForm(isColored: isColored, lineWidth: max(20, width))
  }
}

/// What a diff leaves, a line for standard error each.
private struct DiffForm: FindingsForm {
  func text(of finding: LocatedDiagnostic) -> String { finding.line }
}

/// A time zone that is unknown, which matters only where somebody wants a time in it.
final class UnknownZone: Sendable {
  private let error: CommandError
  private let isWanted = Atomic(false)

  init(_ error: CommandError) { self.error = error }

  func civilTime(at instant: Int) -> CivilDateTime? {
    isWanted.store(true, ordering: .relaxed)
    return CivilDateTime(ordinal: instant)
  }

  /// - Throws: why it is unknown, if it was wanted.
  func check() throws(CommandError) {
    if isWanted.load(ordering: .relaxed) { throw error }
  }
}
