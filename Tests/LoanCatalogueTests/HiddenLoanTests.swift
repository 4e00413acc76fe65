import CatalogueProperties
import LoanCatalogue
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
}
