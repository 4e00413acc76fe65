import ArgumentParser
import CommandOutput
import Loans
import ReminderService
import Reports
import Runs
import Settings

/// `check-loans check`, the default.
struct CheckCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Report every loan that needs attention, and update the schedule.",
    usage: "check-loans [check] [<options>] [<catalogues> ...]",
    discussion: """
      Without --notify, prints a report: loans that have expired, expire today, or expire within \
      the days of --remind, the most urgent first, and a summary. Each run prints it again. With \
      --notify, delivers only due notices that were not delivered before through the channel: the \
      form for cron. The catalogue - is standard input.

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
      "Name of standard input in the schedule.",
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
        the schedule needs a name for standard input; add --name NAME, the same in every \
        run, or --state none to keep no schedule
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
