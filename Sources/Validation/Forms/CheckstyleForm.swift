import CommandOutput
import Loans

/// The results in the form of checkstyle, which many CI systems and editors read.
struct CheckstyleForm: FindingsForm {
  func head(_ tally: FindingsTally) -> String {
    """
    <?xml version="1.0" encoding="UTF-8"?>
    <checkstyle version="4.3">\n
    """
  }

  func head(ofFile file: FileTally) -> String { "<file name=\"\(file.repositoryPath.asXML)\">\n" }

  func text(of finding: LocatedDiagnostic) -> String {
    let diagnostic = finding.diagnostic
    return error(
      at: diagnostic.location, diagnostic.severity, diagnostic.message, diagnostic.code.rawValue)
  }

  func tail(ofFile file: FileTally) -> String {
    let start = SourceLocation(line: 1, column: 1)
    return (file.failure.map { error(at: start, .error, $0, "not-read") } ?? "") + "</file>\n"
  }

  func tail(_ tally: FindingsTally) -> String { "</checkstyle>\n" }

  private func error(
    at location: SourceLocation, _ severity: Diagnostic.Severity, _ message: String, _ code: String
  ) -> String {
    """
    <error line="\(location.line)" column="\(location.column)" severity="\(severity.rawValue)" \
    message="\(message.asXML)" source="check-loans.\(code)"/>\n
    """
  }
}
