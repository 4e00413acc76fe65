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
  ])
  func `A comment silences a finding of the book behind it`(comment: String) throws {
    #expect(try findings(comment + Self.bad) == [])
    #expect(try findings(Self.bad) == ["2:42 date-format"])
  }

  @Test func `It counts for one book only`() throws {
    let comment = "<!-- check-loans: ignore date-format -->"
    #expect(
      try findings(
        "\(comment)\n\(Self.bad)\n<book id='b'><title/><expiration>y</expiration></book>")
        == ["4:1 missing-title", "4:34 date-format"])
  }

  @Test func `It silences one finding, and two silence two`() throws {
    let comment = "<!-- check-loans: ignore unknown-case -->"
    let book = "<book id='a'><title>T</title><Isbn/><Email/>\(Self.date)</book>"
    #expect(try findings("\(comment)\n\(book)") == ["3:37 unknown-case"])
    #expect(try findings("\(comment)\(comment)\n\(book)") == [])
    #expect(
      try findings("\(comment)\(comment)\(comment)\n\(book)") == ["2:83 unused-ignore"])
  }

  @Test func `Before an expiration beside the books it counts for that`() throws {
    let comment = "<!-- check-loans: ignore misplaced-expiration -->"
    #expect(try findings("\(comment)<expiration/>\(Self.good)") == [])
    #expect(try findings("<expiration/>\(Self.good)") == ["2:1 misplaced-expiration"])
  }

  @Test func `One comment can name several codes, each for itself`() throws {
    let comment = "<!-- check-loans: ignore date-format, missing-title  invalid-isbn -->"
    let book = "<book id='a'><expiration>x</expiration></book>"
    #expect(try findings("\(comment)\n\(book)") == ["2:1 unused-ignore"])
  }

  @Test func `Codes that silence nothing are told in the order in which they are written`() throws {
    let codes = ["invalid-email", "missing-title", "date-format", "invalid-isbn", "duplicate-id"]
    let reading = try CatalogueReader(rules: .all).reading(
      ofText: "<books><!-- check-loans: ignore \(codes.joined(separator: " ")) -->"
        + "<!-- check-loans: ignore missing-title -->\(Self.good)</books>")
    #expect(reading.diagnostics.map(\.value) == codes + ["missing-title"])
  }

  @Test func `A comment that silences nothing is a finding, in the order of places`() throws {
    #expect(
      try findings(
        """
        <!-- check-loans: ignore invalid-isbn -->
        \(Self.bad)
        <!-- check-loans: ignore duplicate-id -->
        """) == ["2:1 unused-ignore", "3:42 date-format", "4:1 unused-ignore"])
  }

  @Test(arguments: [
    ("<!-- check-loans: skip\r -->", "", "1:1"), ("\r<!-- check-loans:\r skip -->\r", "", "1:2"),
    (" \n  <!-- check-loans:\r\n skip\n -->", "", "2:3"),
    ("<?x?><!-- ő --> <!-- check-loans: skip -->", "", "1:17"),
    ("<!DOCTYPE books>\n\t<!-- check-loans: skip\r-->", "", "2:2"),
    ("", "<!-- -->\n <!-- check-loans: skip\r\n\r -->\r", "2:2"),
  ])
  func `Outside the root element it stands where it begins`(
    before: String, after: String, place: String
  ) throws {
    let reading = try CatalogueReader(rules: .all)
      .reading(ofText: "\(before)<books>\(Self.good)</books>\(after)")
    #expect(reading.findings == ["\(place) unused-ignore"])
  }

  @Test(arguments: ["<expiration/>", "<x><expiration/></x>"])
  func `What stands between a comment and a book makes the comment useless`(text: String) throws {
    let place = text.hasPrefix("<x>") ? "3:4" : "3:1"
    #expect(
      try findings("<!-- check-loans: ignore date-format -->\n\(text)\n\(Self.bad)")
        == ["2:1 unused-ignore", "\(place) misplaced-expiration", "4:42 date-format"])
  }

  @Test(arguments: [
    "<!-- check-loans: ignore -->", "<!-- check-loans: -->", "<!-- check-loans: skip x -->",
    "<!-- check-loans: ignore (date-format) -->", "<!-- check-loans: ignore date-fromat -->",
    "<!-- check-loans: ignore no-loans -->", "<!-- check-loans: ignore unused-ignore -->",
    "<!-- check-loans: ignore date-format nonsense -->", "<!-- check-loans ignore date-format -->",
    "<!-- Check-Loans: ignore date-format -->", "<!--checkloans: ignore date-format -->",
  ])
  func `One that cannot be understood is a finding and silences nothing`(comment: String) throws {
    #expect(
      try findings("\(comment)\n\(Self.bad)") == ["2:1 unused-ignore", "3:42 date-format"])
  }

  @Test(arguments: [
    "<!-- check-loan: ignore x -->", "<!-- see check-loans: ignore x -->", "<!---->",
  ])
  func `Other comments are other people's`(comment: String) throws {
    #expect(try findings("\(comment)\n\(Self.bad)") == ["3:42 date-format"])
  }

  @Test func `Inside a book it silences nothing`() throws {
    #expect(
      try findings(
        "<book id='a'><!-- check-loans: ignore date-format --><title>T</title>\(Self.date)</book>")
        == ["2:14 unused-ignore"])
  }

  @Test(arguments: ["", "<?xml version='1.0'?>\n", "<!DOCTYPE books [<!ENTITY e ''>]>\n"])
  func `Before the root it counts for the first book`(prolog: String) throws {
    let reader = CatalogueReader(rules: .all)
    let line = prolog.isEmpty ? 1 : 2
    let comment = "<!-- check-loans: ignore date-format -->"
    #expect(
      try reader.reading(ofText: "\(prolog)\(comment)<books>\(Self.bad)</books>").findings == [])
    #expect(
      try reader.reading(ofText: "\(prolog)\(comment)<books>\(Self.good)</books>")
        .findings == ["\(line):1 unused-ignore"])
  }

  @Test func `A rule that is off is not missed`() throws {
    let comment = "<!-- check-loans: ignore missing-expiration, distant-expiration -->"
    var rules = CatalogueRules.all
    rules.idleCodes = [.distantExpiration]
    let undated = "<book><title>T</title></book>"
    #expect(try findings(comment + undated + Self.good, rules: rules) == [])
    rules.requiresExpiration = true
    #expect(try findings(comment + undated + Self.good, rules: rules) == [])
    #expect(
      try findings(
        comment + Self.good, rules: rules)
        == ["2:1 unused-ignore"])
  }

  @Test func `Where comments mean nothing, all is told`() throws {
    var rules = CatalogueRules.all
    rules.honorsIgnoreComments = false
    #expect(
      try findings("<!-- check-loans: ignore date-format -->\n\(Self.bad)", rules: rules)
        == ["3:42 date-format"])
  }

  @Test func `What is malformed behind it is told, and the comment not blamed`() throws {
    let reader = CatalogueReader(rules: .all)
    let reading = try reader.reading(
      ofText: "<books><!-- check-loans: ignore date-format --><book><title>T</titel>")
    #expect(reading.diagnostics.map(\.code) == [.malformedXML])
  }

  @Test func `The comment's text in the document does not count`() throws {
    #expect(
      try findings("<![CDATA[<!-- check-loans: ignore date-format -->]]>\n\(Self.bad)")
        == ["3:42 date-format"])
  }

  @Test func `Thousands of comments before one book are bounded, and all told`() throws {
    let comments = String(
      repeating: "<!-- check-loans: ignore invalid-isbn -->\n", count: 3_000)
    let found = try findings("\(comments)\(Self.bad)")
    #expect(found.count == 3_001)
    #expect(found.last == "3002:42 date-format")
  }
}
