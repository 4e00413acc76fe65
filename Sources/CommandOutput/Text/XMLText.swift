import Loans

extension String {
  /// The text as the value of an attribute or the text of an element of XML 1.0.
  ///
  /// Line breaks and characters that could steer a terminal are written as references, which XML
  /// reads back; those that XML forbids as `\u{1b}`. A `#` after another one is written as a
  /// reference too, since some CI systems take the two for the beginning of a command.
  package var asXML: String {
    escaped { scalar, previous in
      switch scalar {
      case "&": "&amp;"
      case "<": "&lt;"
      case ">": "&gt;"
      case "\"": "&quot;"
      case "'": "&#39;"
      case _ where !scalar.isXMLCharacter: scalar.escape
      case _ where scalar.isUnsafeToShow || (scalar == "#" && previous == "#"):
        "&#x\(String(scalar.value, radix: 16));"
      default: nil
      }
    }
  }
}

extension Unicode.Scalar {
  /// Whether an XML document may hold it (XML 1.0, production 2, `Char`).
  fileprivate var isXMLCharacter: Bool {
    switch value {
    case 0x9, 0xA, 0xD, 0x20...0xD7FF, 0xE000...0xFFFD, 0x10000...0x10FFFF: true
    default: false
    }
  }
}
