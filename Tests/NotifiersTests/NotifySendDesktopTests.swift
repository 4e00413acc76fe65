import Glibc
import Loans
import Notifiers
import TestSupport
import Testing

/// The real notify-send on a private session bus.
@Suite(
  .ownThread,
  .enabled(
    if: DesktopSession.isAvailable,
    "needs dbus-daemon, libglib2.0-bin, libnotify-bin and python3-dbusmock"))
struct NotifySendDesktopTests {
  @Test func `Each loan arrives as one notification`() async throws {
    let session = try await DesktopSession(.recording)
    try session.notifier().sendAll([reminder("Abigél"), expired("Egri csillagok")])
    #expect(
      try await session.notifications() == [
        DesktopSession.Notification(
          appName: "Check Loans", summary: "“Abigél” is due tomorrow",
          body: "Return or renew it by 22 November 2026.", urgency: 1,
          category: "x-check-loans.loan.due"),
        DesktopSession.Notification(
          appName: "Check Loans", summary: "“Egri csillagok” is 7 days overdue",
          body: "It was due on 14 November 2026: return or renew it now.", urgency: 2,
          category: "x-check-loans.loan.expired"),
      ])
  }

  @Test func `A title arrives unchanged, whatever it means to others`() async throws {
    let titles = [
      "-", "--", "--help", "-u critical", "--urgency=low", "<b>bold</b>", "Salt & Pepper",
      "&amp;", #"say "when""#, #"C:\new\101\377"#, #"ends in \"#, "$(touch x)", "`touch x`; x",
      "%s %n", "Árvíztűrő tükörfúrógép", "שלום", "👨‍👩‍👧‍👦", "می‌خواهم", "\u{1FFFE}",
    ]
    let session = try await DesktopSession(.recording)
    let notifier = session.notifier()
    for title in titles { try notifier.sendAll([reminder(title)]) }
    #expect(
      try await session.notifications().map(\.summary)
        == titles.map { "“\($0)” is due tomorrow" })
  }

  @Test func `Titles that steer, or have no end, arrive harmless`() async throws {
    let session = try await DesktopSession(.recording)
    let notifier = session.notifier()
    let titles = [
      "line\r\nbreak", "\u{1B}]8;;https://example.org\u{7}link", "\u{202E}kcab",
      String(repeating: "x", count: 200_000), "e" + String(repeating: "\u{301}", count: 10_000),
    ]
    for title in titles { try notifier.sendAll([expired(title)]) }
    let summaries = try await session.notifications().map(\.summary)
    #expect(
      summaries.prefix(4) == [
        "“line break” is 7 days overdue", "“]8;;https://example.orglink” is 7 days overdue",
        "“kcab” is 7 days overdue",
        "“" + String(repeating: "x", count: 200) + "…” is 7 days overdue",
      ])
    #expect(summaries.count == 5)
    #expect(summaries.last?.unicodeScalars.starts(with: "“e\u{301}".unicodeScalars) == true)
    #expect(summaries.last?.hasSuffix("…” is 7 days overdue") == true)
  }

  @Test(arguments: [nil, "", " \u{1B} "])
  func `An empty title arrives as one that can be read`(title: String?) async throws {
    let session = try await DesktopSession(.recording)
    try session.notifier().sendAll([reminder(title)])
    #expect(try await session.notifications().map(\.summary) == ["A book is due tomorrow"])
  }

  @Test func `A notify-send that dies of what it is told has not delivered`() async throws {
    let session = try await DesktopSession(.recording)
    // Octal 377 makes 0.8.1 dump core.
    let wrapper = try FakeNotifySend(#"exec /usr/bin/notify-send -- x '\377'"#)
    let error = try await failure(session.notifier(adding: ["PATH": wrapper.folder.path]))
    #expect(error.code == .failed)
    #expect(!error.stopsTheRun)
    #expect(try await session.notifications().isEmpty)
  }

  @Test func `Five hundred loans arrive as one digest`() async throws {
    let session = try await DesktopSession(.recording)
    let titles = [#"C:\new\101\377"#, "<b>bold</b>", "Salt & Pepper", "-u low", #"ends in \"#]
    let others = (0..<495).map { reminder("Book \($0)", on: 23) }
    try session.notifier().sendAll(titles.map { expired($0) } + others)
    let notifications = try await session.notifications()
    let digest = try #require(notifications.first)
    #expect(notifications.count == 1)
    #expect(digest.summary == "500 books to return: 5 overdue, 495 due soon")
    let body = #"""
      “C:\new\101\377” is 7 days overdue
      “&lt;b&gt;bold&lt;/b&gt;” is 7 days overdue
      “Salt &amp; Pepper” is 7 days overdue
      “-u low” is 7 days overdue
      “ends in \” is 7 days overdue
      and 495 more
      Run check-loans schedule list for all of them.
      """#
    #expect(digest.body == body)
    #expect(digest.urgency == 2)
  }

  @Test(arguments: ["hu_HU.UTF-8", "C", "nonsense"])
  func `The locale changes nothing`(locale: String) async throws {
    let session = try await DesktopSession(.recording)
    try session.notifier(adding: ["LC_ALL": locale]).sendAll([reminder("Árvíztűrő")])
    #expect(
      try await session.notifications().map(\.summary) == ["“Árvíztűrő” is due tomorrow"])
  }

  @Test func `Under cron the bus of the user's own session is found`() async throws {
    let session = try await DesktopSession(.recording)
    let notifier = NotifySendNotifier(
      environment: ["PATH": "/usr/bin:/bin", "HOME": "/"], userID: geteuid(),
      runtimeDirectories: session.runtimeDirectories)
    try notifier.sendAll([reminder("Abigél")])
    #expect(try await session.notifications().count == 1)
  }

  @Test func `Under cron the bus of somebody else is not used`() async throws {
    let session = try await DesktopSession(.recording)
    // The bus belongs to this user, and lies where that of another one would be expected.
    let folder = try ScratchFolder()
    let other = geteuid() + 1
    move("\(session.runtimeDirectories)/\(geteuid())", to: "\(folder.path)/\(other)")
    let notifier = NotifySendNotifier(
      environment: ["PATH": "/usr/bin:/bin"], userID: other, runtimeDirectories: folder.path)
    #expect(try await failure(notifier) == noBus)
  }

  @Test(arguments: [
    [:], ["XDG_RUNTIME_DIR": "/nonexistent"], ["DISPLAY": ":987"],
    ["DBUS_SESSION_BUS_ADDRESS": "unix:path=/nonexistent"],
  ])
  func `Without a session bus the run stops and says what to do`(
    environment: [String: String]
  ) async throws {
    let notifier = NotifySendNotifier(
      environment: environment.merging(["PATH": "/usr/bin:/bin"]) { given, _ in given },
      userID: geteuid(), runtimeDirectories: "/nonexistent")
    let error = try await failure(notifier)
    #expect(error == noBus)
    #expect(error.stopsTheRun)
  }

  @Test func `Without a notification service the run stops and says what to do`() async throws {
    let session = try await DesktopSession(.none)
    let error = try await failure(session.notifier())
    #expect(error.code == .unavailable)
    #expect(
      error.message
        == "no notification service runs on the desktop session bus; start one, "
        + "or use --notify stdout")
  }

  @Test func `An error of the service fails one message`() async throws {
    let name = "org.freedesktop.Notifications.Error.ExcessNotificationGeneration"
    let session = try await DesktopSession(.failing(error: name, message: "too many"))
    let error = try await failure(session.notifier())
    #expect(error.code == .failed)
    #expect(!error.stopsTheRun)
    #expect(error.message.hasPrefix("notify-send failed with exit status 1: "))
    #expect(error.message.contains("too many"))
    #expect(error.message.hasSuffix("; if this persists, use --notify stdout"))
  }

  @Test func `A service that never answers is given up, and nothing is left running`()
    async throws
  {
    let session = try await DesktopSession(.hanging)
    let wrapper = try FakeNotifySend(
      #"echo $$ >> "$here/pids"; exec /usr/bin/notify-send "$@""#)
    let notifier = session.notifier(
      adding: ["PATH": wrapper.folder.path], timeout: .seconds(1))
    let error = try await failure(notifier)
    #expect(error.code == .timedOut)
    #expect(error.stopsTheRun)
    let process = try #require(wrapper.processes.first)
    #expect(!processExists(process))
  }

  private var noBus: NotifierError {
    NotifierError(
      .unavailable, channel: "notify-send",
      message: "no desktop session bus was reached; log in to a desktop, or use --notify stdout")
  }

  private func failure(_ notifier: NotifySendNotifier) async throws -> NotifierError {
    try #require(throws: NotifierError.self) {
      try notifier.sendAll([reminder("Abigél")])
    }
  }
}

extension DesktopSession {
  fileprivate func notifier(
    adding variables: [String: String] = [:], timeout: Duration = .seconds(60)
  ) -> NotifySendNotifier {
    NotifySendNotifier(
      environment: environment.merging(variables) { _, added in added }, userID: geteuid(),
      timeout: timeout)
  }
}
