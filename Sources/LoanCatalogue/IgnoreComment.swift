import Loans

/// A comment that speaks to the reader: `check-loans: ignore CODE, CODE (reason)`.
enum IgnoreComment: Equatable {
  /// It silences one finding of each of these codes.
  case ignore([Diagnostic.Code])
  /// It means nothing; the text says why and what to write.
  case mistaken(String)

  private static let mark = "check-loans:"

  /// - Parameter text: what stands between `<!--` and `-->`.
  /// - Returns: `nil` if the comment is for somebody else.
  init?(_ text: some Collection<UInt8>) {
    let words = text.drop { $0.isXMLWhiteSpace }
    guard words.starts(with: Self.mark.utf8) else { return nil }
    let directive = String(decoding: words.dropFirst(Self.mark.utf8.count), as: UTF8.self)
    self.init(directive: directive.prefix { $0 != "(" })
  }

  private init(directive: Substring) {
    let words = directive.split { $0.isWhitespace || $0 == "," }
    guard words.first == "ignore", words.count > 1 else {
      self = .mistaken(
        "a comment for check-loans is of the form <!-- check-loans: ignore CODE -->")
      return
    }
    var codes: [Diagnostic.Code] = []
    for word in words.dropFirst() {
      guard let code = Diagnostic.Code(rawValue: String(word)) else {
        self = .mistaken(
          """
          there is no code \(String(word).quoted(limit: 40)) to ignore; \
          check-loans validate --list-rules lists them
          """)
        return
      }
      guard code.isAboutABook else {
        self = .mistaken("\(code.rawValue) is not about one book, so no comment silences it")
        return
      }
      codes.append(code)
    }
    self = .ignore(codes)
  }
}

extension Diagnostic.Code {
  /// Whether problems of this kind belong to one book.
  fileprivate var isAboutABook: Bool {
    switch self {
    case .malformedXML, .externalEntity, .unsupportedEncoding, .noLoans, .unusedIgnore: false
    default: true
    }
  }
}
