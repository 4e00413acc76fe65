import Loans
import TestSupport
import Testing

@testable import CheckLoans
@testable import CommandOutput
@testable import Settings

private let analyzer = "/usr/bin/systemd-analyze"

extension Desk {
  /// What `timer` prints with these arguments, in one text for each unit without its path.
  fileprivate func printedUnits(_ arguments: [String]) async throws -> [String] {
    let result = try await run(["timer"] + arguments)
    try #require(result.status == 0, "\(result.errorText)")
    return result.text.split(separator: /(?m)\n?^# \/.*\n/).map(String.init)
  }

  /// Settings with these channels in the desk's folder, as arguments.
  fileprivate func settings(_ channels: String..., more: String = "") throws -> [String] {
    let list = channels.map { "\"\($0)\"" }.joined(separator: ", ")
    try folder.write(
      """
      catalogues = ["books.xml"]
      notify = [\(list)]
      mail-from = "Desk <desk@example.org>"
      \(more)
      """, to: "config.toml")
    return ["--config", "\(folder.path)/config.toml"]
  }

  /// Lets systemd judge units, each written to a file of its name.
  fileprivate func analyze(_ arguments: String, _ units: [String: String]) async throws
    -> CommandResult
  {
    for (name, text) in units { try folder.write(text, to: name) }
    let names = units.keys.sorted().map { "'\(folder.path)/\($0)'" }.joined(separator: " ")
    return try await shell(
      "XDG_RUNTIME_DIR='\(folder.path)' exec \(analyzer) \(arguments) \(names) 2>&1")
  }
}

/// `timer --system`, and the units of the Debian package.
struct SystemServiceTests {
  private static let mounts = [
    "ProtectSystem=strict", "ProtectHome=read-only", "PrivateTmp=true", "ProtectControlGroups=true",
  ]
  /// What takes the rights of set-group-ID programs away, with User=, by systemd.exec(5).
  private static let withoutNewPrivileges = [
    "NoNewPrivileges", "LockPersonality", "MemoryDenyWriteExecute", "PrivateDevices",
    "ProtectClock",
    "ProtectHostname", "ProtectKernelLogs", "ProtectKernelModules", "ProtectKernelTunables",
    "RestrictAddressFamilies", "RestrictNamespaces", "RestrictRealtime", "RestrictSUIDSGID",
    "SystemCallArchitectures", "SystemCallFilter", "SystemCallLog", "DynamicUser",
  ]

  @Test func `It runs as its own user, with the settings and the schedule of the machine`()
    async throws
  {
    let desk = try Desk()
    let units = try await desk.printedUnits(["--system"] + desk.settings("stdout"))
    let lines = try #require(units.first).split(separator: "\n").map(String.init)
    #expect(units.count == 2)
    #expect(
      lines.contains {
        $0.hasPrefix("ExecStart=")
          && $0.hasSuffix(
            " check --time-zone UTC --state /var/lib/check-loans/schedule.sqlite --config "
              + "\(desk.folder.path)/config.toml")
      })
    for line in ["User=check-loans", "StateDirectory=check-loans", "StateDirectoryMode=0700"] {
      #expect(lines.contains(line))
    }
    #expect(units[1].contains("Persistent=true\nRandomizedDelaySec=5min\n"))
    // A failed run is tried again for an hour.
    for line in [
      "Restart=on-failure", "RestartSec=5min", "StartLimitIntervalSec=5h", "StartLimitBurst=13",
      "RestartPreventExitStatus=1 64 65 73 74 77 78",
    ] {
      #expect(lines.contains(line))
    }
  }

  @Test(
    .enabled(if: File.exists(analyzer), "the Debian package systemd is not installed"),
    arguments: [["stdout"], ["maildir:mail here"], ["mail"], ["none"]])
  func `It is strict where no channel needs rights of its own`(channels: [String]) async throws {
    let desk = try Desk()
    // Mail goes through msmtp, under the name that it has as a mail system.
    try desk.folder.write(program: "#!/bin/sh\n", to: "msmtp")
    try desk.folder.makeLink("sendmail", to: "msmtp")
    let options = try desk.settings(
      channels[0],
      more: "mail-program = [\"\(desk.folder.path)/sendmail\"]\naction = \"View=for watch\"")
    let units = try await desk.printedUnits(
      ["--system", "--output", "hall screen/loans.html"] + options)
    let service = units[0]
    #expect(service.contains("\n# Strict: "))
    for line in Self.mounts + ["CapabilityBoundingSet=", "PrivateUsers=true"] {
      #expect(service.contains("\n\(line)\n"))
    }
    let mail = channels[0].hasPrefix("maildir:") ? "\"-\(desk.folder.path)/mail here\" " : ""
    #expect(service.contains("ReadWritePaths=\(mail)\"-\(desk.folder.path)/hall screen\"\n"))
    let files = ["a.service": service, "a.timer": units[1]]
    let verified = try await desk.analyze("verify", files)
    #expect(verified.outcome == Outcome(0))
    let secured = try await desk.analyze(
      "security --offline=yes --threshold=15", ["a.service": service])
    #expect(secured.status == 0, "\(secured.text)")
  }

  @Test(
    .enabled(if: File.exists(analyzer), "the Debian package systemd is not installed"),
    arguments: [
      ("mail", "mail goes through /bin/true"),
      ("exec:/bin/true", "exec:/bin/true starts a program"),
      ("phone", "phone starts a program"),
    ])
  func `It is confined by mounts alone where a channel may need more`(
    channel: String, reason: String
  ) async throws {
    let desk = try Desk()
    let options = try desk.settings(
      "stdout", channel,
      more: "mail-program = [\"/bin/true\"]\n[[channel]]\nname = \"phone\"\nrun = [\"true\"]")
    let units = try await desk.printedUnits(["--system"] + options)
    #expect(units[0].contains("\n# Confined by mounts alone, since \(reason)"))
    for line in Self.mounts { #expect(units[0].contains("\n\(line)\n")) }
    #expect(units[0].contains(" -/var/spool/exim4 "))
    for setting in Self.withoutNewPrivileges {
      #expect(!units[0].contains("\n\(setting)="), "\(setting)")
    }
    #expect(
      try await desk.analyze("verify", ["a.service": units[0], "a.timer": units[1]]).outcome
        == Outcome(0))
  }

  @Test(arguments: [
    (["--state", "s.sqlite"], "the system's schedule is /var/lib/check-loans/schedule.sqlite"),
    (["--notify", "notify-send"], "notify-send needs a desktop session"),
    (["--buttons", "snooze"], "unknown option '--buttons'"),
    (["--now", "2026-12-01"], "--now would"),
  ])
  func `What the machine's run cannot do is refused`(
    arguments: [String], message: String
  ) async throws {
    let result = try await Desk().run(["timer", "--system", "books.xml"] + arguments)
    #expect(result.status == 64)
    #expect(result.errorText.contains(message))
  }

  @Test func `A variable that a channel needs is set where the service looks`() async throws {
    let desk = try Desk()
    let options = try desk.settings(
      "phone",
      more: "[[channel]]\nname = \"phone\"\nrun = [\"true\"]\nenvironment = [\"TOKEN\"]")
    let result = try await desk.run(["timer", "--system"] + options)
    #expect(result.errorText.contains("set it in /etc/check-loans/environment\n"))
    #expect(result.text.contains("\nEnvironmentFile=-/etc/check-loans/environment\n"))
  }

  @Test func `Without settings it says where they belong`() async throws {
    let result = try await Desk().run("timer", "--system", "--config", "none")
    #expect(result.status == 64)
    #expect(result.errorText.contains("into /etc/check-loans/config.toml\n"))
  }

  @Test func `Its user finds the settings and the schedule without an option`() throws {
    var environment = Environment(variables: ["HOME": "/var/lib/check-loans"], userID: 999)
    #expect(environment.standardSettingsFile == "/etc/check-loans/config.toml")
    #expect(try environment.standardStateFile() == "/var/lib/check-loans/schedule.sqlite")
    environment = Environment(variables: ["HOME": "/var/lib/other"], userID: 999)
    #expect(environment.standardSettingsFile == "/var/lib/other/.config/check-loans/config.toml")
  }

  @Test func `It is installed for the machine's systemd`() async throws {
    var desk = try Desk()
    try desk.folder.write(
      program: "#!/bin/sh\necho \"$*\" >> '\(desk.folder.path)/calls'\n", to: "systemctl")
    desk.environment["PATH"] = desk.folder.path
    let installer = UnitInstaller(
      isSystem: true, name: "check-loans", directory: "\(desk.folder.path)/system",
      environment: Environment(variables: desk.environment, userID: 0), console: Console())
    let units = TimerUnits(
      kind: .system, name: "check-loans", command: ["/check-loans"], confinement: .strict)
    try installer.install(units)
    try installer.uninstall()
    #expect(
      desk.folder.contents(of: "calls").split(separator: "\n") == [
        "daemon-reload", "enable check-loans.timer", "restart check-loans.timer",
        "disable --now check-loans.timer", "stop check-loans.service", "daemon-reload",
      ])
    #expect(
      units.contents.allSatisfy { $0.contains("with check-loans timer uninstall --system.\n") })
  }

  @Test(arguments: [(ServiceKind.system, ""), (.daily, ".user")])
  func `The units of the Debian package are those of the command, and wait for settings`(
    kind: ServiceKind, infix: String
  ) throws {
    let options = "--config \(SystemAccount.settingsFile) --state \(SystemAccount.schedule)"
    let command = "/usr/bin/check-loans check" + (kind == .system ? " \(options)" : "")
    let units = TimerUnits(
      kind: kind, name: "check-loans", command: command.split(separator: " ").map(String.init),
      time: try #require(CivilTime(secondOfDay: (7 * 60 + 30) * 60)),
      confinement: kind == .system ? .strict : .none)
    let settings = kind == .system ? SystemAccount.settingsFile : "%E/check-loans/config.toml"
    for (suffix, expected) in zip(["service", "timer"], units.contents) {
      let text = try File.text(
        of: "\(projectDirectory)/packaging/debian/check-loans\(infix).\(suffix)")
      let condition = "ConditionPathExists=\(settings)\n"
      #expect(text.contains(condition) == (suffix == "service"))
      let own = text.replacing(condition, with: "").replacing(/(?m)^#.*\n/, with: "")
      #expect(own == expected.replacing(/(?m)^#.*\n/, with: ""))
    }
  }
}

/// `timer watch`.
struct WatchServiceTests {
  @Test(.enabled(if: File.exists(analyzer), "the Debian package systemd is not installed"))
  func `It runs watch with its options, from the beginning of the session`() async throws {
    let desk = try Desk()
    let options = ["--remind", "2", "--state", "s.sqlite", "--verbose", "books.xml"]
    let units = try await desk.printedUnits(["watch"] + options)
    #expect(units.count == 1)
    let start = try #require(units[0].split(separator: "\n").first { $0.hasPrefix("ExecStart=") })
    let folder = desk.folder.path
    #expect(
      start.hasSuffix(
        "/check-loans watch --time-zone UTC --remind 2 --state \(folder)/s.sqlite --verbose "
          + "\(folder)/books.xml"))
    #expect(units[0].contains("\nRestart=on-failure\n"))
    #expect(units[0].contains("\nNoNewPrivileges=true\n"))
    #expect(units[0].hasSuffix("\n[Install]\nWantedBy=default.target\n"))
    #expect(try await desk.analyze("verify --user", ["a.service": units[0]]).outcome == Outcome(0))
  }

  @Test(.enabled(if: File.exists(analyzer), "the Debian package systemd is not installed"))
  func `With notifications it begins and ends with the desktop`() async throws {
    let desk = try Desk()
    let units = try await desk.printedUnits([
      "watch", "--notify", "notify-send", "--action", "View=xdg-open loans", "--buttons",
      "snooze", "books.xml",
    ])
    #expect(
      units[0].contains(
        " --notify notify-send --action \"View=xdg-open loans\" --buttons snooze "))
    #expect(units[0].contains("\nPartOf=graphical-session.target\n"))
    #expect(units[0].hasSuffix("\nWantedBy=graphical-session.target\n"))
    #expect(!units[0].contains("NoNewPrivileges"), "the action may start anything")
    #expect(try await desk.analyze("verify --user", ["a.service": units[0]]).outcome == Outcome(0))
  }

  @Test(arguments: [
    (["--all"], "unknown option '--all'"),
    (["--daily-at", "08:00"], "watch runs all day; leave out --daily-at"),
    (["--system"], "watch belongs to a user's session"),
  ])
  func `Options that watch lacks are refused`(arguments: [String], message: String) async throws {
    let result = try await Desk().run(["timer", "watch", "books.xml"] + arguments)
    #expect(result.status == 64)
    #expect(result.errorText.contains(message))
  }

  @Test func `It is installed and removed beside the daily run`() async throws {
    var desk = try Desk()
    try desk.folder.write(
      program: "#!/bin/sh\necho \"$*\" >> '\(desk.folder.path)/calls'\n", to: "systemctl")
    desk.environment["PATH"] = desk.folder.path
    let directory = "\(desk.folder.path)/.config/systemd/user"
    try await desk.run("timer", "install", "--notify", "stdout", "books.xml")
    try desk.folder.remove("calls")
    let result = try await desk.run("timer", "install", "watch", "books.xml")
    #expect(
      result.errorText
        == "check-loans: installed check-loans-watch.service; "
        + "see systemctl --user status check-loans-watch.service\n")
    #expect(
      try File.names(in: directory).sorted()
        == ["check-loans-watch.service", "check-loans.service", "check-loans.timer"])
    let removed = try await desk.run("timer", "uninstall", "--name", "check-loans-watch")
    #expect(removed.errorText == "check-loans: removed check-loans-watch.service\n")
    #expect(
      try File.names(in: directory).sorted() == ["check-loans.service", "check-loans.timer"])
    #expect(
      desk.folder.contents(of: "calls").split(separator: "\n") == [
        "--user daemon-reload", "--user enable check-loans-watch.service",
        "--user restart check-loans-watch.service",
        "--user disable --now check-loans-watch.service", "--user daemon-reload",
      ])
  }
}
