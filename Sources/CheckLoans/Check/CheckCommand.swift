import ArgumentParser
import CommandOutput
import Loans
import ReminderService
import Reports
import Settings

/// `check-loans check`, the default.
struct CheckCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Report every loan that needs attention, and update the schedule.",
    usage: "check-loans [check] [<options>] [<catalogues> ...]",
    discussion: """
      Without --notify it prints a report: loans that have expired, expire today, or expire within \
      the reminder's lead, the most urgent first, then a summary. Running it twice prints it \
      twice. With --notify it prints only what is due and was not yet delivered through the \
      channel: the form for cron. A catalogue that is called - is standard input.

      Examples:
        check-loans books.xml
        check-loans --notify stdout --time-zone Europe/Budapest books.xml
        check-loans --dry-run books.xml
        curl -s https://example.org/books.xml | check-loans --state none -

      More options, for the settings file: check-loans check --help-hidden.
      """)

  static let facts: [OptionFact] =
    CheckOptions.facts + OneRunOptions.facts + [OptionFact("name", .text, .line)]

  @OptionGroup var options: CheckOptions

  @OptionGroup var once: OneRunOptions

  @Option(
    help: ArgumentHelp(
      "Name in the schedule of what comes through standard input.",
      valueName: "name"))
  var name: String?

  var files: [String] { options.catalogues }
  var readingOptions: CatalogueOptions? { options.catalogue }

  func validate() throws {
    try options.report.checkPage()
    guard let name else { return }
    if !name.isCatalogueName {
      throw ValidationError("give a name without a slash, as in opac; files have their paths")
    }
    if !options.catalogues.contains("-") {
      throw ValidationError("--name names the catalogue on standard input; add -")
    }
  }

  func run(_ environment: Environment, _ console: Console) throws -> ExitStatus {
    var environment = environment
    environment.inputName = name
    let request = try CheckRequest(options, once, environment)
    if request.run.state != nil, name == nil,
      request.run.catalogues.contains(where: { $0.path == "-" })
    {
      throw CommandError(
        .usage,
        """
        the schedule needs a name for what comes through standard input; add --name NAME, the same each \
        time, or --state none to keep no schedule
        """)
    }
    let descriptor = request.run.catalogues.first {
      $0.source.name == "/dev/stdin" || $0.source.name.hasPrefix("/proc/")
    }
    if request.run.state != nil, let descriptor {
      throw CommandError(
        .usage,
        """
        \(descriptor.path.quoted()) is another file in each run; give the file's path, or - and --name NAME
        """)
    }
    return try CheckRun(request, environment, console).run()
  }
}

/// The options of `check` that make no sense in a run that is repeated.
struct OneRunOptions: ParsableArguments, DescribedOptions {
  static let facts: [OptionFact] = NowOptions.facts + DryRunOptions.facts

  @OptionGroup var now: NowOptions
  @OptionGroup var dryRun: DryRunOptions
}

/// The options of `check` that make sense in repeated runs too, which other commands share.
struct CheckOptions: ParsableArguments, DescribedOptions, RunOptions {
  static let facts: [OptionFact] =
    ChannelOptions.facts + StaleOptions.facts + CatalogueOptions.facts + StateOptions.facts
    + ReportOptions.facts + LanguageOptions.facts + PrintOptions.facts
    + [OptionFact("exit-code", .flag, .file)]

  @Argument(
    help: "Catalogues to read. (default: those of the settings file)",
    completion: .file())
  var catalogues: [String] = []

  @OptionGroup(title: "Report") var report: ReportOptions

  @OptionGroup(title: "Notices") var channels: ChannelOptions

  @OptionGroup(visibility: .hidden) var stale: StaleOptions

  @OptionGroup(title: "Catalogues") var catalogue: CatalogueOptions

  @OptionGroup(title: "Files") var state: StateOptions

  @OptionGroup(title: "Output") var language: LanguageOptions

  @OptionGroup(title: "Output") var printing: PrintOptions

  @Flag(help: "End with status 1 if a loan has expired.")
  var exitCode = false

  /// The format of the report: a settings file's gives way where notices need standard output.
  ///
  /// - Throws: ``CommandError`` if two things need standard output.
  func format(_ environment: Environment) throws(CommandError) -> ReportFormat {
    guard report.format != .text, report.output ?? "-" == "-",
      channels.notify.contains(.channel(.stdout))
    else { return report.format }
    let given = environment.given
    let (format, notify) = (given["format"], given["notify"])
    if format?.isFromFile == true { return .text }
    let isOfLine = format?.isFromCommandLine == true || notify?.isFromCommandLine == true
    let place = [notify, format].lazy.compactMap(\.self).first { !$0.isFromCommandLine }?.place
    throw CommandError(
      isOfLine ? .usage : .badSetting,
      """
      \(place.map { "\($0.visible): " } ?? "")--notify stdout and --format \(report.format) both need \
      standard output; choose one, perhaps with --notify none or --output
      """)
  }
}
