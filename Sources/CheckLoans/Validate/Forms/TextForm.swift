import Loans

/// One line for each finding, as compilers write it.
struct TextForm: FindingsForm {
  /// Whether to colour the lines, for a terminal.
  var isColored = false

  func text(of finding: LocatedDiagnostic) -> String {
    guard isColored else { return finding.line + "\n" }
    let severity = finding.diagnostic.severity
    let color = severity == .error ? "1;31" : "1;35"
    return """
      \u{1B}[1m\(finding.place):\u{1B}[0m \u{1B}[\(color)m\(severity.rawValue):\u{1B}[0m \
      \(finding.words)

      """
  }
}
