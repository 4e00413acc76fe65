import Loans

/// A daily run, as a systemd user service with its timer.
///
/// See systemd.service(5), systemd.timer(5), systemd.exec(5), systemd.syntax(7).
struct TimerUnits {
  /// The units' name, without suffix.
  var name: String
  /// The command line, the program's absolute path first.
  var command: [String]
  /// When it starts each day.
  var time: CivilTime
  /// The time zone that the time is of; `nil` for the system's.
  var zone: String?
  /// Whether it runs programs of the user's.
  var runsPrograms: Bool

  /// Begins every file that is written here.
  static let marker = "# Written by check-loans timer, which may replace it; remove it with"

  private var head: String { "\(Self.marker) check-loans timer --uninstall\(named).\n" }

  /// The option that names the units, if they have not the standard name.
  var named: String { name == TimerCommand.standardName ? "" : " --name \(name)" }

  /// The service's file, then the timer's.
  ///
  /// What needs a mount namespace of its own (ProtectSystem=, PrivateTmp= and others) is left out:
  /// a user's systemd gets one only where the kernel lets users have user namespaces, and the
  /// service does not start elsewhere. Without new privileges, a program could not hand mail to a
  /// mail system that keeps its queue by set-group-ID.
  var contents: [String] {
    let hardening = """
      NoNewPrivileges=true
      LockPersonality=true
      RestrictRealtime=true
      RestrictSUIDSGID=true
      SystemCallArchitectures=native

      """
    let service = """
      \(head)[Unit]
      Description=Remind people of book loans before they expire

      [Service]
      Type=oneshot
      ExecStart=\(execStart)
      TimeoutStartSec=15min
      UMask=0077
      \(runsPrograms ? "" : hardening)
      """
    let timer = """
      \(head)[Unit]
      Description=Remind people of book loans once a day

      [Timer]
      OnCalendar=*-*-* \(time):00\(zone.map { " \($0)" } ?? "")
      Persistent=true

      [Install]
      WantedBy=timers.target

      """
    return [service, timer]
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
    let program = command.prefix(1).map { Self.quoted($0, dollar: "$") }
    return (program + command.dropFirst().map { Self.quoted($0, dollar: "$$") })
      .joined(separator: " ")
  }

  /// An argument of ExecStart=.
  private static func quoted(_ argument: String, dollar: String) -> String {
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
