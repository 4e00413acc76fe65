public import Loans

/// All that is known of a loan: how it stands, and what was delivered of it.
public struct LoanHistory: Hashable, Sendable {
  /// What became of one kind of notice for one expiration of the loan.
  public struct NoticeHistory: Hashable, Sendable {
    /// The expiration that the notice told of: the loan's own, or an earlier one.
    public var expiration: CivilDate
    /// Which notice it is.
    public var kind: Notice.Kind
    /// What the ledger holds of it, by channel name; never empty.
    public var deliveries: [Delivery]
  }

  /// The number of the loan in the schedule.
  public var id: Int
  /// The catalogue that the loan is from.
  public var catalogue: String
  /// The untrusted name that people have for the library, if there is one.
  public var library: String?
  /// The loan, with its present expiration.
  public var loan: Loan
  /// When its reminder fires.
  public var fireAt: CivilDateTime
  /// Whether the user has cancelled its notices, until the next reload.
  public var isCancelled: Bool
  /// The day of the reload by which it was no longer in its catalogue, or `nil` if it is there.
  public var leftOn: CivilDate?
  /// What was attempted, by expiration, the reminder first.
  public var notices: [NoticeHistory]
}
