public import Loans

/// A page, or an address, where a recipient can say that there should be no more messages.
public struct UnsubscribeLink: Hashable, Sendable {
  private let template: String

  /// A link that begins with `https:` or `mailto:`.
  ///
  /// - Parameter template: `{email}` stands in it for the recipient's address, and `{token}` for 32
  ///   digits that belong to it and do not give it away.
  /// - Throws: ``LinkFault``.
  public init(_ template: String) throws(LinkFault) {
    guard ["https://", "mailto:"].contains(where: template.lowercased().hasPrefix) else {
      throw .scheme
    }
    if template.utf8.count > 500 { throw .long }
    let strange = template.unicodeScalars.first {
      !(0x21...0x7E).contains($0.value) || "<>\"".unicodeScalars.contains($0)
    }
    if let strange { throw .forbidden(strange) }
    self.template = template
  }

  /// Whether it is a page, where a program can say so for the recipient, RFC 8058.
  var isWebPage: Bool { !template.lowercased().hasPrefix("mailto:") }

  /// The link for one recipient.
  public func link(for address: EmailAddress) -> String {
    let token = SHA256.hexadecimal(address.description.lowercased().utf8).prefix(32)
    return template.replacing("{token}", with: token)
      .replacing("{email}", with: address.description.percentEncoded)
  }
}

/// Why a text is not an ``UnsubscribeLink``.
public enum LinkFault: Error, Hashable, Sendable, CustomStringConvertible {
  /// It begins with something else.
  case scheme
  /// It is longer than 500 characters.
  case long
  /// A character has to be percent-encoded.
  case forbidden(Unicode.Scalar)

  /// Words that go on from the text.
  public var description: String {
    switch self {
    case .scheme: "does not begin with https:// or mailto:"
    case .long: "is longer than 500 characters"
    case .forbidden(let scalar):
      "contains \(String(scalar).quoted()), which has to be percent-encoded"
    }
  }
}

extension String {
  /// All but letters, digits and `-._~` as `%XX`, RFC 3986, section 2.
  fileprivate var percentEncoded: String {
    utf8.map { byte in
      switch byte {
      case 0x41...0x5A, 0x61...0x7A, 0x30...0x39, 0x2D, 0x2E, 0x5F, 0x7E:
        String(Unicode.Scalar(byte))
      default: "%\(byte.digits(2, radix: 16).uppercased())"
      }
    }.joined()
  }
}
