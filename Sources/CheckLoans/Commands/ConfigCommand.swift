import ArgumentParser
import Loans

/// `check-loans config`.
struct ConfigCommand: AnySubcommand {
  static let configuration = CommandConfiguration(
    commandName: "config",
    abstract: "Show what is in force, and where each value comes from.",
    discussion: """
      Takes the options of check, reads the settings file and the environment as check would, and \
      prints one line for each option: its name, its value, and the flag, the variable or the \
      line of the settings file that sets it.

      Examples:
        check-loans config
        check-loans config --remind 7 books.xml
        mkdir -p ~/.config/check-loans
        check-loans config --example > ~/.config/check-loans/config.toml
      """)

  @Flag(help: "Print a settings file with every option in it, as comments.")
  var example = false

  @OptionGroup var options: CheckOptions

  func run(
    _ environment: Environment, _ console: Console
  ) async throws(CommandError) -> ExitStatus {
    if example {
      try console.print(Setting.exampleFile)
      return .done
    }
    for warning in environment.unknownVariables { console.printError(warning) }
    let environment = try environment.withSettings(named: options.state.config)
    let rows = try rows(environment)
    switch options.format ?? .text {
    case .text: try printTable(rows, environment, console)
    case .json: try printJSON(rows, environment, console)
    }
    return .done
  }

  private typealias Row = (setting: Setting, inForce: SettingInForce)

  private func rows(_ environment: Environment) throws(CommandError) -> [Row] {
    let given = options.given
    var rows: [Row] = []
    for setting in Setting.all {
      let inForce = try environment.inForce(setting, given: given[setting.name])
      rows.append((setting, try completed(inForce, setting, environment)))
    }
    return rows
  }

  /// With what the program finds out by itself.
  private func completed(
    _ inForce: SettingInForce, _ setting: Setting, _ environment: Environment
  ) throws(CommandError) -> SettingInForce {
    var inForce = inForce
    switch setting.name {
    case "notify":
      inForce.texts = try options.channels.channels(environment).map(\.name)
      if inForce.texts == [] && inForce.source == .standard { inForce.texts = nil }
    case "time-zone":
      let text = inForce.texts?.first ?? environment["TZ"]
      if inForce.source == .standard && environment["TZ"] != nil {
        (inForce.source, inForce.place) = (.variable, "TZ")
      }
      inForce.texts = [try LocalClock(text, environment).name]
    case "state" where inForce.source == .standard:
      inForce.texts = (try? environment.standardStateFile()).map { [$0] }
    case "no-state":
      let isKept = try !options.request.keepsNoState(environment)
      if isKept && inForce.texts == ["true"] {
        return SettingInForce(texts: ["false"], source: .standard)
      }
    default: break
    }
    return inForce
  }

  private func printTable(
    _ rows: [Row], _ environment: Environment, _ console: Console
  ) throws(CommandError) {
    let file = try environment.settingsFile(named: options.state.config)
    var table = [("config", file?.path.visible ?? "-", fileSource(environment))]
    for (setting, inForce) in rows {
      table.append((setting.name, inForce.words, inForce.place?.visible ?? "default"))
    }
    let nameWidth = table.map(\.0.count).max() ?? 0
    let valueWidth = table.map(\.1.count).max() ?? 0
    for (name, value, source) in table {
      try console.print(
        line: "\(name.padded(to: nameWidth))  \(value.padded(to: valueWidth))  \(source)")
    }
  }

  private func fileSource(_ environment: Environment) -> String {
    let source =
      switch environment.source(of: "CONFIG", isGiven: options.state.config != nil) {
      case .flag: "--config"
      case .variable: "CHECK_LOANS_CONFIG"
      case .file, .standard: "default"
      }
    return environment.file == nil ? "\(source) (there is no such file)" : source
  }

  private func printJSON(
    _ rows: [Row], _ environment: Environment, _ console: Console
  ) throws(CommandError) {
    let settings = rows.map { setting, inForce in
      JSONValue.object([
        ("name", .string(setting.name)), ("value", inForce.json(setting)),
        ("source", .string(inForce.source.word)), ("place", JSONValue(inForce.place)),
      ])
    }
    let result = JSONValue.object([
      ("version", .int(1)), ("file", JSONValue(environment.file?.path)),
      ("settings", .array(settings)),
    ])
    try console.print(line: result.text)
  }
}

extension Environment.Source {
  fileprivate var word: String {
    switch self {
    case .flag: "flag"
    case .variable: "variable"
    case .file: "file"
    case .standard: "default"
    }
  }
}

extension SettingInForce {
  /// The value, for people.
  fileprivate var words: String {
    guard let texts else { return "-" }
    return texts.isEmpty ? "none" : texts.map(\.visible).joined(separator: ", ")
  }

  fileprivate func json(_ setting: Setting) -> JSONValue {
    guard let texts else { return .null }
    switch setting.kind {
    case .list: return .array(texts.map { .string($0) })
    case .toggle: return .bool(texts == ["true"])
    case .number: return JSONValue(texts.first.flatMap { Int($0) })
    case .text: return JSONValue(texts.first)
    }
  }
}
