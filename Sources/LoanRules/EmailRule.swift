public import Loans

/// Checks the form and the length of an e-mail address by RFC 5321, sections 4.1.2 and 4.5.3.1, and
/// RFC 6531, not whether it exists.
public enum EmailRule {
  /// A finding about an e-mail address, or `nil`.
  ///
  /// - Parameter text: UTF-8, not empty.
  public static func judge(_ text: Span<UInt8>) -> Finding? {
    let text = [UInt8](copying: text)
    guard let fault = fault(text) else { return nil }
    let quoted = String(decoding: text, as: UTF8.self).quoted()
    return Finding(.invalidEmail, "e-mail \(quoted) \(fault); expected NAME@DOMAIN")
  }

  private static func fault(_ text: [UInt8]) -> String? {
    guard let at = text.lastIndex(of: UInt8(ascii: "@")) else { return "has no @" }
    if text.count > 254 { return "is longer than 254 bytes" }
    return nameFault(text[..<at]) ?? domainFault(text[(at + 1)...])
  }

  private static func nameFault(_ name: ArraySlice<UInt8>) -> String? {
    if name.isEmpty { return "has nothing before the @" }
    if name.count > 64 { return "has more than 64 bytes before the @" }
    let quote = UInt8(ascii: "\"")
    if name.count > 1 && name.first == quote && name.last == quote { return nil }
    if name.contains(UInt8(ascii: "@")) { return "has more than one @" }
    if let byte = name.first(where: isForbidden) { return "contains \(shown(byte))" }
    return parts(of: name).contains { $0.isEmpty }
      ? "has one full stop too many before the @" : nil
  }

  private static func domainFault(_ domain: ArraySlice<UInt8>) -> String? {
    if domain.isEmpty { return "has nothing after the @" }
    if domain.first == UInt8(ascii: "[") && domain.last == UInt8(ascii: "]") { return nil }
    if let byte = domain.first(where: isForbiddenInDomain) { return "contains \(shown(byte))" }
    let hyphen = UInt8(ascii: "-")
    for label in parts(of: domain) {
      if label.isEmpty { return "has one full stop too many after the @" }
      if label.first == hyphen || label.last == hyphen {
        return "has a hyphen at the edge of a name"
      }
      if label.count > 63 { return "has a name of more than 63 bytes after the @" }
    }
    return nil
  }

  private static func parts(of text: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
    text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
  }

  /// What needs quotation marks, or is not allowed in an address.
  private static let specials = Array("()<>[]:;,\\\"\u{7F}".utf8)

  private static func isForbidden(_ byte: UInt8) -> Bool {
    byte <= 0x20 || specials.contains(byte)
  }

  /// Names beyond ASCII are left to those who look them up.
  private static func isForbiddenInDomain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), 0x80...:
      false
    default: true
    }
  }

  private static func shown(_ byte: UInt8) -> String {
    byte == 0x20 ? "a space" : String(UnicodeScalar(byte)).quoted()
  }
}
