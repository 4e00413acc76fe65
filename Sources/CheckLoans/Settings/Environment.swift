import ArgumentParser
import Loans
import Notifiers
import System

/// The variables and the user that the process was started with, and what the command was given.
struct Environment: Sendable {
  /// The variables as they were then, those in UTF-8.
  let variables: [String: String]
  let userID: UInt32
  /// What the command was given.
  var given = GivenSettings.none

  init(variables: [String: String], userID: UInt32) {
    self.variables = variables
    self.userID = userID
  }

  subscript(name: String) -> String? { variables[name] }
}

// MARK: - Files

extension Environment {
  /// The schedule in a directory for the states of programs.
  static let stateFile = "check-loans/schedule.sqlite"

  /// `schedule.sqlite` in the user's state directory (XDG Base Directory Specification).
  ///
  /// - Throws: ``CommandError`` with the status `badSetting` if the user has no home.
  func standardStateFile() throws(CommandError) -> String {
    let name = Self.stateFile
    // The specification says to ignore a relative path.
    if let directory = self["XDG_STATE_HOME"], directory.hasPrefix("/") {
      return "\(directory)/\(name)"
    }
    if let home { return "\(home)/.local/state/\(name)" }
    throw CommandError(
      .badSetting, "there is no home directory for the schedule; name a file with --state")
  }

  /// `config.toml` in the user's configuration directory (XDG Base Directory Specification), or
  /// `nil` if the user has no home.
  var standardSettingsFile: String? {
    configurationDirectory.map { "\($0)/check-loans/config.toml" }
  }

  /// The user's configuration directory.
  var configurationDirectory: String? {
    // The specification says to ignore a relative path.
    if let directory = self["XDG_CONFIG_HOME"], directory.hasPrefix("/") { return directory }
    return home.map { "\($0)/.config" }
  }

  /// The user's home, if it has an absolute path.
  var home: String? {
    guard let home = self["HOME"] ?? Self.homeOfUser, home.hasPrefix("/") else { return nil }
    return home
  }

  /// A file's path as it stands in a file of the directory: `~/` is the home.
  func absolute(_ path: String, in directory: String) -> String {
    if let home, path.hasPrefix("~/") { return home + path.dropFirst() }
    return path.hasPrefix("/") ? path : "\(directory)/\(path)"
  }

  /// The absolute path of a program, given by a path or by a name to be found in PATH; a name that is
  /// not found there stays as it is.
  func programPath(_ program: String, in directory: String) -> String {
    program.contains("/")
      ? absolutePath(absolute(program, in: directory)) : self.program(named: program) ?? program
  }

  /// Where the program of this name is, by the absolute entries of PATH.
  func program(named name: String) -> String? {
    try? ChildProcess.path(of: name, in: self["PATH"] ?? ChildProcess.standardPath)
  }

  /// A catalogue's name in the schedule: its absolute path, or `-` for standard input.
  ///
  /// One file has one name, whatever links to its directory are in the path. The file itself may be a
  /// link, to a new file every day. A directory that is not there has the path that was given.
  func catalogueName(_ path: String) -> String {
    if path == "-" { return path }
    let parts = absolutePath(path).split(separator: "/")
    guard let name = parts.last,
      let directory = FileSystem.realPath(of: Self.path(of: parts.dropLast()))
    else { return Self.path(of: parts) }
    return Self.path(of: directory.split(separator: "/") + [name])
  }

  /// The absolute path of a file, without any `.` in it.
  ///
  /// Links are not followed, since an export may be a link to a new file every day; only a directory
  /// with `..` in its path is looked up, since what that means is decided by links.
  func absolutePath(_ path: String) -> String {
    let absolute = path.hasPrefix("/") ? path : "\(workingDirectory)/\(path)"
    var parts = absolute.split(separator: "/").filter { $0 != "." }
    if parts.dropLast().contains(".."), let name = parts.last,
      let directory = FileSystem.realPath(of: Self.path(of: parts.dropLast()))
    {
      parts = directory.split(separator: "/") + [name]
    }
    return Self.path(of: parts)
  }

  private static func path(of parts: some Collection<Substring>) -> String {
    var path = parts.isEmpty ? "/" : ""
    for part in parts {
      path += "/"
      // To append what is no string yet takes a search through all types.
      path += String(part)
    }
    return path
  }

  /// The working directory; empty if it is gone.
  var workingDirectory: String { Self.currentDirectory ?? "" }

  /// - Throws: ``CommandError`` if relative paths cannot be told apart from others.
  func checkWorkingDirectory(for paths: [String]) throws(CommandError) {
    guard Self.currentDirectory == nil, paths.contains(where: { $0 != "-" && !$0.hasPrefix("/") })
    else { return }
    throw CommandError(
      .usage,
      "the working directory is gone, or its name is not UTF-8; give whole paths")
  }

  /// Where files are made that nobody else is to see: `TMPDIR`, else `/tmp`.
  var temporaryDirectory: String { self["TMPDIR"].flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp" }
}
