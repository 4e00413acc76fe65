public import Loans

/// Checks the form and the length of an e-mail address, see ``Loans/EmailAddress``.
public enum EmailRule {
  /// A finding about an e-mail address, or `nil`.
  ///
  /// - Parameter text: UTF-8, not empty.
  public static func judge(_ text: Span<UInt8>) -> Finding? {
    guard let fault = EmailAddress.fault(of: text) else { return nil }
    let quoted = String(decoding: [UInt8](copying: text), as: UTF8.self).quoted()
    let form = if case .domainBeyondASCII = fault { "" } else { "; expected NAME@DOMAIN" }
    return Finding(.invalidEmail, "e-mail \(quoted) \(fault)\(form)")
  }
}
