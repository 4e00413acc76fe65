import CatalogueProperties
import LoanCatalogue
import Loans
import Testing

struct DateSuggestionTests {
  private func message(_ text: String) throws -> String? {
    let reading = try CatalogueReader().reading(
      ofText: """
        <books><book><title>T</title><expiration>\(text)</expiration></book></books>
        """)
    #expect(reading.findings == ["1:42 date-format"])
    return reading.diagnostics.first?.message
  }

  @Test(arguments: [
    ("2026-12-01", "2026.12.01"), ("2026/12/01", "2026.12.01"), ("2026 12 01", "2026.12.01"),
    ("2026. 12. 01.", "2026.12.01"), ("2026.12.1", "2026.12.01"), ("2026.1.2", "2026.01.02"),
    ("20261201", "2026.12.01"), ("2026.12.01.", "2026.12.01"), ("13.12.2026", "2026.12.13"),
    ("12/13/2026", "2026.12.13"), ("12.12.2026", "2026.12.12"), ("31.1.2026", "2026.01.31"),
    ("29.2.2024", "2024.02.29"), ("２０２６.１２.０１", "2026.12.01"), ("٢٠٢٦-١٢-٠١", "2026.12.01"),
  ])
  func `A date that can only be read in one way is suggested`(
    text: String, suggestion: String
  ) throws {
    #expect(
      try message(text)
        == "expiration \"\(text)\" is not of the form yyyy.MM.dd; did you mean \(suggestion)?")
  }

  @Test(arguments: [
    "01.12.2026", "12/01/2026", "1.2.2026", "32.12.2026", "29.2.2026", "13.13.2026", "2026-02-30",
    "2026-13-01", "20260230", "0000-01-01", "26.12.13", "26-12-31", "202612", "2026", "2026-12",
    "2026-12-01-02", "1 2 3 4", "next Friday", "2026 dec 1", "2026-12-01T00:00", "x2026-12-01",
    "10000-01-01", "99999999999999999999-01-01", "2026-99999999999999999999-01", "-", "...",
    "2026½-12-01", "2026-Ⅻ-01", "2026:12:01",
  ])
  func `A date that can be read in several ways or in none is not`(text: String) throws {
    #expect(try message(text) == "expiration \"\(text)\" is not of the form yyyy.MM.dd")
  }

  @Test func `A long text is not looked at`() throws {
    let text = "2026" + String(repeating: "-", count: 60) + "12-01"
    #expect(try message(text) == "expiration \"\(text)\" is not of the form yyyy.MM.dd")
  }
}
