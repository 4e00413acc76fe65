import ArgumentParser
import CommandOutput
import Reports
import Runs
import Settings

/// `check-loans config`.
struct ConfigCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "config",
    abstract: "Show the settings in force and where each is set.",
    discussion: """
      Takes the options of check, and reads the settings file and the environment as check does. \
      Prints one line for each option: its name, its value, and the flag, the variable or the line \
      of the settings file that sets it.

      Examples:
        check-loans config
        check-loans config --remind 7 books.xml
        mkdir -p ~/.config/check-loans
        check-loans config --example > ~/.config/check-loans/config.toml
      """)

  static let facts: [OptionFact] =
    CheckOptions.facts + OneRunOptions.facts + ActionOptions.facts + [
      OptionFact("example", .flag, .line)
    ]

  @Flag(help: "Print a settings file with every key, as comments.")
  var example = false

  @OptionGroup(visibility: .hidden) var options: CheckOptions

  @OptionGroup(visibility: .hidden) var once: OneRunOptions

  /// What only `watch` takes.
  @OptionGroup(visibility: .hidden) var watching: ActionOptions

  var files: [String] { options.catalogues }
  var readingOptions: CatalogueOptions? { options.catalogue }

  static func ignoresSettings(_ given: GivenSettings) -> Bool { given["example"] != nil }

  func run(_ environment: Environment, _ console: Console) throws -> ExitStatus {
    if example {
      try console.print(SettingsFile.example.span)
      return .done
    }
    // What would keep a run from its work is reported now.
    let clock = try options.catalogue.zone.clock(environment)
    _ = try options.language.language(environment)
    try environment.checkTables(options.catalogue, now: once.now.now)
    let state = try? options.state.state ?? environment.standardStateFile()
    let settings = EffectiveSettings(
      self, hidden: ["example", "config"],
      found: [
        "time-zone": [clock.name], "state": state.map { [$0] } ?? [],
        "notify": try options.channels.channels(environment).map(\.name),
      ], environment)
    let asked = environment.given["format"]?.isFromCommandLine == true
    let format = asked ? options.report.format : .text
    guard [.text, .json].contains(format) else {
      throw CommandError(.usage, "config knows only the formats text and json")
    }
    try format == .json ? settings.printJSON(console) : settings.printTable(console)
    return .done
  }
}

extension Subcommand {
  static var scheme: SettingsScheme? { .user }
}

extension SettingsScheme {
  /// The user's settings, for what reads catalogues into the schedule.
  static let user: SettingsScheme = SettingsScheme(
    facts: ConfigCommand.facts, catalogues: "catalogues", file: "the user's config.toml",
    example: "check-loans config --example", isOfUser: true, parse: ConfigCommand.parse,
    other: { SettingsScheme.project })

  /// A project's settings, for `validate`.
  static let project: SettingsScheme = SettingsScheme(
    facts: ValidateCommand.facts, catalogues: "files", file: "a project's .check-loans.toml",
    example: "check-loans validate --show-settings", isOfUser: false,
    parse: ValidateCommand.parse, other: { SettingsScheme.user })
}
