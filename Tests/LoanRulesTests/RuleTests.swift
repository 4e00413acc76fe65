import LoanRules
import Loans
import Testing

struct RuleTests {
  @Test func `Every code has a rule, in the order of the codes`() {
    #expect(Rule.all.map(\.code) == Diagnostic.Code.allCases)
    #expect(Set(Rule.all.map(\.summary)).count == Diagnostic.Code.allCases.count)
  }

  @Test(arguments: Rule.all)
  func `A rule says what is wrong in a few words, why, and what to do`(rule: Rule) {
    #expect(rule.summary.count < 60)
    #expect(rule.summary.first?.isLowercase == true && rule.summary.last != ".")
    #expect(rule.explanation.last == "." && rule.explanation.first != rule.summary.first)
    #expect(rule.remedy.last == ".")
    #expect(rule.example != rule.fixed)
    let texts = [rule.summary, rule.explanation, rule.remedy]
    #expect(texts.allSatisfy { $0 == $0.visible })
  }

  @Test func `Only what ends the reading cannot be made less of`() {
    #expect(
      Diagnostic.Code.allCases.filter(\.endsReading)
        == [
          .malformedXML, .externalEntity, .declaredText, .unsupportedEncoding, .notACatalogue,
          .errorAnswer, .unknownBorrower,
        ])
  }
}
