import TestSupport
import Testing

/// Several notices about one loan, and what a person is told of them.
struct LadderTests {
  private static let loan = catalogue(("Abigél", "2026.12.10"))

  /// What is sent by a run at seven on each of some days.
  private func sent(
    _ desk: Desk, _ options: [String], from first: Int = 1, through last: Int = 31,
    step: Int = 1
  ) async throws -> [String] {
    var sent: [String] = []
    for day in stride(from: first, through: last, by: step) {
      let now = "2026-12-\(day < 10 ? "0" : "")\(day)T07:00"
      let result = try await desk.run(
        ["--notify", "stdout", "--now", now] + options + ["books.xml"])
      #expect(result.errorText == "" && result.status == 0)
      #expect(result.lines.count <= 1, "at most one notice of a loan")
      sent += result.lines.map { "\(day): \($0)" }
    }
    return sent
  }

  private func words(_ lines: (Int, String)...) -> [String] {
    lines.map { "\($0): \"Abigél\" \($1) (2026.12.10)" }
  }

  @Test(arguments: [
    ["--remind", "7,1", "--expired", "1,7", "--repeat-expired", "7"],
    [
      "--remind", "1", "--remind", "1w", "--expired", "7", "--expired", "1,1", "--repeat-expired",
      "7",
    ],
  ])
  func `Each day of the ladder has its notice, whatever the order in which they are named`(
    options: [String]
  ) async throws {
    let desk = try Desk(now: nil, catalogue: Self.loan)
    #expect(
      try await sent(desk, options)
        == words(
          (3, "expires in 7 days"), (9, "expires tomorrow"), (11, "expired yesterday"),
          (17, "expired 7 days ago"), (24, "expired 14 days ago"), (31, "expired 21 days ago")))
  }

  @Test func `What was missed becomes one notice, the most urgent`() async throws {
    let desk = try Desk(now: nil, catalogue: Self.loan)
    let options = ["--remind", "7,5,3,1,0", "--expired", "1,2,3"]
    #expect(
      try await sent(desk, options, from: 8, through: 31, step: 4)
        == words((8, "expires in 2 days"), (12, "expired 2 days ago"), (16, "expired 6 days ago")))
  }

  @Test func `None is no such notice, and a limit ends them`() async throws {
    let desk = try Desk(now: nil, catalogue: Self.loan)
    #expect(
      try await sent(desk, ["--remind", "0", "--expired", "none"]) == words((10, "expires today")))
    let other = try Desk(now: nil, catalogue: Self.loan)
    #expect(
      try await sent(
        other, ["--remind", "none", "--repeat-expired", "5", "--expired-until", "10"])
        == words((11, "expired yesterday"), (16, "expired 6 days ago")))
  }

  @Test func `A changed ladder sends one notice of a loan at most`() async throws {
    let desk = try Desk(now: nil, catalogue: Self.loan)
    #expect(try await sent(desk, ["--remind", "7"], through: 7).count == 1)
    // A day that is further and has come is told of once, one before what was told never.
    #expect(try await sent(desk, ["--remind", "9,8,7"], from: 7, through: 7) == [])
    #expect(
      try await sent(desk, ["--remind", "9,5,4,3"], from: 7, through: 8)
        == words((7, "expires in 3 days")))
    let rehearsal = try await desk.run(
      "--notify", "stdout", "--dry-run", "--remind", "3,2", "--now", "2026-12-08", "books.xml")
    #expect(
      rehearsal.outcome
        == Outcome(
          0, output: "would deliver through stdout: \"Abigél\" expires in 2 days (2026.12.10)\n",
          errors: "check-loans: 1 of these notices through stdout is due because the settings have "
            + "changed\n"))
    #expect(try await sent(desk, ["--remind", "7"], from: 8, through: 10) == [])
  }

  @Test func `The deliver command and explain know each loan's ladder`() async throws {
    let desk = try Desk(now: nil, catalogue: Self.loan)
    #expect(try await sent(desk, ["--remind", "7,1"], through: 3).count == 1)
    let explained = try await desk.run("schedule", "explain", "1", "--now", "2026-12-04")
    #expect(
      explained.lines.dropFirst(2).first
        == "Its reminders are for 2026-12-03 at 00:00 and 2026-12-09 at 00:00.")
    #expect(try await desk.run("deliver", "--now", "2026-12-08").lines == [])
    #expect(
      try await desk.run("deliver", "--now", "2026-12-09").lines
        == ["\"Abigél\" expires tomorrow (2026.12.10)"])
  }

  @Test(arguments: [
    ("--remind", "3651"), ("--remind", "7,-1"), ("--remind", "7,"), ("--remind", ""),
    ("--remind", "7 1"), ("--remind", "99999999999999999999w"), ("--remind", "7w7"),
    ("--expired", "0"), ("--expired", "one"),
  ])
  func `Days that make no sense are refused`(option: String, value: String) async throws {
    let desk = try Desk(catalogue: Self.loan)
    let result = try await desk.run(option, value, "books.xml")
    #expect(result.status == 64)
    let range = option == "--remind" ? "0 to 3650" : "1 to 3650"
    #expect(
      result.errorText == """
        check-loans: the value '\(value)' is invalid for '\(option) <days>': give numbers from \
        \(range), as in 7,3,1, or none

        """)
    #expect(try File.names(in: desk.folder.path) == ["books.xml"])
  }

  @Test func `None does not go with days, and a ladder has sixteen days at most`() async throws {
    let desk = try Desk(catalogue: Self.loan)
    #expect(
      try await desk.run("--expired", "none", "--expired", "3", "books.xml").errorText
        == "check-loans: --expired none means no such notice, and cannot go with a number\n")
    let days = (1...17).map(String.init).joined(separator: ",")
    #expect(
      try await desk.run("--remind", days, "books.xml").errorText
        == "check-loans: --remind has more than 16 days\n")
    try desk.writeSettings("remind = [7, 3]\nexpired = \"none\"\n")
    #expect(try await desk.run("books.xml").status == 0)
    try desk.writeSettings("remind = [7, \"none\"]\n")
    #expect(try await desk.run("books.xml").status == 78)
  }
}

struct PlanTests {
  /// What the daily runs of three weeks send is what the plan of the first day says.
  @Test(arguments: [
    ["--remind", "7,3,1", "--expired", "1,5", "--repeat-expired", "4"],
    ["--remind", "2", "--at", "05:00", "--expired-until", "30"],
    ["--remind", "none", "--expired", "2"],
  ])
  func `The plan is what daily runs send`(options: [String]) async throws {
    let desk = try Desk(now: nil)
    _ = try await desk.run(
      ["--notify", "stdout", "--now", "2026-11-15T07:00"] + options + ["books.xml"])
    let planned = try await desk.run(
      ["plan", "--days", "22", "--now", "2026-11-15T07:01", "--notify", "stdout"] + options
        + ["books.xml"])
    #expect(planned.status == 0)
    #expect(
      try await desk.run(
        "plan", "--days", "22", "--now", "2026-11-15T07:01", "--notify", "stdout"
      ).text == planned.text, "the stored schedule has the same plan")
    var sent: [String] = []
    for day in 16...36 {
      let date = day <= 30 ? "2026-11-\(day)" : "2026-12-0\(day - 30)"
      let result = try await desk.run(
        ["--notify", "stdout", "--now", "\(date)T07:00"] + options + ["books.xml"])
      sent += result.lines.map { "\(date)  stdout  \($0)" }
    }
    #expect(planned.lines == sent)
    #expect(sent.count >= 5)
  }

  @Test func `Nothing is written, and what was sent through some channel is sent`() async throws {
    let desk = try Desk()
    let first = try await desk.run("plan", "books.xml")
    #expect(first.lines.first?.hasPrefix("2026-11-21  \"Szent Péter") == true)
    #expect(try File.names(in: desk.folder.path) == ["books.xml"])
    _ = try await desk.run("--notify", "stdout", "books.xml")
    let state = try desk.stateBytes()
    let rest = try await desk.run("plan").lines
    #expect(rest.count == first.lines.filter { !$0.hasPrefix("2026-11-21") }.count)
    let other = try await desk.run("plan", "--notify", "exec:/bin/mail").lines
    #expect(other.count == first.lines.count)
    #expect(try desk.stateBytes() == state)
    let json = try JSON(parsing: await desk.run("plan", "--format", "json").text)
    let notice = try #require(json.notices.elements.first)
    #expect(notice.date.text == "2026-11-22")
    #expect(notice.rung == .int(1))
    #expect(notice.channel == .null)
    let empty = try await desk.run(
      "plan", "--days", "1", "--now", "2030-01-01", "--state", "none.sqlite")
    #expect(empty.outcome == Outcome(0, errors: "check-loans: nothing will be sent within 1 day\n"))
  }

  @Test func `Without catalogues those of the settings are read, or else the schedule`()
    async throws
  {
    let desk = try Desk()
    let idle = try await desk.run("plan", "--remind", "3")
    #expect(
      idle.outcome
        == Outcome(
          64,
          errors: "check-loans: --remind has no effect on the stored schedule; name a catalogue to "
            + "read\n"))
    try desk.writeSettings("catalogues = [\"\(desk.folder.path)/books.xml\"]\nremind = 3\n")
    #expect(try await desk.run("plan").text == desk.run("plan", "books.xml").text)
    #expect(try await !desk.run("plan").lines.isEmpty)
  }

  @Test func `A catalogue that cannot be read is named`() async throws {
    let desk = try Desk()
    let missing = try await desk.run("plan", "nothing.xml")
    #expect(missing.status == 66)
    #expect(missing.errorText.contains("nothing.xml: cannot read the catalogue"))
    try desk.folder.write("<books><book>", to: "broken.xml")
    #expect(try await desk.run("plan", "broken.xml").status == 65)
  }
}

struct QuietHoursTests {
  private func run(_ desk: Desk, _ now: String, hours: String) async throws -> CommandResult {
    try await desk.run("--notify", "stdout", "--deliver-between", hours, "--now", now, "books.xml")
  }

  @Test func `What is due at night is held until the morning, and sent then`() async throws {
    let desk = try Desk(now: nil, catalogue: catalogue(("Abigél", "2026.11.28")))
    let held = "check-loans: 1 notice through stdout is held until"
    #expect(
      try await run(desk, "2026-11-27T07:59:59", hours: "08:00-20:00").outcome
        == Outcome(0, errors: "\(held) 08:00\n"))
    #expect(
      try await run(desk, "2026-11-27T20:00", hours: "08:00-20:00").outcome
        == Outcome(0, errors: "\(held) 2026-11-28 08:00\n"))
    #expect(try await desk.pending(at: "2026-11-27") == ["Abigél"])
    let rehearsal = try await desk.run(
      "deliver", "--dry-run", "--deliver-between", "08:00-20:00", "--now", "2026-11-27T06:00")
    #expect(
      rehearsal.text == """
        would hold until 2026-11-27 08:00, for stdout: "Abigél" expires tomorrow (2026.11.28)

        """)
    let sent = try await run(desk, "2026-11-28T08:00", hours: "08:00-20:00")
    #expect(sent.outcome == Outcome(0, output: "\"Abigél\" expires today (2026.11.28)\n"))
    #expect(try await run(desk, "2026-11-28T21:00", hours: "08:00-20:00").outcome == Outcome(0))
  }

  @Test func `The hours may go over midnight`() async throws {
    let desk = try Desk(now: nil, catalogue: catalogue(("Abigél", "2026.11.28")))
    #expect(try await run(desk, "2026-11-27T12:00", hours: "20:00-06:00").lines == [])
    #expect(try await run(desk, "2026-11-28T05:59", hours: "20:00-06:00").lines.count == 1)
  }

  @Test(arguments: [
    ("08:00", "write it as HH:MM-HH:MM: 08:00-20:00"),
    ("8:00-20:00", "write it as HH:MM: 08:00"),
    ("08:00-24:00", "give a time of day "),
    ("08:00-08:00", "the two times are equal; leave the option out for all day"),
  ])
  func `Hours that make no sense are refused`(hours: String, words: String) async throws {
    let desk = try Desk()
    let result = try await run(desk, "2026-11-27", hours: hours)
    #expect(result.ends(64, saying: "'--deliver-between': \(words)"))
    try desk.writeSettings("deliver-between = \"\(hours)\"\n")
    let inFile = try await desk.run("books.xml")
    #expect(inFile.status == 78)
    #expect(inFile.errorText.contains("config.toml:1: "))
  }
}
