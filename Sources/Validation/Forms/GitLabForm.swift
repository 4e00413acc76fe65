import CommandOutput
import Loans

/// A report for GitLab's Code Quality: what a merge request adds and what it fixes.
struct GitLabForm: FindingsForm {
  var separator: String { ",\n" }

  func head(_ tally: FindingsTally) -> String { "[" }

  func text(of finding: LocatedDiagnostic) -> String {
    let diagnostic = finding.diagnostic
    let severity = diagnostic.severity == .error ? "major" : "minor"
    return issue(
      diagnostic.message, diagnostic.code.rawValue, diagnostic.fingerprint,
      severity: diagnostic.code.endsReading ? "blocker" : severity, path: finding.repositoryPath,
      line: diagnostic.location.line)
  }

  func tail(_ tally: FindingsTally) -> String {
    let unread = tally.unread.map { file in
      issue(
        file.failure ?? "", "not-read", 0, severity: "blocker", path: file.repositoryPath, line: 1)
    }.joined(separator: separator)
    let isFirst = tally.errors + tally.warnings == tally.omitted || unread.isEmpty
    return "\(isFirst ? "" : separator)\(unread)]\n"
  }

  /// - Parameter fingerprint: unique within the catalogue; GitLab shows only the first issue of each
  ///   fingerprint, so the catalogue's path is added to it.
  private func issue(
    _ message: String, _ code: String, _ fingerprint: UInt64, severity: String, path: String,
    line: Int
  ) -> String {
    let path = path.withoutDotSlash
    let issue: JSONValue = [
      "description": .string(message), "check_name": .string(code),
      "fingerprint": .string(path.stableHash.hexadecimal + fingerprint.hexadecimal),
      "severity": .string(severity),
      "location": ["path": .string(path), "lines": ["begin": .int(line)]],
    ]
    return issue.text
  }
}
