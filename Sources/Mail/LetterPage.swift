internal import Loans

extension Letter {
  /// The body as HTML: without image, script or anything else that would be fetched.
  ///
  /// - Parameter style: rules for its elements: `body`, `p`, `h2`, `table`, `td`, `strong`, `a`.
  public func html(style: StyleSheet? = nil) -> String {
    """
    <!DOCTYPE html>
    <html lang="\(language)">
    <head>
    <meta charset="utf-8">
    <meta name="color-scheme" content="light dark">
    <title>\(subject.escapedAsMarkup)</title>
    <style>
    :root { color-scheme: light dark }
    \(style.map { "\($0.text)\n" } ?? "")</style>
    </head>
    <body style="font-family: sans-serif; line-height: 1.4">
    \(blocks.map(\.html).joined())</body>
    </html>

    """
  }
}

extension Letter.Block {
  fileprivate var html: String {
    switch self {
    case .paragraph(let text): "<p>\(text.escapedLines)</p>\n"
    case .heading(let text): "<h2>\(text.escapedLines)</h2>\n"
    case .link(let text, let target):
      "<p><a href=\"\(target.escapedAsMarkup)\">\(text.escapedLines)</a></p>\n"
    case .books(let rows):
      """
      <table role="presentation" style="border-collapse: collapse">
      \(rows.map(\.html).joined())</table>

      """
    }
  }
}

// MARK: - On paper

extension Letter {
  /// The body as HTML, for a document with a style of its own.
  public var fragment: String {
    blocks.map { block in
      guard case .books(let rows) = block else { return block.html }
      return "<ul>\n\(rows.map(\.item).joined())</ul>\n"
    }.joined()
  }
}

extension Letter.Row {
  fileprivate var item: String {
    "<li><strong>\(sentence.escapedLines)</strong>\(detailLines)</li>\n"
  }

  private var detailLines: String { details.map { "<br>\n\($0.escapedLines)" }.joined() }

  fileprivate var html: String {
    """
    <tr><td style="padding: 0.5em 0; border-top: 1px solid #888">\
    <strong>\(sentence.escapedLines)</strong>\(detailLines)</td></tr>

    """
  }
}

extension String {
  /// The text as markup, line breaks included.
  fileprivate var escapedLines: String { escapedAsMarkup.replacing("\n", with: "<br>\n") }
}

/// Rules for the look of a message, in CSS, that have nothing fetched and do not end the element they
/// are in.
public struct StyleSheet: Hashable, Sendable {
  /// The rules.
  public let text: String

  /// The most bytes that they have.
  public static let longest = 20_000
  /// A backslash could write the others in another way.
  private static let forbidden = ["<", "\\", "@import", "url(", "src(", "image(", "image-set("]

  /// Rules in CSS.
  ///
  /// - Throws: ``StyleFault``.
  public init(_ text: String) throws(StyleFault) {
    if text.utf8.count > Self.longest { throw .long }
    let lowercased = text.lowercased()
    if let word = Self.forbidden.first(where: lowercased.contains) { throw .forbidden(word) }
    self.text = text
  }
}

/// Why a text is not a ``StyleSheet``.
public enum StyleFault: Error, Hashable, Sendable, CustomStringConvertible {
  /// It is longer than 20 kB.
  case long
  /// It contains this.
  case forbidden(String)

  /// Words that go on from the name of the text: `contains url(, …`.
  public var description: String {
    switch self {
    case .long: "is longer than 20 kB"
    case .forbidden(let word):
      "contains \(word), which could fetch or hide something; a message has only rules of its own"
    }
  }
}
