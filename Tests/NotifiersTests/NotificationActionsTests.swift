import Glibc
import Loans
import Notifiers
import Synchronization
import TestSupport
import Testing

/// Buttons, pressed or not, with a fake notify-send.
@Suite struct NotificationActionsTests {
  @Test func `The button is told to notify-send before everything else`() async throws {
    let fake = try FakeNotifySend(#"printf '%s\0' "$#" "$@" >> "$here/calls"; echo 1"#)
    let actions = try quiet(label: "View = all", .handler { _ in })
    try await fake.notifier(actions: actions).sendAll([reminder("Abigél")])
    #expect(
      fake.calls.map { $0.prefix(3) } == [
        ["--action=open=View = all", "--print-id", "--app-name=Check Loans"]
      ])
    #expect(fake.calls.first?.suffix(3).first == "--")
    await actions.close()
  }

  @Test func `A message is delivered when its id is there, while notify-send waits`() async throws {
    let fake = try FakeNotifySend.waiting()
    let actions = try quiet()
    try await fake.notifier(actions: actions).sendAll([reminder("Abigél"), reminder("Abigél")])
    #expect(fake.processes.count == 2)
    #expect(fake.processes.allSatisfy(processExists))
    #expect(actions.waitingCount == 2)
    await actions.close()
    #expect(actions.waitingCount == 0)
    #expect(!fake.processes.contains(where: processExists))
  }

  @Test func `A pressed button calls the handler once with the message's notices`() async throws {
    let fake = try FakeNotifySend("echo 7; echo open; echo open; exit 0")
    let (calls, call) = AsyncStream.makeStream(of: [Notice].self)
    let actions = try quiet(.handler { call.yield($0) })
    let notices = (1...5).map { reminder("Book \($0)", on: 23) } + [expired("Abigél")]
    try await fake.notifier(actions: actions).sendAll(notices)
    var iterator = calls.makeAsyncIterator()
    #expect(await iterator.next() == [notices[5]] + notices[..<5])
    while actions.waitingCount > 0 { try await Task.sleep(for: .milliseconds(5)) }
    call.finish()
    #expect(await iterator.next() == nil)
  }

  @Test(arguments: ["echo other", "echo", "echo 7", "echo openopen", "printf open", "echo ' open'"])
  func `Anything else that notify-send prints does nothing`(script: String) async throws {
    let fake = try FakeNotifySend("echo 7; \(script); exit 0")
    let actions = try quiet(.handler { _ in Issue.record("nothing was pressed") })
    try await fake.notifier(actions: actions).sendAll([reminder("Abigél")])
    while actions.waitingCount > 0 { try await Task.sleep(for: .milliseconds(5)) }
    await actions.close()
  }

  @Test func `The command gets the loan in its environment, and that of the process`()
    async throws
  {
    let fake = try FakeNotifySend("echo 7; echo open")
    let program = try FakeProgram(
      #"printf '%s\n' "$#" "$@" > "$here/arguments"; tr '\0' '\n' < /proc/$$/environ > "$here/new"; "#
        + #"cat > "$here/input"; mv "$here/new" "$here/environment""#)
    let environment = [
      "PATH": "/bin", "SECRET": "x", "CHECK_LOANS_ISBN": "stale", "1BAD": "x", "NUL\0": "x",
    ]
    let response = NotificationAction.Response.command(
      program: program.path, arguments: ["a b", "$(touch x)", ""])
    let actions = try quiet(response, environment: environment)
    let loan = Loan(
      id: "bk\0101", title: "Abigél; touch x", author: "Szabó Magda", barcode: "0042",
      borrower: "Kovács Anna", email: "anna@example.org", expiration: sampleDay(22))
    let notice = Notice(
      kind: .reminder, loan: loan, catalogue: "/srv/books.xml", library: "the Central\0 Library")
    try await fake.notifier(actions: actions).sendAll([notice])
    try await expectFile("environment", in: program.folder)
    #expect(program.folder.contents(of: "arguments") == "3\na b\n$(touch x)\n\n")
    #expect(program.folder.contents(of: "input") == "")
    let variables = program.folder.contents(of: "environment").split(separator: "\n").sorted()
    #expect(
      variables == [
        "CHECK_LOANS_AUTHOR=Szabó Magda", "CHECK_LOANS_BARCODE=0042",
        "CHECK_LOANS_BORROWER=Kovács Anna", "CHECK_LOANS_CATALOGUE=/srv/books.xml",
        "CHECK_LOANS_COUNT=1", "CHECK_LOANS_EMAIL=anna@example.org",
        "CHECK_LOANS_EXPIRATION=2026-11-22", "CHECK_LOANS_ID=bk101",
        "CHECK_LOANS_KIND=reminder", "CHECK_LOANS_LIBRARY=the Central Library",
        "CHECK_LOANS_TITLE=Abigél; touch x", "PATH=/bin", "SECRET=x",
      ])
    await actions.close()
  }

  @Test func `A digest's command gets the loan named first, and the count`() async throws {
    let fake = try FakeNotifySend("echo 7; echo open")
    let program = try FakeProgram(
      #"echo "$CHECK_LOANS_TITLE $CHECK_LOANS_KIND $CHECK_LOANS_COUNT" > "$here/new"; "#
        + #"mv "$here/new" "$here/told""#)
    let actions = try quiet(.command(program: program.path, arguments: []))
    let notices = (1...6).map { reminder("Book \($0)", on: 23) } + [expired("Abigél")]
    try await fake.notifier(actions: actions).sendAll(notices)
    try await expectFile("told", in: program.folder)
    #expect(program.folder.contents(of: "told") == "Abigél expired 7\n")
    await actions.close()
  }

  @Test func `A title that no variable can hold is cut`() async throws {
    let fake = try FakeNotifySend("echo 7; echo open")
    let program = try FakeProgram(
      #"printf %s "$CHECK_LOANS_TITLE" | wc -c > "$here/new"; mv "$here/new" "$here/size""#)
    let actions = try quiet(.command(program: program.path, arguments: []))
    let title = String(repeating: "ű", count: 200_000)
    try await fake.notifier(actions: actions).sendAll([reminder(title)])
    try await expectFile("size", in: program.folder)
    #expect(program.folder.contents(of: "size") == "32771\n")
    await actions.close()
  }

  @Test func `A command goes on when notifications are ended, and is reaped`() async throws {
    let fake = try FakeNotifySend(#"echo $$ >> "$here/pids"; echo 7; echo open; exec sleep 1000"#)
    let program = try FakeProgram(
      #"echo $$ > "$here/pids"; while [ ! -e "$here/end" ]; do sleep 0.05; done"#)
    let actions = try quiet(.command(program: program.path, arguments: []))
    try await fake.notifier(actions: actions).sendAll([reminder("Abigél")])
    for _ in 0..<2_000 where program.processes.isEmpty {
      try await Task.sleep(for: .milliseconds(10))
    }
    await actions.close()
    #expect(!fake.processes.contains(where: processExists))
    let command = try #require(program.processes.first)
    #expect(processExists(command))
    #expect(getpgid(command) == command)
    try program.folder.write("", to: "end")
    try await expectEnd(of: [command])
  }

  @Test(arguments: [
    (
      "/nonexistent/view",
      "/nonexistent/view was not found, or may not be run; "
        + "give the path of a program, or its name in PATH"
    ),
    (
      "nonexistent",
      "nonexistent was not found, or may not be run; "
        + "give the path of a program, or its name in PATH"
    ),
    ("false", "false failed with exit status 1"),
  ])
  func `A command that cannot be run is reported`(program: String, words: String) async throws {
    let fake = try FakeNotifySend("echo 7; echo open")
    let (reports, report) = AsyncStream.makeStream(of: String.self)
    let action = try NotificationAction(
      label: "View", response: .command(program: program, arguments: []))
    let actions = NotificationActions(action, environment: ["PATH": "/usr/bin:/bin"]) {
      report.yield($0)
    }
    try await fake.notifier(actions: actions).sendAll([reminder("Abigél")])
    var iterator = reports.makeAsyncIterator()
    #expect(await iterator.next() == "the action \"View\": \(words)")
    await actions.close()
  }

  @Test func `A printed 0 with exit status 1 is not an id`() async throws {
    let fake = try FakeNotifySend("echo 0; sleep 0.2; echo bad luck >&2; exit 1")
    let actions = try quiet()
    let error = try await failure(of: fake.notifier(actions: actions))
    #expect(error.code == .failed)
    #expect(error.message.hasPrefix("notify-send failed with exit status 1: bad luck; "))
    #expect(actions.waitingCount == 0)
  }

  @Test func `One that prints 0 and then waits all the same is not waited for`() async throws {
    let fake = try FakeNotifySend(
      #"echo $$ >> "$here/pids"; echo bad luck >&2; echo 0; exec sleep 1000"#)
    let actions = try quiet()
    let error = try await failure(of: fake.notifier(actions: actions))
    #expect(error.code == .failed)
    #expect(error.message.hasPrefix("notify-send failed with exit status 1: bad luck; "))
    #expect(!fake.processes.contains(where: processExists))
  }

  @Test func `A notify-send that knows no actions is told`() async throws {
    let fake = try FakeNotifySend("echo 'Unknown option --action=open=View' >&2; exit 1")
    let error = try await failure(of: fake.notifier(actions: try quiet()))
    #expect(error.code == .unavailable)
    #expect(
      error.message
        == "this notify-send knows no actions; install libnotify 0.8 or later, "
        + "or leave --action out")
  }

  @Test func `Without stdbuf messages are sent without button, which is reported once`()
    async throws
  {
    let fake = try FakeNotifySend.recording()
    let reports = Mutex<[String]>([])
    let action = try NotificationAction(label: "View", response: .handler { _ in })
    let actions = NotificationActions(action, environment: [:]) { line in
      reports.withLock { $0.append(line) }
    }
    let notifier = fake.notifier(environment: ["PATH": fake.folder.path], actions: actions)
    try await notifier.sendAll([reminder("Abigél"), reminder("Abigél")])
    #expect(fake.calls.map(\.first) == ["--app-name=Check Loans", "--app-name=Check Loans"])
    #expect(
      reports.withLock { $0 } == [
        "the action \"View\" is left out, because stdbuf was not found in PATH; install coreutils"
      ])
  }

  @Test func `A missing notify-send is told with an action too`() async throws {
    let notifier = NotifySendNotifier(
      environment: ["PATH": "/nonexistent"], userID: 0, actions: try quiet())
    #expect(try await failure(of: notifier).code == .unavailable)
  }

  @Test(arguments: [
    "exec sleep 1000", "printf 7; exec sleep 1000", "echo -7; exec sleep 1000",
    "while :; do echo x; done", "exec 1>&-; trap '' TERM; while :; do sleep 1; done",
  ])
  func `Without an id notify-send is stopped in time, with its children`(
    script: String
  ) async throws {
    let fake = try FakeNotifySend(
      "sh -c 'trap \"\" TERM; echo $$ >> \"$0/pids\"; while :; do sleep 1; done' \"$here\" & "
        + #"echo $$ >> "$here/pids"; \#(script)"#)
    let actions = try quiet()
    let error = try await failure(of: fake.notifier(timeout: .seconds(2), actions: actions))
    #expect(error.code == .timedOut)
    #expect(error.stopsTheRun)
    #expect(fake.processes.count == 2)
    try await expectEnd(of: fake.processes)
    #expect(actions.waitingCount == 0)
  }

  @Test func `One that floods both outputs after its id does not block another message`()
    async throws
  {
    let fake = try FakeNotifySend(
      #"echo $$ >> "$here/pids"; echo 7; cat /dev/zero >&2 & exec cat /dev/zero"#)
    let actions = try quiet()
    let notifier = fake.notifier(timeout: .seconds(30), actions: actions)
    try await notifier.sendAll([reminder("Abigél"), reminder("Abigél")])
    await actions.close()
    #expect(fake.processes.count == 2)
    try await expectEnd(of: fake.processes)
  }

  @Test func `One more than the limit ends the oldest`() async throws {
    let fake = try FakeNotifySend.waiting()
    let actions = NotificationActions(
      try NotificationAction(label: "View", response: .handler { _ in }), environment: [:],
      limit: 3, report: { _ in })
    let notifier = fake.notifier(actions: actions)
    for _ in 0..<5 { try await notifier.sendAll([reminder("Abigél")]) }
    #expect(fake.processes.count == 5)
    try await expectEnd(of: Array(fake.processes.prefix(2)))
    #expect(fake.processes.suffix(3).allSatisfy(processExists))
    #expect(actions.waitingCount == 3)
    await actions.close()
    #expect(!fake.processes.contains(where: processExists))
  }

  @Test func `Those that ignore SIGTERM are killed at the close, with their children`()
    async throws
  {
    let fake = try FakeNotifySend(
      "sh -c 'trap \"\" TERM; echo $$ >> \"$0/pids\"; echo 7; while :; do sleep 1; done' \"$here\" & "
        + #"echo $$ >> "$here/pids"; trap '' TERM; while :; do sleep 1; done"#)
    let actions = try quiet()
    let notifier = fake.notifier(actions: actions)
    try await notifier.sendAll([reminder("Abigél"), reminder("Abigél")])
    let start = ContinuousClock.now
    await actions.close()
    #expect(ContinuousClock.now - start < .seconds(20))
    #expect(fake.processes.count == 4)
    try await expectEnd(of: fake.processes)
  }

  @Test func `After the close messages are sent without button`() async throws {
    let fake = try FakeNotifySend.recording()
    let actions = try quiet()
    await actions.close()
    await actions.close()
    try await fake.notifier(actions: actions).sendAll([reminder("Abigél")])
    #expect(fake.calls.first?.first == "--app-name=Check Loans")
  }

  @Test func `Hundreds of notifications leave no process and no descriptor behind`() async {
    await #expect(processExitsWith: .success) {
      let fake = try FakeNotifySend(
        #"case $7 in *7*) echo 0; exit 1;; *3*) echo 5; exec sleep 1000;; esac; echo 5; echo open"#)
      let actions = NotificationActions(
        try NotificationAction(label: "View", response: .handler { _ in }), environment: [:],
        limit: 10, report: { _ in })
      let notifier = fake.notifier(actions: actions)
      for _ in 0..<3 { try await notifier.sendAll([reminder("Abigél")]) }
      while actions.waitingCount > 0 { try await Task.sleep(for: .milliseconds(5)) }
      let before = try File.names(in: "/proc/self/fd").count
      for number in 0..<200 { try? await notifier.sendAll([reminder("Book \(number)")]) }
      await actions.close()
      #expect(actions.waitingCount == 0)
      #expect(try File.names(in: "/proc/self/fd").count <= before)
      #expect(waitpid(-1, nil, WNOHANG) == -1 && errno == ECHILD)
    }
  }
}

extension FakeNotifySend {
  /// One that prints an id and then waits for ever.
  static func waiting() throws -> FakeNotifySend {
    try FakeNotifySend(#"echo $$ >> "$here/pids"; echo 7; exec sleep 1000"#)
  }
}

/// Buttons with nobody to report to.
func quiet(
  label: String = "View", _ response: NotificationAction.Response = .handler { _ in },
  environment: [String: String] = ["PATH": "/usr/bin:/bin"]
) throws -> NotificationActions {
  NotificationActions(
    try NotificationAction(label: label, response: response), environment: environment
  ) { Issue.record("reported: \($0)") }
}

/// Fails unless the file appears.
func expectFile(_ name: String, in folder: ScratchFolder) async throws {
  for _ in 0..<2_000 where !folder.contains(name) {
    try await Task.sleep(for: .milliseconds(10))
  }
  #expect(folder.contains(name), "\(name) has not been written")
}
