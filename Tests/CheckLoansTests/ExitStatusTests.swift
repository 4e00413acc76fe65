import TestSupport
import Testing

/// Each exit status, and that nothing is lost on the way to it.
struct ExitStatusTests {
  @Test func `0 is done, also when loans have expired`() async throws {
    let result = try await Desk().run("books.xml")
    #expect(result.status == 0)
    #expect(result.text.contains("\"Egri csillagok\" expired 7 days ago"))
  }

  @Test(arguments: [("2026-11-21", Int32(1)), ("2025-09-30", 0), ("2025-10-01", 1)])
  func `1 is an expired loan, where it shall fail`(now: String, status: Int32) async throws {
    let desk = try Desk()
    let result = try await desk.run("books.xml", "--exit-code", "--now", now)
    #expect(result.status == status)
    #expect(result.lines.count == (now == "2026-11-21" ? 7 : 2), "the report is printed anyway")
    #expect(result.errorText == "")
    #expect(try await desk.schedule().count == 14)
  }

  @Test func `A broken catalogue outranks an expired loan`() async throws {
    let desk = try Desk(catalogue: catalogue(("Abigél", "2026.11.01"), ("Az ajtó", "x")))
    #expect(try await desk.run("books.xml", "--exit-code").status == 65)
  }

  @Test(arguments: [
    [], ["--nonsense", "books.xml"], ["books.xml", "--notify", "Pigeon"],
    ["books.xml", "--remind", "-1"], ["books.xml", "--remind", "3651"],
    ["books.xml", "--remind", "1.5"], ["books.xml", "--at", "24:00"],
    ["books.xml", "--at", "7:00"], ["books.xml", "--at", "07:00:00"],
    ["books.xml", "--now", "2026.02.30"], ["books.xml", "--now", "2026-02-30"],
    ["books.xml", "--now", "2026-11-21T25:00"], ["books.xml", "--now"],
    ["books.xml", "--format", "xml"], ["books.xml", "--color", "red"],
    ["books.xml", "--exit-code=yes"],
    ["books.xml", "--notify", "stdout", "--format", "json"],
    ["schedule", "cancel", "first"], ["schedule", "nonsense"], ["deliver", "books.xml"],
  ])
  func `64 is wrong usage, before anything is done`(arguments: [String]) async throws {
    let desk = try Desk()
    let result = try await desk.run(arguments)
    #expect(result.status == 64)
    #expect(result.text == "")
    #expect(result.errorText.hasPrefix("check-loans: "))
    #expect(!result.errorText.contains("Error:"))
    #expect(try File.names(in: desk.folder.path) == ["books.xml"])
  }

  @Test(arguments: [
    ("missing.xml", "no such file"), ("books.xml/x", "not a directory"),
    ("directory", "a directory"), ("pipe", "a named pipe"), ("/dev/zero", "a device"),
  ])
  func `66 is an input that cannot be read`(path: String, message: String) async throws {
    let desk = try Desk()
    try desk.folder.makeDirectory("directory")
    try desk.folder.makeNamedPipe("pipe")
    let result = try await desk.run("--notify", "stdout", path)
    #expect(result.ends(66, saying: message))
    #expect(result.errorText.hasPrefix("check-loans: \(path): "))
  }

  @Test(.disabled(if: isRoot, "root may read everything"))
  func `66 is also a catalogue that may not be read`() async throws {
    let desk = try Desk()
    try desk.folder.setPermissions(of: "books.xml", 0)
    #expect(
      try await desk.run("--notify", "stdout", "books.xml").ends(
        66, saying: "books.xml: cannot read"))
  }

  @Test(arguments: [
    (
      "books.xml/schedule.sqlite",
      "\"./books.xml\" is not a directory"
    ),
    (
      "/proc/nonexistent/schedule.sqlite",
      """
      the directory "/proc/nonexistent" does not exist; create it, or name another file for the \
      schedule
      """
    ),
    (
      "/dev/null/schedule.sqlite",
      "\"/dev/null\" is not a directory"
    ),
  ])
  func `73 is a state that cannot be created`(path: String, message: String) async throws {
    let desk = try Desk()
    let result = try await desk.run("books.xml", "--state", path)
    #expect(result.outcome == Outcome(73, errors: "check-loans: \(message)\n"))
    #expect(try await desk.run("deliver", "--state", path).status == 73)
  }

  @Test func `A directory that is misspelt is not made, the standard place is`() async throws {
    let desk = try Desk()
    let path = "\(desk.folder.path)/lirbary/schedule.sqlite"
    for arguments in [["books.xml"], ["deliver"], ["schedule", "list"]] {
      let result = try await desk.run(arguments + ["--state", path])
      #expect(result.ends(73, saying: "\"\(desk.folder.path)/lirbary\" does not exist"))
    }
    #expect(try File.names(in: desk.folder.path) == ["books.xml"])
    let place = "\(desk.folder.path)/a/b/check-loans/schedule.sqlite"
    #expect(try await desk.run("books.xml", "--state", place).status == 0)
    #expect(desk.folder.contains("a/b/check-loans/schedule.sqlite"))
  }

  @Test func `75 is another run that holds the lock`() async throws {
    let desk = try Desk()
    try await desk.run("books.xml")
    let bytes = try desk.stateBytes()
    let lock = try HeldLock("\(desk.folder.path)/\(Desk.state).lock")
    let result = try await desk.run("--notify", "stdout", "books.xml")
    lock.release()
    #expect(result.ends(75, saying: "lock \"\(desk.folder.path)/\(Desk.state).lock\"; try again"))
    #expect(result.elapsed > .seconds(4), "it waits for the other run to end")
    #expect(try desk.stateBytes() == bytes)
    #expect(try await desk.run("--notify", "stdout", "books.xml").lines.count == 6)
  }

  @Test(.enabled(if: File.exists("/usr/bin/sqlite3"), "sqlite3 is not installed"))
  func `75 comes within seconds also while the other run writes`() async throws {
    let desk = try Desk()
    try await desk.run("books.xml")
    let lock = try HeldLock("\(desk.folder.path)/\(Desk.state).lock")
    let result = try await desk.shell(
      """
      { echo 'BEGIN EXCLUSIVE;'; sleep 20; } | sqlite3 \(Desk.state) & writer=$!
      sleep 1; "$0" books.xml; status=$?; kill $writer; exit $status
      """)
    lock.release()
    #expect(result.status == 75)
    #expect(result.elapsed < .seconds(15), "the schedule is not read before the lock is tried")
  }

  @Test func `A lock that is let go in time is waited for`() async throws {
    let desk = try Desk()
    try await desk.run("books.xml")
    let path = "\(desk.folder.path)/\(Desk.state).lock"
    let lock = try HeldLock(path)
    let run = try RunningCommand(desk.command(["--notify", "stdout", "books.xml"]))
    // It waits for five seconds once it has opened the lock's file.
    let open = "/proc/\(run.identifier)/fd"
    func hasOpened() -> Bool {
      let names = (try? File.names(in: open)) ?? []
      return names.contains { File.realPath(of: "\(open)/\($0)") == File.realPath(of: path) }
    }
    let start = ContinuousClock.now
    while !hasOpened(), ContinuousClock.now < start + .seconds(60) {
      try await Task.sleep(for: .milliseconds(10))
    }
    #expect(hasOpened())
    try await Task.sleep(for: .milliseconds(200))
    lock.release()
    #expect(try await run.end().lines.count == 6)
  }

  @Test func `Reading the list takes no lock`() async throws {
    let desk = try Desk()
    try await desk.run("books.xml")
    let lock = try HeldLock("\(desk.folder.path)/\(Desk.state).lock")
    let result = try await desk.run("schedule", "list")
    lock.release()
    #expect(result.lines.count == 14)
  }

  @Test func `Many runs at once deliver each notice once`() async throws {
    let desk = try Desk()
    let lines = try await withThrowingTaskGroup(of: [String].self) { group in
      for _ in 0..<8 {
        group.addTask {
          let result = try await desk.run("--notify", "stdout", "books.xml")
          #expect(result.status == 0 || result.status == 75)
          return result.lines
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    #expect(lines.count == 6)
    #expect(Set(lines).count == 6)
  }

  @Test func `77 is a directory that others can write`() async throws {
    let desk = try Desk()
    try await desk.run("books.xml")
    let bytes = try desk.stateBytes()
    try desk.folder.setPermissions(of: "state/check-loans", 0o770)
    #expect(
      try await desk.run("books.xml").outcome
        == Outcome(
          77,
          errors: """
            check-loans: the directory "\(desk.folder.path)/state/check-loans" can be written by \
            others; use one that only you can write, or name another file with --state

            """))
    #expect(try desk.stateBytes() == bytes)
  }

  @Test func `77 is also a schedule that is a symbolic link`() async throws {
    let desk = try Desk()
    try desk.folder.makeLink("linked.sqlite", to: "\(desk.folder.path)/target")
    for arguments in [["books.xml"], ["schedule"]] {
      let result = try await desk.run(arguments + ["--state", "linked.sqlite"])
      #expect(result.ends(77, saying: "a symbolic link"))
    }
    #expect(!desk.folder.contains("target"))
  }

  @Test func `77 is also a schedule with a second name, and a directory`() async throws {
    let desk = try Desk()
    try await desk.run("books.xml")
    let hardLink = try await desk.shell(
      "ln \(Desk.state) second.sqlite; exec \"$0\" books.xml --state second.sqlite")
    #expect(
      hardLink.outcome
        == Outcome(
          77,
          errors: """
            check-loans: the schedule "second.sqlite" has more than one hard link; name another \
            file with --state

            """))
    try desk.folder.makeDirectory("directory")
    #expect(
      try await desk.run("books.xml", "--state", "directory").outcome
        == Outcome(
          77,
          errors: """
            check-loans: the schedule "directory" is not a regular file; name another file with \
            --state

            """))
  }

  @Test func `An empty file is an empty schedule`() async throws {
    let desk = try Desk()
    try desk.folder.write("", to: "empty.sqlite")
    #expect(try await desk.run("schedule", "--state", "empty.sqlite").lines == [])
    let notices = try await desk.run(
      "--notify", "stdout", "books.xml", "--state", "empty.sqlite")
    #expect(notices.lines.count == 6)
  }

  @Test func `74 is a file that may not grow, and the schedule stays as it was`() async throws {
    let desk = try Desk()
    try await desk.run("books.xml")
    let before = try await desk.schedule()
    let books = (1...2_000).map { ("Book \($0)", Optional("2026.12.24")) }
    try desk.folder.write(catalogue(books), to: "books.xml")
    // 64 blocks of 512 bytes.
    let result = try await desk.shell("ulimit -f 64; exec \"$0\" --notify stdout books.xml")
    #expect(result.status == 74)
    #expect(result.text == "")
    // The first says that the books of before are gone from the catalogue.
    #expect(result.errorLines.count == 2)
    #expect(try await desk.schedule() == before)
    #expect(
      try File.names(in: "\(desk.folder.path)/state/check-loans")
        == ["schedule.sqlite", "schedule.sqlite.lock"])
    #expect(try await desk.run("books.xml", "-q").status == 0)
    #expect(try await desk.schedule().count == 2_000)
  }

  @Test func `78 is a file that is no schedule, which stays as it is`() async throws {
    let desk = try Desk()
    try desk.folder.write("Dear diary, ".repeated(400), to: "diary.txt")
    let bytes = try File.bytes(of: "\(desk.folder.path)/diary.txt")
    for arguments in [["books.xml"], ["deliver"], ["schedule", "list"]] {
      let result = try await desk.run(arguments + ["--state", "diary.txt"])
      #expect(result.ends(78, saying: "\"diary.txt\" is not a database;"))
    }
    #expect(try File.bytes(of: "\(desk.folder.path)/diary.txt") == bytes)
  }

  @Test(arguments: [
    (
      "REMIND", "often",
      "the value 'often' is invalid for '--remind <days>': give numbers from 0 to 3650, as in 7,3,1, or none"
    ),
    (
      "AT", "noon",
      "the value 'noon' is invalid for '--at <HH:MM>': give a time of day "
    ),
    (
      "NOW", "soon",
      "the value 'soon' is invalid for '--now': write it as YYYY-MM-DD or YYYY-MM-DDTHH:MM, "
        + "for example 2026-12-01"
    ),
    (
      "FORMAT", "xml",
      "the value 'xml' is invalid for '--format <format>'; give one of text, table, json, csv, html, "
        + "letters"
    ),
    (
      "NOTIFY", "stdout,pigeon",
      "unknown channel \"pigeon\"; "
    ),
    ("NOTIFY", ", ,", "\", ,\" has no value in it"),
    ("QUIET", "perhaps", "\"perhaps\" is neither 1 nor 0"),
    (
      "COLOR", "red",
      "the value 'red' is invalid for '--color <when>'; give one of 'auto', 'always' or 'never'"
    ),
  ])
  func `78 is a variable that makes no sense`(
    name: String, value: String, words: String
  ) async throws {
    let name = "CHECK_LOANS_\(name)"
    let desk = try Desk()
    #expect(
      try await desk.run("books.xml", variables: [name: value])
        .ends(78, saying: "check-loans: \(name): \(words)"))
    #expect(!desk.folder.contains("state"))
  }

  @Test func `78 is a user without home`() async throws {
    var desk = try Desk()
    desk.environment["XDG_STATE_HOME"] = "relative"
    desk.environment["HOME"] = "nowhere"
    let result = try await desk.run("books.xml")
    #expect(
      result.outcome
        == Outcome(
          78,
          errors: """
            check-loans: there is no home directory for the schedule; name a file with --state

            """))
    #expect(try File.names(in: desk.folder.path) == ["books.xml"])
  }
}

/// 74: standard output that cannot be written.
struct LostOutputTests {
  private static let outputs: [(Command.Output, String)] = [
    (.file("/dev/full"), "No space left on device"), (.closed, "Bad file descriptor"),
  ]

  @Test(
    arguments: [
      ["books.xml"], ["books.xml", "--format", "json"], ["--notify", "stdout", "books.xml"],
      ["--dry-run", "--notify", "stdout", "books.xml"], ["deliver"], ["schedule", "list"],
      ["schedule", "list", "--format", "json"], ["--help"], ["--version"], ["schedule", "--help"],
      ["--generate-completion-script", "bash"],
    ], outputs)
  func `Lost output is told, and nothing is taken for delivered`(
    arguments: [String], output: (Command.Output, String)
  ) async throws {
    let desk = try Desk()
    try desk.list()
    try await desk.run("books.xml")
    let delivers = arguments.first == "--notify" || arguments.first == "deliver"
    let fate = delivers ? "; 6 notices stay pending" : ""
    let message = "check-loans: cannot write to standard output: \(output.1)\(fate)\n"
    #expect(
      try await desk.run(arguments, output: output.0).outcome == Outcome(74, errors: message))
    #expect(try await desk.pending().count == 14)
    #expect(try await desk.run("deliver").lines.count == 6)
  }

  @Test func `A schedule never lands in a descriptor that was closed`() async throws {
    let desk = try Desk()
    for (output, errors) in [
      (Command.Output.closed, Command.Output.captured), (.captured, .closed), (.closed, .closed),
    ] {
      try await desk.run(
        "--notify", "stdout", "-v", "books.xml", input: .closed, output: output, errors: errors)
    }
    let header = Array("SQLite format 3\0".utf8)
    #expect(Array(try desk.stateBytes().prefix(header.count)) == header)
    #expect(try await desk.schedule().count == 14)
  }

  @Test func `Lost diagnostics cost no delivery`() async throws {
    let desk = try Desk(catalogue: catalogue(("Abigél", "2026.11.22"), ("Az ajtó", "x")))
    let result = try await desk.run(
      "--notify", "stdout", "books.xml", errors: .file("/dev/full"))
    #expect(result.status == 65)
    #expect(result.text == "\"Abigél\" expires tomorrow (2026.11.22)\n")
  }
}
