/// The status of a loan beside its dates, as its catalogue has it.
public enum LoanStatus: String, CaseIterable, Sendable {
  /// The book is lost: the borrower has been billed for it, or will be.
  case lost
  /// The borrower has said that the book is back, and the library has not found it.
  case claimedReturned = "claimed-returned"
  /// Somebody else is waiting for the book, so its expiration may be earlier than it was.
  case recalled

  /// Whether borrowers are sent nothing about such a loan, unless a rule says otherwise.
  public var isWithheld: Bool { self != .recalled }

  /// The status that a library system's words mean: they have `claim`, `lost` or `recall` in them, in
  /// upper or lower case, as `Claims Returned`, `Lost--System Applied` and `RECALL` have; `nil` for
  /// all others.
  ///
  /// - Parameter words: text in UTF-8.
  package init?(words: Span<UInt8>) {
    let text = String(decoding: [UInt8](copying: words), as: UTF8.self).lowercased()
    let stems = [("claim", Self.claimedReturned), ("lost", .lost), ("recall", .recalled)]
    guard let found = stems.first(where: { text.contains($0.0) }) else { return nil }
    self = found.1
  }
}
