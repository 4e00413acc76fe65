import ArgumentParser
import Loans
import Synchronization

/// What the command line, the environment and the settings file give a command: arguments, each with
/// its origin.
///
/// A setting is an argument. What a variable or the file gives is put before the arguments of the
/// command line, unless these give the same option, and then all is parsed as one. For example
/// `remind = 7` in line 3 of the file and `check-loans --all books.xml` become `check-loans
/// --remind=7 --all books.xml`; should 7 make no sense, the message begins with `config.toml:3`.
struct GivenSettings: Sendable {
  /// The arguments of the command line, after the words that name the command.
  private(set) var line: [String] = []
  /// The command that these give, whatever is set elsewhere.
  private(set) var command: (any Subcommand)?
  /// The settings file, if one was read.
  fileprivate(set) var file: SettingsFile?
  /// What is in force, once something was set elsewhere.
  private var merged: [Setting]?

  init() {}

  fileprivate init(_ line: [String], _ command: some Subcommand) {
    (self.line, self.command) = (line, command)
  }

  /// What is in force of all that was given, each option once, what is strongest first.
  ///
  /// What the command line gives is looked for in the command, which takes a millisecond.
  var values: [Setting] { merged ?? command?.settings.given(by: line) ?? [] }

  /// What is in force of an option, if somebody gave it.
  subscript(name: String) -> Setting? {
    merged != nil || line.contains { $0.mayGive(name) } ? values[name] : nil
  }

  /// The files of the command line.
  var files: [String] { command?.settings.first { $0.kind == .argument }?.texts ?? [] }

  /// The files that options name to be read or run.
  var namedFiles: [String] {
    let values = values
    let files = ["files-from", "translation", "closed-calendars", "mail-css"]
      .flatMap { values[$0]?.texts ?? [] }
    let others = ["profile", "mail-program", "notify"].flatMap { values[$0]?.texts ?? [] }
      .map { String($0.trimmingPrefix("exec:")) }
    // Without a slash it is a name.
    return files + others.filter { $0.contains("/") }
  }

  /// Adds what a weaker source than those before gives.
  ///
  /// Two options can be one setting, or decide about one rule: the stronger source counts alone.
  fileprivate mutating func add(_ weaker: [Setting]) {
    let severities = ["error", "warn", "ignore"]
    let stronger = values
    var values = stronger
    let notify = (stronger + weaker)["notify"]
    for var value in weaker where stronger[value.name] == nil {
      switch value.name {
      case "no-state" where stronger["state"] != nil: continue
      case "state" where (stronger + weaker)["no-state"]?.texts == ["true"]: continue
      case "all" where stronger["within"] != nil: continue
      case "repeat-expired" where stronger["expired"]?.texts == ["none"]: continue
      case "within" where stronger["all"]?.texts == ["true"]: continue
      case "format"
      where !value.isFromCommandLine && (stronger + weaker)["output"] == nil
        && notify?.texts.contains("stdout") == true:
        continue
      case _ where severities.contains(value.name):
        let decided = stronger.filter { severities.contains($0.name) }.flatMap(\.texts)
        value.texts.removeAll(where: decided.contains)
        if value.texts.isEmpty { continue }
      default: break
      }
      values.append(value)
    }
    merged = values
  }
}

extension String {
  /// Whether this word of a command line can give the option of a name, perhaps by its short one.
  fileprivate func mayGive(_ name: String) -> Bool {
    hasPrefix("--") ? dropFirst(2).hasPrefix(name) : hasPrefix("-") && self != "-"
  }
}

// MARK: - Parsing

extension Subcommand {
  /// The command as the environment and the settings file complete it, and the environment that
  /// knows what was given.
  ///
  /// - Parameter line: the arguments from which this command was parsed.
  /// - Throws: ``CommandError`` with the status `badSetting` for what makes no sense by itself, and
  ///   `usage` for what cannot go together with the command line.
  func completed(
    _ line: [String], _ environment: Environment
  ) throws(CommandError) -> (command: Self, environment: Environment) {
    guard let keys = Self.settingsKeys else { return (self, environment) }
    var environment = environment
    var given = GivenSettings(line, self)
    if line.contains(""), given.files.contains("") {
      throw CommandError(.usage, "a catalogue's name is empty; is a shell variable unset?")
    }
    environment.given = given
    given.file = try settingsFile(environment)
    environment.given = given
    if given.file == nil && environment.ownVariables.isEmpty { return (self, environment) }
    // What is said of the report of check is not said of other lists.
    let declared = settings
    let isOfList = keys == .user && declared["group-by"] == nil
    let others = isOfList ? SettingsKeys.ofReport : []
    let settable = declared.filter {
      !Self.commandLineOnly.contains($0.name) && keys.allOptions[$0.name] != nil
        && (!others.contains($0.name) || $0.name == "format")
    }
    var variables: [Setting] = []
    for option in settable {
      if let value = try environment.value(of: option) { variables.append(value) }
    }
    given.add(variables)
    given.add(
      (given.file?.values ?? []).filter {
        settable[$0.name] != nil && !others.contains($0.name)
      })
    environment.given = given
    let added = given.values.filter { !$0.isFromCommandLine }
    if added.isEmpty { return (self, environment) }
    do {
      let command = try Self.parseAsRoot(added.flatMap(\.arguments) + line)
      return (command as? Self ?? self, environment)
    } catch {
      // One is wrong by itself, or cannot go with the command line.
      for (rest, status) in [(["--"] + given.files, ExitStatus.badSetting), (line, .usage)] {
        let faults = CommandError.faults(in: added) { try Self.parseAsRoot($0 + rest) }
        guard let (value, fault) = faults.first else { continue }
        throw CommandError(status, "\(value.place.visible): \(fault)")
      }
      throw CommandError(.badSetting, RootCommand.line(for: error))
    }
  }
}

extension CommandError {
  /// The values whose arguments make no sense by themselves, with what is wrong; if there are none, the
  /// first that cannot go with those before it, unless it is not `together` that they are used.
  static func faults(
    in values: [Setting], together: Bool = true,
    by parse: ([String]) throws -> any ParsableArguments
  ) -> [(value: Setting, words: String)] {
    // All at once, since nearly always nothing is wrong.
    if values.isEmpty || (try? parse(values.flatMap(\.arguments))) != nil { return [] }
    func fault(_ value: Setting, after others: ArraySlice<Setting> = []) -> (Setting, String)? {
      do { _ = try parse((others + [value]).flatMap(\.arguments)) } catch {
        return (value, RootCommand.line(for: error))
      }
      return nil
    }
    let faults = values.compactMap { fault($0) }
    if !faults.isEmpty || !together { return faults }
    for index in values.indices {
      if let found = fault(values[index], after: values[..<index]) { return [found] }
    }
    return []
  }

  /// The error after the place where an option was given, unless that is the command line.
  ///
  /// - Parameter own: what a catalogue has of its own.
  func located(at name: String, _ own: [Setting], _ given: GivenSettings) -> CommandError {
    let weaker = given[name]?.isFromFile == false ? nil : own[name]
    guard let value = weaker ?? given[name], !value.isFromCommandLine else { return self }
    let status = status == .usage ? .badSetting : status
    return CommandError(status, message.map { "\(value.place.visible): \($0)" })
  }
}

extension GivenSettings {
  /// The options that were read from some arguments, which many catalogues and rules have in common.
  private static let parsed = Mutex<[[String]: CatalogueTable]>([:])

  /// The options that a catalogue has, with those of its own.
  ///
  /// - Parameter own: what its table in the settings file gives.
  /// - Throws: ``CommandError`` with the status `badSetting` for what makes no sense.
  func options(with own: [Setting]) throws(CommandError) -> CatalogueTable {
    let chosen = values(with: own).filter { SettingsKeys.user.tableOptions[$0.name] != nil }
    let arguments = chosen.flatMap(\.arguments)
    if let options = Self.parsed.withLock({ $0[arguments] }) { return options }
    do {
      let options = try CatalogueTable.parse(arguments)
      Self.parsed.withLock { $0[arguments] = options }
      return options
    } catch {
      let fault = CommandError.faults(in: chosen.reversed(), by: CatalogueTable.parse).first
      throw CommandError(
        .badSetting,
        fault.map { "\($0.value.place.visible): \($0.words)" } ?? RootCommand.line(for: error))
    }
  }

  /// What is in force where a table in the settings file gives settings of its own.
  func values(with own: [Setting]) -> [Setting] {
    values.filter { !$0.isFromFile }.over(own).over(values.filter(\.isFromFile))
  }
}

extension [Setting] {
  /// These settings, and those weaker ones that they do not override.
  ///
  /// Without any notice after the expiration, an inherited repetition ends.
  func over(_ weaker: [Setting]) -> [Setting] {
    let ends = self["expired"]?.texts == ["none"]
    return self + weaker.filter { self[$0.name] == nil && !(ends && $0.name == "repeat-expired") }
  }
}

// MARK: - Variables

extension Environment {
  static let variablePrefix = "CHECK_LOANS_"

  /// `CHECK_LOANS_TIME_ZONE` for `time-zone`.
  static func variable(of option: String) -> String {
    variablePrefix + option.uppercased().replacing("-", with: "_")
  }

  /// What an option's variable gives; an empty one gives nothing.
  ///
  /// - Throws: ``CommandError`` with the status `badSetting` if a switch is neither on nor off.
  fileprivate func value(of option: Setting) throws(CommandError) -> Setting? {
    let variable = Self.variable(of: option.name)
    guard let text = self[variable], !text.isEmpty else { return nil }
    var value = option
    value.origin = .variable(variable)
    switch (option.kind, text.lowercased()) {
    case (.list, _), (.numbers, _):
      value.texts = text.split(separator: ",").map(\.withoutOuterSpaces).filter { !$0.isEmpty }
      if value.texts.isEmpty {
        throw CommandError(.badSetting, "\(variable): \(text.quoted()) has no value in it")
      }
    case (.flag, "1"), (.flag, "true"), (.flag, "yes"), (.boolean, "1"), (.boolean, "yes"):
      value.texts = ["true"]
    case (.flag, "0"), (.flag, "false"), (.flag, "no"), (.boolean, "0"), (.boolean, "no"):
      value.texts = ["false"]
    case (.flag, _):
      throw CommandError(.badSetting, "\(variable): \(text.quoted()) is neither 1 nor 0")
    default: value.texts = [text]
    }
    return value
  }

  /// - Throws: ``CommandError`` with the status `badSetting` if a variable asks a command for a dry run
  ///   that it does not have: nobody who asks for a look is to get the deed.
  func refuseDryRun() throws(CommandError) {
    guard let value = try value(of: Setting(name: "dry-run", kind: .flag)), value.texts == ["true"]
    else { return }
    throw CommandError(
      .badSetting,
      "\(value.place): this command has no dry run, and nothing was done; unset the variable")
  }

  /// The names of the variables `CHECK_LOANS_…` that are set.
  fileprivate var ownVariables: [String] {
    variables.keys.filter { $0.hasPrefix(Self.variablePrefix) }
  }

  /// A warning for each variable `CHECK_LOANS_…` that is none of ours.
  var unknownVariables: [String] {
    let names = ownVariables
    if names.isEmpty { return [] }
    // Those that a command run by an action, or a channel's program, is given.
    var others = [
      "id", "title", "author", "isbn", "barcode", "borrower", "email", "borrower-language",
      "category", "type", "renewable", "expiration", "kind", "catalogue", "library", "count",
      "channel",
    ]
    #if FAILPOINTS
      others += ["binary", "failpoint", "failpoint-trace"]
    #endif
    let options = (SettingsKeys.user.allOptions + SettingsKeys.project.allOptions).map(\.name)
    let known = Set((options + others).map(Self.variable(of:)))
    return names.filter { !known.contains($0) }.sorted().map { name in
      let word = name.dropFirst(Self.variablePrefix.count).replacing("_", with: "-")
      let nearest = String(word).nearest(among: options)
        .map { "; did you mean \(Self.variable(of: $0))?" }
      return "the environment variable \(name.visible) is unknown\(nearest ?? "")"
    }
  }
}
