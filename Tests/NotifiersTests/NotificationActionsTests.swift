import Glibc
import Loans
import Notifiers
import Synchronization
import TestSupport
import Testing

/// Buttons, pressed or not, with a fake notify-send.
@Suite(.ownThread) struct NotificationActionsTests {
  @Test func `The button is told to notify-send before everything else`() async throws {
    let fake = try FakeNotifySend(#"printf '%s\0' "$#" "$@" >> "$here/calls"; echo 1"#)
    let actions = try quiet("View  all=true")
    try fake.notifier(actions: actions).sendAll([reminder("Abigél")])
    #expect(
      fake.calls.map { $0.prefix(3) } == [
        ["--action=open=View all", "--print-id", "--app-name=Check Loans"]
      ])
    #expect(fake.calls.first?.suffix(3).first == "--")
    actions.close()
  }

  @Test func `Buttons of loans run their command with the numbers of the message's loans`()
    async throws
  {
    let fake = try FakeNotifySend(
      #"printf '%s\0' "$#" "$@" >> "$here/calls"; echo 7; echo later"#)
    let program = try FakeProgram(#"echo "$@" > "$here/new"; mv "$here/new" "$here/arguments""#)
    let actions = NotificationActions(
      try NotificationAction(argument: pressed),
      buttons: [
        NotificationButton(
          name: "later", label: "Later", program: program.path, arguments: ["snooze", "--x"]),
        NotificationButton(
          name: "back", label: "Back", program: "/nonexistent", arguments: [], isForOneLoan: true),
      ], environment: ["PATH": "/usr/bin:/bin"]
    ) { Issue.record("reported: \($0)") }
    for count in [1, 6] {
      let notices = (1...count).map { number in
        var notice = reminder("Book \(number)")
        notice.number = 10 * number
        return notice
      }
      try fake.notifier(actions: actions).sendAll(notices)
      try await expectFile("arguments", in: program.folder)
      let numbers = (1...count).map { "\(10 * $0)" }.joined(separator: " ")
      #expect(program.folder.contents(of: "arguments") == "snooze --x \(numbers)\n")
      try program.folder.remove("arguments")
    }
    #expect(
      fake.calls[0].prefix(4) == [
        "--action=open=View", "--action=later=Later", "--action=back=Back", "--print-id",
      ])
    #expect(
      fake.calls[1].prefix(3) == [
        "--action=open=View", "--action=later=Later", "--print-id",
      ], "a digest")
    actions.close()
  }

  @Test func `A message without a button is sent as any other`() async throws {
    let fake = try FakeNotifySend(#"printf '%s\0' "$#" "$@" >> "$here/calls""#)
    let button = NotificationButton(
      name: "back", label: "Back", program: "/nonexistent", arguments: [], isForOneLoan: true)
    let actions = NotificationActions(nil, buttons: [button], environment: [:]) {
      Issue.record("reported: \($0)")
    }
    try fake.notifier(actions: actions).sendAll((1...6).map { reminder("Book \($0)") })
    #expect(fake.calls.first?.contains("--print-id") == false)
    #expect(actions.waitingCount == 0)
  }

  @Test func `A message is delivered when its id is there, while notify-send waits`() async throws {
    let fake = try FakeNotifySend.waiting()
    let actions = try quiet()
    try fake.notifier(actions: actions).sendAll([reminder("Abigél"), reminder("Abigél")])
    #expect(fake.processes.count == 2)
    #expect(fake.processes.allSatisfy(processExists))
    #expect(actions.waitingCount == 2)
    actions.close()
    #expect(actions.waitingCount == 0)
    #expect(!fake.processes.contains(where: processExists))
  }

  @Test func `A pressed button runs the command once`() async throws {
    let fake = try FakeNotifySend("echo 7; echo open; echo open; exit 0")
    let program = try FakeProgram(#"echo $$ >> "$here/pids""#)
    let actions = try quiet("View=\(program.path)")
    try fake.notifier(actions: actions).sendAll([reminder("Abigél")])
    try await expectFile("pids", in: program.folder)
    while actions.waitingCount > 0 { try await Task.sleep(for: .milliseconds(5)) }
    try await expectEnd(of: program.processes)
    #expect(program.processes.count == 1)
  }

  @Test(arguments: ["echo other", "echo", "echo 7", "echo openopen", "printf open", "echo ' open'"])
  func `Anything else that notify-send prints does nothing`(script: String) async throws {
    let fake = try FakeNotifySend("echo 7; \(script); exit 0")
    let actions = try quiet(pressed)
    try fake.notifier(actions: actions).sendAll([reminder("Abigél")])
    while actions.waitingCount > 0 { try await Task.sleep(for: .milliseconds(5)) }
    actions.close()
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
    let actions = try quiet(
      "View=\(program.path) 'a b' '$(touch x)' ''", environment: environment)
    let loan = Loan(
      id: "bk\0101", title: "Abigél; touch x", author: "Szabó Magda", barcode: "0042",
      borrower: "Kovács Anna", email: "anna@example.org", language: "hu", category: "student",
      type: "DVD", renewable: true, expiration: sampleDay(22))
    let notice = Notice(
      rung: -1, loan: loan, catalogue: "/srv/books.xml", library: "the Central\0 Library")
    try fake.notifier(actions: actions).sendAll([notice])
    try await expectFile("environment", in: program.folder)
    #expect(program.folder.contents(of: "arguments") == "3\na b\n$(touch x)\n\n")
    #expect(program.folder.contents(of: "input") == "")
    let variables = program.folder.contents(of: "environment").split(separator: "\n").sorted()
    #expect(
      variables == [
        "CHECK_LOANS_AUTHOR=Szabó Magda", "CHECK_LOANS_BARCODE=0042",
        "CHECK_LOANS_BORROWER=Kovács Anna", "CHECK_LOANS_BORROWER_LANGUAGE=hu",
        "CHECK_LOANS_CATALOGUE=/srv/books.xml",
        "CHECK_LOANS_CATEGORY=student", "CHECK_LOANS_COUNT=1", "CHECK_LOANS_EMAIL=anna@example.org",
        "CHECK_LOANS_EXPIRATION=2026-11-22", "CHECK_LOANS_ID=bk101",
        "CHECK_LOANS_KIND=reminder",
        "CHECK_LOANS_LIBRARY=the Central Library", "CHECK_LOANS_RENEWABLE=true",
        "CHECK_LOANS_TITLE=Abigél; touch x", "CHECK_LOANS_TYPE=DVD", "PATH=/bin", "SECRET=x",
      ])
    actions.close()
  }

  @Test func `A digest's command gets the loan named first, and the count`() async throws {
    let fake = try FakeNotifySend("echo 7; echo open")
    let program = try FakeProgram(
      #"echo "$CHECK_LOANS_TITLE $CHECK_LOANS_KIND $CHECK_LOANS_COUNT" > "$here/new"; "#
        + #"mv "$here/new" "$here/told""#)
    let actions = try quiet("View=\(program.path)")
    let notices = (1...6).map { reminder("Book \($0)", on: 23) } + [expired("Abigél")]
    try fake.notifier(actions: actions).sendAll(notices)
    try await expectFile("told", in: program.folder)
    #expect(program.folder.contents(of: "told") == "Abigél expired 7\n")
    actions.close()
  }

  @Test func `A title that no variable can hold is cut`() async throws {
    let fake = try FakeNotifySend("echo 7; echo open")
    let program = try FakeProgram(
      #"printf %s "$CHECK_LOANS_TITLE" | wc -c > "$here/new"; mv "$here/new" "$here/size""#)
    let actions = try quiet("View=\(program.path)")
    let title = String(repeating: "ű", count: 200_000)
    try fake.notifier(actions: actions).sendAll([reminder(title)])
    try await expectFile("size", in: program.folder)
    #expect(program.folder.contents(of: "size") == "8183\n")
    actions.close()
  }

  @Test func `A command goes on when notifications are ended, and is reaped`() async throws {
    let fake = try FakeNotifySend(#"echo $$ >> "$here/pids"; echo 7; echo open; exec sleep 1000"#)
    let program = try FakeProgram(
      #"echo $$ > "$here/pids"; while [ ! -e "$here/end" ]; do sleep 0.05; done"#)
    let actions = try quiet("View=\(program.path)")
    try fake.notifier(actions: actions).sendAll([reminder("Abigél")])
    for _ in 0..<2_000 where program.processes.isEmpty {
      try await Task.sleep(for: .milliseconds(10))
    }
    actions.close()
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
    let action = try NotificationAction(argument: "View=\(program)")
    let actions = NotificationActions(action, environment: ["PATH": "/usr/bin:/bin"]) {
      report.yield($0)
    }
    try fake.notifier(actions: actions).sendAll([reminder("Abigél")])
    var iterator = reports.makeAsyncIterator()
    #expect(await iterator.next() == "the action \"View\": \(words)")
    actions.close()
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
    let action = try NotificationAction(argument: "View=true")
    let actions = NotificationActions(action, environment: [:]) { line in
      reports.withLock { $0.append(line) }
    }
    let notifier = fake.notifier(environment: ["PATH": fake.folder.path], actions: actions)
    try notifier.sendAll([reminder("Abigél"), reminder("Abigél")])
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
    let error = try await failure(of: fake.notifier(timeout: .milliseconds(500), actions: actions))
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
    try notifier.sendAll([reminder("Abigél"), reminder("Abigél")])
    actions.close()
    #expect(fake.processes.count == 2)
    try await expectEnd(of: fake.processes)
  }

  @Test func `One more than the limit ends the oldest`() async throws {
    let fake = try FakeNotifySend.waiting()
    let actions = NotificationActions(
      try NotificationAction(argument: "View=true"), environment: [:], limit: 3, report: { _ in })
    let notifier = fake.notifier(actions: actions)
    for _ in 0..<5 { try notifier.sendAll([reminder("Abigél")]) }
    #expect(fake.processes.count == 5)
    try await expectEnd(of: Array(fake.processes.prefix(2)))
    #expect(fake.processes.suffix(3).allSatisfy(processExists))
    #expect(actions.waitingCount == 3)
    actions.close()
    #expect(!fake.processes.contains(where: processExists))
  }

  @Test func `Those that ignore SIGTERM are killed at the close, with their children`()
    async throws
  {
    let fake = try FakeNotifySend(
      #"trap '' TERM; echo $$ >> "$here/pids"; "#
        + "sh -c 'echo $$ >> \"$0/pids\"; echo 7; while :; do sleep 1; done' \"$here\" & "
        + "while :; do sleep 1; done")
    let actions = try quiet()
    let notifier = fake.notifier(actions: actions)
    try notifier.sendAll([reminder("Abigél"), reminder("Abigél")])
    let start = ContinuousClock.now
    actions.close()
    #expect(ContinuousClock.now - start < .seconds(20))
    #expect(fake.processes.count == 4)
    try await expectEnd(of: fake.processes)
  }

  @Test func `After the close messages are sent without button`() async throws {
    let fake = try FakeNotifySend.recording()
    let actions = try quiet()
    actions.close()
    actions.close()
    try fake.notifier(actions: actions).sendAll([reminder("Abigél")])
    #expect(fake.calls.first?.first == "--app-name=Check Loans")
  }

  @Test func `Hundreds of notifications leave no process and no descriptor behind`() async {
    await #expect(processExitsWith: .success) {
      let fake = try FakeNotifySend(
        #"case $7 in *7*) echo 0; exit 1;; *3*) echo 5; exec sleep 1000;; esac; echo 5"#)
      let actions = NotificationActions(
        try NotificationAction(argument: "View=true"), environment: ["PATH": "/usr/bin:/bin"],
        limit: 10, report: { _ in })
      let notifier = fake.notifier(actions: actions)
      for _ in 0..<3 { try notifier.sendAll([reminder("Abigél")]) }
      while actions.waitingCount > 0 { try await Task.sleep(for: .milliseconds(5)) }
      let before = try File.names(in: "/proc/self/fd").count
      for number in 0..<200 { try? notifier.sendAll([reminder("Book \(number)")]) }
      actions.close()
      #expect(actions.waitingCount == 0)
      // The runtime may have opened a few meanwhile.
      #expect(try File.names(in: "/proc/self/fd").count < before + 10)
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
  _ action: String = "View=true", environment: [String: String] = ["PATH": "/usr/bin:/bin"]
) throws -> NotificationActions {
  NotificationActions(try NotificationAction(argument: action), environment: environment) {
    Issue.record("reported: \($0)")
  }
}

/// A button whose command is reported, since it must not be run.
let pressed = "View=/nonexistent/pressed"

/// Fails unless the file appears.
func expectFile(_ name: String, in folder: ScratchFolder) async throws {
  for _ in 0..<2_000 where !folder.contains(name) {
    try await Task.sleep(for: .milliseconds(10))
  }
  #expect(folder.contains(name), "\(name) has not been written")
}
