/// The text between the tags of an element, as it is written.
struct FixableText {
  private let text: String
  /// The characters that are read out of it, each with how it is written, and `nil` for what is
  /// between texts: comments, instructions, the edges of CDATA sections.
  private var characters: [Character] = []

  private struct Character {
    var scalar: Unicode.Scalar?
    var range: Range<String.Index>

    var isVisible: Bool { scalar.map { !$0.isASCII || !UInt8(ascii: $0).isXMLWhiteSpace } ?? false }
  }

  /// Whether the tag after it is there.
  private let isClosed: Bool

  /// - Parameter text: with the `>` of the tag before it, and the whole tag after it.
  init(_ text: String) {
    self.text = text
    var rest = text.unicodeScalars.dropFirst()
    var isInSection = false
    while let first = rest.first, isInSection || !rest.starts(with: "</".unicodeScalars) {
      let start = rest.startIndex
      var scalar: Unicode.Scalar? = first
      if isInSection ? rest.starts(with: "]]>".unicodeScalars) : first == "<" {
        (scalar, rest) = (nil, Self.markup(rest, &isInSection))
      } else if first == "&" && !isInSection {
        (scalar, rest) = Self.reference(rest)
      } else {
        rest.removeFirst()
      }
      characters.append(Character(scalar: scalar, range: start..<rest.startIndex))
    }
    isClosed = !rest.isEmpty
  }

  /// The rest after a comment, an instruction, or an edge of a CDATA section.
  private static func markup(
    _ rest: Substring.UnicodeScalarView, _ isInSection: inout Bool
  ) -> Substring.UnicodeScalarView {
    let opening = "<![CDATA[".unicodeScalars
    if isInSection || rest.starts(with: opening) {
      defer { isInSection.toggle() }
      return rest.dropFirst(isInSection ? 3 : opening.count)
    }
    let end = rest.starts(with: "<!--".unicodeScalars) ? "-->" : "?>"
    guard let found = Substring(rest).firstRange(of: end) else { return rest.suffix(0) }
    return rest[found.upperBound...]
  }

  /// The character that a reference is for, and what comes after it (XML 1.0, production 66).
  private static func reference(
    _ rest: Substring.UnicodeScalarView
  ) -> (Unicode.Scalar?, Substring.UnicodeScalarView) {
    guard let end = rest.firstIndex(of: ";") else { return (nil, rest.suffix(0)) }
    let name = String(rest[..<end].dropFirst())
    let number =
      name.hasPrefix("#x")
      ? UInt32(name.dropFirst(2), radix: 16) : name.hasPrefix("#") ? UInt32(name.dropFirst()) : nil
    return (number.flatMap(Unicode.Scalar.init), rest[rest.index(after: end)...])
  }

  /// Finds a value, from its first character to its last, if there is nothing else.
  ///
  /// - Parameter value: trimmed, each inner run of white space one space.
  func range(of value: String) -> Range<String.Index>? {
    guard isClosed, let first = characters.firstIndex(where: \.isVisible),
      let last = characters.lastIndex(where: \.isVisible)
    else { return nil }
    let found = characters[first...last]
    guard found.allSatisfy({ $0.scalar != nil }) else { return nil }
    var text = String.UnicodeScalarView()
    text.append(contentsOf: found.compactMap(\.scalar))
    var bytes = Array(String(text).utf8)
    bytes.normalizeSpace()
    guard bytes.elementsEqual(value.utf8) else { return nil }
    return characters[first].range.lowerBound..<characters[last].range.upperBound
  }
}
