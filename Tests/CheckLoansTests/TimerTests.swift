import Loans
import System
import TestSupport
import Testing

@testable import CheckLoans
@testable import CommandOutput
@testable import Settings

extension Desk {
  /// The units that the command prints.
  fileprivate func units(
    _ arguments: [String], variables: [String: String] = [:]
  ) async throws -> (service: [String], timer: [String]) {
    let result = try await run(["timer"] + arguments, variables: variables)
    try #require(result.status == 0, "\(result.errorText)")
    let lines = result.text.split(separator: "\n", omittingEmptySubsequences: false)
      .map(String.init)
    let heads = lines.indices.filter { lines[$0].hasPrefix("# /") }
    try #require(heads.count == 2)
    return (Array(lines[1..<heads[1] - 1]), Array(lines[(heads[1] + 1)...]))
  }
}

extension Command {
  /// The command's path as the system knows it, without links.
  fileprivate static let checkLoansItself: String = {
    File.realPath(of: checkLoans)
  }()
}

/// What `check-loans timer` prints.
struct TimerTests {
  private static let analyzer = "/usr/bin/systemd-analyze"

  /// What systemd itself says about the units.
  private func verify(_ desk: Desk, _ service: [String], _ timer: [String]) async throws
    -> CommandResult
  {
    try desk.folder.makeDirectory("units")
    try desk.folder.makeDirectory("run")
    try desk.folder.write(service.joined(separator: "\n"), to: "units/check-loans.service")
    try desk.folder.write(timer.joined(separator: "\n"), to: "units/check-loans.timer")
    let units = ["service", "timer"].map { "\(desk.folder.path)/units/check-loans.\($0)" }
    return try await Command(
      Self.analyzer, ["verify", "--user"] + units,
      environment: [
        "PATH": "/usr/bin:/bin", "HOME": desk.folder.path,
        "XDG_RUNTIME_DIR": "\(desk.folder.path)/run",
      ], directory: desk.folder.path
    ).run()
  }

  @Test func `TZ is not put above the time zone of a table`() async throws {
    let desk = try Desk()
    try desk.writeSettings("[[catalogue]]\npath = \"../../books.xml\"\ntime-zone = \"UTC\"\n")
    let result = try await desk.run("timer", variables: ["TZ": "Europe/Berlin"])
    #expect(result.status == 78)
    #expect(
      result.errorText.contains(
        "config.toml:3; write time-zone = \"Europe/Berlin\" before the first [[catalogue]]\n"))
  }

  @Test func `The units run check with the given options, catalogues by their whole path`()
    async throws
  {
    let desk = try Desk()
    let (service, timer) = try await desk.units(
      [
        "books.xml", "--notify", "stdout", "--remind", "2", "-q", "--time-zone",
        "Europe/Budapest", "--daily-at", "18:05", "--state", "s.sqlite", "--config", "none",
      ])
    let folder = desk.folder.path
    #expect(
      service == [
        "# Written by check-loans timer, which may replace it; remove it with check-loans timer "
          + "uninstall.", "[Unit]", "Description=Remind people to bring library books back on time",
        "", "[Service]", "Type=oneshot",
        "ExecStart=\(Command.checkLoansItself) check \(folder)/books.xml --notify stdout "
          + "--remind 2 --quiet --time-zone Europe/Budapest --state \(folder)/s.sqlite "
          + "--config none", "TimeoutStartSec=15min", "UMask=0077", "NoNewPrivileges=true",
        "LockPersonality=true", "RestrictRealtime=true", "RestrictSUIDSGID=true",
        "SystemCallArchitectures=native",
      ])
    #expect(timer.contains("OnCalendar=*-*-* 18:05:00 Europe/Budapest"))
    #expect(timer.contains("Persistent=true"))
    #expect(timer.contains("WantedBy=timers.target"))
    #expect(try File.names(in: folder) == ["books.xml"], "nothing was done")
  }

  @Test func `A program that others than root can replace is not for the whole machine`() throws {
    #expect(FileSystem.pathOthersCanWrite(above: "/usr/bin/env") == nil)
    let folder = try ScratchFolder()
    try folder.write(program: "#!/bin/sh\n", to: "check-loans")
    // Where all can make files, as in /tmp, somebody else can be faster.
    let found = FileSystem.pathOthersCanWrite(above: "\(folder.path)/check-loans")
    #expect(found != nil)
    #expect("\(folder.path)/check-loans".hasPrefix(found ?? "?"))
    #expect(FileSystem.pathOthersCanWrite(above: "/nonexistent/check-loans") != nil)
  }

  @Test(.enabled(if: File.exists(analyzer), "the Debian package systemd is not installed"))
  func `A run for the desktop belongs to it, and is tried again where it came too early`()
    async throws
  {
    let desk = try Desk()
    let (service, timer) = try await desk.units(
      ["books.xml", "--notify", "stdout", "--notify", "notify-send"])
    let lines = [
      "PartOf=graphical-session.target", "After=graphical-session.target", "Restart=on-failure",
      "RestartSec=1min", "StartLimitIntervalSec=2h", "StartLimitBurst=60",
      "RestartPreventExitStatus=1 64 65 73 74 77 78",
    ]
    #expect(lines.filter { !service.contains($0) } == [])
    #expect(try await verify(desk, service, timer).outcome == Outcome(0))
    let (other, _) = try await desk.units(["books.xml", "--notify", "stdout"])
    #expect(!other.contains { $0.hasPrefix("Restart") })
    #expect(!other.contains { $0.contains("graphical") || $0.contains("Limit") })
  }

  @Test func `The form of a report in a file is kept, beside notices on standard output`()
    async throws
  {
    let desk = try Desk()
    let options = ["--notify", "stdout", "--format", "csv", "--output", "loans.csv", "books.xml"]
    let (service, _) = try await desk.units(options)
    #expect(
      service.contains { $0.contains("--notify stdout --format csv --output \(desk.folder.path)/") }
    )
    try desk.folder.write("format = \"csv\"\n", to: "config.toml")
    try await desk.run(
      "--config", "config.toml", "--notify", "stdout", "--output", "loans.csv", "books.xml")
    #expect(desk.folder.contents(of: "loans.csv").hasPrefix("catalogue,line,"))
  }

  @Test(.enabled(if: File.exists(analyzer), "the Debian package systemd is not installed"))
  func `systemd takes the units, whatever is in the arguments`() async throws {
    var desk = try Desk()
    let program = "\(desk.folder.path)/ö %h $HOME #;"
    try desk.folder.makeDirectory("ö %h $HOME #;")
    _ = try await desk.shell("cp -L \"$0\" '\(program)/check-loans'")
    let names = [
      "two words", "100%.xml", "%h.xml", "$HOME", "${HOME}", "it's", "a\"b", "back\\slash", ";",
      "#", "é", "-x", "a\nb\u{1}", "",
    ]
    desk.environment["TZ"] = nil
    var command = desk.command(
      ["timer", "--notify", "stdout", "--time-zone", "Europe/Budapest", "--"]
        + names.dropLast())
    command.program = "\(program)/check-loans"
    let lines = try await command.run().text
      .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let second = try #require(lines.lastIndex { $0.hasPrefix("# /") })
    let (service, timer) = (Array(lines[1..<second - 1]), Array(lines[(second + 1)...]))
    let result = try await verify(desk, service, timer)
    #expect(result.outcome == Outcome(0))
    let start = try #require(service.first { $0.hasPrefix("ExecStart=") })
    #expect(start.contains("\"\(desk.folder.path)/ö %%h $HOME #;/check-loans\" check"))
    for word in [
      "two words\"", "/100%%.xml", "/%%h.xml", "/$$HOME ", "/$${HOME} ", "it's\"", "a\\\"b\"",
      "back\\\\slash\"", "/;\"", "/#\"", "/é ", "/a\\U0000000ab\\U00000001\"",
    ] { #expect(start.contains(word)) }
  }

  @Test(
    .enabled(if: File.exists(analyzer), "the Debian package systemd is not installed"),
    arguments: [
      ("Europe/Budapest", "*-*-* 07:30:00 Europe/Budapest"), ("UTC", "*-*-* 07:30:00 UTC"),
      ("Etc/GMT+5", "*-*-* 07:30:00 Etc/GMT+5"), (":Asia/Tokyo", "*-*-* 07:30:00 Asia/Tokyo"),
      ("/usr/share/zoneinfo/Asia/Tokyo", "*-*-* 07:30:00 Asia/Tokyo"),
      ("CET-1CEST,M3.5.0,M10.5.0/3", "*-*-* 07:30:00"),
    ])
  func `The time is of the library's zone, where systemd knows it`(
    zone: String, calendar: String
  ) async throws {
    let desk = try Desk()
    let (_, timer) = try await desk.units(["books.xml", "--time-zone", zone])
    #expect(timer.contains("OnCalendar=\(calendar)"))
    let result = try await Command(
      Self.analyzer, ["calendar", calendar], environment: ["PATH": "/usr/bin:/bin"],
      directory: desk.folder.path
    ).run()
    #expect(result.status == 0)
  }

  @Test func `What the shell sets and systemd does not is given, or told`() async throws {
    let desk = try Desk()
    let variables = [
      "XDG_STATE_HOME": "\(desk.folder.path)/elsewhere", "CHECK_LOANS_REMIND": "3",
      "TZ": "Asia/Tokyo",
    ]
    let result = try await desk.run(
      "timer", "books.xml", "--notify", "stdout", variables: variables)
    #expect(
      result.text.contains("--state \(desk.folder.path)/elsewhere/check-loans/schedule.sqlite"))
    #expect(result.text.contains("--time-zone Asia/Tokyo"))
    #expect(
      result.errorText
        == """
        check-loans: the daily run will not know CHECK_LOANS_REMIND, which is set here; set it in a file \
        of ~/.config/environment.d

        """)
  }

  @Test func `A variable that a channel needs must be where the daily run finds it`()
    async throws
  {
    let desk = try Desk()
    try desk.writeSettings(
      "[[channel]]\nname = \"phone\"\nrun = [\"./tell\"]\nenvironment = [\"TOKEN\"]\n")
    let result = try await desk.run("timer", "books.xml", "--notify", "phone")
    #expect(
      result.errorText
        == "check-loans: the daily run will not know TOKEN, which is set here; set it in a file of "
        + "~/.config/environment.d\n")
    let other = try await desk.run("timer", "books.xml", "--notify", "stdout")
    #expect(!other.errorText.contains("TOKEN"))
  }

  @Test func `A program of the user's may gain privileges, mail systems need it`() async throws {
    let desk = try Desk()
    let (service, _) = try await desk.units(["books.xml", "--notify", "exec:./tell"])
    #expect(service.contains { $0.hasSuffix("--notify exec:\(desk.folder.path)/tell") })
    #expect(!service.contains("NoNewPrivileges=true"))
    #expect(service.contains("UMask=0077"))
  }

  @Test func `With a settings file the units name no catalogue`() async throws {
    let desk = try Desk()
    try desk.writeSettings("catalogues = [\"../../books.xml\"]\nnotify = [\"stdout\"]")
    let (service, _) = try await desk.units(
      ["--state", "/s.sqlite"], variables: ["TZ": "UTC"])
    #expect(
      service.contains(
        "ExecStart=\(Command.checkLoansItself) check --time-zone UTC --state /s.sqlite"))
  }

  @Test func `A table's time of day after the daily run is told, and a zone that may be wrong`()
    async throws
  {
    var desk = try Desk()
    desk.environment["TZ"] = nil
    try desk.writeSettings(
      "[[catalogue]]\npath = \"../../books.xml\"\nat = \"09:00\"\ntime-zone = \"UTC+5\"\n")
    let result = try await desk.run("timer", "--notify", "stdout", "--state", "s.sqlite")
    #expect(
      result.errorLines.map { $0.prefix(50) } == [
        "check-loans: the time zone UTC+5 is 5 hours behind",
        "check-loans: reminders wait for 09:00, after the d",
      ])
  }

  @Test func `A catalogue that is not there is told`() async throws {
    let result = try await Desk().run("timer", "--notify", "stdout", "boks.xml")
    #expect(
      result.errorText
        == "check-loans: boks.xml: there is no such file yet, and the daily run needs it\n")
    #expect(result.status == 0)
  }

  @Test(arguments: [
    ["--nonsense", "books.xml"], ["--name", "a/b", "books.xml"],
    ["--name", "", "books.xml"], ["--daily-at", "7", "books.xml"], ["-"],
    ["--dry-run", "books.xml"],
    ["--time-zone", "Nowhere", "books.xml"],
  ])
  func `What cannot be is refused`(arguments: [String]) async throws {
    let desk = try Desk()
    let status = try await desk.run(["timer"] + arguments).status
    #expect(status == (arguments.contains("Nowhere") ? 78 : 64))
  }
}

/// `timer install` and `uninstall`.
struct TimerInstallTests {
  private static let directory = ".config/systemd/user"
  private static let marker =
    "# Written by check-loans timer, which may replace it; remove it with check-loans timer"

  /// A desk with a systemctl that notes its arguments, and fails when told so.
  private func desk(failing: String = "") throws -> Desk {
    var desk = try Desk()
    try desk.folder.write(
      program: """
        #!/bin/sh
        echo "$*" >> "\(desk.folder.path)/calls"
        case "$*" in "\(failing)") echo "Failed to connect to bus" >&2; exit 1;; esac
        """, to: "systemctl")
    desk.environment["PATH"] = "\(desk.folder.path):/usr/bin:/bin"
    return desk
  }

  private func calls(_ desk: Desk) -> [String] {
    desk.folder.contents(of: "calls").split(separator: "\n").map(String.init)
  }

  @Test func `A mistyped action is not taken for a catalogue`() async throws {
    let desk = try Desk()
    let words =
      "check-loans: there is no action or file \"instal\"; did you mean check-loans timer install?\n"
    #expect(
      try await desk.run("timer", "instal", "--notify", "stdout", "books.xml").outcome
        == Outcome(64, errors: words))
    try desk.folder.write("<books/>", to: "instal")
    #expect(try await desk.run("timer", "instal", "--notify", "stdout").status == 0)
  }

  @Test func `It shows, writes and starts the units, and removes them again`() async throws {
    let desk = try desk()
    let arguments = ["books.xml", "--notify", "stdout"]
    let shown = try await desk.run(["timer"] + arguments)
    #expect(!desk.folder.contains(".config"))
    let result = try await desk.run(["timer", "install"] + arguments)
    #expect(
      result.outcome
        == Outcome(
          0, output: shown.text,
          errors:
            """
            check-loans: installed check-loans.timer; try it now: systemctl --user start \
            check-loans.service

            """))
    #expect(
      calls(desk) == [
        "--user daemon-reload", "--user enable check-loans.timer",
        "--user restart check-loans.timer",
      ])
    let names = ["check-loans.service", "check-loans.timer"]
    #expect(try File.names(in: "\(desk.folder.path)/\(Self.directory)") == names)
    for name in names {
      #expect(try desk.folder.status(of: "\(Self.directory)/\(name)").mode == 0o644)
      let text = desk.folder.contents(of: "\(Self.directory)/\(name)")
      #expect(text.hasPrefix(Self.marker))
      #expect(shown.text.contains(text))
    }
    #expect(
      try await desk.run(["timer", "install", "--daily-at", "09:00"] + arguments).status == 0)
    #expect(
      desk.folder.contents(of: "\(Self.directory)/check-loans.timer").contains("09:00:00"))

    try desk.folder.remove("calls")
    let removed = try await desk.run("timer", "uninstall")
    #expect(
      removed.outcome
        == Outcome(0, errors: "check-loans: removed check-loans.timer and its service\n"))
    #expect(
      calls(desk) == [
        "--user disable --now check-loans.timer", "--user stop check-loans.service",
        "--user daemon-reload",
      ])
    #expect(try File.names(in: "\(desk.folder.path)/\(Self.directory)") == [])
    #expect(try await desk.run("timer", "uninstall").status == 0, "there is nothing left to do")
  }

  @Test func `Of two services, the one that is named is removed`() async throws {
    let desk = try desk()
    let arguments = ["--notify", "stdout", "books.xml"]
    try await desk.run(["timer", "install"] + arguments)
    try await desk.run(["timer", "install", "watch"] + arguments)
    try desk.folder.remove("calls")
    for words in [["--dry-run"], ["--nmae", "town"], ["books.xml"], ["town"], ["watch", "now"]] {
      let result = try await desk.run(["timer", "uninstall"] + words)
      #expect(
        result.ends(64, saying: "uninstall takes only watch, --name and --system"), "\(words)")
    }
    #expect(!desk.folder.contains("calls"))
    let result = try await desk.run("timer", "uninstall", "watch")
    #expect(
      result.outcome == Outcome(0, errors: "check-loans: removed check-loans-watch.service\n"))
    let names = ["check-loans.service", "check-loans.timer"]
    #expect(try File.names(in: "\(desk.folder.path)/\(Self.directory)") == names)
  }

  @Test func `To show a timer makes no secret, and leaves the arguments of a program`() async throws
  {
    let desk = try desk()
    try await desk.run("books.xml")
    let before = try desk.contents()
    let result = try await desk.run(
      "timer", "--notify", "mail", "--mail-from", "desk@example.org", "--mail-unsubscribe",
      "https://example.org/stop?{token}", "--mail-program", "./msmtp", "--mail-program",
      "-C/etc/msmtprc", "books.xml")
    #expect(result.status == 0)
    let words = "--mail-program \(desk.folder.path)/msmtp --mail-program -C/etc/msmtprc "
    #expect(result.text.contains(words))
    #expect(try desk.contents() == before)
  }

  @Test func `What would end each start of a service is refused`() async throws {
    let desk = try Desk()
    let result = try await desk.run("timer", "watch", "--state", "none", "books.xml")
    #expect(result.ends(64, saying: "this needs a schedule"))
    let late = try await desk.run("timer", "watch", "uninstall")
    #expect(late.ends(64, saying: "uninstall comes first: check-loans timer uninstall"))
    let system = try await desk.run(
      ["timer", "--notify", "stdout", "books.xml"], variables: ["TZ": ":/etc/localtime"])
    #expect(system.errorText == "")
  }

  @Test func `What systemd would take for something else is said or refused`() async throws {
    let desk = try Desk()
    let zone = ["--time-zone", "CET-1CEST,M3.5.0,M10.5.0/3"]
    let shown = try await desk.run(["timer", "--notify", "stdout", "books.xml"] + zone)
    #expect(shown.errorText.contains("starts the run at 07:30 in the system's"))
    let maildir = ["--notify", "maildir:/srv/a\tb", "--mail-from", "a@example.org"]
    let system = try await desk.run(["timer", "--system", "books.xml"] + maildir)
    #expect(system.ends(64, saying: "no path with control characters"))
  }

  @Test func `It is removed in spite of mistakes in the settings`() async throws {
    let desk = try desk()
    try await desk.run("timer", "install", "books.xml", "--notify", "stdout")
    try desk.folder.makeDirectory(".config/check-loans")
    try desk.writeSettings("nonsense = [")
    #expect(try await desk.run("timer", "uninstall").status == 0)
    #expect(try File.names(in: "\(desk.folder.path)/\(Self.directory)") == [])
  }

  @Test func `Several timers have several names`() async throws {
    let desk = try desk()
    for name in ["town", "school"] {
      try await desk.run("timer", "install", "--name", name, "books.xml")
    }
    try await desk.run("timer", "uninstall", "--name", "town")
    #expect(
      try File.names(in: "\(desk.folder.path)/\(Self.directory)")
        == ["school.service", "school.timer"])
    #expect(
      desk.folder.contents(of: "\(Self.directory)/school.timer")
        .hasPrefix("\(Self.marker) uninstall --name school."))
  }

  @Test(arguments: ["file", "link", "directory"])
  func `A file of somebody else's stays as it is`(kind: String) async throws {
    let desk = try desk()
    for directory in [".config", ".config/systemd", Self.directory] {
      try desk.folder.makeDirectory(directory)
    }
    let name = "\(Self.directory)/check-loans.timer"
    switch kind {
    case "file": try desk.folder.write("[Timer]\n", to: name)
    case "link": try desk.folder.makeLink(name, to: "\(desk.folder.path)/target")
    default: try desk.folder.makeDirectory(name)
    }
    for arguments in [["install", "books.xml"], ["uninstall"]] {
      let result = try await desk.run(["timer"] + arguments)
      #expect(result.status == 73)
      #expect(result.errorLines.last?.hasSuffix("move it away, or choose another --name") == true)
    }
    #expect(try File.names(in: "\(desk.folder.path)/\(Self.directory)") == ["check-loans.timer"])
    #expect(!desk.folder.contains("target"))
    #expect(calls(desk) == [])
    if kind == "file" { #expect(desk.folder.contents(of: name) == "[Timer]\n") }
  }

  @Test func `69 is a system without systemd, where nothing is written`() async throws {
    var desk = try Desk()
    desk.environment["PATH"] = "/nonexistent"
    let result = try await desk.run("timer", "install", "books.xml", "--notify", "stdout")
    #expect(result.status == 69)
    #expect(
      result.errorText == """
        check-loans: systemctl was not found, and nothing was changed; without systemd, use crontab -e

        """)
    #expect(!desk.folder.contains(".config"))
  }

  @Test func `69 is a systemd that does not answer`() async throws {
    let desk = try desk(failing: "--user daemon-reload")
    let result = try await desk.run("timer", "install", "books.xml", "--notify", "stdout")
    #expect(result.status == 69)
    let units = "\(desk.folder.path)/\(Self.directory)/check-loans"
    #expect(
      result.errorText == """
        check-loans: systemctl --user daemon-reload failed with exit status 1: Failed to connect to \
        bus; run this again in a login session of the user who owns the timer, not with su or sudo; \
        \(units).service and \(units).timer remain until check-loans timer uninstall

        """)
  }

  @Test(arguments: ["--user disable --now check-loans.timer", "--user daemon-reload", ""])
  func `The units are removed even if systemd does not answer, or is not there`(
    call: String
  ) async throws {
    var desk = try desk()
    #expect(
      try await desk.run("timer", "install", "books.xml", "--notify", "stdout").status == 0)
    if call.isEmpty {
      desk.environment["PATH"] = "/nonexistent"
    } else {
      try desk.folder.write(
        program: "#!/bin/sh\ncase \"$*\" in \"\(call)\") exit 1;; esac\n", to: "systemctl")
    }
    let result = try await desk.run("timer", "uninstall")
    #expect(result.status == 69)
    #expect(try File.names(in: "\(desk.folder.path)/\(Self.directory)") == [])
    #expect(result.errorLines.first == "check-loans: removed check-loans.timer and its service")
    let failure = call.isEmpty ? "was not found" : "\(call) failed with exit status 1"
    #expect(result.errorLines.last?.hasPrefix("check-loans: systemctl \(failure); ") == true)
  }

  private static let units = TimerUnits(
    name: "check-loans", command: ["/check-loans"], time: .midnight, zone: nil,
    confinement: .user)

  /// An installer with a systemctl that does not end at one of its calls, nor what it has started.
  private func installer(_ desk: Desk, hangingAt call: String) throws -> UnitInstaller {
    let path = desk.folder.path
    try desk.folder.write(
      program: """
        #!/bin/sh
        export DESK="\(path)"
        echo "$*" >> "$DESK/calls"
        trap '' TERM
        case "$*" in "\(call)") sleep 60 & sleep 60;; esac
        """, to: "systemctl")
    let environment = Environment(
      variables: ["PATH": "\(path):/usr/bin:/bin"], userID: 1_000)
    return UnitInstaller(
      name: "check-loans", directory: "\(path)/\(Self.directory)", environment: environment,
      console: Console(), timeout: .seconds(1))
  }

  @Test func `69 is a systemd that never answers, which is not waited for`() async throws {
    let desk = try Desk()
    let units = "\(desk.folder.path)/\(Self.directory)/check-loans"
    let installer = try installer(desk, hangingAt: "--user enable check-loans.timer")
    let start = ContinuousClock.now
    let error = #expect(throws: CommandError.self) { try installer.install(Self.units) }
    #expect(ContinuousClock.now - start < .seconds(30))
    #expect(error?.status == .unavailable)
    #expect(
      error?.message?.hasPrefix(
        """
        systemctl --user enable check-loans.timer did not finish within 1 s; see in systemctl \
        --user list-jobs what keeps systemd busy, or log in again, and run this again; \
        \(units).service and 
        """) == true)
    try await desk.expectNothingRunning()
    // Another test's may just have ended.
    for _ in 0..<100 where !Processes.zombies(named: "systemctl").isEmpty {
      try await Task.sleep(for: .milliseconds(50))
    }
    #expect(Processes.zombies(named: "systemctl") == [])
  }

  @Test func `The units are removed even if systemd never answers`() async throws {
    let desk = try Desk()
    let hanging = "--user disable --now check-loans.timer"
    let installer = try installer(desk, hangingAt: hanging)
    try installer.install(Self.units)
    try desk.folder.remove("calls")
    let error = #expect(throws: CommandError.self) { try installer.uninstall() }
    #expect(
      error?.message == """
        systemctl \(hanging) did not finish within 1 s; check-loans.timer may run until the user logs \
        out or systemctl --user stop check-loans.timer
        """)
    #expect(try File.names(in: "\(desk.folder.path)/\(Self.directory)") == [])
    #expect(calls(desk) == [hanging], "it is not asked again")
    try await desk.expectNothingRunning()
  }

  // Within the five seconds that systemctl has.
  @Test(
    .ownThread,
    arguments: [(Signal.interrupt, 2), (.terminate, 15), (.hangUp, 1)] as [(Signal, Int32)])
  func `A signal ends systemctl too`(signal: Signal, number: Int32) async throws {
    var desk = try desk()
    _ = try installer(desk, hangingAt: "--user daemon-reload")
    desk.environment["PATH"] = "\(desk.folder.path):/usr/bin:/bin"
    let run = try RunningCommand(
      desk.command(["timer", "install", "books.xml", "--notify", "stdout"]))
    let start = ContinuousClock.now
    while !desk.folder.contains("calls"), ContinuousClock.now < start + .seconds(30) {
      try await Task.sleep(for: .milliseconds(10))
    }
    run.send(signal)
    #expect(try await run.end().ending == .signaled(number))
    try await desk.expectNothingRunning()
  }

  @Test func `A directory that cannot be written is told`() async throws {
    let desk = try desk()
    try desk.folder.write("", to: ".config")
    let result = try await desk.run("timer", "install", "books.xml", "--notify", "stdout")
    #expect(result.status == 73)
    #expect(result.errorText.contains("not a directory"))
  }
}
