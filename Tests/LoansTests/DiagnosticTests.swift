import Loans
import Testing

struct DiagnosticTests {
  static let errors = [
    "malformed-xml", "external-entity", "declared-text", "unsupported-encoding", "no-loans",
    "date-format", "impossible-date",
    "empty-expiration", "missing-expiration", "duplicate-expiration",
    "duplicate-id", "not-a-catalogue", "error-answer", "missing-loan-days",
    "incomplete-answer", "unknown-borrower",
  ]
  static let warnings = [
    "missing-title", "unlikely-date", "misplaced-expiration", "unknown-case", "duplicate-loan",
    "invalid-isbn", "invalid-email", "invalid-loan-date", "expiration-before-loan",
    "distant-expiration", "no-expirations",
    "unknown-date-element", "shifted-days", "unknown-column",
  ]

  @Test func `The published codes are these, and keep their names`() {
    #expect(Set(Diagnostic.Code.allCases.map(\.rawValue)) == Set(Self.errors + Self.warnings))
    #expect(Diagnostic.Code.allCases.count == 30)
  }

  @Test(arguments: errors)
  func `A code of an error is one`(name: String) throws {
    let code = try #require(Diagnostic.Code(rawValue: name))
    #expect(code.severity == .error)
    #expect(diagnostic(code).severity == .error)
  }

  @Test(arguments: warnings)
  func `A code of a warning is one`(name: String) throws {
    let code = try #require(Diagnostic.Code(rawValue: name))
    #expect(code.severity == .warning)
    #expect(diagnostic(code).severity == .warning)
  }

  private func diagnostic(_ code: Diagnostic.Code) -> Diagnostic {
    Diagnostic(code, at: SourceLocation(line: 1, column: 1), message: "a problem")
  }

  @Test func `Severities are named as in the output`() {
    #expect(Diagnostic.Severity.error.rawValue == "error")
    #expect(Diagnostic.Severity.warning.rawValue == "warning")
  }

  @Test func `Places are ordered as one reads`() {
    let places = [(1, 1), (1, 2), (1, 70_000), (2, 1), (70_000, 1)]
      .map { SourceLocation(line: $0.0, column: $0.1) }
    #expect(places.shuffled().sorted() == places)
    #expect(!(places[0] < places[0]))
  }
}
