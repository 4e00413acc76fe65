import CommandOutput
import LoanRules
package import Loans

/// The lists and explanations of the rules of `validate`.
package enum RuleList {
  /// All codes, a line each.
  package static var text: String { Rule.all.map { line(of: $0) + "\n" }.joined() }

  private static let width = Diagnostic.Code.allCases.map(\.rawValue.count).max() ?? 0

  private static func line(of rule: Rule) -> String {
    let code = rule.code
    let severity = code.validationSeverity.rawValue.padded(to: "warning".count)
    return "\(code.rawValue.padded(to: width))  \(severity)  \(rule.summary)"
  }

  /// All codes with their explanations, for programs.
  package static var json: JSONValue {
    [
      "version": 1,
      "rules": .array(
        Rule.all.map { rule in
          [
            "code": .string(rule.code.rawValue),
            "severity": .string(rule.code.validationSeverity.rawValue),
            "summary": .string(rule.summary), "explanation": .string(rule.explanation),
            "example": .string(rule.example), "fixed": .string(rule.fixed),
            "remedy": .string(rule.remedy),
          ]
        }),
    ]
  }

  /// What a code means, and what to do.
  package static func explanation(of code: Diagnostic.Code) -> String {
    let rule = Rule(code)
    return """
      \(code.rawValue) (\(code.validationSeverity.rawValue)): \(rule.summary)

      \(rule.explanation.filled)

      For example:

      \(rule.example.indented)

      Better:

      \(rule.fixed.indented)

      \(rule.remedy.filled)
      \(silencing(rule))
      """
  }

  private static func silencing(_ rule: Rule) -> String {
    let code = rule.code.rawValue
    if rule.code.endsReading { return "It cannot be ignored: nothing after it is read.\n" }
    let everywhere = """
      To silence it everywhere: --ignore \(code); to make it a warning or an error: --warn, --error.
      """.filled
    guard rule.code.isAboutABook else { return "\(everywhere)\n" }
    return """
      \(everywhere)
      To leave it out of one book, write before the book:

          <!-- check-loans: ignore \(code) (reason) -->

      """
  }
}

// MARK: - Text

extension String {
  /// Each line four spaces further in.
  fileprivate var indented: String {
    split(separator: "\n", omittingEmptySubsequences: false).map { "    \($0)" }
      .joined(separator: "\n")
  }

  /// The words in lines that a terminal has room for.
  fileprivate var filled: String { wrapped(toColumns: 78).joined(separator: "\n") }
}
