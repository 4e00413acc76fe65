/// What systemd is to run, by the options of `timer`.
enum ServiceKind: String {
  /// A run every day, of a user's.
  case daily
  /// A run every day, of the machine's, by an account of its own.
  case system
  /// `check-loans watch`, from the beginning of its user's session.
  case watch

  /// The units' name if no other is given.
  var standardName: String { self == .watch ? "check-loans-watch" : "check-loans" }

  /// The option that asks for it, with a space before it.
  var option: String { self == .daily ? "" : " --\(rawValue)" }

  /// The suffixes of its units; the last is that of the unit which is enabled.
  var suffixes: [String] { self == .watch ? ["service"] : ["service", "timer"] }

  /// The command that it runs.
  var command: any Subcommand.Type { self == .watch ? WatchCommand.self : CheckCommand.self }

  /// The options of `systemctl` that lead to the systemd that runs it.
  var systemctlOptions: [String] { self == .system ? [] : ["--user"] }
}
