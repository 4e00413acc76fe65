import Glibc
import Loans
import Notifiers
import TestSupport
import Testing

/// How a program that misbehaves is survived.
@Suite(.ownThread) struct ExecNotifierFaultsTests {
  @Test func `A missing program is told with where it was looked for`() async throws {
    let folder = try ScratchFolder()
    let environment = ["PATH": "\(folder.path):relative::/nonexistent"]
    let error = try await failure(of: ProgramNotifier.exec("tell", environment: environment))
    #expect(error.code == .unavailable)
    #expect(error.stopsTheRun)
    #expect(
      error.message
        == "exec:tell was not found in PATH, which is \(folder.path):/nonexistent; "
        + "install it, or give its path")
  }

  @Test(arguments: ["", ":", ".", "bin:../bin"])
  func `Without an absolute entry in PATH nothing is run`(path: String) async throws {
    let error = try await failure(of: ProgramNotifier.exec("sh", environment: ["PATH": path]))
    #expect(error.message.contains(" in PATH, which has no absolute entry; "))
  }

  @Test(arguments: ["/nonexistent/tell", "/tmp", "/dev/null", "/bin/sh/tell"])
  func `A path without program is told`(path: String) async throws {
    let error = try await failure(of: ProgramNotifier.exec(path, environment: [:]))
    #expect(error.code == .unavailable)
    #expect(
      error.message == "exec:\(path) was not found; correct the path in --notify")
  }

  @Test(arguments: ["", "./tell", "bin/tell", "/usr/bin/"])
  func `What is neither an absolute path nor a name is told`(program: String) async throws {
    let error = try await failure(of: ProgramNotifier.exec(program, environment: [:]))
    #expect(error.code == .unavailable)
    #expect(
      error.message
        == "exec:\(program) does not name a program; give an absolute path, or a name in PATH")
  }

  @Test(arguments: [true, false])
  func `A file that is not executable is not run`(isNamed: Bool) async throws {
    let folder = try ScratchFolder()
    let path = "\(folder.path)/tell"
    try folder.write("#!/bin/sh\nPATH=/bin; touch '\(folder.path)/ran'", to: "tell")
    let notifier = ProgramNotifier.exec(isNamed ? "tell" : path, environment: ["PATH": folder.path])
    let error = try await failure(of: notifier)
    #expect(error.code == .unavailable)
    #expect(
      error.message
        == "\(notifier.channel) is not executable; if it is your program, use chmod +x \(path)")
    #expect(!folder.contains("ran"))
  }

  @Test func `A file that is no program is told`() async throws {
    let folder = try ScratchFolder()
    try folder.write(program: "\u{7F}ELF nonsense", to: "tell")
    let path = "\(folder.path)/tell"
    let error = try await failure(of: ProgramNotifier.exec(path, environment: [:]))
    #expect(error.code == .unavailable)
    #expect(error.message.hasPrefix("exec:\(path) could not be run ("))
    #expect(
      error.message.hasSuffix(
        "; check that \(path) is a program, or a script whose first line is #! with one"))
  }

  @Test func `A script whose interpreter is missing is told`() async throws {
    let folder = try ScratchFolder()
    try folder.write(program: "#!/nonexistent/python\n", to: "tell")
    let error = try await failure(
      of: ProgramNotifier.exec("\(folder.path)/tell", environment: [:]))
    #expect(error.code == .unavailable)
    #expect(
      error.message
        == "exec:\(folder.path)/tell could not be run; if it is a script, check that its first "
        + "line, #!, names a program that exists")
  }

  @Test(arguments: [
    (
      #"printf '\n \nno \033[31mluck\nnever\n' >&2; echo never; exit 3"#,
      #"failed with exit status 3: no \u{1b}[31mluck"#
    ),
    (#"echo 'no luck either'; exit 1"#, "failed with exit status 1: no luck either"),
    ("exit 255", "failed with exit status 255"),
    ("kill -KILL $$", "was ended by signal 9"),
    ("kill -TRAP $$", "was ended by signal 5"),
  ])
  func `A failure repeats the first line of the complaint, made harmless`(
    script: String, words: String
  ) async throws {
    let fake = try FakeProgram("cat > /dev/null; \(script)")
    let error = try await failure(of: fake.notifier())
    #expect(error.code == .failed)
    #expect(!error.stopsTheRun)
    #expect(error.message == "exec:\(fake.path) \(words); if this persists, fix the program")
  }

  @Test(arguments: ["exit 0", "exec 0<&-; sleep 0.3; exit 0", "head -c 10 > /dev/null; exit 0"])
  func `A program that succeeds without reading has delivered`(script: String) async throws {
    let fake = try FakeProgram(script)
    try fake.notifier().sendAll(largeMessage)
  }

  @Test(arguments: ["exit 3", "exec 0<&-; sleep 0.3; exit 3"])
  func `A program that fails without reading has failed by its status`(
    script: String
  ) async throws {
    let fake = try FakeProgram(script)
    let error = try #require(throws: NotifierError.self) {
      try fake.notifier().sendAll(largeMessage)
    }
    #expect(error.message.contains("failed with exit status 3"))
  }

  @Test func `A program that does not read its input does not end us by a signal`() async {
    await #expect(processExitsWith: .success) {
      signal(SIGPIPE, SIG_DFL)
      let fake = try FakeProgram("exec 0<&-; sleep 0.3; exit 0")
      try fake.notifier().sendAll(largeMessage)
      try fake.notifier().sendAll(largeMessage)
    }
  }

  @Test func `A program that reads slowly gets everything`() async throws {
    let fake = try FakeProgram(
      #"while dd bs=5000 count=8 iflag=fullblock 2> /dev/null > "$here/part"; [ -s "$here/part" ]; "#
        + #"do cat "$here/part" >> "$here/documents"; sleep 0.01; done"#)
    try fake.notifier().sendAll(largeMessage)
    let document = try JSON(parsing: try #require(fake.documents.first))
    #expect(document.notices.elements.count == 1_000)
  }

  @Test(arguments: [
    "exec sleep 10000",
    "cat > /dev/null; while :; do echo complaint >&2; done",
    "while :; do echo output; done",
    "exec 0<&- 1>&- 2>&-; exec sleep 10000",
    "trap '' TERM; while :; do sleep 1; done",
    "trap 'exit 0' TERM; sleep 10000 & echo $! >> \"$here/pids\"; wait; exit 1",
    "sh -c 'trap \"\" TERM; echo $$ >> \"$0/pids\"; while :; do sleep 1; done' \"$here\" & wait",
    "kill -STOP $$",
    // A program that leaves its process group, where the group's signals do not reach it.
    "exec /usr/bin/perl -e 'setpgrp(0, getpgrp(getppid())); sleep 10000'",
  ])
  func `A program that does not end is killed, with its children`(script: String) async throws {
    let fake = try FakeProgram(#"echo $$ >> "$here/pids"; "# + script)
    let error = try #require(throws: NotifierError.self) {
      try fake.notifier(timeout: .milliseconds(500)).sendAll(largeMessage)
    }
    #expect(error.code == .timedOut)
    #expect(error.stopsTheRun)
    #expect(
      error.message
        == "exec:\(fake.path) did not finish within 0.5 s and was stopped; "
        + "raise --exec-timeout, or have it print ok INDEX for each notice that it has sent")
    #expect(!fake.processes.isEmpty)
    try await expectEnd(of: fake.processes)
  }

  @Test(arguments: ["", ">&2"])
  func `A gigabyte of output is read and thrown away`(redirection: String) async throws {
    let fake = try FakeProgram(
      "echo luck \(redirection); head -c 1000000000 /dev/zero \(redirection); exit 3")
    let error = try await failure(of: fake.notifier(timeout: .seconds(300)))
    #expect(error.message.contains("failed with exit status 3: luck; "))
  }

  @Test(arguments: [
    "sleep 10000 & echo $! >> \"$here/pids\"",
    "sleep 10000 <&3 & echo $! >> \"$here/pids\"",
    "cat /dev/zero & echo $! >> \"$here/pids\"",
    "cat /dev/zero >&2 & echo $! >> \"$here/pids\"",
    "sh -c 'trap \"\" TERM; exec sleep 10000' <&3 & echo $! >> \"$here/pids\"",
  ])
  func `A grandchild that keeps the pipes open is not waited for`(script: String) async throws {
    let fake = try FakeProgram("exec 3<&0\n\(script)\nexit 0")
    try fake.notifier(timeout: .seconds(600)).sendAll(largeMessage)
    #expect(fake.processes.count == 1)
    for grandchild in fake.processes {
      // One that writes ends when nobody reads any more.
      #expect(processExists(grandchild) || script.contains("cat"))
      kill(grandchild, SIGKILL)
    }
  }

  @Test func `With SIGCHLD ignored by the parent the status still counts`() async {
    await #expect(processExitsWith: .success) {
      let working = try FakeProgram.recording()
      let failing = try FakeProgram("echo bad luck >&2; exit 3")
      signal(SIGCHLD, SIG_IGN)
      try working.notifier().sendAll([reminder("Abigél")])
      #expect(working.documents.count == 1)
      let error = #expect(throws: NotifierError.self) {
        try failing.notifier().sendAll([reminder("Abigél")])
      }
      #expect(error?.message.contains("exit status 3: bad luck") == true)
    }
  }

  @Test func `A cancelled send ends the program with its group`() async throws {
    let fake = try FakeProgram(
      "sh -c 'trap \"\" TERM; echo $$ >> \"$0/pids\"; while :; do sleep 1; done' \"$here\" & "
        + "echo $$ >> \"$here/pids\"; wait")
    let notifier = fake.notifier()
    let sending = Task { try notifier.sendAll([reminder("Abigél")]) }
    for _ in 0..<2_000 where fake.processes.count < 2 {
      try await Task.sleep(for: .milliseconds(10))
    }
    sending.cancel()
    await #expect(throws: NotifierError.self) { try await sending.value }
    #expect(fake.processes.count == 2)
    try await expectEnd(of: fake.processes)
  }

  @Test func `Without descriptors the run stops and says so`() async {
    await #expect(processExitsWith: .success) {
      let fake = try FakeProgram.recording()
      let fakeNotifySend = try FakeNotifySend.recording()
      let notifiers: [any Notifier] = [
        fake.notifier(), fakeNotifySend.notifier(), fakeNotifySend.notifier(actions: try quiet()),
      ]
      // Three pipes need six descriptors, more where some above the limit are in use.
      for extra in 0...40 {
        limitDescriptors(to: 1_000)
        limitDescriptors(to: extra)
        for notifier in notifiers {
          do {
            try notifier.sendAll([reminder("Abigél")])
            #expect(extra > 5)
          } catch let error as NotifierError {
            #expect(extra < 40)
            #expect(error.code == .systemLimit)
            #expect(error.stopsTheRun)
            let name = notifier.channel == "notify-send" ? notifier.channel : "exec:\(fake.path)"
            #expect(
              error.message
                == "\(name) could not be run, because too many files are open; "
                + "raise the limit, ulimit -n")
          }
        }
      }
      limitDescriptors(to: 1_000)
    }
  }

  @Test func `Many runs leave no descriptor open`() async throws {
    await #expect(processExitsWith: .success) {
      let fake = try FakeProgram("case $RANDOM in *1) exec 0<&-;; esac; exit 3")
      let notifier = fake.notifier()
      let message = Array(largeMessage.prefix(250))
      for _ in 0..<3 { _ = try await failure(of: notifier) }
      let before = try File.names(in: "/proc/self/fd").count
      for _ in 0..<150 {
        #expect(throws: NotifierError.self) { try notifier.sendAll(message) }
      }
      #expect(try File.names(in: "/proc/self/fd").count <= before)
    }
  }

  @Test func `Thousands of runs take no more memory than hundreds`() async {
    await #expect(processExitsWith: .success) {
      let notifier = ProgramNotifier.exec("/bin/true", environment: [:])
      func pages() throws -> Int {
        let fields = try File.text(of: "/proc/self/statm").split(separator: " ")
        return try #require(Int(fields[1]))
      }
      for _ in 0..<800 { try notifier.sendAll([reminder("Abigél")]) }
      let before = try pages()
      for _ in 0..<2_000 { try notifier.sendAll([reminder("Abigél")]) }
      // 2 MB; each run that left 1.6 KB behind would make it more than 3.
      #expect(try pages() - before < 512)
    }
  }
}

/// About 300 KB, which no pipe holds.
private let largeMessage = (0..<1_000).map { reminder("Book \($0)", id: "bk\($0)") }
