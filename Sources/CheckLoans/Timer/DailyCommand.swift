import Loans

/// The command line of a daily run.
struct DailyCommand {
  /// The program's absolute path, then its arguments.
  let words: [String]
  /// The library's time zone as systemd knows it; `nil` for the system's.
  let calendarZone: String?

  /// The options as they were given, and what else the run could not know: other directories than
  /// the standard ones, and the time zone.
  ///
  /// - Throws: ``CommandError`` if the program does not know where it is itself.
  init(_ options: CheckOptions, _ environment: Environment) throws(CommandError) {
    guard let program = ProcessSetup.ownPath else {
      throw CommandError(.inputOutput, "/proc/self/exe cannot be read, and so the program's path")
    }
    let files = [options.state.config, options.state.state, options.form.profileFile]
      .compactMap(\.self)
    try environment.checkWorkingDirectory(for: files)
    var given = options.given
    let zone = try options.clock.zone.text(environment, inherited: environment["TZ"])
    if environment.source(of: "TIME_ZONE", isGiven: false) != .file, let zone {
      given["time-zone"] = [zone]
    }
    if environment["XDG_STATE_HOME"]?.hasPrefix("/") == true,
      environment.source(of: "STATE", isGiven: given["state"] != nil) == .standard,
      try !options.request.keepsNoState(environment)
    {
      given["state"] = [try environment.standardStateFile()]
    }
    words =
      [program, "check"] + Self.configuration(options, environment)
      + Setting.all.flatMap { Self.words(of: $0, given[$0.name], environment) }
      + (given["catalogues"] ?? []).map(environment.absolutePath)
    calendarZone = zone.flatMap { Self.isInDatabase($0) ? $0 : nil }
  }

  private static func configuration(
    _ options: CheckOptions, _ environment: Environment
  ) -> [String] {
    if let path = options.state.config { return ["--config", environment.absolutePath(path)] }
    guard let file = environment.file,
      environment["CHECK_LOANS_CONFIG"] != nil || environment["XDG_CONFIG_HOME"] != nil
    else { return [] }
    return ["--config", file.path]
  }

  private static func words(
    of setting: Setting, _ values: [String]?, _ environment: Environment
  ) -> [String] {
    guard let values, setting.name != "catalogues" else { return [] }
    let option = "--\(setting.name)"
    if setting.kind == .toggle { return [option] }
    return values.flatMap { value in [option, absolute(value, setting, environment)] }
  }

  private static func absolute(
    _ value: String, _ setting: Setting, _ environment: Environment
  ) -> String {
    switch setting.paths {
    case .none: return value
    case .catalogues, .files: return environment.absolutePath(value)
    case .profiles: return NamedProfile.isPath(value) ? environment.absolutePath(value) : value
    case .programs:
      // A daily run has a PATH of its own.
      return ChannelName(argument: value).map { environment.resolved($0).name } ?? value
    }
  }

  /// Whether systemd takes it for a time zone, see systemd.time(7).
  private static func isInDatabase(_ zone: String) -> Bool {
    let isPlain = zone.utf8.allSatisfy { $0.isASCIILetterOrDigit || "-_+/".utf8.contains($0) }
    return isPlain && !zone.isEmpty && !zone.hasPrefix("/")
      && ZoneFile.isWhole(at: "/usr/share/zoneinfo/\(zone)")
  }
}
