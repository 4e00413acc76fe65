import CatalogueProperties
import LoanCatalogue
import LoanRules
import Loans
import TestSupport
import Testing

/// The examples that explain the rules do what they say.
struct RuleExampleTests {
  private func codes(_ rule: Rule, _ example: String) throws -> [Diagnostic.Code] {
    var rules = CatalogueRules.all
    rules.requiresExpiration = rule.code == .missingExpiration
    if rule.code == .distantExpiration {
      let today = try #require(CivilDate(year: 2026, month: 11, day: 21))
      rules.expiration = { ExpirationRule.judge($0, today: today, atMost: 365) }
    }
    return try CatalogueReader(
      rules: rules, civilTime: { Prague.civilTime(at: $0) }
    )
    .reading(ofText: document(example)).diagnostics.map(\.code)
  }

  private func document(_ example: String) -> String {
    let parts = ["<expiration", "<Expiration", "<loaned", "<loan>", "<isbn", "<email"]
    let isPart = parts.contains { example.hasPrefix($0) }
    let books = ["<book ", "<book>", "<!--"]
    if !isPart && !books.contains(where: { example.hasPrefix($0) }) { return example }
    let lent = "<book id='y'><title>U</title><expiration>2026.12.02</expiration></book>"
    if example.contains("<book") { return "<books>\(example)\(lent)</books>" }
    return "<books><book id='x'><title>T</title>\(example)</book>\(lent)</books>"
  }

  @Test(arguments: Rule.all)
  func `An example has the problem, and only that`(rule: Rule) throws {
    #expect(try codes(rule, rule.example) == [rule.code])
  }

  @Test(arguments: Rule.all)
  func `The better one has none`(rule: Rule) throws {
    #expect(try codes(rule, rule.fixed) == [])
  }
}
