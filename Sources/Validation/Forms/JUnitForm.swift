import CommandOutput
import Loans

/// The results as those of a test suite, which nearly every CI system shows.
///
/// An error is a failed test, a warning one that has passed and says something, a catalogue
/// without either one that has passed, and one that could not be read one that could not be run.
/// The name of a test holds no line number, so that a CI system knows it again when lines were
/// inserted above it.
struct JUnitForm: FindingsForm {
  var needsTally: Bool { true }

  func head(_ tally: FindingsTally) -> String {
    let unread = tally.unread.count
    let clean = tally.read.count { $0.errors + $0.warnings == 0 }
    let counts = """
      tests="\(tally.errors + tally.warnings + clean + unread)" failures="\(tally.errors)" \
      errors="\(unread)" skipped="0"
      """
    return """
      <?xml version="1.0" encoding="UTF-8"?>
      <testsuites name="check-loans" \(counts)>
      <testsuite name="check-loans" \(counts)>\n
      """
  }

  func text(of finding: LocatedDiagnostic) -> String {
    let diagnostic = finding.diagnostic
    let code = diagnostic.code.rawValue
    let loan = diagnostic.loan.map { ", \($0.quoted())" } ?? ""
    let name = "\(code)\(loan) (\(diagnostic.fingerprint.hexadecimal))"
    let line = finding.line.asXML
    let outcome =
      switch diagnostic.severity {
      case .error:
        "<failure message=\"\(diagnostic.message.asXML)\" type=\"\(code)\">\(line)</failure>"
      case .warning: "<system-out>\(line)</system-out>"
      }
    return testCase(name, finding.repositoryPath, diagnostic.location.line, outcome)
  }

  func tail(ofFile file: FileTally) -> String {
    if let message = file.failure?.asXML {
      return testCase(
        "the catalogue can be read", file.repositoryPath, nil,
        "<error message=\"\(message)\" type=\"not-read\">\(message)</error>")
    }
    guard file.errors + file.warnings == 0 else { return "" }
    return testCase("the catalogue is without problems", file.repositoryPath, nil, nil)
  }

  func tail(_ tally: FindingsTally) -> String {
    let words = tally.omitted > 0 ? "<system-out>\(tally.words.asXML)</system-out>\n" : ""
    return words + "</testsuite>\n</testsuites>\n"
  }

  private func testCase(
    _ name: String, _ path: String, _ line: Int?, _ outcome: String?
  ) -> String {
    let path = path.asXML
    let place = line.map { " line=\"\($0)\"" } ?? ""
    return "<testcase name=\"\(name.asXML)\" classname=\"\(path)\" file=\"\(path)\"\(place)"
      + (outcome.map { ">\($0)</testcase>\n" } ?? "/>\n")
  }
}
