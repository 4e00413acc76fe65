import TestSupport
import Testing

private let browser = "/usr/bin/chromium-headless-shell"

/// The page of `check --format html` in a browser, as people see, search, sort and print it.
@Suite(
  .enabled(if: PublicTools.areWanted, "\(PublicTools.hint)"),
  .enabled(if: File.exists(browser), "\(browser) is not there; Debian has chromium-headless-shell"))
struct PageBrowserTests {
  /// What a reader sees of the page with these options; pictures stay in the folder that
  /// `CHECK_LOANS_PICTURES` names, if it does.
  private func browse(_ options: [String], find words: String) async throws -> JSON {
    let desk = try Desk(
      catalogue: """
        <books>
        <book><title>Zebra &lt;script&gt;alert(1)&lt;/script&gt;</title><borrower>Örs</borrower>
        <email>ors@example.org</email><expiration>2026.11.20</expiration></book>
        <book><title>Apple</title><borrower>Anna</borrower><expiration>2026.11.01</expiration></book>
        <book><title>Middle</title><author>Orsolya</author><borrower>Ben</borrower>
        <expiration>2026.11.21</expiration></book>
        <book><title>Later</title><borrower>Ben</borrower><expiration>2026.12.24</expiration></book>
        </books>
        """)
    try await desk.run(
      ["check", "--format", "html", "--output", "page.html", "--all", "--closed-weekdays", "sun"]
        + options + ["books.xml"])
    let tool = "\(projectDirectory)/Tests/ReportsTests/Tools/browse_page.py"
    let result = try await PublicTools.run(
      tool, browser, "\(desk.folder.path)/page.html",
      testVariable("CHECK_LOANS_PICTURES") ?? desk.folder.path, words,
      directory: desk.folder.path)
    try #require(result.status == 0, "\(result.errorText)")
    let seen = try JSON(parsing: result.text)
    for kind in ["light", "dark", "narrow", "small targets", "complaints"] {
      #expect(seen[kind].elements.map(\.text) == [], "\(kind)")
    }
    #expect(seen["background-light"].text != seen["background-dark"].text)
    #expect(seen.overflow.number == 0)
    #expect(seen.requests.elements.map(\.text) == ["file://\(desk.folder.path)/page.html"])
    return seen
  }

  private func texts(_ value: JSON) -> [String?] { value.elements.map(\.text) }

  @Test func `The table is searched and sorted, and readable without script and on paper`()
    async throws
  {
    let zebra = "Zebra <script>alert(1)</script>"
    let seen = try await browse([], find: "ors")
    #expect(texts(seen.rows) == ["Middle", zebra, "Apple", "Later"])
    #expect(texts(seen.found) == ["Middle", zebra])
    #expect(seen.said.text == "2 of 4 loans")
    #expect(texts(seen.ascending) == ["Middle", "Apple", zebra, "Later"])
    #expect(texts(seen.descending) == ["Middle", zebra, "Apple", "Later"])
    #expect(seen["sorted ascending"].text == "ascending")
    #expect(seen["sorted descending"].text == "descending")
    #expect(seen["printed search"] == .bool(false))
    let plain = seen["without script"].text ?? ""
    #expect(plain.contains(zebra) && !plain.contains("Find loans"))
  }

  @Test(arguments: [
    ["--format", "letters"], ["--screen"], ["--group-by", "borrower", "--language", "hu"],
  ])
  func `Other pages are as accessible`(options: [String]) async throws {
    _ = try await browse(options, find: "ben")
  }
}
