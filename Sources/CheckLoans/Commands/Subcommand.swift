import ArgumentParser
import Loans
import System
import SystemPackage

/// A subcommand of `check-loans`.
protocol Subcommand: ParsableCommand, Sendable {
  /// The keys of the settings file that the command goes by; `nil` if it goes by none, and by no
  /// variable either.
  static var settingsKeys: SettingsKeys? { get }

  /// Options that only the command line gives, since elsewhere they would mean something else.
  static var commandLineOnly: Set<String> { get }

  /// Whether it needs no settings file, which may be broken, for what is asked.
  var ignoresSettings: Bool { get }

  /// Where the settings file is if nobody names one; `nil` for nowhere.
  func standardSettingsFile(_ environment: Environment) -> String?

  /// Runs the command.
  ///
  /// - Throws: what ``CommandError`` makes a message of, if nothing more can be done.
  func run(_ environment: Environment, _ console: Console) throws -> ExitStatus
}

extension Subcommand {
  static var settingsKeys: SettingsKeys? { .user }
  static var commandLineOnly: Set<String> { [] }
  var ignoresSettings: Bool { false }

  func standardSettingsFile(_ environment: Environment) -> String? {
    environment.standardSettingsFile
  }

  /// The settings file to read, and whether somebody has named it.
  func settingsPath(_ environment: Environment) -> (path: String, isNamed: Bool)? {
    if let named = environment.given["config"]?.texts.first { return (named, true) }
    if Self.commandLineOnly.contains("config") {
      return environment.projectSettingsFile.map { ($0, true) }
    }
    if let path = environment[Environment.variable(of: "config")], !path.isEmpty {
      return (path, true)
    }
    return standardSettingsFile(environment).map { ($0, false) }
  }

  /// The settings file, if the command goes by one and it exists.
  ///
  /// - Throws: ``CommandError`` with the status `badSetting`.
  func settingsFile(_ environment: Environment) throws(CommandError) -> SettingsFile? {
    guard !ignoresSettings, let keys = Self.settingsKeys,
      let (path, isNamed) = settingsPath(environment), isNamed || FileSystem.exists(path)
    else { return nil }
    return try SettingsFile(path, keys, environment)
  }

  /// What is odd about the settings, but no mistake for sure.
  func warnings(_ environment: Environment) -> [String] {
    guard Self.settingsKeys == .user else { return [] }
    let given = environment.given
    let own = given.file?.tables.compactMap { $0["time-zone"] } ?? []
    let zone = given["time-zone"]
    let zones = [zone?.texts.last ?? environment["TZ"]] + own.map(\.texts.last)
    var warnings =
      environment.unknownVariables + zones.compactMap(\.self).compactMap(TimeZoneNames.warning)
    if case .variable(let name) = zone?.origin,
      let table = own.first(where: { $0.texts != zone?.texts })
    {
      warnings.append(
        "\(name) is stronger than the time-zone of a catalogue's table (\(table.place.visible)); unset it"
      )
    }
    return warnings + environment.idleRules + given.daysNeverReached
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
