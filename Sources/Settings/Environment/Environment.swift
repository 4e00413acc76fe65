package import CommandOutput
import Glibc
import Loans
import System
package import SystemPackage

/// The variables and the user that the process was started with, and what the command was given.
package struct Environment: Sendable {
  /// The variables as they were then, those in UTF-8.
  package let variables: [String: String]
  package let userID: UInt32
  /// What the command was given.
  package var given = GivenSettings()
  /// The name in the schedule of the catalogue that comes through standard input, if it has one.
  package var inputName: String?

  /// The environment of the process now, and the user it runs as.
  ///
  /// - Throws: ``CommandError`` with the status `badSetting` if a variable that decides what is done is
  ///   not UTF-8: it must not be treated as one that is not set.
  /// - SeeAlso: `environ(7)`, `geteuid(2)`.
  package static func ofProcess() throws(CommandError) -> Environment {
    let deciding = ["HOME", "TZ", "TZDIR", "XDG_CONFIG_HOME", "XDG_STATE_HOME"]
    var variables: [String: String] = [:]
    var entry = unsafe environ
    while let text = unsafe entry.pointee {
      unsafe entry += 1
      let pair = unsafe String(cString: text)
      guard let sign = pair.utf8.firstIndex(of: UInt8(ascii: "=")) else { continue }
      let name = String(pair[..<sign])
      // What is not UTF-8 must not become another name.
      if unsafe String(validatingCString: text) != nil {
        variables[name] = String(pair[pair.utf8.index(after: sign)...])
      } else if deciding.contains(name) || name.hasPrefix(variablePrefix) {
        throw CommandError(
          .badSetting,
          "the environment variable \(name.visible) is not UTF-8; correct or unset it")
      }
    }
    return Environment(variables: variables, userID: geteuid())
  }

  package subscript(name: String) -> String? { variables[name] }
}

// MARK: - Files

extension Environment {
  /// The settings file in a directory for the settings of programs.
  package static let settingsFile = "check-loans/config.toml"
  /// The schedule in a directory for the states of programs.
  static let stateFile = "check-loans/schedule.sqlite"

  /// `schedule.sqlite` in the user's state directory (XDG Base Directory Specification).
  ///
  /// - Throws: ``CommandError`` with the status `badSetting` if the user has no home.
  package func standardStateFile() throws(CommandError) -> String {
    if let directory = directory("XDG_STATE_HOME", ".local/state", SystemAccount.states) {
      return "\(directory)/\(Self.stateFile)"
    }
    throw CommandError(
      .badSetting, "there is no home directory for the schedule; name a file with --state")
  }

  /// `config.toml` in the user's configuration directory (XDG Base Directory Specification), or
  /// `nil` if the user has no home.
  var standardSettingsFile: String? {
    configurationDirectory.map { "\($0)/\(Self.settingsFile)" }
  }

  /// The settings file in which somebody can set something, `nil` if there is no place for one.
  package var settingsFileToWrite: String? {
    [given.file?.path, standardSettingsFile].compactMap(\.self).first { $0 != "/dev/null" }
  }

  /// The user's configuration directory.
  package var configurationDirectory: String? {
    directory("XDG_CONFIG_HOME", ".config", SystemAccount.configuration)
  }

  /// The directory that a variable names, else one in the home, or of the system for its account.
  private func directory(
    _ variable: String, _ standard: String, _ system: String
  ) -> String? {
    // The specification says to ignore a relative path.
    if let directory = self[variable], directory.hasPrefix("/") { return directory }
    return home.map { $0 == SystemAccount.home ? system : "\($0)/\(standard)" }
  }

  /// The user's home, if it has an absolute path; without the variable, that of the user database.
  ///
  /// - SeeAlso: `getpwuid(3)`.
  package var home: String? {
    var home = self["HOME"]
    if home == nil, let user = unsafe getpwuid(userID), let path = unsafe user.pointee.pw_dir {
      home = unsafe String(cString: path)
    }
    return home?.hasPrefix("/") == true ? home : nil
  }

  /// Whether the user database has a user of this name.
  ///
  /// - SeeAlso: `getpwnam(3)`.
  package static func hasUser(_ name: String) -> Bool { unsafe getpwnam(name) != nil }

  /// The user's name; `user 1000` for one whom the user database does not have.
  ///
  /// - SeeAlso: `getpwuid(3)`.
  package var userName: String {
    guard let user = unsafe getpwuid(userID), let name = unsafe user.pointee.pw_name else {
      return "user \(userID)"
    }
    return unsafe String(cString: name)
  }

  /// A file's path as it is written in a file of the directory: `~/` is the home.
  package func absolute(_ path: String, in directory: String) -> String {
    if let home, path.hasPrefix("~/") { return home + path.dropFirst() }
    return path.hasPrefix("/") ? path : "\(directory)/\(path)"
  }

  /// The absolute path of a program, given by a path or by a name to be found in PATH; a name that is
  /// not found there stays as it is.
  package func programPath(_ program: String, in directory: String) -> String {
    program.contains("/")
      ? absolutePath(absolute(program, in: directory)) : self.program(named: program) ?? program
  }

  /// Where the program of this name is, by the absolute entries of PATH.
  package func program(named name: String) -> String? {
    try? ChildProcess.path(of: name, in: self["PATH"] ?? ChildProcess.standardPath)
  }

  /// A catalogue's name in the schedule: its absolute path, or the name that standard input has.
  ///
  /// One file has one name, whatever links to its directory are in the path. The file itself may be a
  /// link, to a new file every day.
  package func catalogueName(_ path: String) -> String {
    path == "-" ? inputName ?? path : wholePath(path) { _ in true }
  }

  /// The absolute path of a file, without any `.` in it.
  ///
  /// Links are not followed, since an export may be a link to a new file every day; only a directory
  /// with `..` in its path is looked up, since what that means is decided by links.
  package func absolutePath(_ path: String) -> String {
    wholePath(path) { $0.components.contains { $0.kind == .parentDirectory } }
  }

  private func wholePath(_ path: String, isLookedUp: (FilePath) -> Bool) -> String {
    var path = FilePath(workingDirectory).pushing(FilePath(path))
    path.components.removeAll { $0.kind == .currentDirectory }
    let directory = path.removingLastComponent()
    guard isLookedUp(directory), let name = path.lastComponent,
      let target = directory.withoutLinks()
    else { return path.string }
    return target.appending(name).string
  }

  /// The working directory; empty if it is gone, or its name is not UTF-8.
  package var workingDirectory: String { FileSystem.realPath(of: ".") ?? "" }

  /// - Throws: ``CommandError`` if relative paths cannot be told apart from others.
  package func checkWorkingDirectory(for paths: [String]) throws(CommandError) {
    guard workingDirectory.isEmpty, paths.contains(where: { $0 != "-" && !$0.hasPrefix("/") })
    else { return }
    throw CommandError(
      .usage,
      "the working directory is gone, or its name is not UTF-8; give whole paths")
  }

  /// Where files are made that nobody else is to see: `TMPDIR`, else `/tmp`.
  package var temporaryDirectory: String {
    self["TMPDIR"].flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
  }

  /// A file's path below its repository's directory, as the CI system names it, else below the
  /// working directory; a path outside both, and standard input, stays as it is.
  package func repositoryPath(_ path: String) -> String {
    guard path != "-" else { return path }
    let absolute = absolutePath(path)
    let named = ["GITHUB_WORKSPACE", "CI_PROJECT_DIR"].compactMap { self[$0] }
    for root in named.filter({ $0.hasPrefix("/") }) + [workingDirectory] {
      let root = absolutePath(root)
      let prefix = root == "/" ? root : "\(root)/"
      if absolute.hasPrefix(prefix) { return String(absolute.dropFirst(prefix.count)) }
    }
    return path.hasPrefix("/") ? absolute : path
  }
}

extension FilePath {
  /// The path of a directory without links in it, also of one that is not there, such as that of a disk
  /// that is not mounted; `nil` if its links lead in a circle.
  package func withoutLinks(following links: Int = 40) -> FilePath? {
    if let path = FileSystem.realPath(of: string) { return FilePath(path) }
    guard links > 0 else { return nil }
    guard let name = lastComponent, name.kind == .regular else { return self }
    let directory = removingLastComponent().withoutLinks(following: links)
    guard let target = FileSystem.linkTarget(of: self) else { return directory?.appending(name) }
    return directory?.pushing(target).lexicallyNormalized().withoutLinks(following: links - 1)
  }
}

// MARK: - Values that are paths

extension Environment {
  /// The texts of a value as they are written in a file of the directory, or on the command line in the working
  /// directory: where they are paths, as absolute ones.
  package func resolved(_ texts: [String], _ path: OptionFact.Path, in directory: String)
    -> [String]
  {
    if path == .none { return texts }
    return texts.enumerated().map { index, text in
      let absolute = { absolutePath(self.absolute(text, in: directory)) }
      switch path {
      case .none: return text
      case .file: return absolute()
      case .fileOrInput: return text == "-" ? text : absolute()
      case .fileOrNone: return text == "none" ? text : absolute()
      case .profile: return NamedProfile.isPath(text) ? absolute() : text
      case .channel:
        return ChannelName(argument: text).map { resolved($0, in: directory).name } ?? text
      case .program where index == 0 && text.contains("/"): return absolute()
      case .program, .words: return text.hasPrefix("~/") ? self.absolute(text, in: directory) : text
      case .pattern:
        let place = FilePattern.isPattern(text) ? FilePattern.literal(directory) : directory
        return text == "-" ? text : absolutePath(self.absolute(text, in: place))
      }
    }
  }
}
