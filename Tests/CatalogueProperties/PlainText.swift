import Loans

/// A document in UTF-8 that is read as it stands: without a document type, whose entities and
/// default attributes could be anything.
struct PlainText {
  private let lines: [[Unicode.Scalar]]

  /// - Returns: nil if the document may be read otherwise.
  init?(_ bytes: [UInt8]) {
    guard let text = String(validating: bytes, as: UTF8.self), !text.utf8.contains(0),
      !text.contains("<!DOCTYPE"), !text.contains("encoding"), !text.utf8.contains(0x0D)
    else { return nil }
    let scalars = text.unicodeScalars.drop { $0 == "\u{FEFF}" }
    lines = scalars.split(separator: "\n", omittingEmptySubsequences: false).map(Array.init)
  }

  /// Whether there is a character at this place, or just before it.
  func contains(_ place: SourceLocation) -> Bool {
    lines.indices.contains(place.line - 1)
      && (1...lines[place.line - 1].count + 1).contains(place.column)
  }

  /// The text of one line between two columns, its white space folded.
  ///
  /// - Returns: nil if there are references or markup in it, for which something else is read.
  func verbatim(from start: SourceLocation, to end: Int) -> String? {
    guard lines.indices.contains(start.line - 1), start.column <= end,
      end <= lines[start.line - 1].count + 1
    else { return "" }
    let scalars = lines[start.line - 1][start.column - 1..<end - 1]
    guard !scalars.contains(where: { $0 == "&" || $0 == "<" }) else { return nil }
    let words = scalars.split { $0 == " " || $0 == "\t" }
    var text = String.UnicodeScalarView()
    text.append(contentsOf: words.joined(separator: [" "]))
    // The end of a CDATA section that began before.
    return String(text).contains("]]>") ? nil : String(text)
  }
}
