public import Loans

/// The rules by which a reader judges records, besides what it needs to understand a catalogue.
public struct CatalogueRules: Sendable {
  /// Judges a usable expiration.
  public typealias DateRule = @Sendable (CivilDate) -> Finding?
  /// Judges a loan date together with the expiration, both usable.
  public typealias PeriodRule = @Sendable (_ loaned: CivilDate, _ expiration: CivilDate) -> Finding?
  /// Judges a text, as UTF-8, with its white space normalized; never an empty one.
  public typealias TextRule = @Sendable (Span<UInt8>) -> Finding?

  /// Whether a record without expiration is an error.
  public var requiresExpiration: Bool
  /// The rule for an expiration that is a day of the calendar.
  public var expiration: DateRule
  /// The rule for a loan date together with the expiration; `nil` if loan dates are not judged.
  ///
  /// A loan date with a finding counts as unknown.
  public var period: PeriodRule?
  /// The rule for a loan date alone; `nil` to accept any.
  public var loanDate: DateRule?
  /// The rule for an ISBN; `nil` to accept anything.
  public var isbn: TextRule?
  /// The rule for an e-mail address; `nil` to accept anything.
  public var email: TextRule?
  /// Whether two records of one loan are a finding.
  public var findsDuplicateLoans = false
  /// Whether a comment `check-loans: ignore CODE` before a book of the tool's own form silences a finding.
  public var honorsIgnoreComments = false

  /// Rules for expirations alone.
  public init(
    requiresExpiration: Bool = false, expiration: @escaping DateRule = { _ in nil }
  ) {
    self.requiresExpiration = requiresExpiration
    self.expiration = expiration
  }
}
