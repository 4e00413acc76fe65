import Loans

/// A comment for the reader: `check-loans: ignore CODE, CODE (reason)`.
enum IgnoreComment: Equatable {
  /// It silences one finding of each of these codes.
  case ignore([Diagnostic.Code])
  /// It means nothing; the text says why and what to write.
  case mistaken(String)

  private static let start = "check-loans:"
  /// Other beginnings that were probably meant for the reader.
  private static let nearStarts = ["check-loans ignore", "checkloans: ignore", "checkloans ignore"]

  /// - Parameter text: what is between `<!--` and `-->`.
  /// - Returns: `nil` if the comment is for somebody else.
  init?(_ text: some Collection<UInt8>) {
    let words = text.drop { $0.isXMLWhiteSpace }
    guard words.starts(with: Self.start.utf8) else {
      guard Self.isNear(words) else { return nil }
      self = .mistaken(Self.form)
      return
    }
    let directive = String(decoding: words.dropFirst(Self.start.utf8.count), as: UTF8.self)
    self.init(directive: directive.prefix { $0 != "(" })
  }

  private static let form =
    "a comment for check-loans is of the form <!-- check-loans: ignore CODE -->"

  private static func isNear(_ words: some Collection<UInt8>) -> Bool {
    let beginning = String(decoding: words.prefix(24), as: UTF8.self).lowercased()
    return beginning.hasPrefix(start) || nearStarts.contains { beginning.hasPrefix($0) }
  }

  private init(directive: Substring) {
    let words = directive.split { $0.isWhitespace || $0 == "," }
    guard words.first == "ignore", words.count > 1 else {
      self = .mistaken(Self.form)
      return
    }
    var codes: [Diagnostic.Code] = []
    for word in words.dropFirst() {
      guard let code = Diagnostic.Code(rawValue: String(word)) else {
        self = .mistaken(
          """
          there is no code \(String(word).quoted(limit: 40)) to ignore; a reason goes in \
          parentheses, and check-loans validate --list-rules lists the codes
          """)
        return
      }
      guard code.isAboutABook else {
        self = .mistaken(
          "\(code.rawValue) is not about one book and cannot be ignored; remove the comment")
        return
      }
      codes.append(code)
    }
    self = .ignore(codes)
  }
}
