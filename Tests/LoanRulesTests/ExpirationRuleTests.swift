import LoanRules
import Loans
import Testing

struct ExpirationRuleTests {
  private func judge(_ text: String) throws -> Finding? {
    ExpirationRule.judge(try CivilDate(dotted: Array(text.utf8).span))
  }

  @Test(arguments: ["1970.01.01", "1970.01.02", "2026.11.28", "2099.12.30", "2099.12.31"])
  func `An expiration in the years 1970 to 2099 is likely`(text: String) throws {
    #expect(try judge(text) == nil)
  }

  @Test(arguments: [
    "0001.01.01", "0226.11.28", "1969.12.31", "2100.01.01", "2206.11.28", "9999.12.31",
  ])
  func `An expiration in any other year is probably a slip`(text: String) throws {
    let finding = try #require(try judge(text))
    #expect(finding.code == .unlikelyDate)
    #expect(
      finding.message
        == "expiration \"\(text)\" is outside the years 1970 to 2099; check the year")
  }
}

struct FartherRulesTests {
  private func date(_ text: String) throws -> CivilDate {
    try CivilDate(dotted: Array(text.utf8).span)
  }

  @Test(arguments: [
    ("2026.11.21", 0, true), ("2026.11.22", 0, false), ("2026.12.21", 30, true),
    ("2026.12.22", 30, false), ("2020.01.01", 0, true), ("2099.12.31", 36_500, true),
  ])
  func `An expiration may be so many days ahead and no more`(
    text: String, days: Int, isFine: Bool
  ) throws {
    let finding = ExpirationRule.judge(
      try date(text), today: try date("2026.11.21"), atMost: days)
    #expect((finding == nil) == isFine)
    #expect(finding == nil || finding?.code == .distantExpiration)
  }

  @Test func `An unlikely year is told as such, however many days are allowed`() throws {
    let finding = ExpirationRule.judge(
      try date("2206.12.01"), today: try date("2026.11.21"), atMost: 10)
    #expect(finding?.code == .unlikelyDate)
  }

  @Test func `A book may be lent today, and not tomorrow`() throws {
    let today = try date("2026.11.21")
    #expect(ExpirationRule.judge(loaned: today, today: today) == nil)
    let finding = ExpirationRule.judge(loaned: try date("2026.11.22"), today: today)
    #expect(finding?.code == .invalidLoanDate)
    #expect(
      finding?.message == """
        loan date "2026.11.22" is after today, 2026.11.21; correct the day of lending
        """)
  }

  @Test(arguments: [
    ("2026.11.21", "2026.11.21", true), ("2026.11.22", "2026.11.21", true),
    ("2026.11.20", "2026.11.21", false), ("2025.12.31", "2026.01.01", false),
  ])
  func `A loan may expire on the day on which it was lent, and not before`(
    expiration: String, loaned: String, isFine: Bool
  ) throws {
    let finding = ExpirationRule.judge(try date(expiration), loaned: try date(loaned))
    #expect((finding == nil) == isFine)
    guard let finding else { return }
    #expect(finding.code == .expirationBeforeLoan)
    #expect(
      finding.message == """
        expiration "\(expiration)" is before the loan date \(loaned); correct the one that is wrong
        """)
  }
}
