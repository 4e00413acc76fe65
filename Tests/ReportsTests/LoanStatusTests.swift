import Loans
import TestSupport
import Testing

/// Loans that are lost, claimed returned or recalled, through everything that reports loans.
struct LoanStatusTests {
  private static func book(_ title: String, _ expiration: String, _ more: String = "") -> String {
    """
    <book id="\(title)"><title>\(title)</title><borrower>Anna</borrower>
      <email>anna@example.org</email><expiration>\(expiration)</expiration>\(more)</book>
    """
  }

  private static func catalogue(status: String?) -> String {
    let element = status.map { "<status>\($0)</status>" } ?? ""
    return """
      <books>
      \(book("Emma", "2026.11.20", element))
      \(book("Toldi", "2026.11.22", element))
      \(book("Abigél", "2026.12.20", element))
      </books>
      """
  }

  /// The titles that something reports, without regard to their order.
  private func titles(_ desk: Desk, _ arguments: String...) async throws -> Set<String> {
    let text = try await desk.run(arguments).text
    return Set(["Emma", "Toldi", "Abigél"].filter { text.contains($0) })
  }

  /// What sqlite3 answers to a question about the schedule.
  private func answer(_ desk: Desk, _ question: String) async throws -> String {
    try await desk.shell("sqlite3 \(Desk.state) '\(question)'").text
  }

  @Test(arguments: [nil] + LoanStatus.allCases)
  func `Whatever the status, everything that reports loans agrees`(status: LoanStatus?) async throws
  {
    let desk = try Desk(catalogue: Self.catalogue(status: status?.rawValue))
    let all: Set = ["Emma", "Toldi", "Abigél"]
    let isWithheld = status?.isWithheld == true
    let urgent: Set = isWithheld ? [] : ["Emma", "Toldi"]
    #expect(try await titles(desk, "check", "--quiet", "books.xml") == urgent)
    #expect(try await titles(desk, "check", "--all", "books.xml") == all)
    #expect(try await titles(desk, "check", "--all", "--format", "html", "books.xml") == all)
    #expect(
      try await titles(desk, "check", "--within", "3", "--format", "csv", "books.xml") == urgent)
    #expect(try await titles(desk, "plan", "--days", "40", "books.xml") == (isWithheld ? [] : all))
    #expect(try await titles(desk, "schedule", "list") == (isWithheld ? [] : all))
    #expect(
      try await titles(desk, "calendar", "--allow-empty", "books.xml") == (isWithheld ? [] : all))
    #expect(try await titles(desk, "check", "--notify", "stdout", "books.xml") == urgent)
    #expect(try await titles(desk, "deliver", "--notify", "exec:/bin/cat") == [])
    let shelf = try await titles(desk, "lists", "shelf", "books.xml")
    #expect(shelf == (isWithheld ? all : ["Toldi"]))
    let reasons = try await desk.run("schedule", "explain", "--format", "json", "1", "2", "3")
    let found = try JSON(parsing: reasons.text).loans.elements.map(\.reason.text)
    #expect(
      found
        == (isWithheld
          ? Array(repeating: status?.rawValue, count: 3)
          : ["delivered", "delivered", "not-due"]))
    let document = try await desk.run("check", "--all", "--format", "json", "books.xml")
    let loans = try JSON(parsing: document.text).loans.elements
    #expect(loans.map(\.loanStatus.text) == Array(repeating: status?.rawValue, count: 3))
    let states: [String?] = ["expired", "expires-soon", "on-loan"]
    #expect(
      loans.map(\.status.text)
        == (isWithheld
          ? Array(repeating: status?.rawValue, count: 3)
          : states))
    let rows = try await answer(desk, "SELECT loan_status, state FROM reminders")
    let state = isWithheld ? "withheld" : nil
    #expect(
      rows.split(separator: "\n").allSatisfy {
        $0.hasPrefix(status?.rawValue ?? "|") && (state == nil || $0.hasSuffix(state ?? ""))
      })
    let badge = try await desk.run("schedule", "list", "--format", "i3blocks")
    #expect((badge.lines.first ?? "") == (isWithheld ? "" : "2 loans, 1 expired"))
    #expect(try await desk.run("status").status == 0)
  }

  @Test func `The summary counts what is lost and claimed returned, and a failing run does not`()
    async throws
  {
    let desk = try Desk(
      catalogue: """
        <books>\(Self.book("Emma", "2026.10.01", "<status>Lost--System Applied</status>"))
        \(Self.book("Toldi", "2026.10.02", "<status>CLAIMED_RETURN</status>"))
        \(Self.book("Abigél", "2026.12.20", "<status>recalled</status>"))</books>
        """)
    let result = try await desk.run("check", "--exit-code", "books.xml")
    #expect(
      result.outcome
        == Outcome(
          0,
          output: """
            3 loans, 0 expired, 0 expire today, 1 scheduled, next reminder 2026-12-19 00:00; 1 lost; 1 \
            claimed returned

            """))
    let table = try await desk.run("check", "--all", "--quiet", "--format", "table", "books.xml")
    #expect(
      table.text == """
          Expires     When              Title   Borrower
        Later
          2026.12.20  in 29 days        Abigél  Anna
              recalled
        Lost or claimed returned
          2026.10.01  lost              Emma    Anna
          2026.10.02  claimed returned  Toldi   Anna

        """)
    #expect(
      try await desk.run("check", "--all", "--quiet", "books.xml").lines.first
        == "\"Emma\" expired 51 days ago (2026.10.01), lost, lent to Anna")
    let letters = try await desk.run(
      "check", "--all", "--format", "html", "--format", "letters", "books.xml")
    #expect(letters.text.contains("Abigél") && !letters.text.contains("Emma"))
  }

  @Test func `A book that is found again is an ordinary loan, and one that gets lost is not`()
    async throws
  {
    let desk = try Desk(catalogue: Self.catalogue(status: nil))
    #expect(try await desk.run("check", "--notify", "stdout", "books.xml").lines.count == 2)
    try desk.folder.write(Self.catalogue(status: "lost"), to: "books.xml")
    let lost = try await desk.run(
      "check", "--now", "2026-12-22T08:00", "--notify", "stdout", "books.xml")
    #expect(lost.outcome == Outcome(0))
    try desk.folder.write(Self.catalogue(status: nil), to: "books.xml")
    let found = try await desk.run(
      "check", "--now", "2026-12-23T08:00", "--notify", "stdout", "books.xml")
    #expect(
      found.lines == [
        "\"Toldi\" expired 31 days ago (2026.11.22), lent to Anna",
        "\"Abigél\" expired 3 days ago (2026.12.20), lent to Anna",
      ])
  }

  @Test func `A rule that names the status has notices for it, and no other rule has`() async throws
  {
    let desk = try Desk(catalogue: Self.catalogue(status: "lost"))
    try desk.writeSettings(
      """
      [[rules]]
      catalogue = "books.xml"
      expired = [1]

      [[rules]]
      status = ["lost", "claimed-returned"]
      remind = "none"
      expired = [1]
      """)
    let result = try await desk.run("check", "--notify", "stdout", "books.xml")
    #expect(
      result.outcome
        == Outcome(0, output: "\"Emma\" expired yesterday (2026.11.20), lost, lent to Anna\n"))
    let report = try await desk.run("check", "--quiet", "--all", "--format", "json", "books.xml")
    let statuses = try JSON(parsing: report.text).loans.elements.map(\.status.text)
    #expect(statuses == ["lost", "lost", "lost"], "staff see what the catalogue says")
    #expect(
      try await titles(desk, "lists", "shelf", "books.xml") == ["Emma", "Toldi", "Abigél"])
  }

  @Test func `A status that there is not is named in a rule and a silence`() async throws {
    let desk = try Desk()
    try desk.writeSettings("[[rules]]\nstatus = \"lsot\"\nremind = 3\n")
    let rule = try await desk.run("check", "books.xml")
    #expect(rule.status == 78)
    #expect(
      rule.errorText.hasSuffix(
        "config.toml:2: \"lsot\" is not a status; expected lost, claimed-returned or recalled\n"))
    try desk.writeSettings("")
    let silence = try await desk.run(
      "silence", "add", "--status", "gone", "--until", "forever", "--reason", "x")
    #expect(silence.status == 64)
    #expect(silence.errorText.contains("give lost, claimed-returned or recalled"))
  }

  @Test func `A silence can be about a status`() async throws {
    let desk = try Desk(
      catalogue: """
        <books>\(Self.book("Emma", "2026.11.20", "<status>recalled</status>"))
        \(Self.book("Toldi", "2026.11.22"))</books>
        """)
    #expect(try await desk.run("books.xml").status == 0)
    let added = try await desk.run(
      "silence", "add", "--status", "recalled", "--until", "forever", "--reason",
      "the desk calls them")
    #expect(added.status == 0)
    #expect(try await desk.run("silence", "list").text.contains("status \"recalled\""))
    let result = try await desk.run("check", "--notify", "stdout", "books.xml")
    #expect(
      result.lines == ["\"Toldi\" expires tomorrow (2026.11.22), lent to Anna"])
    #expect(try await answer(desk, "SELECT status FROM silences") == "recalled\n")
  }

  @Test(arguments: [
    ("en", "recalled", "It was recalled"), ("cs", "vyžádáno zpět", "Byla vyžádána zpět"),
    ("de", "zurückgefordert", "Es wurde zurückgefordert"),
    ("hu", "visszakérve", "A könyvtár visszakérte"), ("ru", "отозвана", "Она отозвана"),
    ("zh", "已被催还", "该书已被催还"),
  ])
  func `Notices of a recalled loan say so in every language`(
    language: String, word: String, sentence: String
  ) async throws {
    let desk = try Desk(
      catalogue: "<books>\(Self.book("Emma", "2026.11.22", "<status>recalled</status>"))</books>")
    let line = try await desk.run(
      "check", "--notify", "stdout", "--language", language, "books.xml")
    #expect(line.status == 0)
    #expect(line.text.contains(word))
    let letter = try await desk.run(
      "preview", "--language", language, "books.xml")
    #expect(letter.status == 0)
    #expect(letter.text.contains(sentence), "\(letter.text)")
  }
}
