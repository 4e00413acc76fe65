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
    ("29.2.2024", "2024.02.29"),
  ])
  func `A date that can only be read in one way is suggested`(
    text: String, suggestion: String
  ) throws {
    #expect(
      try message(text)
        == "expiration \"\(text)\" is not of the form yyyy.MM.dd; did you mean \(suggestion)?")
  }

  @Test(arguments: [
    ("12/01/2026", "2026.12.01 or 2026.01.12?"), ("01.12.2026", "2026.01.12 or 2026.12.01?"),
    ("1.2.2026", "2026.01.02 or 2026.02.01?"),
    ("2026.12.01 18:00", "a date has no time; did you mean 2026.12.01?"),
    ("2026-12-01T00:00", "a date has no time; did you mean 2026.12.01?"),
    ("2026. 12. 1. 6:00:30 PM", "a date has no time; did you mean 2026.12.01?"),
    ("25.12.2026 8:00", "a date has no time; did you mean 2026.12.25?"),
    ("1/12/2026 18:00", "a date has no time; 2026.01.12 or 2026.12.01?"),
    ("2026-12-01T23:00:00Z", "a date has no time"),
    ("2026-12-01 23:00+01:00", "a date has no time"),
    ("2O26.12.01", "the O is a letter, not the digit 0; did you mean 2026.12.01?"),
    ("2026.l2.01", "the l is a letter, not the digit 1; did you mean 2026.12.01?"),
    ("2026.I2.Ol", "the I is a letter, not the digit 1; did you mean 2026.12.01?"),
    ("2026.12.o1 18:00", "the o is a letter, not the digit 0; did you mean 2026.12.01?"),
    ("l/12/2026", "the l is a letter, not the digit 1; 2026.01.12 or 2026.12.01?"),
    ("1 Dec 2026", "did you mean 2026.12.01?"), ("Dec 1, 2026", "did you mean 2026.12.01?"),
    ("2026. december 1.", "did you mean 2026.12.01?"), ("2026 dec 1", "did you mean 2026.12.01?"),
    ("2026. ÁPR. 30.", "did you mean 2026.04.30?"), ("3-May-2026", "did you mean 2026.05.03?"),
    ("1 Sept 2026", "did you mean 2026.09.01?"), ("2026. szept. 1.", "did you mean 2026.09.01?"),
    ("1 Dec 2026 18:00", "a date has no time; did you mean 2026.12.01?"),
    ("26.12.01", "the year needs four digits"), ("12/31/26", "the year needs four digits"),
    ("26-12-31", "the year needs four digits"), ("26.12.01 18:00", "the year needs four digits"),
  ])
  func `What is wrong is named, and what cannot be known is not guessed`(
    text: String, words: String
  ) throws {
    #expect(try message(text) == "expiration \"\(text)\" is not of the form yyyy.MM.dd; \(words)")
  }

  @Test(arguments: [
    ("2026-12-01", "2026.12.01"), ("2026.\u{A0}12. 1.", "2026.12.01"), ("25.12.2026", nil),
    ("12/01/2026", nil), ("2026.12.01 18:00", nil), ("2O26.12.01", nil), ("2026. december 1.", nil),
    ("26.12.01", nil),
  ])
  func `Only a date of which only the form is wrong can be fixed`(
    text: String, replacement: String?
  ) throws {
    let reading = try CatalogueReader().reading(
      ofText: "<books><book><title>T</title><expiration>\(text)</expiration></book></books>")
    #expect(reading.diagnostics.map(\.replacement) == [replacement])
  }

  @Test(arguments: [
    "32.12.2026", "29.2.2026", "13.13.2026", "2026-02-30", "2026-13-01", "20260230", "0000-01-01",
    "202612", "2026", "2026-12", "2026-12-01-02", "1 2 3 4", "next Friday", "next Friday 18:00",
    "18:00", "x2026-12-01", "10000-01-01", "99999999999999999999-01-01",
    "2026-99999999999999999999-01", "-", "...", "2026½-12-01", "2026-Ⅻ-01", "2026:12:01",
    "2O26.13.01", "Ollo", "1 De 2026", "31 Feb 2026", "1 Decembers 2026", "Dec 2026",
    "1st Dec 2026", "２０２６.１２.０１", "٢٠٢٦-١٢-٠١",
  ])
  func `Of a date that cannot be read nothing is said`(text: String) throws {
    #expect(try message(text) == "expiration \"\(text)\" is not of the form yyyy.MM.dd")
  }

  @Test func `A long text is not looked at`() throws {
    let text = "2026" + String(repeating: "-", count: 60) + "12-01"
    #expect(try message(text) == "expiration \"\(text)\" is not of the form yyyy.MM.dd")
  }
}
