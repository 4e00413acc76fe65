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
    let path = withoutDotSlash.utf8.map { byte in
      byte.isASCIILetterOrDigit || "-._~/".utf8.contains(byte)
        ? String(Unicode.Scalar(byte)) : byte.percentEncoded
    }.joined()
    return path.hasPrefix("/") ? "file://\(path)" : path
  }
}

extension UInt8 {
  /// `%0A`.
  var percentEncoded: String {
    let digits = String(self, radix: 16, uppercase: true)
    return digits.utf8.count == 1 ? "%0\(digits)" : "%\(digits)"
  }
}
