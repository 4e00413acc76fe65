import Loans

// The settings file.
extension Environment {
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

  /// The settings file to read, and whether somebody has named it.
  ///
  /// - Parameter name: the file that the command line names.
  func settingsFile(
    named name: String?
  ) throws(CommandError) -> (path: String, isNamed: Bool)? {
    if let path = try value(name, "CONFIG") { return (path, true) }
    return standardSettingsFile.map { ($0, false) }
  }

  /// The environment with the settings file read, for the first time or again.
  ///
  /// - Parameter name: the file that the command line names.
  /// - Throws: ``CommandError`` with the status `badSetting` if it cannot be read, or holds
  ///   something that makes no sense.
  func withSettings(named name: String?) throws(CommandError) -> Environment {
    var environment = self
    environment.file = nil
    guard let (path, isNamed) = try settingsFile(named: name) else { return environment }
    environment.file = try SettingsFile.read(path, isOptional: !isNamed, self)
    return environment
  }

  /// A warning for each variable `CHECK_LOANS_…` that is none of ours.
  var unknownVariables: [String] {
    let prefix = Setting.variablePrefix
    let names = variables.keys.filter { $0.hasPrefix(prefix) }.map { $0.dropFirst(prefix.count) }
    if names.isEmpty { return [] }
    // Those that a command run by an action, or a channel's program, is given.
    var others: Set = [
      "ID", "TITLE", "AUTHOR", "ISBN", "BARCODE", "BORROWER", "EMAIL", "EXPIRATION", "KIND",
      "CATALOGUE", "COUNT", "CHANNEL",
    ]
    #if FAILPOINTS
      others.formUnion(["BINARY", "FAILPOINT", "FAILPOINT_TRACE"])
    #endif
    // Catalogues are no option, and so have no variable.
    let known =
      ["CONFIG"] + ValidationRequest.variables
      + Setting.all.map { Setting.variableName($0.name) }.filter { $0 != "CATALOGUES" }
    return names.map(String.init).filter { !known.contains($0) && !others.contains($0) }.sorted()
      .map { name in
        var words = "the environment variable \((prefix + name).visible) is unknown"
        if let nearest = name.nearest(among: known) {
          words += "; did you mean \(prefix)\(nearest)?"
        }
        return words
      }
  }
}
