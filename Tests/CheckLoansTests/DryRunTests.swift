import TestSupport
import Testing

/// `--dry-run`.
struct DryRunTests {
  @Test func `It leaves the schedule as it was, and says what it would do`() async throws {
    let desk = try Desk()
    try await desk.run("books.xml")
    let (bytes, status) = (try desk.stateBytes(), try desk.folder.status(of: Desk.state))
    let names = try File.names(in: "\(desk.folder.path)/state/check-loans")
    try desk.edit("2026.12.24", to: "2026.11.22")
    let result = try await desk.run("--dry-run", "--notify", "stdout", "books.xml")
    #expect(
      result.outcome
        == Outcome(
          0,
          output: """
            would deliver through stdout: "Szent Péter esernyője" expired 417 days ago (2025.09.30), by Mikszáth Kálmán, lent to Őszi Barnabás
            would deliver through stdout: "Frankenstein" expired 267 days ago (2026.02.27), by Mary Shelley, lent to Rufus Penhallow
            would deliver through stdout: "A Room of One's Own" expired 47 days ago (2026.10.05), by Virginia Woolf, lent to Petra Lindqvist
            would deliver through stdout: "Egri csillagok" expired 7 days ago (2026.11.14), by Gárdonyi Géza, lent to Vadas Lilla
            would deliver through stdout: "Az arany ember" expires today (2026.11.21), by Jókai Mór
            would deliver through stdout: "Abigél" expires tomorrow (2026.11.22), by Szabó Magda, lent to Halmos Benedek
            would deliver through stdout: "Tüskevár" expires tomorrow (2026.11.22), by Fekete István, lent to Koltai Hanna

            """))
    #expect(try desk.stateBytes() == bytes)
    #expect(try desk.folder.status(of: Desk.state) == status)
    #expect(try File.names(in: "\(desk.folder.path)/state/check-loans") == names)
    #expect(try await desk.run("--dry-run", "--notify", "stdout", "books.xml").text == result.text)
  }

  @Test func `It makes nothing where there was nothing`() async throws {
    let desk = try Desk()
    let result = try await desk.run("--dry-run", "books.xml")
    #expect(
      result.lines.last == """
        14 loans, 4 expired, 1 expires today, 10 scheduled, next reminder 2026-11-22 00:00, \
        nothing written (--dry-run); 4 books on the shelf
        """)
    #expect(
      try await desk.run("deliver", "--dry-run").outcome
        == Outcome(0, errors: "check-loans: nothing is due through stdout\n"))
    #expect(try File.names(in: desk.folder.path) == ["books.xml"])
  }

  @Test(arguments: [
    ["watch", "books.xml"], ["schedule", "cancel", "--all"], ["schedule", "forget", "books.xml"],
    ["timer", "uninstall"], ["calendar", "--directory", "cal", "books.xml"],
    ["calendar", "--output", "cal.ics", "books.xml"],
    ["lists", "shelf", "--output", "list", "books.xml"],
  ])
  func `The variable keeps what has no dry run from doing anything`(command: [String]) async throws
  {
    let desk = try Desk()
    try await desk.run("books.xml")
    let before = try await desk.schedule()
    #expect(
      try await desk.run(command, variables: ["CHECK_LOANS_DRY_RUN": "1"]).outcome
        == Outcome(
          78,
          errors: """
            check-loans: CHECK_LOANS_DRY_RUN: this command has no dry run, and nothing was done; \
            unset the variable

            """))
    #expect(try await desk.schedule() == before)
    #expect(try File.names(in: desk.folder.path).filter { $0 != "state" } == ["books.xml"])
  }

  @Test func `It starts no notify-send`() async throws {
    var desk = try Desk()
    let program = "#!/bin/sh\n: > '\(desk.folder.path)/started'\n"
    try desk.folder.write(program: program, to: "notify-send")
    desk.environment["PATH"] = desk.folder.path
    let rehearsal = try await desk.run("--dry-run", "--notify", "notify-send", "books.xml")
    #expect(rehearsal.status == 0)
    #expect(
      rehearsal.lines.allSatisfy { $0.hasPrefix("would deliver through notify-send: \"") })
    #expect(rehearsal.lines.count == 6)
    #expect(!desk.folder.contains("started"))
    try await desk.run("--notify", "notify-send", "books.xml")
    #expect(desk.folder.contains("started"), "the real run does start it")
  }

  @Test func `deliver --dry-run says what is due and marks nothing`() async throws {
    let desk = try Desk(catalogue: catalogue(("Abigél", "2026.11.22")))
    try desk.list()
    try await desk.run("books.xml")
    let bytes = try desk.stateBytes()
    let line = "\"Abigél\" expires tomorrow (2026.11.22)\n"
    #expect(
      try await desk.run("deliver", "--dry-run").outcome
        == Outcome(0, output: "would deliver through stdout: \(line)"))
    #expect(try desk.stateBytes() == bytes)
    #expect(try await desk.run("deliver").outcome == Outcome(0, output: line))
  }

  @Test func `It does not wait for a run that holds the lock`() async throws {
    let desk = try Desk()
    try await desk.run("books.xml")
    let lock = try HeldLock("\(desk.folder.path)/\(Desk.state).lock")
    #expect(try await desk.run("--dry-run", "books.xml").status == 0)
    lock.release()
  }
}

/// Standard output whose reader goes away.
struct ClosedPipeTests {
  @Test(arguments: [
    ["books.xml"], ["books.xml", "--format", "json"], ["--notify", "stdout", "books.xml"],
    ["deliver"], ["schedule", "list"], ["schedule", "list", "--format", "json"], ["--help"],
    ["--version"], ["validate", "broken.xml"], ["validate", "-q", "--format", "json", "books.xml"],
  ])
  func `A pipe without reader is a quiet end`(arguments: [String]) async throws {
    let desk = try Desk()
    try desk.list()
    try desk.folder.write(catalogue(("Abigél", "x")), to: "broken.xml")
    try await desk.run("books.xml")
    #expect(try await desk.run(arguments, output: .brokenPipe).outcome == Outcome(74))
  }

  @Test(arguments: ["", "trap '' PIPE; "])
  func `After head -1 the notices that nobody read stay pending`(trap: String) async throws {
    let titles = (1...9_000).map { "A book with a rather long title, number \($0)" }
    let desk = try Desk(catalogue: catalogue(titles.map { ($0, "2026.11.22") }))
    let result = try await desk.shell(
      """
      \(trap){ "$0" --notify stdout books.xml; echo $? > status; } | head -1
      """)
    #expect(
      result.outcome
        == Outcome(0, output: "\"\(titles[0])\" expires tomorrow (2026.11.22)\n"))
    #expect(desk.folder.contents(of: "status") == "74\n")
    let states = try await desk.schedule()
    #expect(states.count == 9_000)
    let rest = try await desk.run("deliver")
    #expect(rest.status == 0)
    #expect(rest.lines.last == "\"\(titles[8_999])\" expires tomorrow (2026.11.22)")
    #expect(
      rest.lines.count == states.filter { $0.state != "delivered" }.count,
      "what was not delivered comes now")
    #expect(rest.lines.count > 8_000)
  }
}
