import LoanRules
import Loans
import Testing

struct ExpirationRuleTests {
  private func judge(_ text: String) throws -> Finding? {
    ExpirationRule.judge(try CivilDate(dotted: Array(text.utf8)[...]))
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
