import CommandOutput
import LoanCatalogue
import Loans

/// The form of reviewdog, which comments on the changed lines: one JSON object a line.
///
/// Its columns count bytes of UTF-8 and ours characters, so they are given only where the line
/// itself is known; without them a finding is about the whole line. A suggestion without columns
/// would replace the whole line, so there is none then.
struct RDJSONLForm: FindingsForm {
  /// A place so far into a line that its beginning would not be seen has no columns.
  var lineWidth: Int? { 8_192 }

  func text(of finding: LocatedDiagnostic) -> String {
    let diagnostic = finding.diagnostic
    let start = finding.byteColumn(diagnostic.location.column)
    let end = start == nil ? nil : diagnostic.endColumn.flatMap(finding.byteColumn)
    func position(_ column: Int?) -> JSONValue {
      JSONValue(present: [
        "line": .int(diagnostic.location.line), "column": column.map { .int($0) },
      ])
    }
    let range = JSONValue(present: [
      "start": position(start), "end": end.map { position($0) },
    ])
    let replacement = end == nil ? nil : diagnostic.replacement
    return problem(
      diagnostic.message, finding.repositoryPath, range, diagnostic.severity,
      diagnostic.code.rawValue,
      suggestions: replacement.map { [["range": range, "text": .string($0)]] })
  }

  func tail(ofFile file: FileTally) -> String {
    file.failure.map { problem($0, file.repositoryPath, nil, .error, "not-read") } ?? ""
  }

  private func problem(
    _ message: String, _ path: String, _ range: JSONValue?, _ severity: Diagnostic.Severity,
    _ code: String, suggestions: JSONValue? = nil
  ) -> String {
    JSONValue(present: [
      "message": .string(message.asCode),
      "location": JSONValue(present: ["path": .string(path.withoutDotSlash), "range": range]),
      "severity": .string(severity.rawValue.uppercased()), "source": ["name": "check-loans"],
      "code": ["value": .string(code)], "suggestions": suggestions,
    ]).text + "\n"
  }
}

extension LocatedDiagnostic {
  /// The column in bytes of UTF-8 of a column in characters, both from 1, where the line is known and
  /// as long.
  fileprivate func byteColumn(_ column: Int) -> Int? {
    guard let excerpt, !excerpt.isCutBefore else { return nil }
    let text = excerpt.text
    guard column > 0,
      let index = text.unicodeScalars.index(
        text.startIndex, offsetBy: column - 1, limitedBy: text.endIndex)
    else { return nil }
    return text.utf8.distance(from: text.startIndex, to: index) + 1
  }
}

extension String {
  /// The text as code in Markdown, in which nothing is a link, a mention or a tag: reviewdog puts
  /// messages into comments as they are.
  fileprivate var asCode: String {
    let longest = split { $0 != "`" }.map(\.count).max() ?? 0
    let fence = String(repeating: "`", count: longest + 1)
    let padding = hasPrefix("`") || hasSuffix("`") ? " " : ""
    return fence + padding + visible + padding + fence
  }
}
