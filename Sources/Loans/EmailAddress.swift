/// An e-mail address.
public struct EmailAddress: Hashable, Sendable {
  /// The address with its domain in lower case.
  public let key: String
  /// An address.
  public init?(_ text: String) {
    guard text.contains("@"), !text.hasPrefix("-") else { return nil }
    key = text
  }
}
