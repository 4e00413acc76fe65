import Loans

extension String {
  /// The path without `./` at its beginning, which some consumers treat as a name of its own.
  var withoutDotSlash: String {
    var path = self[...]
    while path.hasPrefix("./") { path = path.dropFirst(2).drop { $0 == "/" } }
    return path.isEmpty ? self : String(path)
  }

  /// The path as a URI (RFC 3986): relative to the repository, or `file:` for an absolute path.
  ///
  /// Everything but letters, digits and `-._~/` is percent-encoded, so that a colon in the first
  /// name is not mistaken for the end of a scheme.
  var asURI: String {
    let path = withoutDotSlash.percentEncoded(keeping: "/")
    return path.hasPrefix("/") ? "file://\(path)" : path
  }
}

// MARK: - Numbers

extension UInt64 {
  /// The number in 16 hexadecimal digits.
  var hexadecimal: String { digits(16, radix: 16) }
}

extension String {
  /// A number that hardly any other text has, the same in every run (FNV-1a).
  var stableHash: UInt64 {
    utf8.reduce(0xCBF2_9CE4_8422_2325) { hash, byte in (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
  }
}
