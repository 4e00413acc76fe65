import CommandOutput
import LoanCatalogue
import LoanRules
import Loans
import Runs
import Settings
import System
import SystemPackage
import Validation

extension ValidateCommand {
  /// What the options come to.
  ///
  /// - Throws: ``CommandError`` with the status `usage` or `badSetting` if they make no sense together.
  func request(_ environment: Environment) throws(CommandError) -> ValidationRequest {
    let given = try cataloguesToRead(environment)
    let catalogues = fixing.fix ? Self.unique(given, environment) : given
    let severities = try Self.severities(rules, environment.given)
    let time = try Self.civilTime(rules.clock.zone, environment)
    var reader = CatalogueReader(
      profile: try form.profile(environment)?.profile,
      rules: try Self.rules(rules, environment, severities),
      loanDays: form.loanDays,
      civilTime: time.civilTime)
    let jobs = shown.jobs.count
    // Cores that have no catalogue of their own read parts of one.
    reader.jobs = max(1, jobs / max(1, catalogues.count))
    let output = try environment.output(output, sparing: catalogues)
    let fixes = try fixes(environment, catalogues, hasOutput: output != nil)
    return ValidationRequest(
      catalogues: catalogues, reader: reader, severities: severities,
      form: findingsForm(environment, isDiff: fixes == .dryRun, hasOutput: output != nil),
      output: output,
      limit: shown.maxDiagnostics ?? .max,
      jobs: min(jobs, catalogues.count),
      variables: environment.variables,
      repositoryPath: { environment.repositoryPath($0) },
      fixing: fixes,
      isQuiet: shown.quiet.quiet,
      unknownZone: time.clock)
  }

  private func findingsForm(
    _ environment: Environment, isDiff: Bool, hasOutput: Bool
  ) -> any FindingsForm {
    if isDiff { return DiffForm() }
    let isForGitHub = environment["GITHUB_ACTIONS"] == "true" && !hasOutput
    let format = format ?? (isForGitHub ? .github : .text)
    return format == .text && !hasOutput
      ? Self.terminalForm(shown.color, environment) : format.form
  }

  /// The catalogue that is checked where nothing names one.
  private static let usualName = "books.xml"

  private func cataloguesToRead(_ environment: Environment) throws(CommandError) -> [String] {
    let givenList = environment.given["files-from"]
    let isProjectList = givenList?.isFromFile == true
    var catalogues = catalogues
    if catalogues.isEmpty && (givenList == nil || isProjectList),
      let files = environment.given.file?.listed
    {
      let directory = "\(environment.workingDirectory)/"
      let paths = files.texts.flatMap {
        FilePattern.files(at: $0, mayBeNone: allowNoFiles)
      }
      if paths.isEmpty && givenList == nil && !allowNoFiles {
        throw CommandError(.noInput, "\(files.place.visible): files names no catalogue")
      }
      catalogues = paths.map {
        $0.hasPrefix(directory) ? String($0.dropFirst(directory.count)) : $0
      }
      if givenList == nil { return catalogues }
    }
    guard let list = filesFrom else {
      if !catalogues.isEmpty { return catalogues }
      if fixing.fix {
        throw CommandError(.usage, "--fix changes only catalogues that are named; name one")
      }
      if FileSystem.exists(Self.usualName) { return [Self.usualName] }
      throw CommandError(
        .usage,
        """
        no catalogue is given, and there is no \(Self.usualName) here; name one, - for standard input, a \
        list of them with --files-from, or "files" in .check-loans.toml
        """)
    }
    if list == "-" && catalogues.contains("-") {
      throw CommandError(
        .usage, "standard input cannot be both a catalogue and the list of them")
    }
    if isProjectList, let givenList { try Self.checkIsInProject(list, givenList, environment) }
    catalogues += try FileList.read(list)
    if catalogues.isEmpty && !allowNoFiles {
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
      return (nil, try LocalClock(environment["TZ"], environment.variables).civilTime)
    } catch {
      let zone = UnknownZone(error)
      return (zone, { zone.civilTime(at: $0) })
    }
  }

  private func fixes(
    _ environment: Environment, _ catalogues: [String], hasOutput: Bool
  ) throws(CommandError) -> ValidationRequest.Fixing {
    guard fixing.fix else {
      if environment.given["dry-run"]?.isFromCommandLine == true {
        throw CommandError(.usage, "--dry-run shows what --fix would do; give both")
      }
      return .none
    }
    if catalogues.contains("-") {
      throw CommandError(.usage, "standard input cannot be fixed; save it to a file first")
    }
    guard fixing.dryRun else { return .replace }
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
