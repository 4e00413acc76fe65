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
    let location = diagnostic.location
    var properties = [
      "file=\(finding.repositoryPath.withoutDotSlash.asCommandProperty)", "line=\(location.line)",
      "endLine=\(location.line)", "col=\(location.column)",
    ]
    if let endColumn = diagnostic.endColumn { properties.append("endColumn=\(endColumn)") }
    properties.append("title=\(diagnostic.code.rawValue)")
    return command(diagnostic.severity, properties, diagnostic.message)
  }

  func tail(ofFile tally: FileTally) -> String {
    guard let failure = tally.failure else { return "" }
    let file = "file=\(tally.repositoryPath.withoutDotSlash.asCommandProperty)"
    return command(.error, [file, "title=not-read"], failure)
  }

  func tail(_ tally: FindingsTally) -> String {
    let isCut = max(tally.errors + tally.unread.count, tally.warnings) > Self.most
    let note = "GitHub shows at most \(Self.most) errors and \(Self.most) warnings of a step"
    return isCut ? "check-loans: \(note)\n" : ""
  }

  private func command(
    _ severity: Diagnostic.Severity, _ properties: [String], _ message: String
  ) -> String {
    "::\(severity.rawValue) \(properties.joined(separator: ","))::\(message.asCommandData)\n"
  }
}

extension String {
  /// The text as the message of a command.
  fileprivate var asCommandData: String { escapedForGitHub(["%", "\r", "\n"]) }

  /// The text as the value of a command's property.
  fileprivate var asCommandProperty: String { escapedForGitHub(["%", "\r", "\n", ":", ","]) }

  /// The text with these characters written as `%3A`, and with others that could steer a terminal
  /// made visible.
  private func escapedForGitHub(_ characters: Set<Unicode.Scalar>) -> String {
    var text = ""
    for scalar in unicodeScalars {
      if characters.contains(scalar), let byte = UInt8(exactly: scalar.value) {
        text += byte.percentEncoded
      } else {
        text += scalar.isUnsafeToShow ? String(scalar).visible : String(scalar)
      }
    }
    return text
  }
}
