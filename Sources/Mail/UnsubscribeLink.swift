public import Loans

/// A page, or an address, where a recipient can say that there should be no more messages.
public struct UnsubscribeLink: Hashable, Sendable, CustomStringConvertible {
  /// The link as it was given, with its placeholders.
  public let description: String

  /// A link that begins with `https:` or `mailto:`.
  ///
  /// - Parameter template: `{email}` is replaced by the recipient's address, and `{token}` by 32 digits
  ///   that nobody without the key can work out.
  /// - Throws: ``LinkFault``.
  public init(_ template: String) throws(LinkFault) {
    guard ["https://", "mailto:"].contains(where: template.lowercased().hasPrefix) else {
      throw .scheme
    }
    for match in template.matches(of: #/{[^{}]*}/#)
    where !["{email}", "{token}"].contains(match.output) {
      throw .placeholder(String(match.output))
    }
    let fixed = template.replacing(#/{[^{}]*}/#, with: "")
    let strange = fixed.unicodeScalars.first {
      !(0x21...0x7E).contains($0.value) || "<>\"{}".unicodeScalars.contains($0)
    }
    if let strange { throw .forbidden(strange) }
    description = template
    // All of an address can be percent-encoded.
    let longest = link(
      email: String(repeating: "%40", count: EmailAddress.longest), token: Self.digits)
    if longest.utf8.count > Self.longest { throw .long }
    if !leadsSomewhere { throw isWebPage ? .host : .address }
  }

  /// The most bytes of a link, which has a line of its own in a header, with a space, brackets and a comma:
  /// RFC 5322, section 2.1.1, allows 998.
  private static let longest = 994

  private static let digits = String(repeating: "0", count: 32)

  /// Whether there is a host to ask, or an address to write to.
  private var leadsSomewhere: Bool {
    let rest = link(email: "", token: Self.digits).drop { $0 != ":" }.dropFirst()
    if isWebPage {
      let host = rest.dropFirst(2).prefix { !"/?#".contains($0) }
      return host.first.map { $0.isLetter || $0.isNumber || $0 == "[" } ?? false
    }
    return rest.prefix { $0 != "?" }.split(separator: ",", omittingEmptySubsequences: false)
      .allSatisfy { EmailAddress.key(of: String($0)) != nil }
  }

  /// Whether it is a page, where a program can say so for the recipient, RFC 8058.
  public var isWebPage: Bool { !description.lowercased().hasPrefix("mailto:") }

  /// Whether it has a token, which needs a key.
  public var hasToken: Bool { description.contains("{token}") }

  /// The link for one recipient.
  ///
  /// RFC 8058, section 3.1, wants a part that is hard to forge: the token is the first half of an
  /// HMAC-SHA256 of the address in lower case, RFC 2104.
  ///
  /// - Parameter key: a secret, at most 64 bytes.
  public func link(for address: EmailAddress, key: [UInt8]) -> String {
    let token = SHA256.hexadecimal(address.key.utf8, key: key).prefix(32)
    return link(email: address.description.percentEncoded(), token: String(token))
  }

  private func link(email: String, token: String) -> String {
    description.replacing("{token}", with: token).replacing("{email}", with: email)
  }
}

/// Why a text is not an ``UnsubscribeLink``.
public enum LinkFault: Error, Hashable, Sendable, CustomStringConvertible {
  /// It begins with something else.
  case scheme
  /// There is something else in braces.
  case placeholder(String)
  /// It is too long for a line of a header, once the longest address is in it.
  case long
  /// After `https://` there is no host.
  case host
  /// After `mailto:` there is no address.
  case address
  /// A character has to be percent-encoded.
  case forbidden(Unicode.Scalar)

  /// Words that go on from the text.
  public var description: String {
    switch self {
    case .scheme: "does not begin with https:// or mailto:"
    case .placeholder(let name): "contains \(name.quoted()); known are {email} and {token}"
    case .long: "is longer than 994 bytes with the longest address in it"
    case .host: "has no host after https://"
    case .address: "has no address after mailto:"
    case .forbidden(let scalar):
      "contains \(String(scalar).quoted()), which has to be percent-encoded"
    }
  }
}
