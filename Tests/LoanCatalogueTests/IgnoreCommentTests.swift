import CatalogueProperties
import LoanCatalogue
import Loans
import TestSupport
import Testing

/// Comments before a book that silence a finding.
struct IgnoreCommentTests {
  private func findings(_ inner: String, rules: CatalogueRules = .all) throws -> [String] {
    let reader = CatalogueReader(rules: rules)
    return try reader.reading(ofText: "<books>\n\(inner)\n</books>").findings
  }

  private static let date = "<expiration>2026.12.01</expiration>"
  private static let good = "<book><title>T</title>\(date)</book>"
  private static let bad = "<book id='a'><title>T</title><expiration>x</expiration></book>"

  @Test(arguments: [
    "<!-- check-loans: ignore date-format -->", "<!--check-loans:ignore date-format-->",
    "<!--\n  check-loans:   ignore\tdate-format\n-->",
    "<!-- check-loans: ignore date-format (the desk knows) -->",
    "<!-- check-loans: ignore date-format(x) -->",
    "<!-- check-loans: ignore date-format --> <!-- other words --> <?x y?>",
    "<!-- check-loans: ignore date-format nonsense -->",
  ])
  func `A comment silences a finding of the book after it`(comment: String) throws {
    #expect(try findings(comment + Self.bad) == [])
    #expect(try findings(Self.bad) == ["2:42 date-format"])
  }

  @Test func `It counts for one book only`() throws {
    let comment = "<!-- check-loans: ignore date-format -->"
    #expect(
      try findings(
        "\(comment)\n\(Self.bad)\n<book id='b'><title/><expiration>y</expiration></book>")
        == ["4:1 missing-title", "4:34 date-format"])
    #expect(try findings("\(comment)\n\(Self.good)\n\(Self.bad)") == ["4:42 date-format"])
  }

  @Test func `It silences one finding, and two silence two`() throws {
    let comment = "<!-- check-loans: ignore unknown-case -->"
    let book = "<book id='a'><title>T</title><Isbn/><Email/>\(Self.date)</book>"
    #expect(try findings("\(comment)\n\(book)") == ["3:37 unknown-case"])
    #expect(try findings("\(comment)\(comment)\n\(book)") == [])
  }

  @Test func `It silences what is beside the books as well`() throws {
    let comment = "<!-- check-loans: ignore misplaced-expiration -->"
    #expect(try findings("\(comment)<expiration/>\(Self.good)") == [])
    #expect(try findings("<expiration/>\(Self.good)") == ["2:1 misplaced-expiration"])
  }

  @Test func `One comment can name several codes`() throws {
    let comment = "<!-- check-loans: ignore date-format, missing-title  invalid-isbn -->"
    #expect(
      try findings("\(comment)\n<book id='a'><expiration>x</expiration><Isbn/></book>")
        == ["3:40 unknown-case"])
  }

  @Test(arguments: [
    "<!-- check-loans: ignore -->", "<!-- check-loans: -->", "<!-- check-loans: skip x -->",
    "<!-- check-loans: ignore (date-format) -->", "<!-- check-loans: ignore date-fromat -->",
    "<!-- check-loans: ignore no-loans -->", "<!-- check-loans ignore date-format -->",
    "<!-- Check-Loans: ignore date-format -->", "<!-- check-loan: ignore date-format -->",
    "<!-- see check-loans: ignore date-format -->", "<!---->",
    "<![CDATA[<!-- check-loans: ignore date-format -->]]>",
  ])
  func `Another comment silences nothing`(comment: String) throws {
    #expect(try findings("\(comment)\n\(Self.bad)") == ["3:42 date-format"])
  }

  @Test func `Inside a book it silences nothing, and after the last one it harms nothing`() throws {
    let comment = "<!-- check-loans: ignore date-format -->"
    #expect(
      try findings(Self.bad.replacing("<title>", with: "\(comment)\n<title>") + comment)
        == ["3:29 date-format"])
  }

  @Test(arguments: ["", "<?xml version='1.0'?>\n", "<!DOCTYPE books>\n"])
  func `Before the root it counts for the first book`(prolog: String) throws {
    let comment = "<!-- check-loans: ignore date-format -->"
    #expect(
      try CatalogueReader(rules: .all)
        .reading(ofText: "\(prolog)\(comment)<books>\(Self.bad)</books>").findings == [])
  }

  @Test func `Where comments mean nothing, all is reported`() throws {
    var rules = CatalogueRules.all
    rules.honorsIgnoreComments = false
    #expect(
      try findings("<!-- check-loans: ignore date-format -->\n\(Self.bad)", rules: rules)
        == ["3:42 date-format"])
  }

  @Test func `It does not silence what ends the reading`() throws {
    let reading = try CatalogueReader(rules: .all).reading(
      ofText: "<books><!-- check-loans: ignore malformed-xml --><book><title>T</titel>")
    #expect(reading.diagnostics.map(\.code) == [.malformedXML])
  }

  @Test func `Thousands of comments before one book are bounded`() throws {
    let comments = String(
      repeating: "<!-- check-loans: ignore invalid-isbn -->\n", count: 3_000)
    #expect(try findings("\(comments)\(Self.bad)") == ["3002:42 date-format"])
  }
}
