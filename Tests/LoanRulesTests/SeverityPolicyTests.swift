import LoanRules
import Loans
import Testing

struct SeverityPolicyTests {
  @Test func `Without a wish a code is what it is`() {
    for code in Diagnostic.Code.allCases {
      #expect(SeverityPolicy().severity(of: code) == code.severity)
    }
  }

  @Test func `Strict makes every warning an error but those that are to be warnings`() {
    let policy = SeverityPolicy(
      warnings: [.missingTitle, .dateFormat], ignored: [.unlikelyDate], isStrict: true)
    #expect(policy.severity(of: .missingTitle) == .warning)
    #expect(policy.severity(of: .dateFormat) == .warning)
    #expect(policy.severity(of: .unlikelyDate) == nil)
    for code in Diagnostic.Code.allCases
    where ![.missingTitle, .dateFormat, .unlikelyDate].contains(code) {
      #expect(policy.severity(of: code) == .error)
    }
  }

  @Test func `A single code can be made an error`() {
    let policy = SeverityPolicy(errors: [.invalidISBN])
    #expect(policy.severity(of: .invalidISBN) == .error)
    #expect(policy.severity(of: .invalidEmail) == .warning)
  }

  @Test func `Two wishes about one code contradict each other`() {
    #expect(SeverityPolicy(errors: [.noLoans], warnings: [.missingTitle]).contradictions == [])
    #expect(
      SeverityPolicy(
        errors: [.noLoans, .missingTitle], warnings: [.missingTitle], ignored: [.noLoans]
      ).contradictions == [.missingTitle, .noLoans])
  }
}
