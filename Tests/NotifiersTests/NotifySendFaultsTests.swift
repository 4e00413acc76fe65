import Glibc
import Loans
import System
import TestSupport
import Testing

@testable import Notifiers

/// How a notify-send that misbehaves is survived.
@Suite(.ownThread) struct NotifySendFaultsTests {
  @Test(arguments: ["", "/nonexistent", ":", ".", "/nonexistent:/dev/null"])
  func `A missing notify-send is told with what to do`(path: String) async throws {
    let error = try await failure(NotifySendNotifier(environment: ["PATH": path], userID: 0))
    #expect(error.code == .unavailable)
    #expect(
      error.message
        == "notify-send was not found in PATH; install it (Debian: apt install libnotify-bin) "
        + "or use --notify stdout")
  }

  @Test func `A file that is not executable is not run`() async throws {
    let folder = try ScratchFolder()
    try folder.write("#!/bin/sh\nPATH=/bin; touch '\(folder.path)/ran'", to: "notify-send")
    let error = try await failure(NotifySendNotifier(environment: ["PATH": folder.path], userID: 0))
    #expect(error.code == .unavailable)
    #expect(!folder.contains("ran"))
  }

  @Test func `A directory of that name is passed over`() async throws {
    let fake = try FakeNotifySend.recording()
    let other = try ScratchFolder()
    try other.makeDirectory("notify-send")
    let environment = ["PATH": "\(other.path):\(fake.folder.path)"]
    try fake.notifier(environment: environment).sendAll([reminder("Abigél")])
    #expect(fake.calls.count == 1)
  }

  @Test(arguments: [true, false])
  func `A relative entry of PATH is passed over`(isFirst: Bool) async throws {
    let trap = try FakeNotifySend(#"touch "$here/ran""#)
    let fake = try FakeNotifySend.recording()
    // Leads to the trap from any directory that is not nested too deeply.
    let relative = String(repeating: "../", count: 40) + trap.folder.path.dropFirst()
    let path = isFirst ? "\(relative):\(fake.folder.path)" : "\(fake.folder.path):\(relative)"
    try fake.notifier(environment: ["PATH": path]).sendAll([reminder("Abigél")])
    #expect(fake.calls.count == 1)
    let error = try await failure(NotifySendNotifier(environment: ["PATH": relative], userID: 0))
    #expect(error.code == .unavailable)
    #expect(!trap.folder.contains("ran"))
  }

  @Test func `A file that is no program is told`() async throws {
    let folder = try ScratchFolder()
    try folder.write(program: "\u{7F}ELF nonsense", to: "notify-send")
    let error = try await failure(NotifySendNotifier(environment: ["PATH": folder.path], userID: 0))
    #expect(error.code == .unavailable)
    #expect(error.message.hasPrefix("notify-send could not be run"))
    #expect(error.message.hasSuffix("use --notify stdout"))
  }

  @Test func `A failure repeats the first line of the complaint, made harmless`() async throws {
    let fake = try FakeNotifySend(#"printf 'no \033[31mluck\nnever\n' >&2; exit 3"#)
    let error = try await failure(fake.notifier())
    #expect(error.code == .failed)
    #expect(!error.stopsTheRun)
    #expect(
      error.message
        == #"notify-send failed with exit status 3: no \u{1b}[31mluck; "#
        + "if this persists, use --notify stdout")
  }

  @Test(arguments: ["exec 0<&-", "exec 1>&-", "exec 2>&-", "exec 0<&- 1>&- 2>&-"])
  func `One that closes its standard descriptors early has delivered`(script: String) async throws {
    let fake = try FakeNotifySend("\(script); sleep 0.1; exit 0")
    try fake.notifier().sendAll([reminder("Abigél")])
    let failing = try FakeNotifySend("\(script); sleep 0.1; exit 4")
    #expect(try await failure(failing.notifier()).message.contains("exit status 4"))
  }

  @Test func `Its standard input is empty`() async throws {
    let fake = try FakeNotifySend(#"cat > "$here/input"; exit 0"#)
    try fake.notifier().sendAll([reminder("Abigél")])
    #expect(fake.folder.contains("input"))
    #expect(fake.folder.contents(of: "input") == "")
  }

  @Test(arguments: [("KILL", 9), ("TRAP", 5), ("TERM", 15), ("PIPE", 13)])
  func `One ended by a signal has not delivered`(signal: String, number: Int) async throws {
    let fake = try FakeNotifySend("kill -\(signal) $$")
    let error = try await failure(fake.notifier())
    #expect(error.code == .failed)
    #expect(error.message.hasPrefix("notify-send was ended by signal \(number); "))
  }

  @Test func `Much on standard error is read to its end, and little of it kept`() async throws {
    let fake = try FakeNotifySend(
      #"head -c 50000000 /dev/zero | tr '\0' 'x' >&2; touch "$here/done"; exit 3"#)
    let error = try await failure(fake.notifier())
    #expect(error.code == .failed)
    #expect(fake.folder.contains("done"))
    #expect(error.message.contains(String(repeating: "x", count: 200)))
    #expect(error.message.utf8.count < 500)
  }

  @Test(arguments: ["", ">&2"])
  func `Success is success, although a gigabyte was printed`(redirection: String) async throws {
    let fake = try FakeNotifySend("head -c 1000000000 /dev/zero \(redirection); exit 0")
    try fake.notifier().sendAll([reminder("Abigél")])
  }

  @Test(arguments: [
    "while :; do echo complaint >&2; done",
    "exec sleep 10000",
    "exec 2>&-; exec sleep 10000",
    "trap '' TERM; while :; do sleep 1; done",
    "trap 'exit 0' TERM; sleep 10000 & echo $! >> \"$here/pids\"; wait; exit 1",
    "sh -c 'trap \"\" TERM; echo $$ >> \"$0/pids\"; while :; do sleep 1; done' \"$here\" & wait",
    "kill -STOP $$",
  ])
  func `One that does not end is killed, with its children`(script: String) async throws {
    let fake = try FakeNotifySend(#"echo $$ >> "$here/pids"; "# + script)
    let notifier = fake.notifier(timeout: .milliseconds(500))
    let stopped = #expect(throws: NotifierError.self) {
      try notifier.sendAll([reminder("Abigél")])
    }
    let error = try #require(stopped)
    #expect(error.code == .timedOut)
    #expect(error.stopsTheRun)
    #expect(
      error.message
        == "notify-send did not finish within 0.5 s and was stopped; "
        + "restart the desktop's notification service, or use --notify stdout")
    #expect(!fake.processes.isEmpty)
    try await expectEnd(of: fake.processes)
  }

  @Test(arguments: ["sleep 10000", "cat /dev/zero", "sh -c 'trap \"\" TERM; exec sleep 10000'"])
  func `Grandchildren that keep standard error open are not waited for`(
    script: String
  ) async throws {
    let start = "\(script) >&2 & echo $! >> \"$here/pids\"\n"
    let fake = try FakeNotifySend(String(repeating: start, count: 6) + "exit 0")
    try fake.notifier(timeout: .seconds(600)).sendAll([reminder("Abigél")])
    #expect(fake.processes.count == 6)
    for grandchild in fake.processes {
      // One that writes ends when nobody reads any more.
      #expect(processExists(grandchild) || script.contains("cat"))
      kill(grandchild, SIGKILL)
    }
  }

  @Test func `Of what it complains 4 KB are kept`() throws {
    let fake = try FakeNotifySend("head -c 5000 /dev/zero >&2; head -c 200000 /dev/zero >&2")
    var child = try ChildProcess("notify-send", environment: ["PATH": fake.folder.path])
    #expect(child.untilEnd(within: .seconds(60)).errors.utf8.count == 4_096)
  }

  @Test func `The complaint is not lost to a grandchild that keeps standard error open`()
    async throws
  {
    let fake = try FakeNotifySend("sleep 10000 & echo $! >> \"$here/pids\"\necho lost >&2; exit 1")
    let error = try await failure(fake.notifier())
    #expect(error.message.contains(": lost; "))
    fake.processes.forEach { kill($0, SIGKILL) }
  }

  @Test func `It is run without shell`() async throws {
    let fake = try FakeNotifySend.recording()
    let title = "$(touch \(fake.folder.path)/x) `touch \(fake.folder.path)/x`; touch x | x > x"
    try fake.notifier().sendAll([reminder(title)])
    #expect(fake.calls.first?[4] == "“\(title)” is due tomorrow")
    #expect(!fake.folder.contains("x"))
  }

  @Test func `It is given few variables`() async throws {
    let fake = try FakeNotifySend(#"tr '\0' '\n' < /proc/$$/environ > "$here/environment""#)
    let given = [
      "HOME": "/home/anna", "LANG": "hu_HU.UTF-8", "DISPLAY": ":0", "LC_ALL": "",
      "DBUS_SESSION_BUS_ADDRESS": "unix:path=/bus", "LD_PRELOAD": "/tmp/evil.so",
      "CHECK_LOANS_NOTIFY": "notify-send", "GIO_EXTRA_MODULES": "/tmp",
    ]
    try fake.notifier(environment: given).sendAll([reminder("Abigél")])
    let variables = fake.folder.contents(of: "environment").split(separator: "\n").sorted()
    #expect(
      variables == [
        "DBUS_SESSION_BUS_ADDRESS=unix:path=/bus", "DISPLAY=:0", "HOME=/home/anna",
        "LANG=hu_HU.UTF-8", "LANGUAGE=en", "PATH=\(fake.folder.path)",
      ])
  }

  @Test func `Ignored signals of the parent do not hide how it ended`() async {
    await #expect(processExitsWith: .success) {
      let working = try FakeNotifySend.recording()
      let failing = try FakeNotifySend("echo bad luck >&2; exit 3")
      signal(SIGCHLD, SIG_IGN)
      signal(SIGPIPE, SIG_IGN)
      try working.notifier().sendAll([reminder("Abigél"), reminder("Abigél")])
      #expect(working.calls.count == 2)
      let error = #expect(throws: NotifierError.self) {
        try failing.notifier().sendAll([reminder("Abigél")])
      }
      #expect(error?.code == .failed)
      #expect(error?.message.contains("exit status 3: bad luck") == true)
      signal(SIGCHLD, SIG_DFL)
    }
  }

  @Test func `Many at once do not disturb each other`() async throws {
    let fake = try FakeNotifySend("echo \"$5\" >&2; exit 1")
    let notifier = fake.notifier()
    let messages = try await withThrowingTaskGroup(of: Bool.self) { group in
      for number in 0..<20 {
        group.addTask {
          let error = try await failure(notifier, title: "Book <\(number)>")
          return error.message.contains("status 1: “Book <\(number)>” is due")
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(messages == Array(repeating: true, count: 20))
  }
}

private func failure(
  _ notifier: NotifySendNotifier, title: String = "Abigél"
) async throws -> NotifierError {
  try #require(throws: NotifierError.self) {
    try notifier.sendAll([reminder(title)])
  }
}
