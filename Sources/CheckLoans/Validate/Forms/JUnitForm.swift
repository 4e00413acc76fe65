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
    let counts = """
      tests="\(tally.errors + tally.warnings + tally.cleanFiles + unread)" \
      failures="\(tally.errors)" errors="\(unread)" skipped="0"
      """
    return """
      <?xml version="1.0" encoding="UTF-8"?>
      <testsuites name="check-loans" \(counts)>
      <testsuite name="check-loans" \(counts)>\n
      """
  }

  func text(of finding: LocatedDiagnostic) -> String {
    let diagnostic = finding.diagnostic
    let start = testCase(name(of: diagnostic), finding.repositoryPath, diagnostic.location.line)
    let line = finding.line.asXML
    switch diagnostic.severity {
    case .error:
      return """
        \(start)>\
        <failure message="\(diagnostic.message.asXML)" type="\(diagnostic.code.rawValue)">\(line)\
        </failure></testcase>\n
        """
    case .warning:
      return "\(start)><system-out>\(line)</system-out></testcase>\n"
    }
  }

  func tail(ofFile tally: FileTally) -> String {
    if let failure = tally.failure {
      let start = testCase("the catalogue can be read", tally.repositoryPath)
      let message = failure.asXML
      return
        "\(start)><error message=\"\(message)\" type=\"not-read\">\(message)</error></testcase>\n"
    }
    guard tally.errors + tally.warnings == 0 else { return "" }
    return testCase("the catalogue is without problems", tally.repositoryPath) + "/>\n"
  }

  func tail(_ tally: FindingsTally) -> String {
    var words = ""
    if tally.omitted > 0 { words = "<system-out>\(tally.words.asXML)</system-out>\n" }
    return words + "</testsuite>\n</testsuites>\n"
  }

  private func name(of diagnostic: Diagnostic) -> String {
    let loan = diagnostic.loan.map { ", \($0.quoted())" } ?? ""
    return "\(diagnostic.code.rawValue)\(loan) (\(diagnostic.fingerprint.hexadecimal))"
  }

  /// The beginning of a test's start tag.
  private func testCase(_ name: String, _ path: String, _ line: Int? = nil) -> String {
    let path = path.asXML
    let place = line.map { " line=\"\($0)\"" } ?? ""
    return "<testcase name=\"\(name.asXML)\" classname=\"\(path)\" file=\"\(path)\"\(place)"
  }
}
