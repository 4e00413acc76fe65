import CatalogueProperties
import LoanCatalogue
import Loans
import TestSupport
import Testing

/// Slips that would hide a loan.
struct HiddenLoanTests {
  @Test(arguments: [
    ("<e:book xmlns:e='urn:e'><e:expiration>2026.12.24</e:expiration></e:book>", "2:25"),
    ("<book xmlns='urn:e'><expiration>2026.12.24</expiration></book>", "2:21"),
    ("<shelf><Book><Expiration>2026.12.24</Expiration></Book></shelf>", "2:14"),
    ("<book><title>T</title><loan><EXPIRATION/></loan></book>", "2:29"),
    ("<book><title>T</title><due><expiration/> x</due></book>", "2:28"),
  ])
  func `An expiration where it is not looked for is reported`(text: String, place: String) throws {
    let reading = try CatalogueReader().reading(
      ofText: "<books><book><title>A</title><expiration>2026.12.01</expiration></book>\n"
        + "\(text)</books>")
    #expect(reading.findings == ["\(place) misplaced-expiration"])
  }

  @Test(arguments: ["", "soon", "in <b>May</b>"])
  func `A misspelt expiration is reported, whatever is in it`(content: String) throws {
    let reading = try CatalogueReader().reading(
      ofText: "<books><book><title>A</title><expiration>2026.12.01</expiration></book>\n"
        + "<book><title>B</title><expiraton>\(content)</expiraton></book></books>")
    #expect(reading.findings == ["2:23 unknown-date-element"])
    #expect(
      reading.diagnostics.map(\.message) == ["<expiraton> is ignored; did you mean <expiration>?"])
  }

  @Test(arguments: ["explanation", "inspiration", "due", "deadline"])
  func `Another element without a date is not taken for an expiration`(name: String) throws {
    let reading = try CatalogueReader().reading(
      ofText: "<books><book><title>A</title><expiration>2026.12.01</expiration></book>"
        + "<book><title>B</title><\(name)>soon</\(name)></book></books>")
    #expect(reading.findings == [])
  }

  @Test func `A misspelt book with an expiration is called one`() throws {
    let reading = try CatalogueReader().reading(
      ofText: "<books><book><title>A</title><expiration>2026.12.01</expiration></book>\n"
        + "<bok><title>B</title><expiration>2026.12.01</expiration></bok>"
        + "<shelf><expiration>2026.12.01</expiration></shelf><nook/></books>")
    #expect(reading.findings == ["2:22 misplaced-expiration", "2:70 misplaced-expiration"])
    #expect(
      reading.diagnostics.map(\.message) == [
        "this expiration is in <bok>, so it is ignored; did you mean <book>?",
        "this expiration is not directly inside a book, so it is ignored; move it into its book",
      ])
  }
}
