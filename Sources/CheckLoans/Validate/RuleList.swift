import ArgumentParser
import LoanRules
import Loans

/// The lists and explanations of the rules of `validate`.
enum RuleList {
  /// Lists all codes, a line each, or as JSON.
  static func print(
    as format: FindingsFormat?, _ console: Console
  ) throws(CommandError) -> ExitStatus {
    switch format {
    case nil, .text: for rule in Rule.all { try console.print(line: line(of: rule)) }
    case .json: try console.print(line: json.text)
    default: throw CommandError(.usage, "the rules are listed as text or json")
    }
    return .done
  }

  private static let width = Diagnostic.Code.allCases.map(\.rawValue.count).max() ?? 0

  private static func line(of rule: Rule) -> String {
    let code = rule.code
    let severity = code.validationSeverity.rawValue.padded(to: "warning".count)
    return "\(code.rawValue.padded(to: width))  \(severity)  \(rule.summary)"
  }

  private static var json: JSONValue {
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

  /// Prints what a code means.
  static func explain(
    _ code: Diagnostic.Code, _ console: Console
  ) throws(CommandError) -> ExitStatus {
    let rule = Rule(code)
    try console.print(
      """
      \(code.rawValue) (\(code.validationSeverity.rawValue)): \(rule.summary)

      \(rule.explanation.wrapped(to: 78))

      For example:

      \(rule.example.indented)

      Better:

      \(rule.fixed.indented)

      \(rule.remedy.wrapped(to: 78))
      \(silencing(rule))
      """)
    return .done
  }

  private static func silencing(_ rule: Rule) -> String {
    let code = rule.code.rawValue
    if rule.code.endsReading { return "It cannot be ignored: nothing after it is read.\n" }
    let everywhere = """
      To silence it everywhere: --ignore \(code); to make it a warning or an error: --warn, --error.
      """.wrapped(to: 78)
    guard rule.code.isAboutABook else { return "\(everywhere)\n" }
    return """
      \(everywhere)
      To leave it out of one book, write before the book:

          <!-- check-loans: ignore \(code) (reason) -->

      """
  }
}

// MARK: - Codes on the command line

extension Diagnostic.Code {
  static let names = allCases.map(\.rawValue)

  /// What can be reported as a warning or ignored: not what ends the reading, since nobody knows
  /// what comes after it.
  static let suppressibleNames = allCases.filter { !$0.endsReading }.map(\.rawValue)

  /// - Throws: `ValidationError`, which says what is wrong.
  @Sendable static func parse(_ text: String) throws -> Self {
    if let code = Self(rawValue: text) { return code }
    if text.contains(",") { throw ValidationError("give the option once for each code") }
    let nearest = text.nearest(among: names)
    let question = nearest.map { "did you mean \($0)? " } ?? ""
    throw ValidationError("\(question)--list-rules lists the codes")
  }

  /// - Throws: `ValidationError`, which says what is wrong.
  @Sendable static func parseSuppressible(_ text: String) throws -> Self {
    let code = try parse(text)
    if !code.endsReading { return code }
    throw ValidationError("nothing after such a place is read, so it is always an error")
  }
}

// MARK: - Text

extension String {
  /// Each line four spaces further in.
  fileprivate var indented: String {
    split(separator: "\n", omittingEmptySubsequences: false).map { "    \($0)" }
      .joined(separator: "\n")
  }

  /// The words in lines of at most `width` characters.
  fileprivate func wrapped(to width: Int) -> String {
    var lines = [""]
    for word in split(separator: " ") {
      let line = lines[lines.count - 1]
      if line.isEmpty {
        lines[lines.count - 1] = String(word)
      } else if line.count + 1 + word.count <= width {
        lines[lines.count - 1] = "\(line) \(word)"
      } else {
        lines.append(String(word))
      }
    }
    return lines.joined(separator: "\n")
  }
}
