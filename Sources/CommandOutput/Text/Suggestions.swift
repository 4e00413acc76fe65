import Loans

extension String {
  /// The text as one word of a POSIX shell.
  package var shellQuoted: String {
    if !isEmpty && utf8.allSatisfy(\.isPlainInShell) { return self }
    // Not by characters: a quote with a combining mark on it is a quote to the shell.
    let bytes = Array(utf8).replacing(Array("'".utf8), with: Array(#"'\''"#.utf8))
    return "'\(String(decoding: bytes, as: UTF8.self))'"
  }
}

extension UInt8 {
  /// Whether a shell takes the byte for itself anywhere in a word.
  fileprivate var isPlainInShell: Bool {
    isASCIILetterOrDigit || self >= 0x80 || "_-./:,=@+".utf8.contains(self)
  }
}

extension String {
  /// The one of some names that was probably meant, or `nil` if none is close.
  package func nearest(among names: some Sequence<String>) -> String? {
    let text = lowercased()
    // No name is so long, and comparing costs the product of the lengths.
    guard text.unicodeScalars.count <= 64 else { return nil }
    let isLong = text.count >= 4
    var best: (name: String, distance: Int)?
    for name in names where name.utf8.count <= 256 {
      let other = name.lowercased()
      // Its beginning is nearer than any word with other letters.
      let distance = isLong && other.hasPrefix(text) ? 0 : text.editDistance(to: other)
      let isClose = distance <= Swift.max(1, Swift.max(text.count, name.count) / 3)
      let isPart = isLong && other.contains(text)
      guard isClose || isPart, distance < best?.distance ?? .max else { continue }
      best = (name, distance)
    }
    return best?.name
  }
}
