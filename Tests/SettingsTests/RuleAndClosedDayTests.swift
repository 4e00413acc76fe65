import TestSupport
import Testing

/// Ladders for some loans, and notices that count from open days.
struct LadderRuleTests {
  private static let loans = """
    <books>
    <book id="a"><title>A</title><category>staff</category><expiration>2026.12.10</expiration></book>
    <book id="b"><title>B</title><type>DVD</type><library>North</library>
    <expiration>2026.12.10</expiration></book>
    <book id="c"><title>C</title><library>North</library><expiration>2026.12.10</expiration></book>
    <book id="d"><title>D</title><loaned>2026.12.01</loaned><expiration>2026.12.02</expiration></book>
    <book id="e"><title>E</title><expiration>2026.12.10</expiration></book>
    </books>

    """

  /// The day on which each loan has its first notice, by title.
  private func first(_ desk: Desk, _ arguments: String...) async throws -> [String: String] {
    let plan = try await desk.run(
      ["plan", "--now", "2026-12-01", "--format", "json"] + arguments)
    #expect(plan.status == 0 && plan.errorText == "")
    let notices = try JSON(parsing: plan.text).notices.elements
    let found = notices.map {
      ($0.loan.title.text ?? "", $0.date.text?.suffix(5).description ?? "")
    }
    return Dictionary(found) { first, _ in first }
  }

  @Test func `The first rule that fits decides, and the rest is as without it`() async throws {
    let desk = try Desk(catalogue: Self.loans)
    try desk.writeSettings(
      """
      remind = [3, 1]
      [[rules]]
      category = ["staff", "teacher"]
      remind = [5]
      expired = "none"
      [[rules]]
      type = "DVD"
      remind = 0
      [[rules]]
      library = "North"
      remind = 2
      """)
    // D began today, the day before, so that its reminders are passed over.
    #expect(
      try await first(desk, "books.xml")
        == ["A": "12-05", "B": "12-10", "C": "12-08", "D": "12-03", "E": "12-07"])
    // The command line wins.
    #expect(
      try await first(desk, "--remind", "4", "books.xml")
        == ["A": "12-06", "B": "12-06", "C": "12-06", "D": "12-03", "E": "12-06"])
  }

  @Test func `A rule can name a catalogue by its path, a pattern or its library`() async throws {
    let desk = try Desk(catalogue: catalogue(("X", "2026.12.10")))
    try desk.folder.write(catalogue(("Y", "2026.12.10")), to: "other.xml")
    for named in ["../../other.xml", "\(desk.folder.path)/oth*.xml", "the parish"] {
      try desk.writeSettings(
        """
        [[catalogue]]
        path = "\(desk.folder.path)/other.xml"
        name = "the parish"
        [[catalogue]]
        path = "\(desk.folder.path)/books.xml"
        remind = 3
        [[rules]]
        catalogue = "\(named)"
        remind = 6
        """)
      #expect(
        try await first(desk, "books.xml", "other.xml") == ["X": "12-07", "Y": "12-04"], "\(named)")
    }
  }

  @Test func `A wrong day of lending drops no reminder, and every run reports it`() async throws {
    let desk = try Desk(
      catalogue: """
        <books>
        <book id="a"><title>A</title><loaned>2026.12.28</loaned>
        <expiration>2026.11.28</expiration></book>
        <book id="b"><title>B</title><loaned>2026.11.26</loaned>
        <expiration>2026.11.29</expiration></book>
        </books>

        """)
    for _ in 1...2 {
      #expect(
        try await desk.run("-q", "books.xml").errorLines == [
          "books.xml:3:13: warning: expiration \"2026.11.28\" is before the loan date "
            + "2026.12.28; correct the one that is wrong [expiration-before-loan]",
          "books.xml:4:38: warning: loan date \"2026.11.26\" is after today, 2026.11.21; "
            + "correct the day of lending [invalid-loan-date]",
        ])
    }
    let plan = try await desk.run("plan", "--remind", "3", "--format", "json", "books.xml")
    let dates = try JSON(parsing: plan.text).notices.elements.map { $0.date.text?.suffix(5) }
    #expect(dates.starts(with: ["11-25", "11-26"]))
  }

  @Test(arguments: [
    "repeat-expired = 7\n[[rules]]\ncategory = \"staff\"\nexpired = \"none\"",
    "repeat-expired = 7\n[[catalogue]]\npath = \"books.xml\"\nexpired = \"none\"",
    """
    [[catalogue]]
    path = "books.xml"
    repeat-expired = 7
    [[rules]]
    category = "staff"
    expired = []
    """,
    "[[rules]]\ncategory = \"staff\"\nexpired = \"none\"\nrepeat-expired = 7",
    "expired = \"none\"\nrepeat-expired = 7",
    "expired = \"none\"\n[[rules]]\ncategory = \"staff\"\nrepeat-expired = 7",
  ])
  func `Where nothing is sent after the expiration, an inherited repetition ends`(
    settings: String
  ) async throws {
    let desk = try Desk()
    try desk.writeSettings(settings.replacing("books.xml", with: "\(desk.folder.path)/books.xml"))
    let result = try await desk.run("-q", "books.xml")
    #expect(result.outcome == Outcome(0, output: result.text))
  }

  @Test func `The command line can end a repetition of the settings`() async throws {
    let desk = try Desk()
    try desk.writeSettings("repeat-expired = 7\n")
    #expect(try await desk.run("-q", "--expired", "none", "books.xml").errorText == "")
  }

  @Test func `A day that the ladder's own end comes before is reported`() async throws {
    let desk = try Desk()
    try desk.writeSettings(
      """
      expired = [1, 7]
      expired-until = 7
      [[rules]]
      category = "staff"
      expired-until = 3
      [[rules]]
      category = "pupil"
      expired = [2, 9]
      """)
    let path = "\(desk.folder.path)/\(Desk.settings)"
    #expect(
      try await desk.run("-q", "books.xml").errorLines == [
        "check-loans: \(path):1: the day 7 of expired is never reached, since expired-until is 3; "
          + "correct one of them",
        "check-loans: \(path):8: the day 9 of expired is never reached, since expired-until is 7; "
          + "correct one of them",
      ])
  }

  @Test(arguments: ["rules", "catalogue"])
  func `Many tables take no more than their share of time`(name: String) async throws {
    let desk = try Desk()
    try desk.writeSettings(
      (0..<20_000).map { number in
        """
        [[\(name)]]
        \(name == "rules" ? "category = ['a\(number)', 'b\(number)']" : "path = '\(number)'")
        remind = \(number % 9)

        """
      }.joined())
    #expect(try await desk.shell("ulimit -t 12; exec \"$0\" config > out").status == 0)
  }

  @Test(arguments: ["keys", "list"])
  func `A long file takes no more than its share of time`(name: String) async throws {
    let desk = try Desk()
    let paths = (0..<30_000).map { "'\($0).xml'" }.joined(separator: ",\n")
    try desk.writeSettings(
      name == "keys"
        ? (0..<30_000).map { "k\($0) = 1\n" }.joined() : "catalogues = [\(paths)]\n")
    let result = try await desk.shell("ulimit -t 6; exec \"$0\" config > out")
    #expect(result.status == (name == "keys" ? 78 : 0))
  }

  @Test func `A rule that is never used is reported with its line`() async throws {
    let desk = try Desk(catalogue: Self.loans)
    try desk.writeSettings(
      """
      catalogues = ["\(desk.folder.path)/books.xml"]
      [[rules]]
      category = ["staff", "pupil"]
      remind = 2
      [[rules]]
      category = "staff"
      type = "DVD"
      [[rules]]
      catalogue = "nowhere.xml"
      [[rules]]
      type = []
      remind = 3
      """)
    let path = "\(desk.folder.path)/\(Desk.settings)"
    #expect(
      try await desk.run("-q", "--now", "2026-12-01").errorLines == [
        "check-loans: \(path):6: this rule is never used, since the one at \(path):3 fits the same "
          + "loans; move it before that one",
        "check-loans: \(path):9: this rule is never used, since no catalogue is \"nowhere.xml\"; "
          + "correct the path or name",
        "check-loans: \(path):11: this rule is never used, since its type is an empty list",
      ])
  }

  @Test(arguments: [
    ("[[rules]]\ncategory = 3", nil),
    ("[[rules]]\ncategry = \"staff\"", "2: unknown key \"categry\"; did you mean \"category\"?"),
    (
      "[[rules]]\nremind = \"often\"",
      "2: \"remind\" is \"often\"; give "
        + "numbers from 0 to 3650, as in 7,3,1, or none"
    ),
    ("[rules]\nremind = 3", "1: write each rule as a table of its own: [[rules]]"),
    ("category = \"staff\"", "1: unknown key \"category\"; it belongs below a line [[rules]]"),
    ("[[rules]]\nnotify = \"stdout\"", nil),
  ])
  func `A mistake in a rule is reported with its line`(text: String, words: String?) async throws {
    let desk = try Desk()
    try desk.writeSettings(text)
    let result = try await desk.run("books.xml")
    if let words {
      #expect(
        result.outcome
          == Outcome(78, errors: "check-loans: \(desk.folder.path)/\(Desk.settings):\(words)\n"))
    } else {
      #expect(result.status == (text.contains("notify") ? 78 : 0))
    }
  }
}

struct ClosedDayLadderTests {
  @Test func `Notices count from open days, and the words have both days`() async throws {
    // The 27th is a Sunday.
    let desk = try Desk(now: nil, catalogue: catalogue(("Abigél", "2026.12.27")))
    try desk.writeSettings(
      """
      remind = [3, 1]
      expired = [1, 7]
      [closed]
      weekdays = ["sat", "sun"]
      days = ["2026-12-24..2027-01-03 Christmas"]
      """)
    var sent: [String] = []
    for day in 0..<34 {
      let date = day < 17 ? "2026-12-\(15 + day)" : "2027-01-\(day < 26 ? "0" : "")\(day - 16)"
      let result = try await desk.run("--notify", "stdout", "--now", "\(date)T07:00", "books.xml")
      sent += result.lines.map { "\(date): \($0)" }
    }
    #expect(
      sent == [
        "2026-12-20: \"Abigél\" expires in 7 days (2026.12.27); the library is closed that day, so "
          + "return it by Wednesday (2026.12.23)",
        "2026-12-22: \"Abigél\" expires in 5 days (2026.12.27); the library is closed that day, so "
          + "return it by Wednesday (2026.12.23)",
        "2027-01-05: \"Abigél\" expired 9 days ago (2026.12.27); the library was closed that day and "
          + "opened again on Monday (2027.01.04)",
        "2027-01-11: \"Abigél\" expired 15 days ago (2026.12.27); the library was closed that day and "
          + "opened again on Monday (2027.01.04)",
      ])
  }

  @Test func `The status stays with the catalogue's date`() async throws {
    let desk = try Desk(now: nil, catalogue: catalogue(("Abigél", "2026.11.28")))
    let closed = [
      "--closed-weekdays", "sat,sun", "--state", "none", "--format", "json", "books.xml",
    ]
    for (now, status) in [
      ("2026-11-25", "on-loan"), ("2026-11-26", "expires-soon"), ("2026-11-28", "expires-today"),
      ("2026-11-29", "expired"),
    ] {
      let result = try await desk.run(closed + ["--all", "--now", now])
      let loan = try JSON(parsing: result.text).loans[0]
      #expect(loan.status.text == status, "\(now)")
      #expect(loan.openDays == ["before": "2026-11-27", "after": "2026-11-30"])
    }
    let failing = closed + ["--exit-code", "--now", "2026-11-29"]
    #expect(try await desk.run(failing).status == 1)
  }

  @Test func `Nothing is sent on a closed day if that is wanted, and explain says why`()
    async throws
  {
    let desk = try Desk(now: nil, catalogue: catalogue(("Abigél", "2026.11.30")))
    let options = ["--closed-weekdays", "sat,sun", "--hold-when-closed"]
    let held = try await desk.run(
      ["--notify", "stdout", "--now", "2026-11-29"] + options + ["books.xml"])
    #expect(
      held.outcome
        == Outcome(
          0, errors: "check-loans: 1 notice through stdout is held until 2026-11-30 00:00\n"))
    let explained = try await desk.run(
      ["schedule", "explain", "1", "--now", "2026-11-29"] + options)
    #expect(
      explained.lines.suffix(2) == [
        "Next, from 2026-11-30 at 00:00 on: the next run with --notify delivers the reminder; if the "
          + "book is neither returned nor renewed, it counts as expired from 2026-12-01.",
        "Reason: closed",
      ])
    let quiet = try await desk.run(
      "schedule", "explain", "1", "--now", "2026-11-29", "--deliver-between", "08:00-20:00")
    #expect(quiet.lines.suffix(2).first?.hasPrefix("Next, from 2026-11-29 at 08:00 on: ") == true)
    #expect(quiet.lines.last == "Reason: quiet-hours")
    let sent = try await desk.run(["deliver", "--now", "2026-11-30"] + options)
    #expect(sent.lines == ["\"Abigél\" expires today (2026.11.30)"])
  }

  @Test func `A calendar of the settings that closes everything is not applied, with a warning`()
    async throws
  {
    let desk = try Desk(now: "2026-11-27", catalogue: catalogue(("Abigél", "2026.11.28")))
    let result = try await desk.run(
      "--notify", "stdout", "--closed-days", "2026-01-01..2027-12-31", "books.xml")
    #expect(result.lines == ["\"Abigél\" expires tomorrow (2026.11.28)"])
    #expect(
      result.errorText == """
        check-loans: books.xml: the library has no open day within 92 days of 2026-11-28, so its \
        closed days are not applied to such loans; correct them, see check-loans closed \
        [closed-for-ever]

        """)
  }

  @Test func `A change of the closed days sends nothing again`() async throws {
    let desk = try Desk(now: "2026-11-27", catalogue: catalogue(("Abigél", "2026.11.28")))
    #expect(try await desk.run("--notify", "stdout", "books.xml").lines.count == 1)
    for closed in ["sat,sun", "fri,sat", "sun"] {
      let arguments = ["--notify", "stdout", "--closed-weekdays", closed, "books.xml"]
      #expect(try await desk.run(arguments).outcome == Outcome(0))
    }
  }

  @Test func `The closed days of a catalogue's own table are listed with its name`() async throws {
    let desk = try Desk(now: "2026-11-27")
    try desk.writeSettings(
      """
      [[catalogue]]
      path = "books.xml"
      name = "the parish"
      closed-weekdays = "mon"
      """)
    let result = try await desk.run("closed", "--to", "2026-12-01")
    #expect(
      result.lines == [
        "2026-11-30              the parish: (\(desk.folder.path)/\(Desk.settings):4)"
      ])
  }

  @Test func `Deliver reports a calendar that was never read`() async throws {
    let desk = try Desk()
    try desk.list()
    try await desk.run("-q", "books.xml")
    let result = try await desk.run(
      "deliver", "--hold-when-closed", "--closed-calendars", "typo.ics")
    #expect(result.status == 78)
    #expect(result.errorText.contains("typo.ics: cannot read the calendar: no such file"))
  }

  @Test func `A limit counts like the days of the ladder, so that a closed week loses no notice`()
    async throws
  {
    let desk = try Desk(now: "2026-12-02", catalogue: catalogue(("Abigél", "2026.11.28")))
    let result = try await desk.run(
      "--notify", "stdout", "--expired-until", "2", "--closed-weekdays", "sat,sun", "books.xml")
    #expect(result.lines.count == 1)
  }

  @Test(arguments: ["2026-12-24 .. 2027-01-03 Christmas", "2026-12-24 - 2027-01-03"])
  func `A range with spaces in it is refused, and does not become its first day`(
    days: String
  ) async throws {
    let result = try await Desk().run("--closed-days", days, "books.xml")
    #expect(result.status == 64)
    #expect(result.errorText.contains("write YYYY-MM-DD"))
  }
}
