import Glibc
import TestSupport
import Testing

/// `silence`, `schedule snooze` and `schedule returned`, and what other commands say of them.
struct SilenceTests {
  private static let books = catalogue(("Abigél", "2026.11.22"), ("Az ajtó", "2026.11.14"))

  /// A desk whose catalogue was read.
  private func desk(_ text: String = books) async throws -> Desk {
    let desk = try Desk(catalogue: text)
    try desk.list()
    try await desk.run("-q", "books.xml")
    return desk
  }

  /// Who runs the tests.
  private static let user: String = {
    guard let entry = unsafe getpwuid(geteuid()), let name = unsafe entry.pointee.pw_name else {
      return "user \(geteuid())"
    }
    return unsafe String(cString: name)
  }()

  private func told(_ desk: Desk, at now: String = "2026-11-21T07:00") async throws -> [String] {
    try await desk.run("deliver", "--dry-run", "--now", now).lines.filter {
      $0.hasPrefix("would")
    }
  }

  @Test(arguments: [
    (["1"], "2026-11-22"), (["1", "--until", "2w"], "2026-12-05"),
    (["1", "--until", "3d"], "2026-11-24"),
    (["1", "--until", "2026-12-01"], "2026-12-01"), (["1", "--until=2026.12.01"], "2026-12-01"),
  ])
  func `A loan is snoozed until tomorrow, or as long as is said`(
    words: [String], day: String
  ) async throws {
    let desk = try await desk()
    #expect(
      try await desk.run(["schedule", "snooze"] + words).outcome
        == Outcome(0, output: "snoozed 1 loan until \(day): \"Abigél\"\n"))
    #expect(try await told(desk).count == 1)
    #expect(try await told(desk, at: "\(day)T07:00").count == 2)
    let list = try await desk.run("schedule", "list").text
    #expect(list.contains("; silenced until \(day) by \(Self.user): snoozed\n"))
  }

  @Test(arguments: [
    [], ["3d"], ["1", "3d"], ["1", "--until", "0d"], ["1", "--until", "3"], ["1", "--until", "3h"],
    ["1", "--until", "2026-11-21"], ["1", "--until", "2026-11-20"], ["1", "--until", "2026-02-30"],
    ["x"], ["1", "--until", "2026-12-01T08:00"], ["1", "--until", "99999999999w"],
  ])
  func `What makes no sense to snooze is wrong usage, and changes nothing`(
    words: [String]
  ) async throws {
    let desk = try await desk()
    let result = try await desk.run(["schedule", "snooze"] + words)
    #expect(result.status == 64)
    #expect(result.errorLines.count == 1)
    #expect(try await desk.run("silence").errorText == "check-loans: nothing is silenced\n")
  }

  @Test func `A snooze ends, since only what was returned is silenced for ever`() async throws {
    let desk = try Desk()
    try await desk.run("books.xml")
    let result = try await desk.run("schedule", "snooze", "1", "--until", "forever")
    #expect(result.ends(64, saying: "use check-loans silence add --loan BOOK --until forever"))
  }

  @Test func `A snooze that is shorter than the one before says so`() async throws {
    let desk = try await desk()
    try await desk.run("schedule", "snooze", "1", "--until", "2026-12-01")
    let shorter = try await desk.run("schedule", "snooze", "1", "--until", "3d")
    #expect(
      shorter.outcome
        == Outcome(
          0, output: "snoozed 1 loan until 2026-11-24: \"Abigél\"\n",
          errors: """
            check-loans: loan 1 was snoozed until 2026-12-01; the new date replaces it

            """))
    #expect(try await desk.run("schedule", "snooze", "1", "--until", "4d").errorText == "")
  }

  @Test func `The default is tomorrow in the zone of the loan's catalogue`() async throws {
    var desk = try Desk(now: "2026-11-21T07:00", catalogue: Self.books)
    try desk.folder.makeDirectory("config")
    try desk.folder.makeDirectory("config/check-loans")
    try desk.folder.write(
      """
      [[catalogue]]
      path = "\(desk.folder.path)/books.xml"
      time-zone = "Pacific/Kiritimati"
      """, to: "config/check-loans/config.toml")
    desk.environment["XDG_CONFIG_HOME"] = "\(desk.folder.path)/config"
    desk.now = nil
    try await desk.run("-q", "books.xml")
    let result = try await desk.shell(
      #"""
      "$0" schedule snooze 1 >&2; "$0" silence list --format json; TZ=Pacific/Kiritimati date -d tomorrow +%F
      """#)
    #expect(result.status == 0, "\(result.errorText)")
    let day = try #require(result.lines.last)
    #expect(result.lines.first?.contains("\"until\":\"\(day)\"") == true)
  }

  @Test func `A loan that is not there is named, and the others are snoozed`() async throws {
    let desk = try await desk()
    let result = try await desk.run("schedule", "snooze", "7", "1", "-q")
    #expect(result.ends(64, saying: "there is no loan 7 "))
    #expect(try await told(desk).count == 1)
  }

  @Test func `A returned book is silent, and after a week it is to be looked for`() async throws {
    let desk = try await desk()
    #expect(
      try await desk.run("schedule", "returned", "1").outcome
        == Outcome(
          0,
          output: """
            marked 1 loan as returned; no notices until the catalogue shows it: "Abigél"

            """))
    #expect(try await told(desk, at: "2026-12-21T07:00").count == 1)
    let before = try await desk.run("--now", "2026-11-27T07:00", "books.xml").lines.last
    #expect(before?.hasSuffix("0 scheduled, 1 silenced, no further reminder") == true)
    let after = try await desk.run("--now", "2026-11-28T07:00", "books.xml").lines.last
    #expect(
      after?.hasSuffix(
        "; 1 book reported as returned, still on loan (see check-loans silence list)")
        == true)
    #expect(
      try await desk.run("silence", "list", "--now", "2026-11-28").outcome
        == Outcome(
          0,
          output: """
            reported as returned, still on loan: look on the shelf
            1       loan 1: "Abigél"; by \(Self.user): reported as returned (2026-11-21)

            """))
    try desk.folder.write(catalogue(("Az ajtó", "2026.11.14")), to: "books.xml")
    try await desk.run("books.xml")
    #expect(try await desk.run("silence").errorText == "check-loans: nothing is silenced\n")
  }

  private static let add = ["silence", "add", "--borrower-is", "Kovács Anna"]

  @Test(arguments: [
    (["--until", "2w"], "give a reason: --reason \"on holiday\""),
    (["--until", "2w", "--reason", " "], "give a reason"),
    (["--reason", "x"], "say for how long: give --until"),
    (["--reason", "x", "--until", "2w", "--title", " "], "a condition is empty"),
    (["--reason", "x", "--until", "2w", "--kind", "late"], "give reminder or expired"),
    (["--reason", "x", "--until", "2026-11-21"], "2026-11-21 is not after today"),
  ])
  func `A silence needs a reason and an end`(words: [String], message: String) async throws {
    let desk = try await desk()
    let result = try await desk.run(Self.add + words)
    #expect(result.status == 64)
    #expect(result.errorText.contains(message), "\(result.errorText)")
  }

  @Test func `A silence needs a condition about loans`() async throws {
    let desk = try await desk()
    let result = try await desk.run(
      "silence", "add", "--kind", "expired", "--until", "forever", "--reason", "x")
    #expect(result.status == 64)
    #expect(result.errorText.contains("say which loans: give --borrower-is, "))
  }

  @Test func `A silence is added, listed, seen everywhere, and ended`() async throws {
    let desk = try Desk(
      catalogue: """
        <books><book id="bk1"><title>Abigél</title><borrower>Kovács \n Anna</borrower>\
        <expiration>2026.11.22</expiration></book><book id="bk2"><title>Az ajtó</title>\
        <expiration>2026.11.14</expiration></book></books>
        """)
    try desk.list()
    try await desk.run("-q", "books.xml")
    #expect(
      try await desk.run(
        "silence", "add", "--borrower-is", " Kovács\tAnna ", "--title", "Ab*", "--until",
        "2026-12-01",
        "--reason", "on\u{1B} holiday"
      ).outcome
        == Outcome(0, output: "silence 1: 1 loan, until 2026-12-01\n"))
    #expect(
      try await desk.run("silence", "list").text == """
        1       borrower "Kovács Anna", title "Ab*"; until 2026-12-01 by \(Self.user): \
        on\\u{1b} holiday (2026-11-21)

        """)
    let list = try JSON(parsing: await desk.run("silence", "--format", "json").text)
    let silence = list.silences[0]
    #expect(silence.conditions.borrower == "Kovács Anna")
    #expect(silence.until == "2026-12-01")
    #expect(silence.by == .string(Self.user))
    #expect(silence.at == "2026-11-21T07:00:00")
    let entries = try JSON(parsing: await desk.run("schedule", "--format", "json").text).reminders
    #expect(entries.elements.map(\.state) == ["pending", "silenced"])
    #expect(entries[0].silence == .null)
    #expect(entries[1].silence.until == "2026-12-01")
    #expect(entries[1].silence.reason == "on\u{1B} holiday")
    #expect(try await desk.schedule().filter { $0.state == "failed" } == [])
    let report = try await desk.run("--format", "json", "books.xml").text
    #expect(try JSON(parsing: report).catalogues[0].silenced == 1)
    #expect(
      try await desk.run("-v", "deliver").status == 64, "deliver comes first")
    #expect(
      try await desk.run("deliver", "--dry-run").errorText
        == "check-loans: 1 notice through stdout is silenced\n")
    let delivery = try await desk.run("deliver", "-v")
    #expect(delivery.lines.count == 1)
    #expect(
      delivery.errorLines.dropFirst().first == "check-loans: 1 notice through stdout is silenced")
    let badge = try await desk.run("schedule", "list", "--format", "i3blocks").lines.first
    #expect(badge == "1 loan, 1 expired")
    #expect(
      try await desk.run("silence", "end", "1", "9").outcome
        == Outcome(
          64, output: "ended 1 silence\n",
          errors: "check-loans: there is no silence 9; see check-loans silence list\n"))
    #expect(try await told(desk).count == 1)
  }

  @Test func `A silence that no loan meets is a warning, with the nearest name`() async throws {
    let desk = try Desk(
      catalogue: """
        <books><book><title>Abigél</title><borrower>Kovács Anna</borrower>\
        <expiration>2026.11.22</expiration></book></books>
        """)
    try await desk.run("-q", "books.xml")
    let end = ["--until", "forever", "--reason", "x", "-q"]
    #expect(
      try await desk.run(["silence", "add", "--borrower-is", "Kovacs Anna"] + end).outcome
        == Outcome(
          0,
          errors: """
            check-loans: no loan meets the conditions now; did you mean --borrower-is 'Kovács Anna'? \
            (check-loans silence end 1 ends it)

            """))
    #expect(
      try await desk.run(["silence", "add", "--loan", "bk9"] + end).errorText
        == """
        check-loans: no loan meets the conditions now; is something misspelt? (check-loans silence \
        end 2 ends it)

        """)
  }

  @Test(arguments: [
    (
      ["schedule", "snooze", "1", "--until", "2026-12-01"],
      [
        "Silenced until 2026-12-01 by USER: snoozed.",
        "Next, from 2026-12-01 on: the next run with --notify delivers the expired notice.",
      ]
    ),
    (
      ["schedule", "returned", "1"],
      [
        "Silenced by USER: reported as returned.",
        "Next: nothing until the loan is renewed or disappears from its catalogue.",
      ]
    ),
    (
      ["silence", "add", "--title", "A*", "--until", "forever", "--reason", "reference"],
      [
        "Silenced forever by USER: reference.",
        "Next: nothing until somebody ends the silence: check-loans silence end 1.",
      ]
    ),
    (
      [
        "silence", "add", "--title", "A*", "--kind", "reminder", "--until", "forever", "--reason",
        "x",
      ],
      [
        "Silenced forever by USER: x.",
        "Next, from 2026-11-23 on: the next run with --notify delivers the expired notice.",
      ]
    ),
  ])
  func `Explain says who has silenced a loan, and what comes after`(
    command: [String], sentences: [String]
  ) async throws {
    let desk = try await desk(catalogue(("Abigél", "2026.11.22")))
    #expect(try await desk.run(command).status == 0)
    let lines = try await desk.run("schedule", "explain", "1").lines
    #expect(
      lines.suffix(3).dropLast() == sentences.map { $0.replacing("USER", with: Self.user) }[...])
  }

  @Test func `A snooze does not end the silence of a book that is reported as returned`()
    async throws
  {
    let desk = try await desk(catalogue(("Abigél", "2026.11.22")))
    try await desk.run("schedule", "returned", "1")
    let snoozed = try await desk.run("schedule", "snooze", "1")
    #expect(
      snoozed.ends(0, saying: "loan 1 is reported as returned, and so is silenced for longer;"))
    #expect(try await desk.run("silence", "list").text.contains("reported as returned"))
  }

  @Test func `Explain says through which channel a loan is silenced`() async throws {
    let desk = try await desk(catalogue(("Abigél", "2026.11.22")))
    try await desk.run("deliver", "--notify", "exec:false")
    let program = "exec:/usr/bin/false"
    try await desk.run(
      "silence", "add", "--title", "A*", "--channel", "exec:false", "--until", "1w", "--reason", "x"
    )
    let lines = try await desk.run("schedule", "explain", "1").lines
    #expect(
      lines.contains(
        "Silenced through \(program) until 2026-11-28 by \(Self.user): x."))
    #expect(lines.dropLast().last?.contains("the reminder is silenced through \(program)") == true)
    #expect(try await told(desk).count == 1, "stdout is another one")
  }

  @Test func `Nothing is silenced in a dry run`() async throws {
    let desk = try await desk()
    for command in [
      ["schedule", "snooze", "1"], ["schedule", "returned", "1"], ["silence", "end", "1"],
      Self.add + ["--until", "1w", "--reason", "x"],
    ] {
      let bytes = try desk.stateBytes()
      let result = try await desk.run(command, variables: ["CHECK_LOANS_DRY_RUN": "1"])
      #expect(result.status == 78 || result.status == 64)
      #expect(try desk.stateBytes() == bytes)
    }
  }

  @Test func `The view has silences as people write them`() async throws {
    let desk = try await desk()
    try await desk.run("schedule", "snooze", "1")
    let rows = try await Command(
      "/usr/bin/sqlite3",
      ["-readonly", Desk.state, "SELECT id, reminder, until, reason, made_at FROM silences"],
      environment: desk.environment, directory: desk.folder.path
    ).run().lines
    #expect(rows == ["1|1|2026-11-22|snoozed|2026-11-21T07:00:00"])
    let states = try await Command(
      "/usr/bin/sqlite3", ["-readonly", Desk.state, "SELECT state FROM reminders ORDER BY id"],
      environment: desk.environment, directory: desk.folder.path
    ).run().lines
    #expect(states == ["silenced", "expired"])
  }
}
