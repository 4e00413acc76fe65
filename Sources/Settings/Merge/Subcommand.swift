package import ArgumentParser
package import CommandOutput
import Loans
import System
import SystemPackage

/// A subcommand of `check-loans`.
package protocol Subcommand: ParsableCommand, DescribedOptions, Sendable {
  /// What the settings file can set that the command goes by; `nil` if it goes by none, and by no
  /// variable either.
  static var scheme: SettingsScheme? { get }

  /// Whether it needs no settings file, which may be broken, for what the command line asks.
  static func ignoresSettings(_ given: GivenSettings) -> Bool

  /// The catalogues of the command line.
  var files: [String] { get }

  /// The options for how catalogues are read, if it declares all of them.
  var readingOptions: CatalogueOptions? { get }

  /// Runs the command.
  ///
  /// - Throws: what ``CommandError`` makes a message of, if nothing more can be done.
  func run(_ environment: Environment, _ console: Console) throws -> ExitStatus
}

extension Subcommand {
  package static func ignoresSettings(_ given: GivenSettings) -> Bool { false }
  package var files: [String] { [] }
  package var readingOptions: CatalogueOptions? { nil }

  /// The settings file to read, and whether somebody has named it.
  package static func settingsPath(_ environment: Environment) -> (path: String, isNamed: Bool)? {
    let isOfUser = scheme?.isOfUser == true
    let variable = isOfUser ? environment[Environment.variable(of: "config")] : nil
    if let named = environment.given["config"]?.texts.first ?? variable, !named.isEmpty {
      return named == "none" ? nil : (named, true)
    }
    if !isOfUser { return environment.projectSettingsFile.map { ($0, true) } }
    return environment.standardSettingsFile.map { ($0, false) }
  }

  /// The settings file, if the command goes by one and it exists.
  ///
  /// - Throws: ``CommandError`` with the status `badSetting`.
  private static func settingsFile(
    _ scheme: SettingsScheme, _ environment: Environment
  ) throws(CommandError) -> SettingsFile? {
    guard !ignoresSettings(environment.given), let (path, isNamed) = settingsPath(environment),
      isNamed || FileSystem.exists(path)
    else { return nil }
    return try SettingsFile(path, scheme, environment)
  }

  /// The command that a command line gives together with the environment and the settings file, and the
  /// environment that knows what was given.
  ///
  /// - Parameter line: the arguments after the words that name the command.
  /// - Throws: ``CommandError`` with the status `badSetting` for a setting that makes no sense by itself,
  ///   and `usage` for one that cannot go together with the command line, or for the command line itself.
  package static func completed(
    _ line: [String], _ environment: Environment
  ) throws(CommandError) -> (command: Self, environment: Environment) {
    var environment = environment
    environment.given = GivenSettings(line, facts)
    guard let scheme else { return (try parsed(line, []), environment) }
    var given = environment.given
    given.file = try settingsFile(scheme, environment)
    let variables = try environment.values(of: facts)
    given.add(variables)
    let settable = facts.settable(.inFile)
    given.add((given.file?.values ?? []).filter { settable[$0.name] != nil })
    let command = try parsed(line, given.values.filter { !$0.isFromCommandLine })
    given.files = command.files
    if given.files.contains("") {
      throw CommandError(.usage, "a catalogue's name is empty; is a shell variable unset?")
    }
    // What is in force was parsed.
    try given.file?.check(given.file?.values.filter { given[$0.name]?.isFromFile != true } ?? [])
    try given.settleTables(command.readingOptions)
    environment.given = given
    return (command, environment)
  }

  /// The command of a line and of what is set elsewhere.
  private static func parsed(
    _ line: [String], _ added: [Setting]
  ) throws(CommandError) -> Self {
    do {
      if let command = try parseAsRoot(added.flatMap(\.arguments) + line) as? Self {
        return command
      }
      throw CommandError(.usage, nil)
    } catch {
      let fromFile = added.filter(\.isFromFile)
      let variables = added.filter { !$0.isFromFile }
      // One is wrong by itself, or cannot go with the command line.
      let tries = [
        (fromFile, [], false, ExitStatus.badSetting), (variables, [], true, .badSetting),
        (added, line, true, .usage),
      ]
      for (settings, rest, together, status) in tries {
        let faults = CommandError.faults(in: settings, together: together) {
          try Self.parseAsRoot($0 + rest)
        }
        guard let (value, words) = faults.first else { continue }
        throw CommandError(status, "\(value.place.visible): \(words)")
      }
      throw CommandError(.usage, CommandError.line(for: error))
    }
  }

  /// What is odd about the settings, but no mistake for sure.
  package func warnings(_ environment: Environment) -> [String] {
    guard Self.scheme?.isOfUser == true else { return [] }
    let given = environment.given
    let own = given.tables.compactMap { $0.own["time-zone"] }
    let zone = given["time-zone"]
    let zones = [zone?.texts.last ?? environment["TZ"]] + own.map(\.texts.last)
    let known = (Self.scheme?.facts ?? []) + (Self.scheme?.other().facts ?? [])
    var warnings =
      environment.unknownVariables(known)
      + zones.compactMap(\.self).compactMap(TimeZoneNames.warning)
    if case .variable(let name) = zone?.origin,
      let table = own.first(where: { $0.texts != zone?.texts })
    {
      warnings.append(
        "\(name) is stronger than the time-zone of a catalogue's table (\(table.place.visible)); unset it"
      )
    }
    return warnings + environment.unusedRules + given.daysNeverReached
  }
}

extension Environment {
  /// `.check-loans.toml` in the working directory or the next one above it that has one, within the
  /// repository; outside any, only the working directory is looked at.
  var projectSettingsFile: String? {
    let directories = Array(
      sequence(first: FilePath(workingDirectory)) {
        $0.lastComponent == nil ? nil : $0.removingLastComponent()
      })
    let root = directories.firstIndex { FileSystem.exists($0.appending(".git").string) } ?? 0
    return directories[...root].map { $0.appending(".check-loans.toml").string }
      .first(where: FileSystem.exists)
  }
}
