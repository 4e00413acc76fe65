import TestSupport
import Testing

/// `--notify notify-send` with the real notify-send on a private session bus.
@Suite(
  .enabled(
    if: DesktopSession.isAvailable,
    "needs dbus-daemon, libglib2.0-bin, libnotify-bin and python3-dbusmock"))
struct DesktopTests {
  private typealias Notification = DesktopSession.Notification

  private func desk(on session: DesktopSession, catalogue: String? = nil) throws -> Desk {
    var desk = try Desk(catalogue: catalogue)
    desk.environment["DBUS_SESSION_BUS_ADDRESS"] =
      session.environment["DBUS_SESSION_BUS_ADDRESS"]
    return desk
  }

  private func notify(_ desk: Desk, _ variables: [String: String] = [:]) async throws
    -> CommandResult
  {
    try await desk.run("--notify", "notify-send", "books.xml", variables: variables)
  }

  @Test func `One loan is one notification`() async throws {
    let session = try await DesktopSession(.recording)
    let desk = try desk(on: session, catalogue: catalogue(("Abigél", "2026.11.22")))
    #expect(try await notify(desk).outcome == Outcome(0))
    #expect(try await notify(desk).outcome == Outcome(0))
    #expect(
      try await session.notifications() == [
        Notification(
          appName: "Check Loans", summary: "“Abigél” is due tomorrow",
          body: "Return or renew it by 22 November 2026.", urgency: 1,
          category: "x-check-loans.loan.due")
      ])
    #expect(try await desk.schedule().map(\.state) == ["delivered"])
  }

  @Test func `Five loans are five notifications, the longest overdue first`() async throws {
    let session = try await DesktopSession(.recording)
    let desk = try desk(on: session)
    try desk.edit("<expiration>2026.11.22</expiration>", to: "")
    #expect(try await notify(desk).outcome == Outcome(0))
    let notifications = try await session.notifications()
    #expect(
      notifications.map(\.summary) == [
        "“Szent Péter esernyője” is 417 days overdue", "“Frankenstein” is 267 days overdue",
        "“A Room of One's Own” is 47 days overdue", "“Egri csillagok” is 7 days overdue",
        "“Az arany ember” is due today",
      ])
    #expect(notifications.map(\.urgency) == [2, 2, 2, 2, 1])
    let categories = notifications.map { $0.category ?? "" }
    #expect(
      categories == [
        "x-check-loans.loan.expired", "x-check-loans.loan.expired", "x-check-loans.loan.expired",
        "x-check-loans.loan.expired", "x-check-loans.loan.due",
      ])
    #expect(
      notifications.dropLast().last?.body
        == "It was due on 14 November 2026: return or renew it now.")
  }

  @Test func `Six loans are one digest`() async throws {
    let session = try await DesktopSession(.recording)
    let desk = try desk(on: session)
    #expect(try await notify(desk).outcome == Outcome(0))
    #expect(
      try await session.notifications() == [
        Notification(
          appName: "Check Loans",
          summary: "6 books to return: 4 overdue, 2 due soon",
          body: """
            “Szent Péter esernyője” is 417 days overdue
            “Frankenstein” is 267 days overdue
            “A Room of One's Own” is 47 days overdue
            “Egri csillagok” is 7 days overdue
            “Az arany ember” is due today
            and 1 more
            Run check-loans schedule list for all of them.
            """, urgency: 2, category: "x-check-loans.loan.expired")
      ])
    #expect(try await notify(desk).outcome == Outcome(0))
    #expect(try await session.notifications().count == 1, "all six were delivered")
  }

  @Test func `Titles arrive as written, but for what could steer`() async throws {
    let titles = [
      ("-u critical", "-u critical"), ("--help", "--help"),
      ("<b>bold</b> & Co", "<b>bold</b> & Co"),
      (#"C:\new\101\377 ends in \"#, #"C:\new\101\377 ends in \"#),
      ("line\nbreak\r\n\tand tab", "line break and tab"), ("\u{9B}31m\u{202E}kcab", "31mkcab"),
      ("$(touch x); `touch x` %s %n", "$(touch x); `touch x` %s %n"),
      ("x".repeated(200_000), "x".repeated(200) + "…"),
    ]
    let session = try await DesktopSession(.recording)
    for (title, _) in titles {
      let desk = try desk(on: session, catalogue: catalogue((title, "2026.11.22")))
      #expect(try await notify(desk).outcome == Outcome(0))
      #expect(!desk.folder.contains("x"))
    }
    let notifications = try await session.notifications()
    #expect(notifications.map(\.summary) == titles.map { "“\($0.1)” is due tomorrow" })
    #expect(Set(notifications.map(\.urgency)) == [1])
    #expect(Set(notifications.map(\.body)) == ["Return or renew it by 22 November 2026."])
  }

  @Test func `Titles in a digest are not taken for markup`() async throws {
    let session = try await DesktopSession(.recording)
    let titles = [
      "<b>bold</b>", "Salt & Pepper", #"C:\new\101"#, "-u low", #"ends in \"#, "last",
    ]
    let desk = try desk(
      on: session, catalogue: catalogue(titles.map { ($0, "2026.11.22") }))
    #expect(try await notify(desk).outcome == Outcome(0))
    let body = #"""
      “&lt;b&gt;bold&lt;/b&gt;” is due tomorrow
      “Salt &amp; Pepper” is due tomorrow
      “C:\new\101” is due tomorrow
      “-u low” is due tomorrow
      “ends in \” is due tomorrow
      and 1 more
      Run check-loans schedule list for all of them.
      """#
    #expect(try await session.notifications().map(\.body) == [body])
  }

  @Test func `Two channels are independent of each other`() async throws {
    let session = try await DesktopSession(.recording)
    let desk = try desk(on: session, catalogue: catalogue(("Abigél", "2026.11.22")))
    let line = "\"Abigél\" expires tomorrow (2026.11.22)\n"
    #expect(
      try await desk.run("--notify", "stdout", "books.xml").outcome == Outcome(0, output: line))
    let both = try await desk.run(
      "--notify", "notify-send", "--notify", "stdout", "--notify", "stdout", "books.xml")
    #expect(both.outcome == Outcome(0), "stdout has had it")
    #expect(try await session.notifications().count == 1)
    let list = try JSON(parsing: await desk.run("schedule", "list", "--format", "json").text)
    #expect(
      list.reminders[0].deliveries.elements.map(\.channel) == ["notify-send", "stdout"])
    #expect(list.reminders[0].state == "delivered")
  }

  @Test func `A report as JSON and notifications go together`() async throws {
    let session = try await DesktopSession(.recording)
    let desk = try desk(on: session, catalogue: catalogue(("Abigél", "2026.11.22")))
    let result = try await desk.run("--format", "json", "--notify", "notify-send", "books.xml")
    #expect(result.status == 0)
    #expect(try JSON(parsing: result.text).loans.elements.count == 1)
    #expect(try await session.notifications().count == 1)
  }

  /// Runs where `failing` is the environment, and then with a working service.
  private func expectRetry(
    _ failing: [String: String], fails: String, attempts: Int = 1
  ) async throws {
    let session = try await DesktopSession(.recording)
    let desk = try desk(on: session, catalogue: catalogue(("Abigél", "2026.11.22")))
    let failed = try await notify(desk, failing)
    #expect(failed.status == 69)
    #expect(failed.text == "")
    #expect(failed.errorLines.count == 1)
    #expect(failed.errorText.hasPrefix("check-loans: \(fails)"))
    #expect(failed.errorText.hasSuffix("; 1 notice stays pending\n"))
    #expect(try await desk.pending() == ["Abigél"])
    let list = try JSON(parsing: await desk.run("schedule", "list", "--format", "json").text)
    let delivery = list.reminders[0].deliveries[0]
    #expect(delivery.state == "failed")
    #expect(delivery.attempts == .int(attempts))
    #expect(delivery.error.text?.hasPrefix(fails) == true)
    // The channel is named once.
    let words =
      fails.hasPrefix("notify-send ") ? "it\(fails.dropFirst("notify-send".count))" : fails
    #expect(try await desk.run("schedule", "list").text.contains("; notify-send: \(words)"))
    #expect(try await notify(desk).outcome == Outcome(0))
    #expect(try await session.notifications().count == 1)
    #expect(try await desk.schedule().map(\.state) == ["delivered"])
  }

  @Test func `Without a bus the notice stays pending until there is one`() async throws {
    try await expectRetry(
      ["DBUS_SESSION_BUS_ADDRESS": "unix:path=/nonexistent"],
      fails: "no desktop session bus was reached; ")
  }

  @Test func `Without notify-send the notice stays pending until it is installed`() async throws {
    try await expectRetry(
      ["PATH": "/nonexistent"],
      fails: "notify-send was not found in PATH; ")
  }

  @Test func `Without a service the notice stays pending until there is one`() async throws {
    let mute = try await DesktopSession(.none)
    try await expectRetry(
      mute.environment,
      fails: "no notification service runs on the desktop session bus; ")
  }

  @Test func `A notice that the service refuses stays pending until it is taken`() async throws {
    let name = "org.freedesktop.Notifications.Error.ExcessNotificationGeneration"
    let failing = try await DesktopSession(.failing(error: name, message: "too many"))
    try await expectRetry(failing.environment, fails: "notify-send failed with exit status 1: ")
  }

  @Test func `A service that never answers is given up after ten seconds, once for all`()
    async throws
  {
    let hanging = try await DesktopSession(.hanging)
    let desk = try desk(
      on: hanging, catalogue: catalogue((1...4).map { ("Book \($0)", "2026.11.22") }))
    let result = try await notify(desk)
    #expect(result.ends(69, saying: "notify-send did not finish within 10 s"))
    #expect(result.errorText.hasSuffix("; 4 notices stay pending\n"))
    #expect(result.elapsed > .seconds(9))
    #expect(result.elapsed < .seconds(25), "the second one is not tried")
    let working = try await DesktopSession(.recording)
    #expect(try await notify(desk, working.environment).outcome == Outcome(0))
    #expect(try await working.notifications().count == 4)
  }

  @Test func `A channel that fails does not keep another from delivering`() async throws {
    var desk = try Desk(catalogue: catalogue(("Abigél", "2026.11.22")))
    desk.environment["PATH"] = "/nonexistent"
    let result = try await desk.run(
      "--notify", "notify-send", "--notify", "stdout", "books.xml")
    #expect(result.status == 69)
    #expect(result.text == "\"Abigél\" expires tomorrow (2026.11.22)\n")
    #expect(try await desk.schedule().map(\.state) == ["failed"])
    #expect(try await desk.run("--notify", "stdout", "books.xml").outcome == Outcome(0))
  }

  @Test(arguments: ["0", "3"])
  func `How notify-send ended is known although SIGCHLD is ignored`(status: String) async throws {
    var desk = try Desk(catalogue: catalogue(("Abigél", "2026.11.22")))
    try desk.folder.write(program: "#!/bin/sh\nexit \(status)\n", to: "notify-send")
    desk.environment["PATH"] = desk.folder.path
    let result = try await desk.shell(
      "trap '' CHLD; exec \"$0\" --notify notify-send books.xml")
    #expect(result.status == (status == "0" ? 0 : 69))
    #expect(try await desk.schedule().map(\.state) == [status == "0" ? "delivered" : "failed"])
  }

  @Test func `A notice that is refused does not keep the next from being shown`() async throws {
    var desk = try Desk(
      catalogue: catalogue(("Abigél", "2026.11.21"), ("Az ajtó", "2026.11.22")))
    try desk.folder.write(
      program: """
        #!/bin/sh
        case "$5" in *Abig*) echo refused >&2; exit 1;; esac
        echo "$5" >> '\(desk.folder.path)/shown'

        """, to: "notify-send")
    desk.environment["PATH"] = desk.folder.path
    #expect(try await notify(desk).status == 69)
    #expect(desk.folder.contents(of: "shown") == "“Az ajtó” is due tomorrow\n")
    #expect(try await desk.pending() == ["Abigél"])
  }
}
