import ArgumentParser
import Loans

/// `check-loans validate`.
struct ValidateCommand: AnySubcommand {
  static let configuration = CommandConfiguration(
    commandName: "validate",
    abstract: "Check catalogues for wrong dates and other slips, for CI.",
    discussion: """
      Prints one line for each problem, FILE:LINE:COLUMN: error: message [code], on a terminal with \
      the line itself, and a summary on standard error. Reads only the catalogues and keeps no state.

      Examples:
        check-loans validate books.xml
        check-loans validate --format sarif --output loans.sarif catalogues/*.xml
        git ls-files -z '*books.xml' | check-loans validate --strict --files-from -
        check-loans validate --fix --dry-run books.xml
        check-loans validate --explain date-format

      A comment <!-- check-loans: ignore CODE (reason) --> before a book silences one problem of it.

      Exit status: 0 no errors (warnings do not count), 1 errors found, 64 wrong usage, 66 a \
      catalogue cannot be read or the list is empty, 73 the file for the results cannot be created, \
      74 input or output failed, 75 a catalogue was changed meanwhile, 77 a catalogue may not be \
      mended, 78 a setting is wrong.
      """)

  @Argument(help: "Catalogues to check; - is standard input.", completion: .file())
  var catalogues: [String] = []

  @Option(
    help: ArgumentHelp(
      "Check the catalogues in this list too, one a line or with NUL between; - is standard input.",
      valueName: "file"), completion: .file())
  var filesFrom: String?

  @Flag(help: "Accept an empty list of catalogues.")
  var allowNoFiles = false

  @Option(help: "The form of the results. (default: github under GitHub Actions, else text)")
  var format: FindingsFormat?

  @Option(
    help: ArgumentHelp("Write the results to this file.", valueName: "file"), completion: .file())
  var output: String?

  @OptionGroup var form: ProfileOptions

  @OptionGroup(title: "What is found")
  var rules: RuleOptions

  @OptionGroup(title: "Mending")
  var mending: MendingOptions

  @OptionGroup(title: "What is shown")
  var shown: FindingOptions

  func run(
    _ environment: Environment, _ console: Console
  ) async throws(CommandError) -> ExitStatus {
    if let code = rules.explain { return try RuleList.explain(code.value, console) }
    if rules.listRules { return try RuleList.print(as: format, console) }
    return try request.run(environment, console)
  }

  private var request: ValidationRequest {
    var request = ValidationRequest()
    request.catalogues = catalogues
    request.filesFrom = filesFrom
    request.allowsNoFiles = allowNoFiles
    request.format = format
    request.output = output
    request.profile = form.profile
    request.loanDays = form.loanDays
    rules.add(to: &request)
    request.fixes = mending.fix
    request.isDryRun = mending.dryRun
    request.maxDiagnostics = shown.maxDiagnostics
    request.color = shown.color
    request.jobs = shown.jobs
    request.isQuiet = shown.quiet
    return request
  }
}

/// What `validate` looks for, and what it costs.
struct RuleOptions: ParsableArguments {
  @Flag(help: "Take every warning for an error.")
  var strict = false

  @Option(
    help: ArgumentHelp("Take this code for an error.", valueName: "code"),
    completion: .list(RuleCode.names), transform: RuleCode.parse)
  var error: [RuleCode] = []

  @Option(
    help: ArgumentHelp("Take this code for a warning.", valueName: "code"),
    completion: .list(LowerableCode.names), transform: LowerableCode.parse)
  var warn: [LowerableCode] = []

  @Option(
    help: ArgumentHelp("Leave this code out.", valueName: "code"),
    completion: .list(LowerableCode.names), transform: LowerableCode.parse)
  var ignore: [LowerableCode] = []

  @Flag(help: "A book without <expiration> is an error.")
  var requireExpiration = false

  @Option(
    help: ArgumentHelp(
      "An expiration more than so many days ahead is a warning.", valueName: "days"))
  var maxDays: DayCount?

  @OptionGroup var clock: ClockOptions

  @Flag(help: "List all codes, and exit.")
  var listRules = false

  @Option(
    help: ArgumentHelp("Tell what a code means and what to do, and exit.", valueName: "code"),
    completion: .list(RuleCode.names), transform: RuleCode.parse)
  var explain: RuleCode?

  func add(to request: inout ValidationRequest) {
    request.isStrict = strict
    request.errors = error
    request.warnings = warn
    request.ignored = ignore
    request.requiresExpiration = requireExpiration
    request.maxDays = maxDays
    request.now = clock.now
    request.timeZone = clock.zone.timeZone
  }
}

/// What `validate` mends.
struct MendingOptions: ParsableArguments {
  @Flag(help: "Mend dates of which only the form is wrong, in the catalogues themselves.")
  var fix = false

  @Flag(help: "With --fix: change nothing, and print what would be changed as a unified diff.")
  var dryRun = false
}

/// How much `validate` shows, and how fast.
struct FindingOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Show at most so many problems.", valueName: "number"))
  var maxDiagnostics: PositiveCount?

  @Option(help: "When to colour the problems. (default: auto)")
  var color: ColorChoice?

  @Option(
    help: ArgumentHelp(
      """
      Read with so many threads, 1 to 256, catalogues side by side and parts of a large one. \
      (default: the processor's cores)
      """,
      valueName: "number"))
  var jobs: JobCount?

  @Flag(name: .shortAndLong, help: "Leave out the summary.")
  var quiet = false
}
