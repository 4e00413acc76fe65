import TestSupport
import Testing

/// `status`.
struct StatusTests {
  @Test func `A daily run that works has status 0`() async throws {
    let desk = try Desk(catalogue: catalogue(("Abigél", "2026.11.22"), ("Az ajtó", "2026.12.22")))
    try await desk.run("books.xml", "--notify", "stdout", variables: ["TZ": "Europe/Budapest"])
    #expect(
      try await desk.run("status", "--now", "2026-11-22T17:59").withoutFileTimes
        == Outcome(
          0,
          output: """
            last run: 2026-11-21 at 07:00 (UTC+01:00), 35 hours ago
            \(desk.folder.path)/books.xml: last read 2026-11-21 at 07:00 (UTC+01:00), 35 hours ago; 2 loans
            stdout: 2 pending, 0 due, 0 failed

            """))
    #expect(try await desk.run("status", "--now", "2026-11-22T18:00").status == 1)
  }

  @Test func `A catalogue that was not read for long has status 1`() async throws {
    let desk = try Desk(catalogue: catalogue(("Abigél", "2026.11.22")))
    try await desk.run("books.xml")
    try desk.folder.write("<books>", to: "books.xml")
    #expect(try await desk.run("books.xml", "--now", "2026-11-22T19:00").status == 65)
    #expect(
      try await desk.run("status", "--now", "2026-11-23T19:00").withoutFileTimes
        == Outcome(
          1,
          output: """
            last run: 2026-11-21 at 07:00 (UTC+00:00), 2 days ago
            \(desk.folder.path)/books.xml: last read 2026-11-21 at 07:00 (UTC+00:00), 2 days ago; 1 loan

            """,
          errors: """
            check-loans: \(desk.folder.path)/books.xml was last read 2 days ago, longer than 36h; check \
            that the daily run still runs, and read its output; if the file was moved, use check-loans \
            schedule rename-catalogue \(desk.folder.path)/books.xml NEW; if it is gone for good, use \
            check-loans schedule forget \(desk.folder.path)/books.xml

            """))
    #expect(
      try await desk.run("status", "--now", "2026-11-23T19:00", "--max-age", "3d").status == 0)
    try await desk.run("schedule", "forget", "books.xml")
    #expect(try await desk.run("status").errorText.contains(": the schedule has no catalogue; "))
  }

  @Test func `A channel that fails has status 1 until it is forgotten, or no longer used`()
    async throws
  {
    let desk = try Desk(catalogue: catalogue(("Abigél", "2026.11.22"), ("Az ajtó", "2026.12.22")))
    try await desk.run("books.xml", "--notify", "stdout", "--notify", "exec:/nowhere/tell")
    let failed = try await desk.run("status")
    #expect(failed.status == 1)
    #expect(failed.lines.last == "stdout: 2 pending, 0 due, 0 failed")
    let sentence = try #require(failed.errorLines.first)
    #expect(failed.errorLines.count == 1)
    #expect(
      sentence.hasPrefix(
        "check-loans: 1 notice failed through exec:/nowhere/tell: it was not found;"))
    #expect(sentence.hasSuffix(" --failed"))
    let json = try JSON(parsing: await desk.run("status", "--format", "json").text)
    #expect(json.ok == .bool(false))
    #expect(json.lastRun == "2026-11-21T07:00:00+00:00")
    #expect(json.catalogues.elements.map(\.ok) == [.bool(true)])
    #expect(json.channels.elements.map(\.failed.number) == [1, 0])
    #expect(json.channels.elements.map(\.due.number) == [1, 0])
    #expect(json.channels.elements.map(\.pending.number) == [2, 2])
    // The reminder has given way to the expired notice, which was not tried yet.
    #expect(
      try await desk.run("status", "--now", "2026-11-22T23:00", "--max-age", "9d").status == 1)
    #expect(
      try await desk.run("status", "--now", "2026-11-23T07:00", "--max-age", "9d").status == 0)
    try await desk.run("books.xml", "--notify", "exec:/nowhere/tell", "--now", "2026-11-23T07:00")
    #expect(
      try await desk.run("status", "--now", "2026-11-30T07:00", "--max-age", "9d").status == 1)
    #expect(
      try await desk.run("status", "--now", "2026-12-01T07:00", "--max-age", "9d").status == 0)
    try await desk.run("schedule", "forget", "--channel", "exec:/nowhere/tell")
    #expect(try await desk.run("status", "--now", "2026-11-24T07:00").status == 0)
  }

  @Test func `JSON says which catalogues are delivered`() async throws {
    let desk = try Desk(catalogue: catalogue(("Abigél", "2026.11.22")))
    try desk.folder.write(catalogue(("Az ajtó", "2026.11.22")), to: "other.xml")
    try await desk.run("other.xml")
    func delivered() async throws -> [JSON] {
      try JSON(parsing: await desk.run("status", "--format", "json").text).catalogues.elements
        .map(\.delivered)
    }
    #expect(try await delivered() == [.bool(false)])
    try await desk.run("books.xml", "--notify", "stdout")
    #expect(try await delivered() == [.bool(true), .bool(false)])
  }

  @Test func `Times are noted to ten minutes, so that an unchanged catalogue costs no write`()
    async throws
  {
    let desk = try Desk(catalogue: catalogue(("Abigél", "2026.12.22")))
    try await desk.run("books.xml")
    // Not the bytes: to show how they differ would take all memory.
    let before = try desk.stateBytes().hashValue
    try await desk.run("books.xml", "--now", "2026-11-21T07:09:59")
    #expect(try desk.stateBytes().hashValue == before)
    try await desk.run("books.xml", "--now", "2026-11-21T07:10")
    #expect(try desk.stateBytes().hashValue != before)
    #expect(
      try await desk.run("status", "--now", "2026-11-21T07:20").lines.first
        == "last run: 2026-11-21 at 07:10 (UTC+00:00), 10 minutes ago")
    // A clock in another zone, at the same instant.
    let after = try desk.stateBytes().hashValue
    try await desk.run(
      "books.xml", "--now", "2026-11-21T08:15", variables: ["TZ": "Europe/Budapest"])
    #expect(try desk.stateBytes().hashValue == after)
  }

  @Test func `A run that only delivers is the last run`() async throws {
    let desk = try Desk(catalogue: catalogue(("Abigél", "2026.12.22")))
    try desk.list()
    try await desk.run("books.xml")
    try await desk.run("deliver", "--notify", "stdout", "--now", "2026-11-21T12:00")
    let status = try await desk.run("status", "--now", "2026-11-21T12:00")
    #expect(status.lines[0] == "last run: 2026-11-21 at 12:00 (UTC+00:00), just now")
    #expect(status.lines[1].contains("last read 2026-11-21 at 07:00 (UTC+00:00), 5 hours ago"))
    let before = try await desk.run("status", "--now", "2026-11-15")
    #expect(before.lines[0] == "last run: 2026-11-21 at 12:00 (UTC+00:00), in the future")
  }

  @Test(arguments: ["silence", "left_loan"])
  func `Damage where status reads nothing is found`(table: String) async throws {
    let desk = try Desk(catalogue: catalogue(("Abigél", "2026.12.22")))
    try desk.list()
    try await desk.run("books.xml")
    let number = try await desk.shell(
      "sqlite3 \(Desk.state) \"SELECT rootpage FROM sqlite_master WHERE name = '\(table)'\""
    ).lines.first
    let start = (try #require(number.flatMap { Int($0) }) - 1) * 4_096
    var bytes = try desk.stateBytes()
    bytes.replaceSubrange(start..<start + 8, with: repeatElement(0xFF, count: 8))
    try desk.folder.write(bytes: bytes, to: Desk.state)
    let status = try await desk.run("status")
    #expect(status.status == 74)
    #expect(status.errorText.contains("is damaged; restore it from a backup"))
    // SQLite's own check names a page; of what is only read, it says that the file is malformed.
    #expect(status.errorText.contains("age "), "\(status.errorText)")
  }

  @Test func `A schedule that nobody has made has status 1`() async throws {
    let desk = try Desk()
    #expect(
      try await desk.run("status").outcome
        == Outcome(
          1, output: "last run: never\n",
          errors: "check-loans: the schedule has no catalogue; run check-loans CATALOGUE first\n"))
    #expect(!desk.folder.contains("state"))
  }

  @Test func `The report as JSON names what could not be read`() async throws {
    let desk = try Desk()
    let result = try await desk.run("books.xml", "nosuch.xml", "--format", "json")
    #expect(result.status == 66)
    let unread = try JSON(parsing: result.text).unread
    #expect(unread.elements.map(\.path) == ["nosuch.xml"])
    #expect(unread[0].message.text?.hasPrefix("nosuch.xml: cannot read") == true)
  }

  @Test func `--verbose says when, and names a loan by its number`() async throws {
    let desk = try Desk(
      catalogue: """
        <books><book><title>Abigél</title><borrower>Halmos Benedek</borrower>
        <expiration>2026.11.22</expiration></book></books>
        """)
    try desk.list()
    try desk.folder.write(
      "[[catalogue]]\npath = \"books.xml\"\nname = \"the Library\"\n", to: "settings.toml")
    try await desk.run("--config", "settings.toml")
    let lines = try await desk.run("deliver", "-v", "--notify", "stdout").errorLines
    #expect(
      lines == [
        "check-loans: now is 2026-11-21T07:00:00 in the time zone UTC",
        "check-loans: delivered through stdout: reminder of loan 1",
      ])
  }

  @Test(arguments: ["36", "0h", "1y", "-1h", "h", "99999d"])
  func `An age that makes no sense is refused`(age: String) async throws {
    let result = try await Desk().run("status", "--max-age=\(age)")
    #expect(result.status == 64)
    #expect(
      result.errorText.hasSuffix(
        "give a number of minutes, hours, days or weeks, as in 90m, 36h or 8d\n"))
  }
}

extension CommandResult {
  /// The outcome, without the times at which files were modified.
  fileprivate var withoutFileTimes: Outcome {
    var outcome = outcome
    outcome.output = outcome.output.replacing(/; file modified [^;]*/, with: "")
    return outcome
  }
}
