import ArgumentParser
import CommandOutput
import Loans
import Settings
import Validation

/// `check-loans validate`.
struct ValidateCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "validate",
    abstract: "Check catalogues for wrong dates and other problems, for CI.",
    discussion: """
      Prints one line for each problem, FILE:LINE:COLUMN: error: message [code], at a terminal \
      with the line itself, and a summary on standard error. Uses no schedule.

      Project settings are in .check-loans.toml, in the working directory or a directory above it \
      within the repository. Its keys are the long names of options, such as strict, error, warn, \
      ignore, max-days and profile, and files, the catalogues to check if none is given.

      Examples:
        check-loans validate books.xml
        check-loans validate --format sarif --output loans.sarif catalogues/*.xml
        git ls-files -z '*books.xml' | check-loans validate --strict --files-from -
        check-loans validate --fix --dry-run books.xml
        check-loans rules date-format

      To accept one problem of a book, put the comment <!-- check-loans: ignore CODE (reason) --> \
      before the book.

      Exit status: 0 no errors (warnings do not count), 1 errors found, 64 wrong usage, 66 a \
      catalogue cannot be read or the list is empty, 73 the file for the results cannot be \
      created, 74 input or output failed, 75 a catalogue changed meanwhile, 77 no permission to \
      fix a catalogue, 78 a setting is wrong.
      """)

  static var scheme: SettingsScheme? { SettingsScheme.project }

  static let facts: [OptionFact] =
    ProfileOptions.facts + RuleOptions.facts + FixingOptions.facts + FindingOptions.facts
    + ProjectOptions.facts + [
      OptionFact("files-from", .text, .file, path: .fileOrInput),
      OptionFact("allow-no-files", .flag, .file), OptionFact("format", .text, .file),
      OptionFact("output", .text, .run, path: .file),
    ]

  @Argument(
    help: ArgumentHelp(
      """
      Catalogues to check; - is standard input. (default: files of the project settings, or \
      books.xml)
      """),
    completion: .file())
  var catalogues: [String] = []

  @Option(
    help: ArgumentHelp(
      """
      Check the catalogues that this file lists too, one per line or separated by NUL; - is \
      standard input.
      """,
      valueName: "file"), completion: .file())
  var filesFrom: String?

  @Flag(help: "Accept an empty list of catalogues.")
  var allowNoFiles = false

  @Option(help: "Format of the results. (default: github under GitHub Actions, otherwise text)")
  var format: FindingsFormat?

  @Option(
    help: ArgumentHelp("Write the results to this file.", valueName: "file"), completion: .file())
  var output: String?

  @OptionGroup var form: ProfileOptions

  @OptionGroup(title: "Rules")
  var rules: RuleOptions

  @OptionGroup(title: "Fixing")
  var fixing: FixingOptions

  @OptionGroup(title: "Output")
  var shown: FindingOptions

  @OptionGroup(title: "Settings")
  var settings: ProjectOptions

  var files: [String] { catalogues }

  func run(_ environment: Environment, _ console: Console) throws -> ExitStatus {
    if settings.showSettings {
      let hidden = Self.facts.filter { !$0.sources.contains(.inFile) }.names
      let settings = EffectiveSettings(self, hidden: hidden, environment)
      try format == .json ? settings.printJSON(console) : settings.printTable(console)
      return .done
    }
    return try Validation(request(environment), console).run()
  }
}

/// The project's settings.
struct ProjectOptions: ParsableArguments, DescribedOptions {
  static let facts: [OptionFact] = [
    OptionFact("config", .text, .line), OptionFact("show-settings", .flag, .line),
  ]

  @Option(
    help: ArgumentHelp(
      "Take settings from this file instead of .check-loans.toml; none takes none.",
      valueName: "file"), completion: .file())
  var config: String?

  @Flag(help: "Show the settings in force and where each is set, and exit.")
  var showSettings = false
}

/// The rules of `validate`, and how severe their problems are.
struct RuleOptions: ParsableArguments, DescribedOptions {
  static let facts: [OptionFact] =
    [
      OptionFact("strict", .flag, .file), OptionFact("error", .list, .file),
      OptionFact("warn", .list, .file), OptionFact("ignore", .list, .file),
    ] + RecordOptions.facts + [OptionFact("max-days", .number, .file)] + ClockOptions.facts

  @Flag(help: "Treat every warning as an error.")
  var strict = false

  @Option(
    help: ArgumentHelp("Treat this code as an error.", valueName: "code"),
    completion: .list(Diagnostic.Code.names), transform: Diagnostic.Code.parse)
  var error: [Diagnostic.Code] = []

  @Option(
    help: ArgumentHelp("Treat this code as a warning.", valueName: "code"),
    completion: .list(Diagnostic.Code.suppressibleNames),
    transform: Diagnostic.Code.parseSuppressible)
  var warn: [Diagnostic.Code] = []

  @Option(
    help: ArgumentHelp("Do not report this code.", valueName: "code"),
    completion: .list(Diagnostic.Code.suppressibleNames),
    transform: Diagnostic.Code.parseSuppressible)
  var ignore: [Diagnostic.Code] = []

  @OptionGroup var records: RecordOptions

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Warn about an expiration more than N days ahead, 0 to 36500.", valueName: "days"),
    transform: number(0...36_500))
  var maxDays: Int?

  @OptionGroup var clock: ClockOptions

}

/// What `validate` fixes.
struct FixingOptions: ParsableArguments, DescribedOptions {
  static let facts: [OptionFact] = [
    OptionFact("fix", .flag, .run), OptionFact("dry-run", .flag, .run),
  ]

  @Flag(help: "Fix valid dates in another format, in the catalogues themselves.")
  var fix = false

  @Flag(help: "With --fix, change nothing and print a unified diff.")
  var dryRun = false
}

/// How much `validate` shows, and how fast.
struct FindingOptions: ParsableArguments, DescribedOptions {
  static let facts: [OptionFact] =
    [OptionFact("max-diagnostics", .number, .file)] + ColorOptions.facts + JobOptions.facts
    + QuietOptions.facts

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Show at most this many problems.", valueName: "number"),
    transform: number(1...1_000_000_000))
  var maxDiagnostics: Int?

  @OptionGroup var color: ColorOptions

  @OptionGroup var jobs: JobOptions

  @OptionGroup var quiet: QuietOptions
}
