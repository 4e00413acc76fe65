import Loans

extension Diagnostic.Code {
  /// The codes that a comment `check-loans: ignore CODE, CODE (reason)` names, as far as they are of problems of a
  /// book; `nil` for any other comment.
  ///
  /// - Parameter text: what is between `<!--` and `-->`.
  static func ignored(byComment text: some Collection<UInt8>) -> [Self]? {
    let start = "check-loans:".utf8
    let directive = text.drop { $0.isXMLWhiteSpace }
    guard directive.starts(with: start) else { return nil }
    let words = String(decoding: directive.dropFirst(start.count), as: UTF8.self)
      .prefix { $0 != "(" }.split { $0.isWhitespace || $0 == "," }
    guard words.first == "ignore" else { return nil }
    return words.dropFirst().compactMap { Self(rawValue: String($0)) }.filter(\.isAboutABook)
  }
}
