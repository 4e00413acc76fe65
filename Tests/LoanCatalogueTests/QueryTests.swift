import CatalogueProperties
import LoanCatalogue
import Loans
import TestSupport
import Testing

/// What database clients print as XML, read by the names of columns.
struct QueryTests {
  private func reading(of name: String) throws -> Reading {
    let document = try #require(SystemDocument.all.first { $0.name == name })
    return try document.reader.reading(of: document.path)
  }

  @Test(arguments: [
    ("mariadb-all-columns", "ADULT", "BK"), ("postgresql-all-columns", "Adults", "book"),
    ("postgresql-null-is-absent", "Adults", "book"),
    ("postgresql-target-namespace", "Adults", "book"),
  ])
  func `Each field is read from the column of its name`(
    name: String, category: String, type: String
  ) throws {
    let reading = try reading(of: name)
    let loan = try #require(reading.records.first?.loan)
    #expect(loan.email == "zofie@example.org")
    #expect(loan.phone == "+420 555 0101")
    #expect(loan.address == "Lipová 3, Olomouc")
    #expect(loan.callNumber == "CZ 82-3 Ohar")
    #expect(loan.language == "cs")
    #expect(loan.category == category)
    #expect(loan.type == type)
    #expect(loan.library == "Hlavní knihovna")
    #expect(loan.renewable == true)
    #expect(loan.loaned == CivilDate(year: 2026, month: 11, day: 1))
    let bare = try #require(reading.records.dropFirst().first?.loan)
    #expect([bare.author, bare.email, bare.phone, bare.callNumber] == [nil, nil, nil, nil])
    #expect(bare.renewable == false)
    #expect(reading.diagnostics == [])
  }

  @Test(arguments: ["callNumber", "callnumber", "call_number"])
  func `A call number has three names`(name: String) throws {
    let row = "<id>7</id><\(name)>QA 76</\(name)><expiration>2026-12-01</expiration>"
    let reading = try CatalogueReader().reading(
      ofText: """
        <table xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><row>\(row)</row></table>
        """)
    #expect(reading.records.map(\.loan?.callNumber) == ["QA 76"])
    #expect(reading.diagnostics.map(\.code) == [.missingTitle])
  }

  @Test func `A query can say that a loan is lost`() throws {
    let row = """
      <field name="status">lost</field><field name="expiration">2026-12-01</field>
      """
    let reading = try CatalogueReader().reading(
      ofText: "<resultset statement=\"\"><row>\(row)</row></resultset>")
    #expect(reading.records.map(\.loan?.status) == [.lost])
    #expect(reading.diagnostics.map(\.code) == [.missingTitle])
  }

  @Test(arguments: ["mariadb-empty-result", "postgresql-empty-result"])
  func `A query without rows says that nothing is lent`(name: String) throws {
    #expect(try reading(of: name).summary.answer.isListEmpty)
  }

  @Test func `A table of anybody else's is not taken for a query's`() throws {
    let reading = try CatalogueReader().reading(
      ofText: "<table><row><id>7</id><expiration>2026-12-01</expiration></row></table>")
    #expect(reading.summary.profile == nil)
  }

  /// A profile of somebody's own, of what a query gives.
  private func profile(_ columns: String, title: String) throws -> CatalogueProfile {
    try CatalogueProfile(
      reading: Array(
        """
        <profile name="ours"><record path="/list/row"/><columns name="\(columns)"/><title path="\(title)"/>
        <expiration path="due" form="yyyy-MM-dd"/></profile>
        """.utf8))
  }

  @Test func `Columns go by an attribute in any profile, and are named once`() throws {
    let row = """
      <row><c n="first">A</c><c n="second">B</c><c n="due">2026-12-01</c><c n="d&amp;e">3</c><c/></row>
      """
    let profile = try profile("@n", title: "concat(first, ' ', second)")
    let reading = try CatalogueReader(profile: profile).reading(ofText: "<list>\(row)\(row)</list>")
    #expect(reading.records.map(\.loan?.title) == ["A B", "A B"])
    #expect(
      reading.diagnostics.map { "\($0.location.column) \($0.value ?? "")" } == ["74 d&e", "94 c"])
  }

  @Test func `A column is never taken for the expiration where that has another name`() throws {
    let reading = try CatalogueReader(profile: profile("name()", title: "t")).reading(
      ofText: "<list><row><t>A</t><due>2026-12-01</due><expires>2027-12-01</expires></row></list>")
    #expect(reading.diagnostics.map(\.code) == [.unknownColumn])
    #expect(reading.diagnostics.first?.message.contains("expiration") == false)
  }
}
