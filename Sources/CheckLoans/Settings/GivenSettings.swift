import ArgumentParser
import Loans

/// What one source gives for one option.
struct GivenValue: Sendable {
  /// Where it is given; what wins comes first.
  enum Origin: Sendable {
    case commandLine
    /// A variable, by its whole name.
    case variable(String)
    /// A settings file, with the line from 1.
    case file(String, line: Int)

    fileprivate var rank: Int {
      switch self {
      case .commandLine: 0
      case .variable: 1
      case .file: 2
      }
    }
  }

  /// The option's long name.
  var name: String
  /// One text, or those of a list; a switch is `true` or `false`.
  var texts: [String]
  var origin: Origin

  /// The flag, the variable or `FILE:LINE`.
  var place: String {
    switch origin {
    case .commandLine: "--\(name)"
    case .variable(let variable): variable
    case .file(let path, let line): "\(path):\(line)"
    }
  }

  var isFromCommandLine: Bool { origin.rank == 0 }
  var isFromFile: Bool { origin.rank == 2 }

  /// The arguments that give the same to a command with these options; none if it does not take them.
  fileprivate func arguments(_ options: [DeclaredOption]) -> [String] {
    guard let option = options.first(where: { $0.name == name }) else { return [] }
    if option.kind == .flag { return texts == ["true"] ? ["--\(name)"] : [] }
    return texts.map { "--\(name)=\($0)" }
  }
}

/// What the command line, the environment and the settings file give a command: arguments, each with
/// its origin.
///
/// A setting is an argument. What a variable or the file gives is put before the arguments of the
/// command line, unless these give the same option, and then all is parsed as one. For example
/// `remind = 7` in line 3 of the file and `check-loans --all books.xml` become `check-loans
/// --remind=7 --all books.xml`; should 7 make no sense, the message begins with `config.toml:3`.
struct GivenSettings: Sendable {
  /// The arguments of the command line that name the command.
  let commandWords: [String]
  /// The other arguments of the command line.
  let arguments: [String]
  /// The settings file, if one was read.
  let file: SettingsFile?

  /// What is in force of what does not come from the command line; empty in most runs.
  private let inherited: [GivenValue]
  /// The options of the command, looked up where something sets them.
  private let options: [DeclaredOption]?
  private let command: (any Subcommand.Type)?

  /// Nothing at all.
  static let none = GivenSettings()

  private init() {
    (commandWords, arguments, file, command) = ([], [], nil, nil)
    (inherited, options) = ([], [])
  }

  /// - Parameter line: the arguments of the command line.
  fileprivate init(
    _ command: any Subcommand.Type, _ line: [String], _ file: SettingsFile?,
    _ environment: Environment
  ) throws(CommandError) {
    self.command = command
    self.file = file
    commandWords = Array(line.prefix(RootCommand.commandWordCount(line)))
    arguments = Array(line.dropFirst(commandWords.count))
    let hasVariables = environment.variables.keys.contains {
      $0.hasPrefix(Environment.variablePrefix)
    }
    guard file != nil || hasVariables, let keys = command.settingsKeys else {
      (inherited, options) = ([], nil)
      return
    }
    let options = command.declaredOptions
    self.options = options
    let settable = options.filter {
      keys.allOptions.contains($0.name) && !command.commandLineOnly.contains($0.name)
    }
    var values = Self.split(arguments, options).values
    for option in settable {
      guard let value = try environment.value(of: option) else { continue }
      if !values.contains(where: { $0.name == value.name }) { values.append(value) }
    }
    for value in file?.values ?? [] where settable.contains(where: { $0.name == value.name }) {
      if !values.contains(where: { $0.name == value.name }) { values.append(value) }
    }
    inherited = Self.withoutRivals(values).filter { $0.origin.rank > 0 }
  }

  /// The files on the command line.
  var files: [String] { Self.split(arguments, knownOptions).files }

  /// What is in force of all that was given, each option once.
  var values: [GivenValue] {
    Self.withoutRivals(Self.split(arguments, knownOptions).values + inherited)
  }

  private var knownOptions: [DeclaredOption] { options ?? command?.declaredOptions ?? [] }

  /// What is in force of an option, if somebody gave it.
  subscript(name: String) -> GivenValue? {
    // To look at all options takes some milliseconds.
    let isGiven = arguments.contains {
      $0.hasPrefix("--\(name)") || $0.hasPrefix("-") && !$0.hasPrefix("--")
    }
    return (isGiven ? values : inherited).first { $0.name == name }
  }

  /// Two options can be one setting, or decide about one rule: the stronger source counts alone.
  private static func withoutRivals(_ values: [GivenValue]) -> [GivenValue] {
    func rank(_ name: String) -> Int? { values.first { $0.name == name }?.origin.rank }
    let hasChannelForOutput = values.contains { $0.name == "notify" && $0.texts.contains("stdout") }
    let severities = ["error", "warn", "ignore"]
    return values.map { value in
      guard severities.contains(value.name) else { return value }
      var value = value
      let stronger = values.filter {
        severities.contains($0.name) && $0.origin.rank < value.origin.rank
      }
      value.texts.removeAll { code in stronger.contains { $0.texts.contains(code) } }
      return value
    }.filter { value in
      if severities.contains(value.name) && value.texts.isEmpty { return false }
      return switch value.name {
      case "no-state": value.origin.rank <= rank("state") ?? 2
      case "format": !hasChannelForOutput || value.origin.rank < rank("notify") ?? 3
      default: true
      }
    }
  }

  /// The options and the files of a command line.
  private static func split(
    _ arguments: [String], _ options: [DeclaredOption]
  ) -> (values: [GivenValue], files: [String]) {
    var values: [GivenValue] = []
    var files: [String] = []
    func add(_ option: DeclaredOption, _ text: String) {
      if let index = values.firstIndex(where: { $0.name == option.name }) {
        values[index].texts = option.kind == .list ? values[index].texts + [text] : [text]
      } else {
        values.append(GivenValue(name: option.name, texts: [text], origin: .commandLine))
      }
    }
    var rest = arguments[...]
    while let word = rest.popFirst() {
      if word == "--" {
        files += rest
        break
      }
      guard word.hasPrefix("-"), word != "-" else {
        files.append(word)
        continue
      }
      let parts = word.drop { $0 == "-" }.split(
        separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if !word.hasPrefix("--") {
        // The short names of switches, one or several.
        for letter in parts[0] {
          if let flag = options.first(where: { $0.kind == .flag && $0.name.first == letter }) {
            add(flag, "true")
          }
        }
      } else if let option = options.first(where: { $0.name == parts[0] }) {
        let isFlag = option.kind == .flag
        add(option, isFlag ? "true" : parts.count > 1 ? String(parts[1]) : rest.popFirst() ?? "")
      }
    }
    return (values, files)
  }
}

// MARK: - Parsing

extension Subcommand {
  /// The command as the environment and the settings file complete it, and the environment that
  /// knows what was given.
  ///
  /// - Parameter line: the arguments of the command line, from which this command was parsed.
  /// - Throws: ``CommandError`` with the status `badSetting` for what makes no sense by itself, and
  ///   `usage` for what cannot go together with the command line.
  func completed(
    _ line: [String], _ environment: Environment
  ) throws(CommandError) -> (command: Self, environment: Environment) {
    var environment = environment
    let file = try settingsFile(environment)
    let given = try GivenSettings(Self.self, line, file, environment)
    environment.given = given
    return (try given.completed(self), environment)
  }
}

extension GivenSettings {
  fileprivate func completed<Command: Subcommand>(_ command: Command) throws(CommandError)
    -> Command
  {
    // What this command does not take must make sense all the same.
    let known = knownOptions.map(\.name)
    for value in file?.values ?? [] where !known.contains(value.name) {
      do {
        _ = try ConfigCommand.parse(value.arguments(ConfigCommand.declaredOptions))
      } catch {
        throw CommandError(wrong: value, error)
      }
    }
    let added = inherited.flatMap(arguments(of:))
    if added.isEmpty { return command }
    do {
      return try RootCommand.parseAsRoot(commandWords + added + arguments) as? Command ?? command
    } catch {
      throw wrong(error, Command.self)
    }
  }

  private func arguments(of value: GivenValue) -> [String] {
    value.arguments(knownOptions)
  }

  /// The error of the value that is wrong by itself, or that cannot go with the command line.
  private func wrong<Command: Subcommand>(
    _ error: any Error, _ command: Command.Type
  ) -> CommandError {
    for value in inherited {
      do {
        _ = try RootCommand.parseAsRoot(commandWords + arguments(of: value) + ["--"] + files)
      } catch {
        return CommandError(wrong: value, error)
      }
    }
    for value in inherited {
      do {
        _ = try RootCommand.parseAsRoot(commandWords + arguments(of: value) + arguments)
      } catch {
        return CommandError(wrong: value, error, .usage)
      }
    }
    return CommandError(.badSetting, RootCommand.message(for: error).visible)
  }
}

extension CommandError {
  /// The error after the place where the value was given, unless that is the command line.
  func located(at value: GivenValue) -> CommandError {
    if case .commandLine = value.origin { return self }
    return CommandError(status, message.map { "\(value.place.visible): \($0)" })
  }

  /// What the parser says of a value, after the place where it was given.
  init(wrong value: GivenValue, _ error: any Error, _ status: ExitStatus = .badSetting) {
    // Many possible values are a list.
    let words = RootCommand.message(for: error).replacing("\n  - ", with: ", ")
      .replacing(":, ", with: ": ").visible.withSmallBeginning
    self.init(status, "\(value.place.visible): \(words)")
  }
}

extension GivenSettings {
  /// The options that a catalogue has, with those of its own.
  ///
  /// - Parameter own: what its table in the settings file gives.
  /// - Throws: ``CommandError`` with the status `badSetting` for the first that makes no sense.
  func options(with own: [GivenValue]) throws(CommandError) -> CatalogueOptions {
    let declared = CatalogueOptions.declaredOptions
    let given = values.filter { value in
      declared.contains { $0.name == value.name }
        && (value.origin.rank < 2 || !own.contains { $0.name == value.name })
    }
    let chosen =
      given + own.filter { value in !given.contains { $0.name == value.name } }
    for value in own {
      do {
        _ = try CatalogueOptions.parse(value.arguments(declared))
      } catch {
        throw CommandError(wrong: value, error)
      }
    }
    do {
      return try CatalogueOptions.parse(chosen.flatMap { $0.arguments(declared) })
    } catch {
      throw CommandError(.badSetting, CatalogueOptions.message(for: error).visible)
    }
  }
}

// MARK: - Variables

extension Environment {
  static let variablePrefix = "CHECK_LOANS_"

  /// `CHECK_LOANS_TIME_ZONE` for `time-zone`.
  static func variable(of option: String) -> String {
    variablePrefix + String(option.uppercased().map { $0 == "-" ? "_" : $0 })
  }

  /// What an option's variable gives; an empty one gives nothing.
  ///
  /// - Throws: ``CommandError`` with the status `badSetting` if a switch is neither on nor off.
  fileprivate func value(of option: DeclaredOption) throws(CommandError) -> GivenValue? {
    let variable = Self.variable(of: option.name)
    guard option.kind != .argument, let text = self[variable], !text.isEmpty else { return nil }
    var value = GivenValue(name: option.name, texts: [text], origin: .variable(variable))
    switch option.kind {
    case .list:
      value.texts = text.split(separator: ",").map(\.trimmed).filter { !$0.isEmpty }
      if value.texts.isEmpty {
        throw CommandError(.badSetting, "\(variable): \(text.quoted()) has no value in it")
      }
    case .flag:
      switch text.lowercased() {
      case "1", "true", "yes": value.texts = ["true"]
      case "0", "false", "no": value.texts = ["false"]
      default:
        throw CommandError(.badSetting, "\(variable): \(text.quoted()) is neither 1 nor 0")
      }
    case .value, .argument: break
    }
    return value
  }

  /// A warning for each variable `CHECK_LOANS_…` that is none of ours.
  var unknownVariables: [String] {
    let names = variables.keys.filter { $0.hasPrefix(Self.variablePrefix) }
    if names.isEmpty { return [] }
    // Those that a command run by an action, or a channel's program, is given.
    var others = [
      "id", "title", "author", "isbn", "barcode", "borrower", "email", "expiration", "kind",
      "catalogue", "library", "count", "channel",
    ]
    #if FAILPOINTS
      others += ["binary", "failpoint", "failpoint-trace"]
    #endif
    let options = SettingsKeys.user.allOptions + SettingsKeys.project.allOptions
    let known = Set((options + others).map(Self.variable(of:)))
    return names.filter { !known.contains($0) }.sorted().map { name in
      let word = name.dropFirst(Self.variablePrefix.count).map { $0 == "_" ? "-" : $0 }
      let nearest = String(word).nearest(among: options)
        .map { "; did you mean \(Self.variable(of: $0))?" }
      return "the environment variable \(name.visible) is unknown\(nearest ?? "")"
    }
  }
}

extension Substring {
  fileprivate var trimmed: String {
    String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }
}
