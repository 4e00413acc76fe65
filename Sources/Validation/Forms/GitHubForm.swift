import CommandOutput
import Loans

/// Workflow commands of GitHub Actions, which put a note beside the line of the catalogue.
///
/// The runner takes a line for a command if it begins with `::`, apart from white space, and for
/// one of an older kind if it holds `##[` anywhere; the first is looked for first. So every line
/// begins with our own words, and no text of a catalogue after them counts.
struct GitHubForm: FindingsForm {
  /// The number of errors, and of warnings, that GitHub shows of one step.
  private static let most = 10

  func text(of finding: LocatedDiagnostic) -> String {
    let diagnostic = finding.diagnostic
    let (line, column) = (diagnostic.location.line, diagnostic.location.column)
    let end = diagnostic.endColumn.map { ",endColumn=\($0)" } ?? ""
    return command(
      diagnostic.severity, finding.repositoryPath,
      ",line=\(line),endLine=\(line),col=\(column)\(end)", diagnostic.code.rawValue,
      diagnostic.message)
  }

  func tail(ofFile file: FileTally) -> String {
    file.failure.map { command(.error, file.repositoryPath, "", "not-read", $0) } ?? ""
  }

  func tail(_ tally: FindingsTally) -> String {
    let isCut = max(tally.errors + tally.unread.count, tally.warnings) > Self.most
    let note = "GitHub shows at most \(Self.most) errors and \(Self.most) warnings of a step"
    return isCut ? "check-loans: \(note)\n" : ""
  }

  private func command(
    _ severity: Diagnostic.Severity, _ path: String, _ place: String, _ title: String,
    _ message: String
  ) -> String {
    let file = path.withoutDotSlash.escapedForGitHub("%\r\n:,")
    let text = message.escapedForGitHub("%\r\n")
    return "::\(severity.rawValue) file=\(file)\(place),title=\(title)::\(text)\n"
  }
}

extension String {
  /// The text with these characters written as `%3A`, and with others that could steer a terminal
  /// made visible.
  fileprivate func escapedForGitHub(_ characters: String) -> String {
    escaped { scalar, _ in
      if characters.unicodeScalars.contains(scalar) { return UInt8(ascii: scalar).percentEncoded }
      return scalar.isUnsafeToShow ? scalar.escape : nil
    }
  }
}
