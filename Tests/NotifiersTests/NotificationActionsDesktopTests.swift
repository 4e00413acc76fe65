import Glibc
import Loans
import Notifiers
import TestSupport
import Testing

/// Buttons, with the real notify-send on a private session bus.
@Suite(
  .ownThread,
  .enabled(
    if: DesktopSession.isAvailable,
    "needs dbus-daemon, libglib2.0-bin, libnotify-bin and python3-dbusmock"))
struct NotificationActionsDesktopTests {
  @Test func `A click runs the command with the loan in its environment`() async throws {
    let session = try await DesktopSession(.recording)
    let wrapper = try FakeNotifySend.wrapper()
    let program = try FakeProgram(
      #"echo "$1 $CHECK_LOANS_TITLE $CHECK_LOANS_EXPIRATION" > "$here/new"; "#
        + #"mv "$here/new" "$here/told""#)
    let actions = NotificationActions(
      try NotificationAction(argument: "Megnéz=\(program.path) 'a b'"),
      environment: session.environment
    ) { Issue.record("reported: \($0)") }
    let notifier = session.notifier(wrapper, actions)
    try notifier.sendAll([reminder("Abigél"), expired("Egri csillagok")])
    let notifications = try await session.notifications()
    #expect(notifications.map(\.actions) == [["open", "Megnéz"], ["open", "Megnéz"]])
    #expect(notifications.map(\.summary).first == "“Abigél” is due tomorrow")
    #expect(notifications.map(\.urgency) == [1, 2])
    #expect(!program.folder.contains("told"))
    try await session.press("open", ofNotification: 2)
    try await expectFile("told", in: program.folder)
    #expect(program.folder.contents(of: "told") == "a b Egri csillagok 2026-11-14\n")
    try await expectWaiting(1, actions)
    actions.close()
    try await expectEnd(of: wrapper.processes)
  }

  @Test func `A dismissed notification ends its notify-send and does nothing else`() async throws {
    let session = try await DesktopSession(.recording)
    let wrapper = try FakeNotifySend.wrapper()
    let actions = try quiet(pressed)
    try session.notifier(wrapper, actions).sendAll([reminder("Abigél"), reminder("Abigél")])
    #expect(actions.waitingCount == 2)
    try await session.close(notification: 1)
    try await expectWaiting(1, actions)
    #expect(!processExists(wrapper.processes[0]))
    #expect(processExists(wrapper.processes[1]))
    actions.close()
    #expect(!processExists(wrapper.processes[1]))
  }

  @Test func `Ignored notifications block nothing, and the close leaves no process behind`()
    async throws
  {
    let session = try await DesktopSession(.recording)
    let wrapper = try FakeNotifySend.wrapper()
    let actions = try quiet()
    let notifier = session.notifier(wrapper, actions)
    for number in 0..<8 { try notifier.sendAll([reminder("Book \(number)")]) }
    #expect(
      try await session.notifications().map(\.summary)
        == (0..<8).map { "“Book \($0)” is due tomorrow" })
    #expect(actions.waitingCount == 8)
    #expect(wrapper.processes.count == 8)
    actions.close()
    #expect(!wrapper.processes.contains(where: processExists))
  }

  @Test func `A digest carries the button too`() async throws {
    let session = try await DesktopSession(.recording)
    let program = try FakeProgram(
      #"echo "$CHECK_LOANS_COUNT" > "$here/new"; mv "$here/new" "$here/told""#)
    let actions = try quiet("View=\(program.path)")
    let notices = (1...6).map { reminder("Book \($0)") }
    let wrapper = try FakeNotifySend.wrapper()
    try session.notifier(wrapper, actions).sendAll(notices)
    #expect(try await session.notifications().map(\.actions) == [["open", "View"]])
    try await session.press("open", ofNotification: 1)
    try await expectFile("told", in: program.folder)
    #expect(program.folder.contents(of: "told") == "6\n")
    actions.close()
  }

  @Test func `A label arrives unchanged, whatever it means to others`() async throws {
    let labels = ["--help", "<b>&", #"C:\new"#, "%s", "👨‍👩‍👧‍👦", "שלום"]
    let session = try await DesktopSession(.recording)
    let wrapper = try FakeNotifySend.wrapper()
    for label in labels {
      let actions = try quiet("\(label)=true")
      try session.notifier(wrapper, actions).sendAll([reminder("Abigél")])
      actions.close()
    }
    #expect(try await session.notifications().map(\.actions) == labels.map { ["open", $0] })
  }

  @Test func `Without a session bus the run stops with an action too`() async throws {
    let notifier = NotifySendNotifier(
      environment: ["PATH": "/usr/bin:/bin"], userID: geteuid(),
      runtimeDirectories: "/nonexistent", actions: try quiet())
    let error = try await failure(of: notifier)
    #expect(error.code == .unavailable)
    #expect(error.message.hasPrefix("no desktop session bus was reached; "))
  }

  @Test func `Without a notification service the run stops with an action too`() async throws {
    let session = try await DesktopSession(.none)
    let wrapper = try FakeNotifySend.wrapper()
    let error = try await failure(of: session.notifier(wrapper, try quiet()))
    #expect(error.code == .unavailable)
    #expect(error.message.hasPrefix("no notification service runs on the desktop session bus; "))
  }

  @Test func `An error of the service, which prints the id 0, fails the message`() async throws {
    let name = "org.freedesktop.Notifications.Error.ExcessNotificationGeneration"
    let session = try await DesktopSession(.failing(error: name, message: "too many"))
    let actions = try quiet()
    let wrapper = try FakeNotifySend.wrapper()
    let error = try await failure(of: session.notifier(wrapper, actions))
    #expect(error.code == .failed)
    #expect(error.message.contains("too many"))
    #expect(actions.waitingCount == 0)
  }

  @Test func `A service that never answers is given up with an action too`() async throws {
    let session = try await DesktopSession(.hanging)
    let wrapper = try FakeNotifySend.wrapper()
    let actions = try quiet()
    let error = try await failure(
      of: session.notifier(wrapper, actions, timeout: .seconds(1)))
    #expect(error.code == .timedOut)
    try await expectEnd(of: wrapper.processes)
    #expect(actions.waitingCount == 0)
  }

  @Test func `When the service goes away nothing hangs`() async throws {
    var session: DesktopSession? = try await DesktopSession(.recording)
    let wrapper = try FakeNotifySend.wrapper()
    let actions = try quiet()
    try session?.notifier(wrapper, actions).sendAll([reminder("Abigél")])
    session = nil
    let error = try await failure(
      of: NotifySendNotifier(
        environment: ["PATH": "/usr/bin", "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nonexistent"],
        userID: geteuid(), actions: actions))
    #expect(error.code == .unavailable)
    actions.close()
    try await expectEnd(of: wrapper.processes)
  }
}

extension FakeNotifySend {
  /// The real one, whose process number is kept.
  fileprivate static func wrapper() throws -> FakeNotifySend {
    try FakeNotifySend(#"echo $$ >> "$here/pids"; exec /usr/bin/notify-send "$@""#)
  }
}

extension DesktopSession {
  fileprivate func notifier(
    _ wrapper: FakeNotifySend, _ actions: NotificationActions, timeout: Duration = .seconds(60)
  ) -> NotifySendNotifier {
    NotifySendNotifier(
      environment: environment.merging(["PATH": "\(wrapper.folder.path):/usr/bin"]) { _, added in
        added
      },
      userID: geteuid(), timeout: timeout, actions: actions)
  }
}

private func expectWaiting(_ count: Int, _ actions: NotificationActions) async throws {
  for _ in 0..<2_000 where actions.waitingCount != count {
    try await Task.sleep(for: .milliseconds(10))
  }
  #expect(actions.waitingCount == count)
}
