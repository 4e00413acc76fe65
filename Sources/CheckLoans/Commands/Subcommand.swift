import ArgumentParser
import Loans
import System

/// A subcommand of `check-loans`.
protocol Subcommand: ParsableCommand, Sendable {
  /// The keys of the settings file that the command goes by; `nil` if it goes by none, and by no
  /// variable either.
  static var settingsKeys: SettingsKeys? { get }

  /// Options that only the command line gives, since elsewhere they would mean something else.
  static var commandLineOnly: Set<String> { get }

  /// The settings file that the command line names.
  var configFile: String? { get }

  /// Whether it needs no settings file, which may be broken, for what is asked.
  var ignoresSettings: Bool { get }

  /// Runs the command.
  ///
  /// - Throws: ``CommandError`` if nothing more can be done.
  func run(_ environment: Environment, _ console: Console) throws(CommandError) -> ExitStatus
}

extension Subcommand {
  static var settingsKeys: SettingsKeys? { nil }
  static var commandLineOnly: Set<String> { [] }
  var configFile: String? { nil }

  var ignoresSettings: Bool { false }
}

extension Subcommand {
  /// The settings file to read, and whether somebody has named it.
  func settingsPath(_ environment: Environment) -> (path: String, isNamed: Bool)? {
    if let configFile { return (configFile, true) }
    if Self.commandLineOnly.contains("config") {
      return environment.projectSettingsFile.map { ($0, true) }
    }
    if let path = environment[Environment.variable(of: "config")], !path.isEmpty {
      return (path, true)
    }
    return environment.standardSettingsFile.map { ($0, false) }
  }

  /// The settings file, if the command goes by one and it exists.
  ///
  /// - Throws: ``CommandError`` with the status `badSetting`.
  func settingsFile(_ environment: Environment) throws(CommandError) -> SettingsFile? {
    guard !ignoresSettings, let keys = Self.settingsKeys,
      let (path, isNamed) = settingsPath(environment), isNamed || FileSystem.exists(path)
    else { return nil }
    return try SettingsFile.read(path, keys, environment)
  }
}

extension Subcommand {
  /// What is odd about the settings, but no mistake for sure.
  func warnings(_ environment: Environment) -> [String] {
    guard Self.settingsKeys == .user else { return [] }
    let given = environment.given
    let own = given.file?.tables.flatMap(\.values).filter { $0.name == "time-zone" } ?? []
    let zones = [given["time-zone"]?.texts.last ?? environment["TZ"]] + own.map(\.texts.last)
    return environment.unknownVariables
      + zones.compactMap(\.self).compactMap(TimeZoneNames.warning)
  }
}

extension Environment {
  /// `.check-loans.toml` in the working directory or the next one above it that has one, within the
  /// repository; outside any, only the working directory is looked at.
  var projectSettingsFile: String? {
    var candidates: [String] = []
    var directory = workingDirectory[...]
    while true {
      candidates.append("\(directory)/.check-loans.toml")
      if FileSystem.exists("\(directory)/.git") { break }
      guard let slash = directory.lastIndex(of: "/"), !directory.isEmpty else {
        candidates.removeSubrange(1...)
        break
      }
      directory = directory[..<slash]
    }
    return candidates.first(where: FileSystem.exists)
  }
}
