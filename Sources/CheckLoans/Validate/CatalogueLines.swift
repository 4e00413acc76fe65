import LoanCatalogue
import Loans

/// The look of findings on a terminal.
struct TerminalStyle: Sendable {
  var isColored: Bool
  /// The columns that a line may take.
  var columns = 100
}

/// The lines of one catalogue that findings are about.
///
/// The lines come from a second reading of the file, which begins with the first finding and goes as
/// far as the findings do.
final class CatalogueLines {
  private let path: String
  private var isOpen = false
  private var lines: SourceLines?

  /// The most of a line that a form needs that counts bytes; a place further on has no line.
  private static let longest = 8_192

  init(of path: String) {
    self.path = path
  }

  private func excerpt(_ place: SourceLocation, width: Int) -> SourceExcerpt? {
    if !isOpen { lines = SourceLines(path: path) }
    isOpen = true
    return lines?.excerpt(around: place, width: width)
  }

  /// The line at a place from its beginning on, or `nil` if it is too long or not known.
  func line(at place: SourceLocation) -> String? {
    excerpt(place, width: Self.longest).flatMap { $0.isCutBefore ? nil : $0.text }
  }

  /// The line of a finding with a mark below the place, for a terminal.
  func marked(_ diagnostic: Diagnostic, _ style: TerminalStyle) -> String {
    // Beside the line's number, and the marks of what is cut off.
    let width = max(20, style.columns - 11)
    guard let excerpt = excerpt(diagnostic.location, width: width) else { return "" }
    return MarkedLine(excerpt, diagnostic).text(style)
  }
}

/// A line of a catalogue with a mark below the place that a finding is about.
struct MarkedLine {
  private let line: String
  private let number: Int
  /// The spaces before the mark.
  private let indentation: Int
  private let mark: String

  init(_ excerpt: SourceExcerpt, _ diagnostic: Diagnostic) {
    let place = diagnostic.location
    number = place.line
    let scalars = Array(excerpt.text.unicodeScalars)
    let start = min(max(0, place.column - excerpt.firstColumn), scalars.count)
    let end = (diagnostic.endColumn ?? 0) - excerpt.firstColumn
    let before = Self.shown(scalars[..<start])
    let value = Self.shown(scalars[start..<min(scalars.count, max(start, end))])
    let after = Self.shown(scalars[(start + max(0, min(scalars.count, end) - start))...])
    let head = excerpt.isCutBefore ? "…" : ""
    let text = (before.text + value.text + after.text).visible
    line = head + text + (excerpt.isCutAfter ? "…" : "")
    indentation = head.count + before.width
    mark = "^" + String(repeating: "~", count: max(0, value.width - 1))
  }

  func text(_ style: TerminalStyle) -> String {
    let label = String(number)
    let gutter = String(repeating: " ", count: max(5, label.count))
    let padded = String(repeating: " ", count: max(0, 5 - label.count)) + label
    let pointer = style.isColored ? "\u{1B}[1;32m\(mark)\u{1B}[0m" : mark
    return """
      \(padded) | \(line)
      \(gutter) | \(String(repeating: " ", count: indentation))\(pointer)

      """
  }

  /// Characters as a terminal may show them, and the columns that they take there.
  private static func shown(
    _ scalars: ArraySlice<Unicode.Scalar>
  ) -> (text: String, width: Int) {
    var view = String.UnicodeScalarView()
    view.append(contentsOf: scalars.lazy.map { $0 == "\t" ? " " : $0 })
    let text = String(view).visible
    return (text, text.columns)
  }
}
