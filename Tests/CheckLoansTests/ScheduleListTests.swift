import TestSupport
import Testing

/// What `schedule list` shows of the schedule.
struct ScheduleListTests {
  fileprivate static let books = """
    <books>
    <book><title>Abigél</title><borrower>Halmos Benedek</borrower><expiration>2026.11.22</expiration></book>
    <book><title>Az ajtó</title><borrower>Kovács Anna</borrower><expiration>2026.11.22</expiration></book>
    <book><title>Tüskevár</title><borrower>Halmos Benedek</borrower><expiration>2026.12.24</expiration></book>
    </books>
    """

  private func titles(_ desk: Desk, _ arguments: String...) async throws -> [String] {
    let result = try await desk.run(["schedule", "list", "--format", "json"] + arguments)
    return try JSON(parsing: result.text).reminders.elements.map { $0.loan.title.text ?? "" }
  }

  @Test func `--due lists what is due and not yet delivered`() async throws {
    let desk = try Desk(catalogue: Self.books)
    try desk.list()
    try await desk.run("books.xml")
    #expect(try await titles(desk, "--due") == ["Abigél", "Az ajtó"])
    try await desk.run("deliver", "--notify", "exec:/nowhere/tell")
    #expect(try await titles(desk, "--due") == ["Abigél", "Az ajtó"])
    try await desk.run("schedule", "forget", "--channel", "exec:/nowhere/tell")
    try await desk.run("deliver", "--notify", "stdout")
    #expect(try await titles(desk, "--due") == [])
    // The expired notice; its reminder, which was delivered, is still listed.
    #expect(try await titles(desk, "--due", "--now", "2026-11-23") == ["Abigél", "Az ajtó"])
    #expect(
      try await desk.run("schedule", "list", "--due").outcome
        == Outcome(0, errors: "check-loans: nothing is due\n"))
  }

  @Test func `Filters go together`() async throws {
    let desk = try Desk(catalogue: Self.books)
    try desk.folder.write(Self.books, to: "other.xml")
    try await desk.run("books.xml", "other.xml")
    #expect(
      try await titles(desk, "--borrower", "hALMOS") == [
        "Abigél", "Abigél", "Tüskevár", "Tüskevár",
      ])
    #expect(
      try await titles(desk, "--borrower", "halmos", "--catalogue", "other.xml", "--due")
        == ["Abigél"])
    #expect(
      try await titles(desk, "--catalogue", "other.xml", "--catalogue", "books.xml").count == 6)
    try desk.folder.write("<books/>", to: "books.xml")
    try await desk.run("books.xml", "--allow-empty")
    #expect(try await titles(desk, "--returned", "--borrower", "Anna") == ["Az ajtó"])
    #expect(try await titles(desk, "--returned", "--catalogue", "other.xml") == [])
    #expect(
      try await desk.run("schedule", "list", "--borrower", "Szabó").outcome
        == Outcome(0, errors: "check-loans: nothing in the schedule matches\n"))
    #expect(
      try await desk.run("schedule", "list", "--catalogue", "nosuch.xml")
        .ends(64, saying: "books.xml, \(desk.folder.path)/other.xml"))
    for filter in ["--due", "--borrower=x", "--catalogue=books.xml"] {
      #expect(try await desk.run("schedule", "list", filter, "--format", "waybar").status == 64)
    }
  }

  @Test func `Each entry has its rung, and the notice that comes after it`() async throws {
    let desk = try Desk(catalogue: catalogue(("Abigél", "2026.11.28")))
    try await desk.run("books.xml", "--remind", "7,3,1", "--notify", "stdout")
    let books = "\(desk.folder.path)/books.xml"
    func entry(_ now: String) async throws -> JSON {
      let result = try await desk.run("schedule", "list", "--format", "json", "--now", now)
      return try #require(try JSON(parsing: result.text).reminders.elements.last)
    }
    #expect(
      try await desk.run("schedule", "list").outcome
        == Outcome(
          0,
          output: """
            1       2026-11-21 00:00  delivered  reminder  "Abigél" expires 2026.11.28 \
            (\(books)); next 2026-11-25

            """))
    #expect(try await entry("2026-11-21").rung == -7)
    #expect(try await entry("2026-11-21").next == ["rung": -3, "fireAt": "2026-11-25T00:00"])
    #expect(try await entry("2026-11-25").rung == -3)
    #expect(try await entry("2026-11-28").next == ["rung": 1, "fireAt": "2026-11-29T00:00"])
    #expect(try await entry("2026-11-29").rung == 1)
    #expect(try await entry("2026-11-29").next == .null)
    // The line of a notice that is still to come is about that one.
    let early = try await desk.run("schedule", "list", "--now", "2026-11-20")
    #expect(!early.text.contains("next"))
    try await desk.run("schedule", "cancel", "--all")
    #expect(try await entry("2026-11-21").next == .null)
  }

  @Test func `A failure names its channel once`() async throws {
    let desk = try Desk(catalogue: catalogue(("Abigél", "2026.11.22")))
    try await desk.run("books.xml", "--notify", "exec:/nowhere/tell")
    let line = try await desk.run("schedule", "list").text
    #expect(line.contains("; exec:/nowhere/tell: it was not found; "))
    let explained = try await desk.run("schedule", "explain", "1").lines[3]
    #expect(
      explained.hasPrefix(
        """
        The reminder was not delivered through exec:/nowhere/tell on 2026-11-21 at 07:00 \
        (UTC+00:00), after 1 attempt: it was not found; 
        """))
    #expect(explained.hasSuffix("."))
  }
}

// MARK: - At a terminal

@Suite(.enabled(if: Screen.isHere, Screen.lack))
struct ScheduleTableTests {
  @Test func `It is a table, with each channel's failure once below it`() async throws {
    let desk = try Desk(catalogue: ScheduleListTests.books)
    try await desk.run("--notify", "exec:/nowhere/tell", "--remind", "7,1", "books.xml")
    var screen = Screen(desk: desk, columns: 110)
    let shown = try await screen.run("schedule", "list")
    #expect(shown.contains("Tüskevár"))
    #expect(shown.split(separator: "\n").filter { $0.contains("/nowhere/tell") }.count == 1)
    #expect(
      shown.hasPrefix(
        """
        ID  FROM              STATE    KIND      TITLE     EXPIRES     BORROWER
        """))
    #expect(!(try await desk.run("schedule", "list").text.contains("STATE")))
    let json = try await screen.run("schedule", "list", "--format", "json")
    #expect(json.hasPrefix("{\"version\":1"))
    try desk.folder.write(catalogue(("Az ajtó", "2026.11.22")), to: "books.xml")
    try await desk.run("books.xml")
    #expect(
      try await screen.run("schedule", "list", "--returned").hasPrefix("ID  RETURNED    STATE "))
    try desk.folder.write(ScheduleListTests.books, to: "books.xml")
    try await desk.run("books.xml")
    screen.columns = 40
    let narrow = try await screen.run("schedule", "list")
    #expect(
      narrow.hasPrefix(
        """
        ID  FROM              STATE    TITLE
        1   2026-11-21 00:00  failed   Abigél
        2   2026-11-21 00:00  failed   Az ajtó
        3   2026-12-23 00:00  pending  Tüskevár
        """))
  }
}
