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
            The reminder was delivered through stdout on 2026-11-21 at 07:30 (UTC+00:00).
            Next: the reminder was delivered through every channel that was tried, and will not \
            be sent again; if the book is neither returned nor renewed, it counts as expired from \
            2026-11-23.
            Reason: delivered

            Loan 2: "Az ajtó", of the catalogue \(books).
            It expires in 33 days: the last day to keep it is 2026-12-24.
            Its reminder will be due on 2026-12-23 at 00:00.
            Nothing has been sent about it yet.
            Next: the reminder, on 2026-12-23 at 00:00.
            Reason: not-due

            """))
  }

  @Test func `A loan that nobody knows is told beside those that are`() async throws {
    let desk = try Desk(catalogue: catalogue(("Abigél", "2026.11.22")))
    try await desk.run("books.xml")
    let result = try await desk.run("schedule", "explain", "7", "1")
    #expect(result.status == 64)
    #expect(result.lines.first?.hasPrefix("Loan 1: ") == true)
    #expect(result.errorText.hasPrefix("check-loans: there is no loan \"7\" "))
  }

  @Test func `A loan that was returned is explained as long as it is known`() async throws {
    let desk = try Desk(catalogue: catalogue(("Abigél", "2026.11.22"), ("Az ajtó", "2026.12.24")))
    try await desk.run("--notify", "stdout", "books.xml")
    try desk.folder.write(catalogue(("Az ajtó", "2026.12.24")), to: "books.xml")
    try await desk.run("books.xml")
    #expect(
      try await desk.run("schedule", "explain", "1").lines.suffix(2) == [
        "Next: nothing, since the catalogue no longer has it.", "Reason: not-in-catalogue",
      ])
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
    #expect(
      json.text.hasSuffix(
        #""library":null,"rung":-1,"next":null,"silence":null,"leftOn":"2026-11-21"}]}"# + "\n"))
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
    #expect(try await explained(in: "Asia/Seoul") == explained(in: "America/St_Johns"))
  }

  /// The first lines of the explanations.
  private func explained(_ desk: Desk, _ arguments: String...) async throws -> [String] {
    try await desk.run(["schedule", "explain"] + arguments).lines
      .filter { $0.hasPrefix("Loan ") || $0.hasPrefix("and ") }
      .map { String($0.prefix { $0 != ":" }) }
  }

  @Test func `A loan is found by its id, its barcode, or a part of its title in any case`()
    async throws
  {
    let desk = try Desk(
      catalogue: """
        <books>
        <book id="bk1"><title>Édes Anna</title><barcode>700</barcode><expiration>2026.11.22</expiration></book>
        <book id="2"><title>Az ajtó</title><expiration>2026.11.23</expiration></book>
        <book id="bk3"><title>Anna Karenina</title><expiration>2026.11.24</expiration></book>
        <book id="bk4"><title>bk1</title><barcode>2</barcode><expiration>2026.11.24</expiration></book>
        </books>
        """)
    try await desk.run("books.xml")
    #expect(try await explained(desk, "bk1") == ["Loan 1"])
    #expect(try await explained(desk, "700") == ["Loan 1"])
    #expect(try await explained(desk, "édes") == ["Loan 1"])
    #expect(try await explained(desk, "ÉDES") == ["Loan 1"])
    #expect(try await explained(desk, "anna") == ["Loan 1", "Loan 3"])
    #expect(try await explained(desk, "2") == ["Loan 2"])
    #expect(try await explained(desk, "bk3", "anna", "3") == ["Loan 3", "Loan 1"])
    try desk.edit(
      "<book id=\"2\"><title>Az ajtó</title><expiration>2026.11.23</expiration></book>", to: "")
    try await desk.run("books.xml")
    #expect(try await explained(desk, "ajtó") == ["Loan 2"])
  }

  @Test func `What no loan is known by is answered with the nearest name`() async throws {
    let desk = try Desk()
    try await desk.run("books.xml")
    for (name, near) in [("bk10", "bk101"), ("abigel", "Abigél"), ("30053533", "30053532")] {
      #expect(
        try await desk.run("schedule", "explain", name).outcome
          == Outcome(
            64,
            errors: """
              check-loans: there is no loan "\(name)" in the schedule; did you mean "\(near)"?

              """))
    }
  }

  @Test func `Loans are found by a part of the borrower's name, and by the address`() async throws {
    let desk = try Desk(
      catalogue: """
        <books>
        <book><borrower>Kovács Anna</borrower><email>anna@example.org</email>\
        <expiration>2026.11.22</expiration></book>
        <book><borrower>Kovács Béla</borrower><email>bela@example.org</email>\
        <expiration>2026.11.22</expiration></book>
        </books>
        """)
    try await desk.run("books.xml")
    #expect(try await explained(desk, "--borrower", "KOVÁCS") == ["Loan 1", "Loan 2"])
    #expect(try await explained(desk, "--email", "Bela@example.org") == ["Loan 2"])
    #expect(
      try await explained(desk, "--borrower", "kovács", "--email", "anna@example.org")
        == ["Loan 1"])
    let none = try await desk.run("schedule", "explain", "--borrower", "Szabó")
    #expect(none.ends(64, saying: "there is no loan to \"Szabó\" in the schedule;"))
    #expect(try await desk.run("schedule", "explain").status == 64)
  }

  @Test func `Of many loans twenty are explained`() async throws {
    let books = (1...23).map { (title: "Book \($0)", expiration: "2026.12.22" as String?) }
    let desk = try Desk(catalogue: catalogue(books))
    try await desk.run("books.xml")
    let lines = try await explained(desk, "book")
    #expect(lines == (1...20).map { "Loan \($0)" } + ["and 3 more"])
    let json = try JSON(
      parsing: await desk.run("schedule", "explain", "book", "--format", "json").text)
    #expect(json.loans.elements.count == 20)
    #expect(json.omitted.number == 3)
  }

  @Test func `The explanation in JSON has the reason, the deliveries and what comes next`()
    async throws
  {
    let desk = try Desk(catalogue: catalogue(("Abigél", "2026.11.22")))
    try await desk.run("--notify", "stdout", "--now", "2026-11-21T07:30", "books.xml")
    let json = try JSON(
      parsing: await desk.run("schedule", "explain", "1", "--format", "json").text)
    let loan = try #require(json.loans.elements.first)
    #expect(json.version.number == 1)
    #expect(loan.reason == "delivered")
    #expect(loan.next == ["rung": 1, "fireAt": "2026-11-23T00:00"])
    #expect(loan.loan.title == "Abigél")
    #expect(loan.sentences.elements.count == 5)
    let notice = try #require(loan.notices.elements.first)
    #expect(notice.kind == "reminder")
    #expect(notice.deliveries.elements.map(\.at) == ["2026-11-21T07:30:00+00:00"])
  }

  @Test func `Each reason is given where it holds`() async throws {
    let desk = try Desk(catalogue: catalogue(("Abigél", "2026.11.22")))
    try desk.list()
    func reason(_ arguments: String...) async throws -> String? {
      try await desk.run(["schedule", "explain", "1"] + arguments).lines.last
    }
    try await desk.run("books.xml", "--expired", "1,7", "--expired-until", "10")
    #expect(try await reason("--now", "2026-11-20") == "Reason: not-due")
    #expect(try await reason() == "Reason: due")
    try await desk.run("deliver", "--notify", "exec:/nowhere/tell")
    #expect(try await reason() == "Reason: failed")
    try await desk.run("deliver", "--notify", "stdout")
    #expect(try await reason() == "Reason: failed")
    try await desk.run("schedule", "forget", "--channel", "exec:/nowhere/tell")
    #expect(try await reason() == "Reason: delivered")
    #expect(try await reason("--now", "2026-11-23") == "Reason: due")
    #expect(try await reason("--now", "2026-12-02") == "Reason: due")
    #expect(try await reason("--now", "2026-12-03") == "Reason: expired-until")
    try await desk.run("schedule", "cancel", "1")
    #expect(try await reason() == "Reason: cancelled")
    try await desk.run("books.xml", "--remind", "none", "--expired", "none")
    #expect(try await reason() == "Reason: no-notice")
    try desk.folder.write("<books/>", to: "books.xml")
    try await desk.run("books.xml", "--allow-empty")
    #expect(try await reason() == "Reason: not-in-catalogue")
  }
}

/// `schedule forget`.
struct ForgetTests {
  @Test func `A catalogue that is gone can be taken out of the schedule`() async throws {
    let desk = try Desk(catalogue: catalogue(("Abigél", "2026.11.22")))
    try desk.list()
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
            check-loans: there is no catalogue old.xml in the schedule; it has \
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
      try await desk.run("schedule", "forget", "--channel", "exec:/nowhere/tell", "-q")
        .ends(64, saying: "nothing was ever sent"))
    #expect(try await desk.run("schedule", "forget").status == 64)
  }

  @Test func `Catalogues and channels are forgotten together`()
    async throws
  {
    let desk = try Desk(catalogue: catalogue(("Abigél", "2026.11.22")))
    try desk.folder.write(catalogue(("Az ajtó", "2026.11.22")), to: "stdout")
    try await desk.run("--notify", "stdout", "books.xml", "stdout")
    #expect(
      try await desk.run("schedule", "forget", "stdout", "--channel", "stdout", "nosuch.xml").ends(
        64, output: "forgot the channel stdout with 2 notices\nforgot stdout with 1 loan\n",
        saying: "there is no catalogue nosuch.xml "))
    #expect(try await desk.schedule().map(\.state) == ["pending"])
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
            1       2026-11-21 00:00  pending    reminder  "Abigél" expires 2026.11.22 (the <A>\\u{1b}); \
            next 2026-11-23

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
