import Loans

/// The form of reviewdog, which comments on the changed lines: one JSON object a line.
///
/// Its columns count bytes of UTF-8 and ours characters, so they are given only where the line
/// itself is known; without them a finding is about the whole line. A suggestion without columns
/// would replace the whole line, so there is none then.
struct RDJSONLForm: FindingsForm {
  var needsSourceLine: Bool { true }

  func text(of finding: LocatedDiagnostic) -> String {
    let diagnostic = finding.diagnostic
    let columns = finding.byteColumns
    let range = range(of: columns, inLine: diagnostic.location.line)
    var members: [(key: String, value: JSONValue)] = [
      ("message", .string(diagnostic.message.asCode)),
      ("location", ["path": .string(finding.repositoryPath.withoutDotSlash), "range": range]),
      ("severity", diagnostic.severity == .error ? "ERROR" : "WARNING"),
      ("source", ["name": "check-loans"]),
      ("code", ["value": .string(diagnostic.code.rawValue)]),
    ]
    if let replacement = diagnostic.replacement, columns?.end != nil {
      members.append(("suggestions", [["range": range, "text": .string(replacement)]]))
    }
    return JSONValue.object(members).text + "\n"
  }

  func tail(ofFile tally: FileTally) -> String {
    guard let failure = tally.failure else { return "" }
    let problem: JSONValue = [
      "message": .string(failure.asCode),
      "location": ["path": .string(tally.repositoryPath.withoutDotSlash)],
      "severity": "ERROR", "source": ["name": "check-loans"], "code": ["value": "not-read"],
    ]
    return problem.text + "\n"
  }

  private func range(of columns: (start: Int, end: Int?)?, inLine line: Int) -> JSONValue {
    func position(_ column: Int?) -> JSONValue {
      .object([("line", .int(line))] + (column.map { [("column", .int($0))] } ?? []))
    }
    let start = position(columns?.start)
    guard let end = columns?.end else { return ["start": start] }
    return ["start": start, "end": position(end)]
  }
}

extension LocatedDiagnostic {
  /// The columns from 1 in bytes of UTF-8, where the line is known and as long as they have it.
  fileprivate var byteColumns: (start: Int, end: Int?)? {
    guard let sourceLine, let start = sourceLine.byteColumn(diagnostic.location.column) else {
      return nil
    }
    return (start, diagnostic.endColumn.flatMap(sourceLine.byteColumn))
  }
}

extension String {
  /// The column in bytes of a column in characters, both from 1.
  fileprivate func byteColumn(_ column: Int) -> Int? {
    guard column > 0,
      let index = unicodeScalars.index(
        unicodeScalars.startIndex, offsetBy: column - 1, limitedBy: unicodeScalars.endIndex)
    else { return nil }
    return utf8.distance(from: utf8.startIndex, to: index) + 1
  }

  /// The text as code in Markdown, in which nothing is a link, a mention or a tag: reviewdog puts
  /// messages into comments as they are.
  fileprivate var asCode: String {
    let longest = split { $0 != "`" }.map(\.count).max() ?? 0
    let fence = String(repeating: "`", count: longest + 1)
    let padding = hasPrefix("`") || hasSuffix("`") ? " " : ""
    return fence + padding + visible + padding + fence
  }
}
