import TestSupport
import Testing

/// What somebody gets to see who gives the command what another system exports.
struct ForeignSystemTests {
  private func desk(_ system: ForeignSystem, due: String) throws -> Desk {
    let desk = try Desk()
    try desk.folder.write(system.document(due: due), to: "loans.xml")
    return desk
  }

  private static let common = ["--time-zone", "Europe/Budapest", "--loan-days", "28"]

  @Test(arguments: ForeignSystem.all)
  func `It is without problems to validate`(system: ForeignSystem) async throws {
    let desk = try desk(system, due: system.due.first)
    let result = try await desk.run(
      ["validate", "--time-zone", "Europe/Budapest", "--loan-days", "28", "loans.xml"])
    // The first version of NCIP tells no titles.
    let isUntitled = system.profile == "ncip1"
    #expect(result.status == 0)
    #expect(result.lines.count == (isUntitled ? 1 : 0))
    let findings = isUntitled ? "0 errors, 1 warning" : "no problems"
    #expect(
      result.errorText
        == "check-loans: 1 file, 1 loan: \(findings); read as \(system.profile)\n")
    let json = try await desk.run(["validate", "--format", "json"] + Self.common + ["loans.xml"])
    #expect(json.text.hasSuffix(#""profile":"\#(system.profile)"}]}"# + "\n"), "\(json.text)")
  }

  @Test(arguments: ForeignSystem.all)
  func `It is reported, scheduled, delivered once, and again when it is renewed`(
    system: ForeignSystem
  ) async throws {
    let desk = try desk(system, due: system.due.first)
    let report = try await desk.run(Self.common + ["loans.xml"])
    #expect(report.status == 0)
    #expect(report.errorText == "")
    #expect(
      report.lines.first?.hasPrefix("\(system.title) expires tomorrow (2026.11.22") == true,
      "\(report.text)")
    #expect(report.lines.first?.hasSuffix(")\(system.details)") == true, "\(report.text)")
    #expect(
      report.lines.last == """
        1 loan, 0 expired, 0 expire today, 1 scheduled, no further reminder; \
        read as \(system.profile)
        """)
    let notify = Self.common + ["--notify", "stdout", "loans.xml"]
    #expect(try await desk.run(notify).lines == [report.lines[0]])
    #expect(try await desk.run(notify).outcome == Outcome(0))
    try desk.folder.write(system.document(due: system.due.renewed), to: "loans.xml")
    #expect(try await desk.run(["--now", "2026-11-22T07:00"] + notify).outcome == Outcome(0))
    #expect(try await desk.schedule().map(\.expiration) == ["2026-12-20"])
    let later = try await desk.run(["--now", "2026-12-19T07:00"] + notify)
    #expect(later.lines.count == 1)
    #expect(later.lines.first?.contains("expires tomorrow (2026.12.20") == true)
    #expect(
      try await desk.run(["--now", "2026-12-21"] + ["deliver", "--notify", "stdout"]).status != 0)
    let expired = try await desk.run("deliver", "--notify", "stdout", "--now", "2026-12-21T07:00")
    #expect(expired.lines.count == 1)
    #expect(expired.lines.first?.contains("expired yesterday (2026.12.20") == true)
  }

  @Test(arguments: ForeignSystem.all)
  func `The profile's name may be given`(system: ForeignSystem) async throws {
    let desk = try desk(system, due: system.due.first)
    let plain = try await desk.run(Self.common + ["--state", "none", "--all", "loans.xml"])
    let named = try await desk.run(
      Self.common + ["--state", "none", "--all", "--profile", system.profile, "loans.xml"])
    #expect(plain.outcome == named.outcome)
    let input = try await desk.shell(
      "cat loans.xml | \"$0\" --time-zone Europe/Budapest --loan-days 28 --state none --all -")
    #expect(input.text == plain.text)
  }

  @Test func `The hour of a loan is told, and travels with its notice`() async throws {
    let desk = try Desk()
    try desk.list("loans.xml")
    let text = ForeignSystem.all[2].document(due: "2026-11-22T17:30:00Z")
    try desk.folder.write(text, to: "loans.xml")
    let line = "\"Abigél\" expires tomorrow (2026.11.22 18:30), lent to R7"
    #expect(try await desk.run(Self.common + ["loans.xml"]).lines.first == line)
    let json = try await desk.run(Self.common + ["--format", "json", "loans.xml"])
    #expect(json.text.contains(#""expirationTime":"18:30""#))
    #expect(
      try await desk.run("deliver", "--notify", "stdout").text == line + "\n", "from the schedule")
  }

  @Test func `The library's zone decides about the day`() async throws {
    let desk = try desk(ForeignSystem.all[0], due: "2026-11-21T23:00:00Z")
    for (zone, day) in [
      ("Europe/Prague", "tomorrow (2026.11.22)"), ("UTC", "today (2026.11.21 23:00)"),
      ("America/New_York", "today (2026.11.21 18:00)"),
      ("Asia/Tokyo", "tomorrow (2026.11.22 08:00)"),
    ] {
      let result = try await desk.run("--state", "none", "--time-zone", zone, "loans.xml")
      #expect(result.lines.first?.contains("expires \(day)") == true, "\(result.text)")
    }
  }

  @Test func `An unknown zone is refused, also where only a catalogue asks for it`() async throws {
    let desk = try desk(ForeignSystem.all[0], due: "2026-11-21T23:00:00Z")
    let variables = ["TZ": "Europe/Budapets"]
    #expect(try await desk.run("validate", "loans.xml", variables: variables).status == 78)
    #expect(try await desk.run("validate", "books.xml", variables: variables).status == 0)
  }

  @Test func `Without the days of a loan it is said what to do`() async throws {
    let gcstar = try #require(ForeignSystem.all.first { $0.profile == "gcstar" })
    let desk = try desk(gcstar, due: "25/10/2026")
    let result = try await desk.run("loans.xml")
    #expect(result.status == 65)
    #expect(
      result.errorLines == [
        """
        loans.xml:1:38: error: gcstar records when a book was lent, but not when it is due; give the \
        loan period, for example --loan-days 28 [missing-loan-days]
        """
      ])
  }

  @Test func `What has no end, but a beginning, is counted`() async throws {
    let tellico = try #require(ForeignSystem.all.first { $0.profile == "tellico" })
    let desk = try desk(tellico, due: "")
    let result = try await desk.run("--state", "none", "--time-zone", "UTC", "loans.xml")
    #expect(
      result.text == """
        0 loans, 0 expired, 0 expire today, nothing scheduled (--state none); 1 loan without \
        expiration, 1 of them with a lending date (use --loan-days); read as tellico

        """)
  }

  @Test func `An error answer leaves the reminders as they were, even if nothing may be there`()
    async throws
  {
    let koha = ForeignSystem.all[1]
    let desk = try desk(koha, due: koha.due.first)
    #expect(try await desk.run(Self.common + ["loans.xml"]).status == 0)
    try desk.folder.write(
      "<GetPatronInfo><code>NotAllowed</code></GetPatronInfo>", to: "loans.xml")
    let result = try await desk.run(Self.common + ["--allow-empty", "loans.xml"])
    #expect(result.status == 65)
    #expect(
      result.errorLines.first == """
        loans.xml:1:16: error: the server reports an error: "NotAllowed"; correct the \
        request [error-answer]
        """)
    #expect(try await desk.schedule().count == 1)
    try desk.folder.write("<GetPatronInfo><surname>R</surname></GetPatronInfo>", to: "loans.xml")
    #expect(try await desk.run(Self.common + ["--allow-empty", "loans.xml"]).status == 0)
    #expect(try await desk.schedule().count == 0)
  }

  @Test(arguments: [
    (
      "alma",
      """
      <item_loans total_record_count="1"><item_loan><loan_id>1</loan_id><title>Abigél</title>\
      <due_date>2026-11-22</due_date></item_loan></item_loans>
      """, "<item_loans total_record_count=\"0\"/>",
      [
        "<item_loans total_record_count=\"1\"/>", "<item_loans><error>none</error></item_loans>",
        "<item_loans>none</item_loans>",
      ]
    ),
    (
      "koha-ilsdi",
      """
      <GetPatronInfo><loans><loan><title>Abigél</title><date_due>2026-11-22</date_due></loan></loans>\
      </GetPatronInfo>
      """, "<GetPatronInfo><surname>R</surname><loans>\n</loans></GetPatronInfo>",
      [
        "<GetPatronInfo><surname>R</surname></GetPatronInfo>",
        "<GetPatronInfo><code>NotAllowed</code><loans/></GetPatronInfo>",
        "<GetRecords><record><issues/></record><record><issues><other/></issues></record></GetRecords>",
      ]
    ),
    (
      "voyager",
      """
      <response><reply-code>0</reply-code><loans><institution><loan><title>Abigél</title>\
      <dueDate>2026-11-22</dueDate></loan></institution></loans></response>
      """, "<response><reply-code>0</reply-code><loans/></response>",
      ["<response><reply-code>0</reply-code></response>"]
    ),
  ])
  func `A list that is there and empty says that everything is back`(
    profile: String, before: String, empty: String, others: [String]
  ) async throws {
    let desk = try Desk()
    for other in others {
      try desk.folder.write(before, to: "loans.xml")
      #expect(try await desk.run("-q", "--profile", profile, "loans.xml").status == 0)
      try desk.folder.write(other, to: "loans.xml")
      #expect(try await desk.run("-q", "--profile", profile, "loans.xml").status == 65, "\(other)")
      #expect(try await desk.schedule().count == 1, "\(other)")
    }
    try desk.folder.write(empty, to: "loans.xml")
    let result = try await desk.run("-q", "--profile", profile, "loans.xml")
    #expect(result.outcome == Outcome(0))
    #expect(try await desk.schedule().count == 0)
  }

  @Test(arguments: [[], ["--allow-empty"]])
  func `Reminders are not lost where the dates are`(options: [String]) async throws {
    let koha = ForeignSystem.all[1]
    let desk = try desk(koha, due: koha.due.first)
    #expect(try await desk.run(Self.common + ["loans.xml"]).status == 0)
    // Another name for the date: none is found.
    try desk.folder.write(
      koha.document(due: "2026-11-22").replacing("date_due", with: "due"), to: "loans.xml")
    let renamed = try await desk.run(Self.common + options + ["loans.xml"])
    #expect(renamed.errorText.contains("[no-expirations]"), "\(renamed.errorText)")
    #expect(
      renamed.errorText.contains(
        options.isEmpty
          ? "1 loan in the schedule; nothing was changed" : "its notices are unchanged"),
      "\(renamed.errorText)")
    #expect(try await desk.schedule().count == 1)
    // There are more, but none is here.
    try desk.folder.write("<item_loans total_record_count=\"5\"/>", to: "loans.xml")
    let part = try await desk.run(Self.common + options + ["loans.xml"])
    #expect(part.status == 65)
    #expect(part.errorText.contains("it announces 5 loans but contains 0"), "\(part.errorText)")
    #expect(!part.errorText.contains("[no-loans]"), "\(part.errorText)")
    #expect(try await desk.schedule().count == 1)
    // The date is there, and empty: only that is something that can be allowed.
    try desk.folder.write(koha.document(due: ""), to: "loans.xml")
    let empty = try await desk.run(Self.common + options + ["loans.xml"])
    #expect(empty.status == (options.isEmpty ? 65 : 0), "\(empty.errorText)")
    #expect(try await desk.schedule().count == (options.isEmpty ? 1 : 0))
  }

  @Test func `What stands before the document is not taken for an empty one`() async throws {
    let desk = try Desk()
    try desk.folder.write("Notice: x\n<?xml version=\"1.0\"?><books/>", to: "loans.xml")
    let result = try await desk.run("--state", "none", "loans.xml")
    #expect(
      result.errorLines == [
        """
        loans.xml:1:1: error: not well-formed XML: it does not begin with <; remove what comes \
        before the XML [malformed-xml]
        """
      ])
  }

  @Test func `A part of a list is told to be one`() async throws {
    let desk = try Desk()
    let alma = ForeignSystem.all[2]
    let text = alma.document(due: alma.due.first)
      .replacing("total_record_count=\"1\"", with: "total_record_count=\"15\"")
    try desk.folder.write(text, to: "loans.xml")
    let result = try await desk.run(Self.common + ["loans.xml"])
    #expect(result.status == 65)
    #expect(
      result.errorLines == [
        """
        loans.xml:1:1: error: the list is incomplete: it announces 15 loans but contains 1; no \
        notices for the others, so request all of them [incomplete-answer]
        """
      ])
    #expect(try await desk.schedule().count == 1)
  }

  @Test func `What is no XML is named, with what helps`() async throws {
    let desk = try Desk()
    for (text, words) in [
      ("%PDF-1.7", "this is a PDF, not XML; export the loans as XML"),
      ("just text", "this is plain text, not XML"),
      (
        "<![CDATA[<?xml version=\"1.0\"?><books/>]]>",
        "the whole file is a <![CDATA[ section; remove <![CDATA[ and the ]]> at its end"
      ),
      (
        "HTTP/1.1 401 Unauthorized\r\n\r\n<html></html>",
        """
        the file begins with the headers of a server's response, "401 Unauthorized"; save the body \
        alone (curl without -i)
        """
      ),
    ] {
      try desk.folder.write(text, to: "body.xml")
      let result = try await desk.run("--state", "none", "body.xml")
      #expect(result.status == 65)
      #expect(result.errorLines.first == "body.xml:1:1: error: \(words) [not-a-catalogue]")
    }
  }
}

/// Profiles, and the command that lists them.
struct ProfilesTests {
  private static let parish = """
    <profile name="parish" title="The parish library's list">
      <record path="/library/lent/item"/>
      <id path="@no"/>
      <title path="name"/>
      <borrower path="../@to"/>
      <expiration path="back" form="d/M/yyyy"/>
    </profile>
    """
  private static let list = """
    <library><lent to="Anna"><item no="7"><name>Abigél</name><back>22/11/2026</back></item></lent>
    </library>
    """
  private static let line = "\"Abigél\" expires tomorrow (2026.11.22), lent to Anna"

  private func desk() throws -> Desk {
    let desk = try Desk()
    try desk.folder.write(Self.parish, to: "parish.xml")
    try desk.folder.write(Self.list, to: "list.xml")
    return desk
  }

  @Test func `All profiles are listed, with what they read`() async throws {
    let result = try await Desk().run("profiles")
    #expect(result.status == 0)
    let names = result.lines.filter { !$0.hasPrefix(" ") }.compactMap {
      $0.split(separator: ":").first
    }
    #expect(
      names == [
        "native", "ncip2", "koha-ilsdi", "alma", "tellico", "opds", "aleph", "voyager", "datacrow",
        "ncip1", "gcstar", "evergreen", "marcxml", "mariadb", "postgresql",
      ])
    #expect(result.text.contains("  loan   /GetPatronInfo/loans/loan\n"))
    #expect(
      result.text.contains("  dates  d/M/yyyy, counted from the day of lending (--loan-days)\n"))
  }

  @Test(arguments: ForeignSystem.all)
  func `A profile that is printed works as one's own`(system: ForeignSystem) async throws {
    let desk = try Desk()
    let printed = try await desk.run("profiles", "show", system.profile)
    #expect(printed.status == 0)
    try desk.folder.write(printed.text, to: "ours.xml")
    try desk.folder.write(system.document(due: system.due.first), to: "loans.xml")
    let arguments = ["--state", "none", "--all", "--loan-days", "28", "loans.xml"]
    #expect(
      try await desk.run(["--profile", "ours.xml"] + arguments).outcome
        == desk.run(arguments).outcome)
  }

  @Test func `A catalogue that nobody has seen before is read by a profile of one's own`()
    async throws
  {
    let desk = try desk()
    #expect(try await desk.run("--profile", "parish.xml", "list.xml").lines.first == Self.line)
    #expect(try await desk.run("list.xml").status == 65)
    let variable = try await desk.run(
      "list.xml", variables: ["CHECK_LOANS_PROFILE": "./parish.xml"])
    #expect(variable.lines.first == Self.line)
    #expect(
      try await desk.run("profiles", "check", "parish.xml").text == """
        parish: The parish library's list
          loan   /library/lent/item
          with   id, title, borrower, expiration
          dates  d/M/yyyy

        """)
  }

  @Test func `Dates in the forms of SIP2 and of a clock of twelve hours are read`() async throws {
    let desk = try desk()
    let profile = { (form: String) in
      Self.parish.replacing("d/M/yyyy", with: form).replacing("no\"/>", with: "no\" none=\"0\"/>")
    }
    let list = { (dates: [String]) in
      let items = dates.map { "<item><name>\($0)</name><back>\($0)</back></item>" }
      return "<library><lent to=\"Anna\">\(items.joined())</lent></library>"
    }
    for (form, literals, dates, expected) in [
      (
        "yyyyMMdd    HHmmss | yyyyMMdd   XHHmmss", nil,
        ["20261126    235900", "20261127   Z035900", "20261126   Z045900"],
        ["2026.11.26", "2026.11.26 22:59", "2026.11.25"]
      ),
      (
        "M/d/yyyy h:mm:ss a X", nil,
        ["11/26/2026 5:40:27 PM +00:00", "11/5/2026 1:00:00 am +00:00"],
        ["2026.11.26 12:40", "2026.11.04 20:00"]
      ),
      (
        "yyyy-MM-ddTHH:mm:ssZ", "         literal T, Z", ["2026-11-26T18:00:00Z"],
        ["2026.11.26 18:00"]
      ),
    ] {
      try desk.folder.write(profile(form), to: "form.xml")
      try desk.folder.write(list(dates), to: "dates.xml")
      let check = try await desk.run("profiles", "check", "form.xml")
      #expect(check.lines.dropFirst(4) == (literals.map { [$0] } ?? [])[...])
      let result = try await desk.run(
        "--profile", "form.xml", "--time-zone", "America/New_York", "--state", "none", "--all",
        "--format", "csv", "dates.xml")
      for date in expected {
        let words = date.replacing(".", with: "-").split(separator: " ")
        #expect(words.allSatisfy { result.text.contains($0) }, "\(date): \(result.text)")
      }
      #expect(result.status == 0)
    }
  }

  @Test func `The settings file may name one, relative to itself`() async throws {
    let desk = try desk()
    try desk.folder.write("profile = \"parish.xml\"\n", to: "config.toml")
    let result = try await desk.run("--config", "config.toml", "list.xml")
    #expect(result.lines.first == Self.line)
    let timer = try await desk.run(
      "timer", "--profile", "parish.xml", "--notify", "stdout", "list.xml")
    #expect(timer.text.contains("--profile \(desk.folder.path)/parish.xml"), "\(timer.text)")
  }

  @Test func `A profile is tried on a catalogue`() async throws {
    let desk = try desk()
    try desk.folder.write(
      "<library><lent to='Anna'><item no='7'><name>Abigél</name><back>1/12/2026</back></item>\n"
        + "<item><back>soon</back></item><item/><item no='8'/></lent></library>", to: "try.xml")
    let result = try await desk.run("profiles", "check", "parish.xml", "--try", "try.xml")
    #expect(
      result.lines.dropFirst(4) == [
        "try.xml:1:26: a loan", "  id          7", "  title       Abigél", "  author      -",
        "  isbn        -", "  barcode     -", "  borrower    Anna", "  email       -",
        "  expiration  2026.12.01",
        "  language    -", "  category    -", "  type        -", "  library     -",
        "  renewable   -", "  phone       -", "  address     -", "  callNumber  -",
        "  status      -",
        "try.xml:2:1: warning: the book has no title, so its notices can only name its id or "
          + "barcode [missing-title]",
        "try.xml:2:7: error: expiration \"soon\" is not of the form d/M/yyyy [date-format]",
        "try.xml:2:1: a loan without a usable date", "  id          -", "  title       -",
        "  author      -", "  isbn        -", "  barcode     -", "  borrower    Anna",
        "  email       -", "  expiration  soon",
        "  language    -", "  category    -", "  type        -", "  library     -",
        "  renewable   -", "  phone       -", "  address     -", "  callNumber  -",
        "  status      -",
        "try.xml:2:31: warning: the book has no title, so its notices can only name its id or "
          + "barcode [missing-title]", "try.xml:2:31: a loan without expiration", "  id          -",
        "  title       -", "  author      -", "  isbn        -", "  barcode     -",
        "  borrower    Anna", "  email       -", "  expiration  -",
        "  language    -", "  category    -", "  type        -", "  library     -",
        "  renewable   -", "  phone       -", "  address     -", "  callNumber  -",
        "  status      -",
      ])
    #expect(result.status == 65)
    #expect(try await desk.run("profiles", "--try", "try.xml").status == 64)
    let none = try await desk.run("profiles", "check", "parish.xml", "--try", "none.xml")
    #expect(none.status == 66)
  }

  @Test func `A fault in a profile is told with its place, and nothing is done`() async throws {
    let desk = try desk()
    try desk.folder.write(
      Self.parish.replacing("path=\"name\"", with: "path=\"name[\""), to: "p.xml")
    let result = try await desk.run("--profile", "p.xml", "list.xml")
    #expect(result.ends(78, saying: "check-loans: p.xml:4:21: path \"name[\": "))
    #expect(try await desk.run("profiles", "check", "p.xml").outcome == result.outcome)
  }

  @Test(arguments: [
    (
      ["--profile", "ncip", "list.xml"], 64, "the profile \"ncip\" is unknown; did you mean ncip2? "
    ),
    (["--profile", "none.xml", "list.xml"], 66, "none.xml: cannot read the profile: no such file"),
    (["--profile", "./", "list.xml"], 66, "./: this is a directory, not a profile"),
    (["profiles", "show", "kohailsdi"], 64, "did you mean koha-ilsdi? "),
    (["--profile", "alma", "list.xml"], 65, "but the profile alma expects /item_loans/item_loan"),
    (["--loan-days", "0", "list.xml"], 64, "loan-days"),
  ])
  func `What is wrong with a profile's name is told`(
    arguments: [String], status: Int32, words: String
  ) async throws {
    let result = try await desk().run(arguments)
    #expect(result.status == status)
    #expect(result.errorText.contains(words), "\(result.errorText)")
  }
}
