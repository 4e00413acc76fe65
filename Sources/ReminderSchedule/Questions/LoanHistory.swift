public import Loans

/// Everything known about a loan: its state, and the deliveries of its notices.
public struct LoanHistory: Hashable, Sendable {
  /// The deliveries of one kind of notice for one expiration of the loan.
  public struct NoticeHistory: Hashable, Sendable {
    /// The expiration that the notice was about: the loan's own, or an earlier one.
    public var expiration: CivilDate
    /// The kind of notice.
    public var kind: Notice.Kind
    /// The deliveries, by channel name; never empty.
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
  /// The time at which its reminder fires.
  public var fireAt: CivilDateTime
  /// Whether the user has cancelled its notices, until the next reload.
  public var isCancelled: Bool
  /// The day of the reload by which it was no longer in its catalogue, or `nil` if it is there.
  public var leftOn: CivilDate?
  /// The notices that were attempted, by expiration, the reminder first.
  public var notices: [NoticeHistory]
}
