/// A text with places for values, in the form in which it is put together: no name is looked for when a
/// line of a report is written.
struct Template: Sendable {
  /// A brace that belongs to no name, and is not written twice.
  struct LoneBrace: Error {}

  /// The text before a value, and the value's name.
  private(set) var parts: [(text: [UInt8], name: String)] = []
  /// The text after the last value.
  private(set) var end: [UInt8] = []

  private static let opening = UInt8(ascii: "{")
  private static let closing = UInt8(ascii: "}")

  /// Reads a text in which names are in braces, and `{{` and `}}` are braces.
  init(_ text: String) throws(LoneBrace) {
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      guard byte == Self.opening || byte == Self.closing else {
        end.append(byte)
        continue
      }
      if rest.first == byte {
        end.append(byte)
        rest.removeFirst()
        continue
      }
      let name = rest.prefix { $0 != Self.closing && $0 != Self.opening }
      rest = rest.dropFirst(name.count)
      guard byte == Self.opening, !name.isEmpty, rest.popFirst() == Self.closing else {
        throw LoneBrace()
      }
      parts.append((end, String(Substring(name))))
      end = []
    }
  }

  /// The names of the values.
  var names: [String] { parts.map(\.name) }
}
