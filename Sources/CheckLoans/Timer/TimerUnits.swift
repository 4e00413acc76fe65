import Loans

/// What systemd runs, as a service, with a timer where it is a daily run.
///
/// See systemd.service(5), systemd.timer(5), systemd.exec(5), systemd.syntax(7).
struct TimerUnits {
  var kind = ServiceKind.daily
  /// The units' name, without suffix.
  var name: String
  /// The command line, the program's absolute path first.
  var command: [String]
  /// When a daily run starts.
  var time = CivilTime.midnight
  /// The time zone of ``time``; `nil` for the system's.
  var zone: String?
  /// How far the service is confined.
  var confinement = Confinement.none
  /// The directories that it writes to, besides its own.
  var writable: [String] = []
  /// Whether it shows notifications on a desktop.
  var needsDesktop = false

  /// Begins every file that is written here.
  static let marker = "# Written by check-loans timer, which may replace it; remove it with"

  /// The suffixes of the files.
  var suffixes: [String] { kind == .watch ? ["service"] : ["service", "timer"] }

  private var head: String { "\(Self.marker) \(removal).\n\(confinement.comment)" }

  /// The command that removes the units.
  var removal: String {
    let system = kind == .system ? " --system" : ""
    let watch = kind == .watch ? " watch" : ""
    let own = name == kind.standardName ? "" : " --name \(name)"
    return "check-loans timer uninstall\(watch)\(system)\(own)"
  }

  /// The service's file, then that of its timer.
  var contents: [String] { kind == .watch ? [watch] : [service, timer] }

  private static let session = "graphical-session.target"
  private var ofSession: String {
    needsDesktop ? "PartOf=\(Self.session)\nAfter=\(Self.session)\n" : ""
  }

  /// How a run that has failed is tried again: for an hour, or longer where each takes all its time.
  private var retry: (pause: String, times: Int, within: String)? {
    // A run that was missed starts with systemd, before the desktop, which need not be there today at all.
    if needsDesktop { return ("1min", 60, "2h") }
    return kind == .system ? ("5min", 13, "5h") : nil
  }

  private var service: String {
    let network = "Wants=network-online.target\nAfter=network-online.target\n"
    let limit = retry.map { "StartLimitIntervalSec=\($0.within)\nStartLimitBurst=\($0.times)\n" }
    // 66 and 75 are not listed: such a run may have failed to send a notice, too. Needs systemd 244.
    let restart = retry.map {
      """
      Restart=on-failure
      RestartSec=\($0.pause)
      RestartPreventExitStatus=1 64 65 73 74 77 78

      """
    }
    return """
      \(head)[Unit]
      Description=Remind people to bring library books back on time
      \(kind == .system ? network : "")\(ofSession)\(limit ?? "")
      [Service]
      Type=oneshot
      ExecStart=\(execStart)
      TimeoutStartSec=15min
      \(restart ?? "")\
      UMask=0077
      \(confinement.lines(writable: writable))
      """
  }

  private var timer: String {
    """
    \(Self.marker) \(removal).
    [Unit]
    Description=Daily reminders to bring library books back

    [Timer]
    OnCalendar=*-*-* \(time):00\(zone.map { " \($0)" } ?? "")
    Persistent=true
    \(kind == .system ? "RandomizedDelaySec=5min\n" : "")
    [Install]
    WantedBy=timers.target

    """
  }

  // Neither wrong usage nor a wrong setting is put right by starting again.
  private var watch: String {
    """
    \(head)[Unit]
    Description=Reminders to bring library books back, each when it is due
    \(ofSession)
    [Service]
    ExecStart=\(execStart)
    ExecReload=kill -HUP $MAINPID
    Restart=on-failure
    RestartSec=30
    RestartPreventExitStatus=64 78
    UMask=0077
    \(confinement.lines(writable: []))
    [Install]
    WantedBy=\(needsDesktop ? Self.session : "default.target")

    """
  }

  /// Whether systemd runs a program in such a place: it takes no quotes, backslashes and control
  /// characters in its path.
  var isProgramAllowed: Bool {
    command.prefix(1).allSatisfy { path in
      path.unicodeScalars.allSatisfy {
        !"'\"\\".unicodeScalars.contains($0) && !$0.isUnsafeToShow
      }
    }
  }

  private var execStart: String {
    // Variables are not looked for in the program's path, only in its arguments.
    let program = command.prefix(1).map { Self.quoted($0) }
    return (program + command.dropFirst().map { Self.quoted($0, dollar: "$$") })
      .joined(separator: " ")
  }

  /// A word of a setting that is a list of words, such as an argument of ExecStart=.
  static func quoted(_ argument: String, dollar: String = "$") -> String {
    var text = ""
    for scalar in argument.unicodeScalars {
      switch scalar {
      case "%": text += "%%"
      case "$": text += dollar
      case "\\", "\"": text += "\\\(scalar)"
      case _ where scalar.isUnsafeToShow:
        let digits = String(scalar.value, radix: 16)
        text += "\\U" + String(repeating: "0", count: 8 - digits.count) + digits
      default: text.unicodeScalars.append(scalar)
      }
    }
    let isPlain = text.unicodeScalars.allSatisfy {
      !" ';#\\\"".unicodeScalars.contains($0) && !$0.properties.isWhitespace
    }
    return isPlain && !text.isEmpty ? text : "\"\(text)\""
  }
}
