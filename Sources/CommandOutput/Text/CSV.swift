package import Loans

/// Lines of a table for spreadsheets (RFC 4180).
package enum CSV {
  /// A line with its end, CR LF.
  package static func line(_ cells: [JSONValue]) -> String {
    cells.map(\.cell).joined(separator: ",") + "\r\n"
  }
}

extension JSONValue {
  /// The value in a cell: text in quotation marks where it needs them, harmless in a spreadsheet,
  /// which would take a text that begins with `=` or its like for a formula.
  fileprivate var cell: String {
    switch self {
    case .null: return ""
    case .string(let text):
      let isFormula =
        text.unicodeScalars.first.map { "=+-@\t＝＋－＠".unicodeScalars.contains($0) } ?? false
      let text = (isFormula ? "'" : "") + text.visible
      let isPlain = text.unicodeScalars.allSatisfy { !"\",;".unicodeScalars.contains($0) }
      return isPlain ? text : "\"\(text.replacing("\"", with: "\"\""))\""
    case .array(let values):
      let texts = values.compactMap { if case .string(let text) = $0 { text } else { nil } }
      return JSONValue.string(texts.joined(separator: "; ")).cell
    default: return self.text
    }
  }
}
