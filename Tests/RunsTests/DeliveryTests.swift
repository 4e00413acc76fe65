import TestSupport
import Testing

/// `--notify stdout`, day after day.
struct DeliveryTests {
  @Test func `Where no channel is wanted, nothing is delivered`() async throws {
    let desk = try Desk(catalogue: catalogue(("Abigél", "2026.11.22")))
    try desk.list()
    try await desk.run("books.xml")
    #expect(try await desk.run("deliver", "--notify", "none").outcome == Outcome(0))
    let variables = ["CHECK_LOANS_NOTIFY": "none"]
    #expect(try await desk.run(["deliver"], variables: variables).outcome == Outcome(0))
    try desk.writeSettings("notify = []\ncatalogues = [\"\(desk.folder.path)/books.xml\"]")
    #expect(try await desk.run("deliver").outcome == Outcome(0))
    #expect(try await desk.pending() == ["Abigél"])
    #expect(try await desk.run("deliver", "--notify", "stdout").lines.count == 1)
  }

  @Test(arguments: [["deliver"], ["books.xml"], ["watch", "books.xml"], ["config"]])
  func `A channel and none at all cannot be had together`(command: [String]) async throws {
    let desk = try Desk()
    let words = "none means no channel, and cannot be given together with one"
    let flags = try await desk.run(command + ["--notify", "none", "--notify", "stdout"])
    #expect(flags.status == 64)
    #expect(flags.errorLines.first == "check-loans: \(words)")
    let variable = try await desk.run(command, variables: ["CHECK_LOANS_NOTIFY": "stdout,none"])
    #expect(
      variable.outcome == Outcome(78, errors: "check-loans: CHECK_LOANS_NOTIFY: \(words)\n"))
    #expect(!desk.folder.contains("state"), "nothing was done")
  }

  private static let ofThe21st = """
    "Szent Péter esernyője" expired 417 days ago (2025.09.30), by Mikszáth Kálmán, lent to Őszi Barnabás
    "Frankenstein" expired 267 days ago (2026.02.27), by Mary Shelley, lent to Rufus Penhallow
    "A Room of One's Own" expired 47 days ago (2026.10.05), by Virginia Woolf, lent to Petra Lindqvist
    "Egri csillagok" expired 7 days ago (2026.11.14), by Gárdonyi Géza, lent to Vadas Lilla
    "Az arany ember" expires today (2026.11.21), by Jókai Mór
    "Abigél" expires tomorrow (2026.11.22), by Szabó Magda, lent to Halmos Benedek

    """

  private func cron(_ desk: Desk, _ day: String) async throws -> Outcome {
    try await desk.run("--notify", "stdout", "--now", "\(day)T06:30", "books.xml").outcome
  }

  @Test func `Each notice is delivered once, on its day`() async throws {
    let desk = try Desk()
    #expect(try await cron(desk, "2026-11-21") == Outcome(0, output: Self.ofThe21st))
    #expect(try await cron(desk, "2026-11-21") == Outcome(0), "the same day again")
    let ofThe22nd = """
      "Az arany ember" expired yesterday (2026.11.21), by Jókai Mór
      "Édes Anna" expires tomorrow (2026.11.23), by Kosztolányi Dezső, lent to Somogyvári Áron

      """
    #expect(try await cron(desk, "2026-11-22") == Outcome(0, output: ofThe22nd))
    #expect(try await cron(desk, "2026-11-22") == Outcome(0))
  }

  @Test func `After thirty days without a run each is delivered once, worded from the dates`()
    async throws
  {
    let desk = try Desk()
    _ = try await cron(desk, "2026-11-21")
    let missed = """
      "Az arany ember" expired 30 days ago (2026.11.21), by Jókai Mór
      "Abigél" expired 29 days ago (2026.11.22), by Szabó Magda, lent to Halmos Benedek
      "Édes Anna" expired 28 days ago (2026.11.23), by Kosztolányi Dezső, lent to Somogyvári Áron
      "A Pál utcai fiúk" expired 23 days ago (2026.11.28), by Molnár Ferenc, lent to Rónai Eszter
      "Die Verwandlung" expired 14 days ago (2026.12.07), by Franz Kafka

      """
    #expect(try await cron(desk, "2026-12-21") == Outcome(0, output: missed))
    #expect(try await cron(desk, "2026-12-21") == Outcome(0))
  }

  @Test func `Any pattern of missed runs tells of every loan that daily runs tell of`()
    async throws
  {
    let days = (21...30).map { "2026-11-\($0)" } + ["2026-12-01", "2026-12-02"]
    func expired(on days: [String]) async throws -> Set<String> {
      let desk = try Desk()
      var titles: Set<String> = []
      for day in days {
        for line in try await cron(desk, day).output.split(separator: "\n")
        where line.contains(" expired ") {
          let title = String(line.prefix { $0 != "(" }.split(separator: " expired ")[0])
          #expect(titles.insert(title).inserted, "\(title) twice")
        }
      }
      return titles
    }
    let daily = try await expired(on: days)
    #expect(daily.count == 8)
    #expect(try await expired(on: [days[0], days[3], days[11]]) == daily)
    #expect(try await expired(on: [days[11]]) == daily)
  }

  @Test func `A reminder late by a day says today`() async throws {
    let desk = try Desk(catalogue: catalogue(("Abigél", "2026.11.28")))
    #expect(try await cron(desk, "2026-11-26") == Outcome(0))
    #expect(
      try await cron(desk, "2026-11-28")
        == Outcome(0, output: "\"Abigél\" expires today (2026.11.28)\n"))
  }

  @Test func `A renewal arms the reminder again`() async throws {
    let desk = try Desk(catalogue: catalogue(("Abigél", "2026.11.22")))
    #expect(try await cron(desk, "2026-11-21").output.contains("expires tomorrow"))
    try desk.edit("2026.11.22", to: "2026.12.20")
    #expect(try await cron(desk, "2026-11-22") == Outcome(0))
    #expect(
      try await cron(desk, "2026-12-19")
        == Outcome(0, output: "\"Abigél\" expires tomorrow (2026.12.20)\n"))
    #expect(try await cron(desk, "2026-12-19") == Outcome(0))
  }

  @Test func `A renewal that is taken back repeats nothing`() async throws {
    let desk = try Desk(catalogue: catalogue(("Abigél", "2026.11.22")))
    #expect(try await cron(desk, "2026-11-21").output.contains("expires tomorrow"))
    try desk.edit("2026.11.22", to: "2026.12.20")
    _ = try await cron(desk, "2026-11-21")
    try desk.edit("2026.12.20", to: "2026.11.22")
    #expect(try await cron(desk, "2026-11-21") == Outcome(0))
  }

  @Test func `--failed lists only what could not be delivered`() async throws {
    let desk = try Desk(catalogue: catalogue(("Abigél", "2026.11.22"), ("Az ajtó", "2026.12.22")))
    try await desk.run("books.xml")
    let none = try await desk.run("schedule", "list", "--failed")
    #expect(none.outcome == Outcome(0, errors: "check-loans: nothing has failed\n"))
    #expect(try await desk.run("--notify", "exec:/nonexistent", "books.xml").status == 69)
    let lines = try await desk.run("schedule", "list", "--failed").lines
    #expect(lines.count == 1)
    #expect(lines.first?.contains("failed     reminder  \"Abigél\"") == true)
    let json = try await desk.run("schedule", "list", "--failed", "--format", "json")
    #expect(try JSON(parsing: json.text).reminders.elements.map(\.state) == ["failed"])
  }

  @Test func `A returned book says nothing`() async throws {
    let desk = try Desk(catalogue: catalogue(("Abigél", "2026.11.22"), ("Az ajtó", "2026.11.24")))
    try await desk.run("books.xml", "--now", "2026-11-20")
    try desk.edit("<expiration>2026.11.22</expiration>", to: "")
    #expect(try await cron(desk, "2026-11-21") == Outcome(0))
    #expect(
      try await cron(desk, "2026-11-23")
        == Outcome(0, output: "\"Az ajtó\" expires tomorrow (2026.11.24)\n"))
  }

  @Test func `A clock set back repeats nothing that had expired`() async throws {
    let desk = try Desk()
    _ = try await cron(desk, "2026-12-21")
    let right = try await cron(desk, "2026-11-21").output
    #expect(right.contains("\"Abigél\" expires tomorrow"))
    #expect(right.contains("Egri csillagok"), "what a clock ahead told does not count")
    let told = try await cron(desk, "2026-12-21").output
    #expect(!told.contains("Egri csillagok"), "it was told again once")
    #expect(try await cron(desk, "2026-12-22") == Outcome(0))
  }

  @Test func `The years 1970 and 2099 deliver without taking away`() async throws {
    let desk = try Desk()
    #expect(try await cron(desk, "1970-01-01") == Outcome(0))
    #expect(try await cron(desk, "2026-11-21") == Outcome(0, output: Self.ofThe21st))
    #expect(try await cron(desk, "2099-12-31").output.split(separator: "\n").count == 10)
    #expect(
      try await cron(desk, "1970-01-01")
        == Outcome(
          0,
          errors: """
            check-loans: the last run (or its --now) was 47481 days after this clock (1970-01-01); \
            what it sent does not count until then, and may be sent again

            """))
    #expect(try await cron(desk, "1970-01-01") == Outcome(0), "it is told once")
    #expect(try await desk.schedule(at: "1970-01-01").count == 14)
  }

  @Test func `deliver needs no catalogue`() async throws {
    let desk = try Desk()
    try desk.list()
    try await desk.run("books.xml")
    try desk.folder.remove("books.xml")
    #expect(try await desk.run("deliver").outcome == Outcome(0, output: Self.ofThe21st))
    #expect(try await desk.run("deliver", "--notify", "stdout").outcome == Outcome(0))
    #expect(
      try await desk.run("deliver", "--now", "2026-11-22", "-v").outcome
        == Outcome(
          0,
          output: """
            "Az arany ember" expired yesterday (2026.11.21), by Jókai Mór
            "Édes Anna" expires tomorrow (2026.11.23), by Kosztolányi Dezső, lent to Somogyvári Áron

            """,
          errors: """
            check-loans: now is 2026-11-22T00:00:00 in the time zone UTC
            check-loans: delivered through stdout: expired notice of loan 4
            check-loans: delivered through stdout: reminder of loan 5

            """))
  }

  @Test func `deliver delivers what is due of every catalogue, check that of its own`()
    async throws
  {
    let desk = try Desk(catalogue: catalogue(("Abigél", "2026.11.22")))
    try desk.list("books.xml", "more.xml")
    try desk.folder.write(catalogue(("Az ajtó", "2026.11.22")), to: "more.xml")
    try await desk.run("books.xml", "more.xml")
    #expect(
      try await desk.run("--notify", "stdout", "more.xml").text
        == "\"Az ajtó\" expires tomorrow (2026.11.22)\n")
    #expect(try await desk.run("deliver").text == "\"Abigél\" expires tomorrow (2026.11.22)\n")
  }

  @Test func `Without state every run delivers what is due, and keeps nothing`() async throws {
    let desk = try Desk()
    for _ in 1...2 {
      #expect(
        try await desk.run("--state", "none", "--notify", "stdout", "books.xml").output.count
          == Self.ofThe21st.utf8.count)
    }
    #expect(!desk.folder.contains("state"))
    #expect(
      try await desk.run("--state", "none", "books.xml").lines.last == """
        14 loans, 4 expired, 1 expires today, nothing scheduled (--state none); \
        4 books on the shelf
        """)
  }

  @Test func `A report marks nothing delivered`() async throws {
    let desk = try Desk()
    try await desk.run("books.xml")
    try await desk.run("books.xml", "--format", "json")
    #expect(try await cron(desk, "2026-11-21") == Outcome(0, output: Self.ofThe21st))
  }
}

/// What is due although its catalogue cannot be read today.
struct BrokenCatalogueDeliveryTests {
  @Test func `A malformed catalogue still delivers what was scheduled before`() async throws {
    let desk = try Desk(catalogue: catalogue(("Abigél", "2026.11.22")))
    try await desk.run("books.xml", "--now", "2026-11-20")
    try desk.folder.write("<books>\n<book><title>Abi", to: "books.xml")
    let result = try await desk.run("--notify", "stdout", "books.xml")
    #expect(result.status == 65)
    #expect(result.text == "\"Abigél\" expires tomorrow (2026.11.22)\n")
    let lines = result.errorLines
    #expect(lines.map { $0.hasPrefix("books.xml:2:17: error: ") } == [true, false])
    #expect(lines.last?.hasSuffix(": its notices are unchanged until it is fixed") == true)
  }

  @Test func `Of a catalogue that is cut off, it is said what is unknown`() async throws {
    let desk = try Desk()
    let whole = desk.folder.contents(of: "books.xml")
    try desk.folder.write(String(whole.prefix(700)), to: "new.xml")
    let words = "loans after the error are unknown until it is fixed"
    let new = try await desk.run("new.xml")
    #expect(new.status == 65)
    #expect(new.errorLines.last == "check-loans: new.xml: it has no notices, and \(words)")
    let look = try await desk.run("--state", "none", "new.xml")
    #expect(look.errorLines.last == "check-loans: new.xml: \(words)")
    try await desk.run("books.xml")
    try desk.folder.write(String(whole.prefix(700)), to: "books.xml")
    for command in [["check"], ["plan"], ["lists", "call"]] {
      let known = try await desk.run(command + ["books.xml"])
      let sentence = "check-loans: books.xml: its notices are unchanged, and \(words)"
      #expect(known.errorLines.contains(sentence), "\(command)")
    }
  }

  @Test func `Nobody is told to empty what is no catalogue`() async throws {
    let desk = try Desk()
    try desk.folder.write("<html><body>503</body></html>", to: "page.xml")
    for command in [["calendar"], ["lists", "call", "--state", "none"], ["plan"]] {
      let result = try await desk.run(command + ["page.xml"])
      #expect(result.status == 65, "\(command)")
      #expect(!result.errorText.contains("--allow-empty"), "\(command)")
      #expect(!result.errorText.contains("those of the schedule"), "\(command)")
    }
  }

  @Test(arguments: [["plan"], ["lists", "call"], ["calendar"]])
  func `What changes no schedule needs none`(command: [String]) async throws {
    let desk = try Desk()
    try desk.writeSettings("state = \"none\"\n")
    let result = try await desk.run(command + ["books.xml"])
    #expect(result.status == 0 && !result.text.isEmpty)
    #expect(!desk.folder.contains("state"))
  }

  @Test func `A missing catalogue still delivers what was scheduled before`() async throws {
    let desk = try Desk(catalogue: catalogue(("Abigél", "2026.11.22")))
    try await desk.run("books.xml", "--now", "2026-11-20")
    try desk.folder.remove("books.xml")
    #expect(
      try await desk.run("--notify", "stdout", "books.xml").outcome
        == Outcome(
          66, output: "\"Abigél\" expires tomorrow (2026.11.22)\n",
          errors: """
            check-loans: books.xml: cannot read the catalogue: no such file or directory; its notices \
            are unchanged
            check-loans: books.xml: the notices of 1 loan will still be delivered; if the file was \
            moved, use check-loans schedule rename-catalogue books.xml NEW; if it is gone for good, use \
            check-loans schedule forget books.xml

            """))
  }

  @Test func `A bad date does not keep the others from being delivered`() async throws {
    let desk = try Desk(
      catalogue: catalogue(("Abigél", "2026.11.22"), ("Az ajtó", "22.11.2026")))
    let result = try await desk.run("--notify", "stdout", "books.xml")
    #expect(result.status == 65)
    #expect(result.text == "\"Abigél\" expires tomorrow (2026.11.22)\n")
  }
}
