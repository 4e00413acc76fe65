import TestSupport
import Testing

/// `schedule explain`, and `schedule list` for status bars.
struct ExplainTests {
  @Test func `A loan is explained in sentences, from its scheduling to its last notice`()
    async throws
  {
    let desk = try Desk(catalogue: catalogue(("Abigél", "2026.11.22"), ("Az ajtó", "2026.12.24")))
    try await desk.run("books.xml")
    try await desk.run("--notify", "stdout", "--now", "2026-11-21T07:30", "books.xml")
    let books = "\(desk.folder.path)/books.xml"
    #expect(
      try await desk.run("schedule", "explain", "1", "2").outcome
        == Outcome(
          0,
          output: """
            Loan 1: "Abigél", of the catalogue \(books).
            It expires tomorrow: the last day to keep it is 2026-11-22.
            Its reminder has been due since 2026-11-21 at 00:00.
            The reminder was delivered through stdout on 2026-11-21 at 07:30.
            Next: the reminder was delivered through every channel that was tried, and will not \
            be sent again; if the book is neither returned nor renewed, it counts as expired from \
            2026-11-23.

            Loan 2: "Az ajtó", of the catalogue \(books).
            It expires in 33 days: the last day to keep it is 2026-12-24.
            Its reminder will fire on 2026-12-23 at 00:00.
            Nothing has been sent about it yet.
            Next: the reminder, on 2026-12-23 at 00:00.

            """))
  }

  @Test func `A loan that nobody knows is told beside those that are`() async throws {
    let desk = try Desk(catalogue: catalogue(("Abigél", "2026.11.22")))
    try await desk.run("books.xml")
    let result = try await desk.run("schedule", "explain", "7", "1")
    #expect(result.status == 64)
    #expect(result.lines.first?.hasPrefix("Loan 1: ") == true)
    #expect(
      result.errorText == """
        check-loans: there is no loan 7 in the schedule; see check-loans schedule list

        """)
  }

  @Test func `A loan that was returned is explained as long as it is known`() async throws {
    let desk = try Desk(catalogue: catalogue(("Abigél", "2026.11.22"), ("Az ajtó", "2026.12.24")))
    try await desk.run("--notify", "stdout", "books.xml")
    try desk.folder.write(catalogue(("Az ajtó", "2026.12.24")), to: "books.xml")
    try await desk.run("books.xml")
    #expect(
      try await desk.run("schedule", "explain", "1").lines.last
        == "Next: nothing, since the catalogue no longer has it.")
    #expect(
      try await desk.run("schedule", "explain", "1").lines[1]
        == "The last day to keep it was 2026-11-22; since 2026-11-21 its catalogue no longer has it."
    )
    let books = "\(desk.folder.path)/books.xml"
    #expect(
      try await desk.run("schedule", "list", "--returned").outcome
        == Outcome(
          0,
          output: """
            1       2026-11-21 returned  delivered  reminder  "Abigél" expires 2026.11.22 (\(books))

            """))
    let json = try await desk.run("schedule", "list", "--returned", "--format", "json")
    #expect(json.text.contains(#""state":"delivered""#))
    #expect(json.text.hasSuffix(#""library":null,"silence":null,"leftOn":"2026-11-21"}]}"# + "\n"))
  }

  @Test func `Without a returned loan the list of them says so`() async throws {
    let desk = try Desk()
    try await desk.run("books.xml")
    #expect(
      try await desk.run("schedule", "list", "--returned").outcome
        == Outcome(
          0, errors: "check-loans: no loan was returned within the last 400 days\n"))
    let badge = try await desk.run("schedule", "list", "--returned", "--format", "waybar")
    #expect(badge.status == 64)
  }

  @Test func `A delivery in another zone is told with the offset of its clock`() async throws {
    let desk = try Desk(catalogue: catalogue(("Abigél", "2026.11.22")))
    try await desk.run(
      "--notify", "stdout", "--now", "2026-11-21T21:30", "--time-zone", "Asia/Tokyo", "books.xml")
    func explained(in zone: String) async throws -> String {
      try await desk.run("schedule", "explain", "1", "--time-zone", zone).lines[3]
    }
    #expect(
      try await explained(in: "America/St_Johns")
        == "The reminder was delivered through stdout on 2026-11-21 at 21:30 (UTC+09:00).")
    #expect(
      try await explained(in: "Asia/Seoul")
        == "The reminder was delivered through stdout on 2026-11-21 at 21:30.")
  }
}

/// `schedule forget`.
struct ForgetTests {
  @Test func `A catalogue that is gone can be taken out of the schedule`() async throws {
    let desk = try Desk(catalogue: catalogue(("Abigél", "2026.11.22")))
    try desk.folder.write(catalogue(("Az ajtó", "2026.11.22")), to: "old.xml")
    try await desk.run("books.xml", "old.xml")
    try desk.folder.remove("old.xml")
    #expect(
      try await desk.run("schedule", "forget", "old.xml").outcome
        == Outcome(0, output: "forgot old.xml with 1 loan\n"))
    #expect(try await desk.pending() == ["Abigél"])
    #expect(
      try await desk.run("deliver", "--notify", "stdout").outcome
        == Outcome(0, output: "\"Abigél\" expires tomorrow (2026.11.22)\n"))
    #expect(
      try await desk.run("schedule", "forget", "old.xml").outcome
        == Outcome(
          64,
          errors: """
            check-loans: there is no catalogue old.xml in the schedule, which has \
            \(desk.folder.path)/books.xml

            """))
  }

  @Test func `A catalogue whose path leads elsewhere now is forgotten by its path`() async throws {
    let desk = try Desk(catalogue: catalogue(("Abigél", "2026.11.22")))
    try desk.folder.makeDirectory("lib")
    try desk.folder.write(catalogue(("Old", "2026.11.22")), to: "lib/books.xml")
    try await desk.run("lib/books.xml")
    try desk.folder.rename("lib", to: "data")
    try desk.folder.makeLink("lib", to: "\(desk.folder.path)/data")
    try await desk.run("lib/books.xml")
    #expect(try await desk.pending() == ["Old", "Old"])
    try await desk.run("schedule", "forget", "lib/books.xml")
    let list = try await desk.run("schedule", "list")
    #expect(list.text.contains("data/books.xml"))
    #expect(!list.text.contains("lib/books.xml"))
    try await desk.run("schedule", "forget", "lib/books.xml")
    #expect(try await desk.pending() == [])
  }

  @Test func `A mistyped channel no longer shows its failures`() async throws {
    let desk = try Desk(catalogue: catalogue(("Abigél", "2026.11.22")))
    let run = ["--notify", "stdout", "--notify", "exec:/nowhere/tell", "books.xml"]
    #expect(try await desk.run(run).status == 69)
    let before = try await desk.run("schedule", "list")
    #expect(before.text.contains("failed     reminder"))
    #expect(
      try await desk.run("schedule", "forget", "--channel", "exec:/nowhere/tell").outcome
        == Outcome(0, output: "forgot the channel exec:/nowhere/tell with 1 notice\n"))
    let after = try await desk.run("schedule", "list")
    #expect(after.text.contains("delivered  reminder"))
    #expect(!after.text.contains("nowhere"))
    #expect(
      try await desk.run("schedule", "forget", "--channel", "exec:/nowhere/tell", "-q").outcome
        == Outcome(
          64,
          errors: """
            check-loans: nothing was ever sent through the channel exec:/nowhere/tell

            """))
    #expect(try await desk.run("schedule", "forget").status == 64)
    #expect(try await desk.run("schedule", "forget", "a.xml", "--channel", "stdout").status == 64)
  }
}

struct BadgeTests {
  @Test func `The badge counts what has fired or expired, the most urgent first`() async throws {
    let desk = try Desk(
      catalogue: catalogue(
        ("A <b>&amp", "2026.11.22"), ("Later", "2026.12.24"), ("Old\u{85}", "2026.11.01")))
    try await desk.run("--notify", "stdout", "books.xml")
    let waybar = try await desk.run("schedule", "list", "--format", "waybar")
    #expect(waybar.status == 0)
    #expect(
      try JSON(parsing: waybar.text) == [
        "text": "2", "alt": "expired",
        "tooltip": """
        "Old\\u{85}" expired 20 days ago
        "A &lt;b&gt;&amp;amp" expires tomorrow
        """, "class": "expired",
      ])
    #expect(
      try await desk.run("schedule", "list", "--format", "i3blocks").outcome
        == Outcome(0, output: "2 loans, 1 expired\n2\n#FF0000\n"))
  }

  @Test func `A library's name is in the list and in the badge, harmless`() async throws {
    let desk = try Desk(catalogue: catalogue(("Abigél", "2026.11.22")))
    try await desk.run("books.xml")
    let naming = Command(
      "/usr/bin/sqlite3", [Desk.state, "UPDATE catalogue SET library = 'the <A>' || char(27)"],
      environment: desk.environment, directory: desk.folder.path)
    #expect(try await naming.run().status == 0)
    #expect(
      try await desk.run("schedule", "list").outcome
        == Outcome(
          0,
          output: """
            1       2026-11-21 00:00  pending    reminder  "Abigél" expires 2026.11.22 (the <A>\\u{1b})

            """))
    let json = try await desk.run("schedule", "list", "--format", "json").text
    #expect(json.contains(#""library":"the <A>\u001b""#))
    let badge = try JSON(parsing: await desk.run("schedule", "list", "--format", "waybar").text)
    #expect(badge.tooltip == #""Abigél" expires tomorrow, at the &lt;A&gt;\u{1b}"#)
  }

  @Test func `Long titles keep their quotation marks, and are measured in columns`() async throws {
    let desk = try Desk(
      catalogue: catalogue(
        [
          ("The Life and Strange Surprizing Adventures of Robinson Crusoe, of York", "2026.11.22"),
          (String(repeating: "吾輩は猫である", count: 6), "2026.11.22"),
        ]))
    try await desk.run("books.xml")
    let badge = try JSON(parsing: await desk.run("schedule", "list", "--format", "waybar").text)
    #expect(
      badge.tooltip
        == .string(
          """
          "The Life and Strange Surprizing Adventures of Robinson Cr…" expires tomorrow
          "\(String(repeating: "吾輩は猫である", count: 4))…" expires tomorrow
          """))
  }

  @Test func `A badge of many loans names ten of them`() async throws {
    let books = (10...39).map { (title: "Book \($0)", expiration: "2026.11.22" as String?) }
    let desk = try Desk(catalogue: catalogue(books))
    try await desk.run("books.xml")
    let waybar = try await desk.run("schedule", "list", "--format", "waybar")
    let badge = try JSON(parsing: waybar.text)
    #expect(badge["text"].text == "30")
    #expect(badge["class"] == "reminder")
    let lines = badge.tooltip.text?.split(separator: "\n") ?? []
    #expect(lines.count == 11)
    #expect(lines.last == "and 20 more")
    #expect(
      try await desk.run("schedule", "list", "--format", "i3blocks").outcome
        == Outcome(0, output: "30 loans\n30\n"))
  }

  @Test func `Nothing open is an empty badge`() async throws {
    let desk = try Desk(catalogue: catalogue(("Abigél", "2026.12.22")))
    #expect(
      try await desk.run("schedule", "list", "--format", "waybar").outcome
        == Outcome(0, output: #"{"text":"","alt":"none","tooltip":"","class":"none"}"# + "\n"))
    try await desk.run("books.xml")
    #expect(
      try await desk.run("schedule", "list", "--format", "waybar").outcome
        == Outcome(0, output: #"{"text":"","alt":"none","tooltip":"","class":"none"}"# + "\n"))
    #expect(
      try await desk.run("schedule", "list", "--format", "i3blocks").outcome
        == Outcome(0, output: "\n\n"))
  }
}
