/// An e-mail address of the form `NAME@DOMAIN`, by RFC 5321, sections 4.1.2 and 4.5.3.1; whether it
/// exists is another matter.
///
/// It is in ASCII: what else RFC 6531 allows is refused by many mail systems. A domain has a form in ASCII
/// too, `xn--plda-bpa.hu`.
///
/// It is harmless as an argument of a program and in a header: it begins with no hyphen, and has no
/// control character and no white space but a space in quotation marks.
public struct EmailAddress: Hashable, Sendable {
  /// The part before the last `@`, as written.
  public let name: String
  /// The part after it, as written: a host's name, or an address in square brackets.
  public let domain: String

  /// The most bytes of an address.
  package static let longest = 254

  /// The address that a text is.
  ///
  /// - Throws: ``EmailFault``.
  public init(_ text: String) throws(EmailFault) {
    if let fault = Self.fault(of: text.utf8.span) { throw fault }
    let at = text.utf8.lastIndex(of: UInt8(ascii: "@")) ?? text.endIndex
    name = String(text[..<at])
    domain = String(text[at...].dropFirst())
  }

  /// The same for all ways to write the address: case does not count.
  ///
  /// By RFC 5321, section 2.4, that of the part before the `@` could; no provider distinguishes people by
  /// it. To be compared, not to be written to.
  public var key: String { description.lowercased() }

  /// The ``key`` of the address that a text is; `nil` for no text, and for one that is not an address.
  public static func key(of text: String?) -> String? {
    text.flatMap { try? EmailAddress($0) }?.key
  }
}

extension EmailAddress: CustomStringConvertible {
  /// The address as written.
  public var description: String { "\(name)@\(domain)" }
}

/// Somebody's name and address, `Városi Könyvtár <desk@example.org>`.
public struct Mailbox: Hashable, Sendable {
  /// The name, if there is one.
  public var name: String?
  /// The address.
  public var address: EmailAddress

  /// A mailbox with these parts.
  public init(name: String? = nil, _ address: EmailAddress) {
    self.name = name
    self.address = address
  }

  /// Reads `NAME <ADDRESS>` or `ADDRESS`; the name may be in quotation marks.
  ///
  /// - Throws: ``EmailFault``.
  public init(_ text: String) throws(EmailFault) {
    guard let bracket = text.lastIndex(of: "<") else {
      if text.contains(">") { throw .bracket }
      self.init(try EmailAddress(text.withoutOuterSpaces))
      return
    }
    let address = text[bracket...].dropFirst().withoutOuterSpaces
    guard address.hasSuffix(">") else { throw .bracket }
    var name = text[..<bracket].withoutOuterSpaces
    if name.count > 1, name.hasPrefix("\""), name.hasSuffix("\"") {
      name = String(name.dropFirst().dropLast())
    }
    let marks = "<>\"".unicodeScalars
    let strange = name.unicodeScalars.first { $0.isUnsafeToShow || marks.contains($0) }
    if let strange { throw .forbidden(strange) }
    self.init(name: name.isEmpty ? nil : name, try EmailAddress(String(address.dropLast())))
  }
}

/// Why a text is not an e-mail address.
public enum EmailFault: Error, Hashable, Sendable {
  /// There is no `@`.
  case noAt
  /// There are two, and no quotation marks around the first.
  case secondAt
  /// It begins with a hyphen, so that a program could take it for an option.
  case hyphen
  /// There is a character that is not allowed, or not outside quotation marks.
  case forbidden(Unicode.Scalar)
  /// Quotation marks do not enclose the whole part before the `@`, or square brackets the domain.
  case quotation
  /// A part is empty: the one before the `@`, or the one after it.
  case empty(isDomain: Bool)
  /// Two full stops are next to each other, or one is at the edge of a part.
  case fullStop(isDomain: Bool)
  /// The part before the `@` has a character beyond ASCII, for which there is no other form.
  case nameBeyondASCII(Unicode.Scalar)
  /// The domain is beyond ASCII; this is the address with its other form, if that is known.
  case domainBeyondASCII(ascii: String?)
  /// It contains `=?`, after which a header's reader would decode a word (RFC 2047).
  case encodedWord
  /// It is longer than 254 bytes.
  case long
  /// The part before the `@` is longer than 64 bytes.
  case longName
  /// A name of the domain is longer than 63 bytes.
  case longLabel
  /// A name of the domain begins or ends with a hyphen.
  case hyphenAtEdge
  /// Of `<` and `>` around an address there is only one, or something after it.
  case bracket
}

extension EmailFault: CustomStringConvertible {
  /// Words that go on from the address: `has no @`.
  public var description: String {
    switch self {
    case .noAt: "has no @"
    case .secondAt: "has more than one @"
    case .hyphen: "begins with a hyphen"
    case .forbidden(" "): "contains a space"
    case .forbidden(let scalar): "contains \(String(scalar).quoted())"
    case .quotation: "has quotation marks or brackets around only a part"
    case .empty(isDomain: false): "has nothing before the @"
    case .empty(isDomain: true): "has nothing after the @"
    case .fullStop(isDomain: false): "has one full stop too many before the @"
    case .fullStop(isDomain: true): "has one full stop too many after the @"
    case .nameBeyondASCII(let scalar):
      "contains \(String(scalar).quoted()) before the @, which many mail systems refuse"
    case .domainBeyondASCII(let ascii):
      "has a domain beyond ASCII; write \(ascii ?? "its form that begins with xn--")"
    case .encodedWord: "contains =?, which mail programs would decode"
    case .long: "is longer than 254 bytes"
    case .longName: "has more than 64 bytes before the @"
    case .longLabel: "has a name of more than 63 bytes after the @"
    case .hyphenAtEdge: "has a hyphen at the edge of a name"
    case .bracket: "has no address between < and > at its end"
    }
  }
}

// MARK: - Judging

extension EmailAddress {
  /// The reason why a text in UTF-8 is no address, or `nil`; no string is made for a good one in ASCII.
  package static func fault(of text: Span<UInt8>) -> EmailFault? {
    if isPlain(text) { return nil }
    guard let at = text.indices.last(where: { text[$0] == UInt8(ascii: "@") }) else { return .noAt }
    if text.count > longest { return .long }
    if text[0] == UInt8(ascii: "-") { return .hyphen }
    return nameFault(text.extracting(..<at)) ?? domainFault(text.extracting((at + 1)...))
      ?? encodedFault(text) ?? foreignFault(text)
  }

  /// Whether a short text is letters and digits of ASCII with one `@`, and single full stops or hyphens,
  /// between them: nearly all addresses are.
  private static func isPlain(_ text: Span<UInt8>) -> Bool {
    if text.count > 63 { return false }
    var hasAt = false
    var isAfterLetter = false
    for index in text.indices {
      let byte = text[index]
      if byte.isASCIILetterOrDigit {
        isAfterLetter = true
        continue
      }
      let isAt = byte == UInt8(ascii: "@")
      let isMark = isAt ? !hasAt : byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-")
      if !isMark || !isAfterLetter { return false }
      hasAt = hasAt || isAt
      isAfterLetter = false
    }
    return hasAt && isAfterLetter
  }

  private static func nameFault(_ name: Span<UInt8>) -> EmailFault? {
    if name.isEmpty { return .empty(isDomain: false) }
    if name.count > 64 { return .longName }
    if name[0] == UInt8(ascii: "\"") { return quotationFault(name) }
    let stop = UInt8(ascii: ".")
    var isAfterStop = true
    var hasEmptyPart = false
    for index in name.indices {
      let byte = name[index]
      if byte == UInt8(ascii: "@") { return .secondAt }
      if isForbidden(byte) { return .forbidden(Unicode.Scalar(byte)) }
      if byte == stop && isAfterStop { hasEmptyPart = true }
      isAfterStop = byte == stop
    }
    return hasEmptyPart || isAfterStop ? .fullStop(isDomain: false) : nil
  }

  /// A quotation mark within would end the quotation, and let another address begin.
  private static func quotationFault(_ name: Span<UInt8>) -> EmailFault? {
    var isEscaped = false
    for index in 1..<name.count {
      let byte = name[index]
      if byte < 0x20 || byte == 0x7F { return .forbidden(Unicode.Scalar(byte)) }
      if byte == UInt8(ascii: "\""), !isEscaped {
        return index == name.count - 1 ? nil : .quotation
      }
      isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
    }
    return .quotation
  }

  private static func domainFault(_ domain: Span<UInt8>) -> EmailFault? {
    guard let last = domain.indices.last else { return .empty(isDomain: true) }
    if domain.count == 2 && domain[0] == UInt8(ascii: "[") && domain[1] == UInt8(ascii: "]") {
      return .empty(isDomain: true)
    }
    if domain[0] == UInt8(ascii: "[") && domain[last] == UInt8(ascii: "]") && last > 0 {
      let inner = domain.extracting(1..<last)
      let isWrong = inner.indices.contains {
        inner[$0] != UInt8(ascii: ":") && isForbiddenInDomain(inner[$0]) || inner[$0] >= 0x80
      }
      return isWrong ? .quotation : nil
    }
    if let index = domain.indices.first(where: { isForbiddenInDomain(domain[$0]) }) {
      return .forbidden(Unicode.Scalar(domain[index]))
    }
    let hyphen = UInt8(ascii: "-")
    var start = 0
    for end in 0...domain.count where end > last || domain[end] == UInt8(ascii: ".") {
      if end == start { return .fullStop(isDomain: true) }
      if domain[start] == hyphen || domain[end - 1] == hyphen { return .hyphenAtEdge }
      if end - start > 63 { return .longLabel }
      start = end + 1
    }
    return nil
  }

  private static func encodedFault(_ text: Span<UInt8>) -> EmailFault? {
    let isEncoded = text.indices.dropLast().contains {
      text[$0] == UInt8(ascii: "=") && text[$0 + 1] == UInt8(ascii: "?")
    }
    return isEncoded ? .encodedWord : nil
  }

  /// Beyond ASCII, what could reorder or hide text is named first, and white space.
  private static func foreignFault(_ text: Span<UInt8>) -> EmailFault? {
    guard text.indices.contains(where: { text[$0] >= 0x80 }) else { return nil }
    let text = String(decoding: [UInt8](copying: text), as: UTF8.self)
    let hidden = text.unicodeScalars.first {
      $0.isUnsafeToShow || $0 != " " && $0.properties.isWhitespace || $0 == "\u{FFFD}"
    }
    if let hidden { return .forbidden(hidden) }
    let at = text.unicodeScalars.lastIndex(of: "@") ?? text.endIndex
    if let scalar = text[..<at].unicodeScalars.first(where: { !$0.isASCII }) {
      return .nameBeyondASCII(scalar)
    }
    let domain = Punycode.domain(Substring(text.unicodeScalars[at...].dropFirst()))
    return .domainBeyondASCII(ascii: domain.map { "\(text[..<at])@\($0)" })
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

  /// What is beyond ASCII is judged by itself.
  private static func isForbiddenInDomain(_ byte: UInt8) -> Bool {
    !byte.isASCIILetterOrDigit && byte < 0x80 && byte != UInt8(ascii: "-")
      && byte != UInt8(ascii: ".")
  }
}

extension StringProtocol {
  /// The text without plain spaces around it.
  package var withoutOuterSpaces: String {
    String(String(drop { $0 == " " }.reversed()).drop { $0 == " " }.reversed())
  }
}

extension Mailbox: CustomStringConvertible {
  /// The mailbox as it is given: `Town Library <desk@example.org>`.
  public var description: String { name.map { "\($0) <\(address)>" } ?? "\(address)" }
}
