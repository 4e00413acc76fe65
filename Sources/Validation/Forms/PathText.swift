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
