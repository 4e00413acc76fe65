public import Loans

/// Checks the form and the length of an e-mail address by RFC 5321, sections 4.1.2 and 4.5.3.1, and
/// RFC 6531, not whether it exists.
public enum EmailRule {
  /// A finding about an e-mail address, or `nil`.
  ///
  /// - Parameter text: UTF-8, not empty.
  public static func judge(_ text: Span<UInt8>) -> Finding? {
    guard let fault = fault(text) else { return nil }
    let quoted = String(decoding: [UInt8](copying: text), as: UTF8.self).quoted()
    return Finding(.invalidEmail, "e-mail \(quoted) \(fault); expected NAME@DOMAIN")
  }

  private static func fault(_ text: Span<UInt8>) -> String? {
    guard let at = text.indices.last(where: { text[$0] == UInt8(ascii: "@") }) else {
      return "has no @"
    }
    if text.count > 254 { return "is longer than 254 bytes" }
    return nameFault(text.extracting(..<at)) ?? domainFault(text.extracting((at + 1)...))
  }

  private static func nameFault(_ name: Span<UInt8>) -> String? {
    if name.isEmpty { return "has nothing before the @" }
    if name.count > 64 { return "has more than 64 bytes before the @" }
    let (quote, stop) = (UInt8(ascii: "\""), UInt8(ascii: "."))
    if name.count > 1 && name[0] == quote && name[name.count - 1] == quote { return nil }
    var isAfterStop = true
    var hasEmptyPart = false
    for index in name.indices {
      let byte = name[index]
      if byte == UInt8(ascii: "@") { return "has more than one @" }
      if isForbidden(byte) { return "contains \(shown(byte))" }
      if byte == stop && isAfterStop { hasEmptyPart = true }
      isAfterStop = byte == stop
    }
    return hasEmptyPart || isAfterStop ? "has one full stop too many before the @" : nil
  }

  private static func domainFault(_ domain: Span<UInt8>) -> String? {
    guard let last = domain.indices.last else { return "has nothing after the @" }
    if domain[0] == UInt8(ascii: "[") && domain[last] == UInt8(ascii: "]") { return nil }
    if let index = domain.indices.first(where: { isForbiddenInDomain(domain[$0]) }) {
      return "contains \(shown(domain[index]))"
    }
    let hyphen = UInt8(ascii: "-")
    var start = 0
    for end in 0...domain.count where end > last || domain[end] == UInt8(ascii: ".") {
      if end == start { return "has one full stop too many after the @" }
      if domain[start] == hyphen || domain[end - 1] == hyphen {
        return "has a hyphen at the edge of a name"
      }
      if end - start > 63 { return "has a name of more than 63 bytes after the @" }
      start = end + 1
    }
    return nil
  }

  /// Whether a character needs quotation marks, or is not allowed in an address.
  private static func isForbidden(_ byte: UInt8) -> Bool {
    switch byte {
    case ...0x20, 0x7F, UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "<"), UInt8(ascii: ">"),
      UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: ":"), UInt8(ascii: ";"), UInt8(ascii: ","),
      UInt8(ascii: "\\"), UInt8(ascii: "\""):
      true
    default: false
    }
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
