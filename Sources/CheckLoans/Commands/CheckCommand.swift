import ArgumentParser
import Loans
import ReminderService
import System

/// `check-loans check`, the default.
struct CheckCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Report every loan that needs attention, and update the schedule.",
    discussion: """
      Without --notify it prints a report: loans that have expired, expire today, or expire within \
      the reminder's lead, the most urgent first, then a summary. Running it twice prints it \
      twice. With --notify it prints only what is due and was not yet delivered through the \
      channel: the form for cron. A catalogue that is called - is standard input.

      Examples:
        check-loans books.xml
        check-loans --notify stdout --time-zone Europe/Budapest books.xml
        check-loans --dry-run books.xml
        curl -s https://example.org/books.xml | check-loans --no-state -
        check-loans --profile ours.xml --notify stdout export.xml
      """)

  @OptionGroup var options: CheckOptions

  @OptionGroup var once: OneRunOptions

  @Option(
    help: ArgumentHelp(
      "Name of the catalogue on standard input, by which the schedule knows it each time.",
      valueName: "name"))
  var name: String?

  static var commandLineOnly: Set<String> { ["name"] }

  func validate() throws {
    try options.checkOutput()
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
    let plan = try CheckPlan(options, once, environment)
    if plan.state != nil, name == nil, plan.catalogues.contains(where: { $0.path == "-" }) {
      throw CommandError(
        .usage,
        """
        the schedule needs a name for what comes through standard input; add --name NAME, the same each \
        time, or --no-state to keep no schedule
        """)
    }
    let descriptor = plan.catalogues.first {
      $0.source.name == "/dev/stdin" || $0.source.name.hasPrefix("/proc/")
    }
    if plan.state != nil, let descriptor {
      throw CommandError(
        .usage,
        """
        \(descriptor.path.quoted()) is another file in each run; give the file's path, or - and --name NAME
        """)
    }
    return try CheckRun(plan, environment, console).run()
  }
}

extension String {
  /// Whether a catalogue that is not a file can have this name.
  var isCatalogueName: Bool {
    !isEmpty && self != "-" && !utf8.contains(UInt8(ascii: "/")) && utf8.count <= 200
      && visible == self
  }
}

/// The options of `check` that make no sense in a run that is repeated.
struct OneRunOptions: ParsableArguments {
  @OptionGroup var now: NowOptions
  @OptionGroup var dryRun: DryRunOptions
}

/// The options of `check` that make sense in repeated runs too, which other commands share.
struct CheckOptions: ParsableArguments {
  @Argument(
    help: "Catalogues to read. (default: those of the settings file)",
    completion: .file())
  var catalogues: [String] = []

  @OptionGroup var channels: ChannelOptions

  @OptionGroup var stale: StaleOptions

  @OptionGroup var catalogue: CatalogueOptions

  @OptionGroup var state: StateOptions

  @Flag(help: "Keep no schedule: nothing is remembered, and what is due is delivered each time.")
  var noState = false

  @OptionGroup var report: ReportOptions

  @OptionGroup var language: LanguageOptions

  @OptionGroup var printing: PrintOptions

  @Option(help: ArgumentHelp("End with status 1 if a loan has expired.", valueName: "condition"))
  var failOn: FailureCondition?

  @OptionGroup var jobs: JobOptions

  func validate() throws {
    if noState && state.state != nil {
      throw ValidationError("--no-state keeps no schedule, and --state names one; leave out one")
    }
  }

  /// - Throws: `ValidationError` if two things need standard output, or the report cannot be as it is
  ///   asked for.
  func checkOutput() throws {
    try report.checkPage()
    if report.format != .text, report.output ?? "-" == "-",
      channels.notify.contains(.channel(.stdout))
    {
      throw ValidationError(
        """
        --notify stdout and --format \(report.format) both need standard output; choose one, perhaps \
        with --notify none or --output
        """)
    }
  }
}
