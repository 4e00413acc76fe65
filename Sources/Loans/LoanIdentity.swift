/// The identity of a loan, the same in every version of its catalogue.
public struct LoanIdentity: Hashable, Sendable {
  /// A 64-bit hash of its id, else its barcode, else ISBN, title, author and borrower.
  public var hash: UInt64
  /// 1, or 2, 3, … where earlier records of the catalogue have the same hash.
  public var ordinal: Int

  /// An identity with these parts.
  public init(hash: UInt64, ordinal: Int = 1) {
    self.hash = hash
    self.ordinal = ordinal
  }
}
