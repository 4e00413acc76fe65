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
    let given = environment.given
    let directory = environment.workingDirectory
    try environment.checkWorkingDirectory(
      for: [options.state.config, options.state.state].compactMap(\.self) + given.files)
    var values: [String: [String]] = [:]
    for value in given.values {
      guard case .commandLine = value.origin else { continue }
      values[value.name] = value.texts.map {
        environment.resolved($0, of: value.name, in: directory)
      }
    }
    let zone = options.catalogue.zone.timeZone ?? environment["TZ"]
    if let zone, given["time-zone"]?.isFromFile != true {
      let tables = given.file?.tables.flatMap(\.values) ?? []
      if given["time-zone"] == nil, let own = tables.first(where: { $0.name == "time-zone" }) {
        throw CommandError(
          .badSetting,
          """
          the daily run does not have the variable TZ, and --time-zone would win over \
          \(own.place.visible); write time-zone = "\(zone.visible)" before the first [[catalogue]]
          """)
      }
      values["time-zone"] = [zone]
    }
    if environment["XDG_STATE_HOME"]?.hasPrefix("/") == true, given["state"] == nil,
      !options.noState
    {
      values["state"] = [try environment.standardStateFile()]
    }
    let isFileElsewhere =
      environment[Environment.variable(of: "config")] != nil
      || environment["XDG_CONFIG_HOME"] != nil
    if isFileElsewhere, values["config"] == nil { values["config"] = given.file.map { [$0.path] } }
    let declared = CheckCommand.declaredOptions
    let ordered = declared.filter { $0.name == "config" } + declared.filter { $0.name != "config" }
    let words = ordered.flatMap { option in
      (values[option.name] ?? []).flatMap { text in
        ["--\(option.name)"] + (option.kind == .flag ? [] : [text])
      }
    }
    self.words =
      [program, "check"] + words + given.files.map(environment.absolutePath)
    calendarZone = zone.flatMap { Self.isInDatabase($0) ? $0 : nil }
  }

  /// Whether systemd takes it for a time zone, see systemd.time(7).
  private static func isInDatabase(_ zone: String) -> Bool {
    let isPlain = zone.utf8.allSatisfy { $0.isASCIILetterOrDigit || "-_+/".utf8.contains($0) }
    return isPlain && !zone.isEmpty && !zone.hasPrefix("/")
      && LocalClock.isZoneFile("/usr/share/zoneinfo/\(zone)")
  }
}
