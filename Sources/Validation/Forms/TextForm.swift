package import CommandOutput
import LoanCatalogue
import Loans
import System

/// One line for each finding, as compilers write it.
package struct TextForm: FindingsForm {
  /// Whether to colour the lines, for a terminal.
  package let isColored: Bool
  /// The columns for the catalogue's own line; `nil` to leave it out.
  package let lineWidth: Int?

  package init(isColored: Bool = false, lineWidth: Int? = nil) {
    (self.isColored, self.lineWidth) = (isColored, lineWidth)
  }

  package func text(of finding: LocatedDiagnostic) -> String {
    let line = finding.excerpt?.marked(finding.diagnostic, isColored: isColored) ?? ""
    guard isColored else { return finding.line + "\n" + line }
    let severity = finding.diagnostic.severity
    let color = severity == .error ? "1;31" : "1;35"
    return """
      \u{1B}[1m\(finding.place):\u{1B}[0m \u{1B}[\(color)m\(severity.rawValue):\u{1B}[0m \
      \(finding.words)
      \(line)
      """
  }
}

extension SourceExcerpt {
  /// The line with its number, and a mark below what a problem is about.
  fileprivate func marked(_ diagnostic: Diagnostic, isColored: Bool) -> String {
    let place = diagnostic.location
    let scalars = Array(text.unicodeScalars)
    let start = min(max(0, place.column - firstColumn), scalars.count)
    let end = min(max(start, (diagnostic.endColumn ?? 0) - firstColumn), scalars.count)
    let before = (isCutBefore ? "…" : "") + Self.shown(scalars[..<start])
    let value = Self.shown(scalars[start..<end])
    let line = (before + value + Self.shown(scalars[end...])).visible + (isCutAfter ? "…" : "")
    let mark = "^" + String(repeating: "~", count: max(0, value.columns - 1))
    let number = String(place.line)
    let width = max(5, number.count)
    return """
      \("".padded(to: width - number.count))\(number) | \(line)
      \("".padded(to: width)) | \("".padded(to: before.columns))\
      \(isColored ? "\u{1B}[1;32m\(mark)\u{1B}[0m" : mark)

      """
  }

  /// Characters as a terminal may show them.
  private static func shown(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
    var view = String.UnicodeScalarView()
    view.append(contentsOf: scalars.lazy.map { $0 == "\t" ? " " : $0 })
    return String(view).visible
  }
}
