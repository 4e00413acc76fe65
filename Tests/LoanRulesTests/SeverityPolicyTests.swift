import LoanRules
import Loans
import Testing

struct SeverityPolicyTests {
  @Test func `Without a wish a code is what it is`() {
    for code in Diagnostic.Code.allCases {
      #expect(SeverityPolicy().severity(of: code) == code.validationSeverity)
    }
  }

  @Test(arguments: [Diagnostic.Code.unknownCase, .misplacedExpiration, .unknownDateElement])
  func `An expiration that is not seen is an error, unless it is to be a warning`(
    code: Diagnostic.Code
  ) {
    #expect(code.severity == .warning)
    #expect(SeverityPolicy().severity(of: code) == .error)
    #expect(SeverityPolicy(warnings: [code]).severity(of: code) == .warning)
    #expect(SeverityPolicy(ignored: [code]).severity(of: code) == nil)
  }

  @Test func `A single problem can be an error although its code is a warning`() {
    var problem = Diagnostic(
      .noExpirations, at: SourceLocation(line: 1, column: 1), message: "none")
    #expect(SeverityPolicy().severity(of: problem) == .warning)
    problem.severity = .error
    #expect(SeverityPolicy().severity(of: problem) == .error)
    #expect(SeverityPolicy(warnings: [.noExpirations]).severity(of: problem) == .warning)
    #expect(SeverityPolicy(ignored: [.noExpirations]).severity(of: problem) == nil)
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

extension SeverityPolicy {
  /// The severity of an ordinary problem with this code.
  fileprivate func severity(of code: Diagnostic.Code) -> Diagnostic.Severity? {
    severity(of: Diagnostic(code, at: SourceLocation(line: 1, column: 1), message: "none"))
  }
}
