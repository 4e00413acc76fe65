public import Loans

/// Checks the form and the length of an e-mail address by RFC 5321, sections 4.1.2 and 4.5.3.1, and
/// RFC 6531, not whether it exists.
public enum EmailRule {
  /// A finding about an e-mail address, or `nil`.
  ///
  /// - Parameter text: UTF-8, not empty.
  public static func judge(_ text: Span<UInt8>) -> Finding? {
    guard !isPlain(text) else { return nil }
    let text = Array(copying: text)
    guard let reason = fault(text[...]) else { return nil }
    return Finding(
      .invalidEmail,
      "e-mail \(String(decoding: text, as: UTF8.self).quoted()) \(reason); expected NAME@DOMAIN")
  }

  /// Whether the address is as nearly all are: ASCII letters, digits and a few signs.
  ///
  /// What is not has to be looked at closely.
  private static func isPlain(_ bytes: Span<UInt8>) -> Bool {
    var start = 0
    var isInDomain = false
    var previous = UInt8(ascii: ".")
    for index in 0..<bytes.count {
      let byte = bytes[index]
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        break
      case UInt8(ascii: "."), UInt8(ascii: "-"):
        if previous == UInt8(ascii: ".") || previous == UInt8(ascii: "-") { return false }
      case UInt8(ascii: "_"), UInt8(ascii: "+"):
        if isInDomain { return false }
      case UInt8(ascii: "@"):
        if isInDomain || previous == UInt8(ascii: ".") || index > 64 { return false }
        isInDomain = true
        start = index + 1
      default: return false
      }
      previous = byte == UInt8(ascii: "@") ? UInt8(ascii: ".") : byte
    }
    let isEnded = previous != UInt8(ascii: ".") && previous != UInt8(ascii: "-")
    return isInDomain && isEnded && bytes.count - start <= 63
  }

  private static func fault(_ text: ArraySlice<UInt8>) -> String? {
    guard let at = text.lastIndex(of: UInt8(ascii: "@")) else { return "has no @" }
    let name = text[..<at]
    let domain = text[(at + 1)...]
    if text.count > 254 { return "is longer than 254 bytes" }
    return nameFault(name) ?? domainFault(domain)
  }

  private static func nameFault(_ name: ArraySlice<UInt8>) -> String? {
    if name.isEmpty { return "has nothing before the @" }
    if name.count > 64 { return "has more than 64 bytes before the @" }
    let quote = UInt8(ascii: "\"")
    if name.count > 1 && name.first == quote && name.last == quote { return nil }
    if name.contains(UInt8(ascii: "@")) { return "has more than one @" }
    if let byte = name.first(where: isForbidden) { return "contains \(shown(byte))" }
    return hasEmptyPart(name) ? "has one full stop too many before the @" : nil
  }

  private static func domainFault(_ domain: ArraySlice<UInt8>) -> String? {
    if domain.isEmpty { return "has nothing after the @" }
    if domain.first == UInt8(ascii: "[") && domain.last == UInt8(ascii: "]") { return nil }
    if let byte = domain.first(where: isForbiddenInDomain) { return "contains \(shown(byte))" }
    if hasEmptyPart(domain) { return "has one full stop too many after the @" }
    let hyphen = UInt8(ascii: "-")
    for label in domain.split(separator: UInt8(ascii: ".")) {
      if label.first == hyphen || label.last == hyphen {
        return "has a hyphen at the edge of a name"
      }
      if label.count > 63 { return "has a name of more than 63 bytes after the @" }
    }
    return nil
  }

  private static func hasEmptyPart(_ text: ArraySlice<UInt8>) -> Bool {
    text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
      .contains(where: \.isEmpty)
  }

  /// Whether a character needs quotation marks, or is not allowed in an address.
  private static func isForbidden(_ byte: UInt8) -> Bool {
    byte <= 0x20 || byte == 0x7F || "()<>[]:;,\\\"".utf8.contains(byte)
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
