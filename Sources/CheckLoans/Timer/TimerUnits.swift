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

  /// The service's file.
  ///
  /// What needs a mount namespace of its own (ProtectSystem=, PrivateTmp= and others) is left out:
  /// a user's systemd gets one only where the kernel lets users have user namespaces, and the
  /// service does not start elsewhere. Without new privileges, a program could not hand mail to a
  /// mail system that keeps its queue by set-group-ID.
  var service: String {
    """
    \(head)[Unit]
    Description=Remind people of book loans before they expire

    [Service]
    Type=oneshot
    ExecStart=\(execStart)
    TimeoutStartSec=15min
    UMask=0077
    \(runsPrograms ? "" : hardening)
    """
  }

  private var hardening: String {
    """
    NoNewPrivileges=true
    LockPersonality=true
    RestrictRealtime=true
    RestrictSUIDSGID=true
    SystemCallArchitectures=native

    """
  }

  /// The timer's file.
  var timer: String {
    """
    \(head)[Unit]
    Description=Remind people of book loans once a day

    [Timer]
    OnCalendar=*-*-* \(time.hoursAndMinutes):00\(zone.map { " \($0)" } ?? "")
    Persistent=true

    [Install]
    WantedBy=timers.target

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
    let program = command.prefix(1).map { Self.quoted($0, dollar: "$") }
    return (program + command.dropFirst().map { Self.quoted($0, dollar: "$$") })
      .joined(separator: " ")
  }

  /// A word of ExecStart=.
  private static func quoted(_ word: String, dollar: String) -> String {
    var text = ""
    var isPlain = !word.isEmpty
    for scalar in word.unicodeScalars {
      switch scalar {
      case "%": text += "%%"
      case "$": text += dollar
      case "\\": (text, isPlain) = (text + "\\\\", false)
      case "\"": (text, isPlain) = (text + "\\\"", false)
      case "\n": (text, isPlain) = (text + "\\n", false)
      case _ where scalar.value < 0x20 || scalar.value == 0x7F:
        let digits = String(scalar.value, radix: 16)
        (text, isPlain) = (text + "\\x" + (digits.count < 2 ? "0" : "") + digits, false)
      case _ where scalar.isUnsafeToShow:
        let digits = String(scalar.value, radix: 16)
        let zeros = String(repeating: "0", count: 8 - digits.count)
        (text, isPlain) = (text + "\\U" + zeros + digits, false)
      default:
        text.unicodeScalars.append(scalar)
        if " ';#".unicodeScalars.contains(scalar) || scalar.properties.isWhitespace {
          isPlain = false
        }
      }
    }
    return isPlain ? text : "\"\(text)\""
  }
}

/// A daily run, as a line of crontab(5).
struct CronLine {
  /// The command line, the program's absolute path first.
  var command: [String]
  /// When it starts each day, by the system's clock.
  var time: CivilTime
  /// Whether it needs the desktop.
  var usesDesktop: Bool
  var userID: UInt32

  /// The lines to put into the crontab.
  ///
  /// - Throws: ``CommandError`` with the status `usage` if a crontab cannot hold some word.
  func text() throws(CommandError) -> String {
    if let word = command.first(where: { $0.unicodeScalars.contains(where: \.isUnsafeToShow) }) {
      throw CommandError(
        .usage,
        "\(word.quoted()) has a line break or a control character in it, which a crontab cannot "
          + "hold; rename the file")
    }
    var text = ""
    if usesDesktop {
      text += """
        # notify-send finds the desktop by /run/user/\(userID)/bus; where that is elsewhere, put a
        # line XDG_RUNTIME_DIR=... above this one.

        """
    }
    let (hour, minute) = (time.secondOfDay / 3_600, time.secondOfDay / 60 % 60)
    text += "\(minute) \(hour) * * * "
    // Not by characters: a percent sign with a combining mark on it is one to cron.
    for scalar in command.map(\.shellQuoted).joined(separator: " ").unicodeScalars {
      if scalar == "%" { text += "\\" }
      text.unicodeScalars.append(scalar)
    }
    return text + "\n"
  }
}
