import ArgumentParser
import Loans

/// The command line that systemd or cron runs.
struct ServiceCommand {
  /// The program's absolute path, then its arguments.
  let line: [String]
  /// The library's time zone as systemd knows it; `nil` for the system's.
  let calendarZone: String?

  /// The options as they were given, and what else the run could not know: other directories than
  /// the standard ones, and the time zone.
  ///
  /// - Throws: ``CommandError`` if the program does not know where it is itself, or the command has not
  ///   all the options.
  init(
    _ kind: ServiceKind, _ options: CheckOptions, _ environment: Environment
  ) throws(CommandError) {
    guard let program = ProcessSetup.ownPath else {
      throw CommandError(.inputOutput, "/proc/self/exe cannot be read, and so the program's path")
    }
    let given = environment.given
    let directory = environment.workingDirectory
    try environment.checkWorkingDirectory(
      for: [options.state.settings.config, options.state.state].compactMap(\.self) + given.files)
    var values: [String: [String]] = [:]
    for value in given.values where value.isFromCommandLine {
      let path = CheckCommand.facts[value.name]?.path ?? .none
      values[value.name] = environment.resolved(value.texts, path, in: directory)
    }
    let zone = options.catalogue.zone.timeZone ?? environment["TZ"]
    if let zone, given["time-zone"]?.isFromFile != true {
      let own = given.tables.lazy.compactMap { $0.own["time-zone"] }.first
      if given["time-zone"] == nil, let own {
        throw CommandError(
          .badSetting,
          """
          the daily run does not have the variable TZ, and --time-zone would win over \
          \(own.place.visible); write time-zone = "\(zone.visible)" before the first [[catalogue]]
          """)
      }
      values["time-zone"] = [zone]
    }
    if kind == .system {
      if options.state.state != "none" { values["state"] = [SystemAccount.schedule] }
    } else if environment["XDG_STATE_HOME"]?.hasPrefix("/") == true, given["state"] == nil {
      values["state"] = [try environment.standardStateFile()]
    }
    let isFileElsewhere =
      kind == .system || environment[Environment.variable(of: "config")] != nil
      || environment["XDG_CONFIG_HOME"] != nil
    if isFileElsewhere, values["config"] == nil { values["config"] = given.file.map { [$0.path] } }
    let declared = kind.command.facts
    let word = kind.command.configuration.commandName ?? "check"
    let others = CheckCommand.facts + WatchCommand.facts
    if let name = values.keys.sorted().first(where: { declared[$0] == nil && others[$0] != nil }) {
      throw CommandError(.usage, "check-loans \(word), which would run, has no option --\(name)")
    }
    let ordered = declared.filter { $0.name == "config" } + declared.filter { $0.name != "config" }
    let options = ordered.flatMap { option in
      (values[option.name] ?? []).flatMap { text in
        ["--\(option.name)"] + (option.kind == .flag ? [] : [text])
      }
    }
    let catalogues = given.files.map {
      environment.isFetched($0) ? $0 : environment.absolutePath($0)
    }
    line = [program, word] + options + catalogues
    calendarZone = zone.flatMap { Self.isInDatabase($0) ? $0 : nil }
  }

  /// Whether systemd takes it for a time zone, see systemd.time(7).
  private static func isInDatabase(_ zone: String) -> Bool {
    let isPlain = zone.utf8.allSatisfy { $0.isASCIILetterOrDigit || "-_+/".utf8.contains($0) }
    return isPlain && !zone.isEmpty && !zone.hasPrefix("/")
      && LocalClock.isZoneFile("/usr/share/zoneinfo/\(zone)")
  }

  /// The lines of crontab(5) that run it.
  ///
  /// - Parameters:
  ///   - time: when it starts each day, by the system's clock.
  ///   - desktop: the number of the user whose desktop it needs, if it needs one.
  /// - Throws: ``CommandError`` with the status `usage` if a crontab cannot hold some argument.
  func crontab(at time: CivilTime, desktop: UInt32?) throws(CommandError) -> String {
    if let argument = line.first(where: { $0.unicodeScalars.contains(where: \.isUnsafeToShow) }) {
      throw CommandError(
        .usage,
        "\(argument.quoted()) has a line break or a control character in it, which a crontab cannot "
          + "hold; rename the file")
    }
    let hint = desktop.map { userID in
      """
      # notify-send finds the desktop by /run/user/\(userID)/bus; where that is elsewhere, put a
      # line XDG_RUNTIME_DIR=... above this one.

      """
    }
    let (hour, minute) = (time.secondOfDay / 3_600, time.secondOfDay / 60 % 60)
    var text = "\(hint ?? "")\(minute) \(hour) * * * "
    // Not by characters: a percent sign with a combining mark on it is one to cron.
    for scalar in line.map(\.shellQuoted).joined(separator: " ").unicodeScalars {
      if scalar == "%" { text += "\\" }
      text.unicodeScalars.append(scalar)
    }
    return text + "\n"
  }
}
