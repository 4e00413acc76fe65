public import Loans

/// What a reader looks for beside what it needs to understand a catalogue.
public struct CatalogueRules: Sendable {
  /// Judges a usable expiration.
  public typealias DateRule = @Sendable (CivilDate) -> Finding?
  /// Judges a loan date together with the expiration, both usable.
  public typealias PeriodRule = @Sendable (_ loaned: CivilDate, _ expiration: CivilDate) -> Finding?
  /// Judges a text, as UTF-8, with its white space trimmed and folded; never an empty one.
  public typealias TextRule = @Sendable (Span<UInt8>) -> Finding?

  /// Whether a record without expiration is an error.
  public var requiresExpiration: Bool
  /// What an expiration may be, beyond a day of the calendar.
  public var expiration: DateRule
  /// What a loan date may be, beyond a day of the calendar; `nil` if loan dates are not looked at.
  public var period: PeriodRule?
  /// What an ISBN may be; `nil` for anything.
  public var isbn: TextRule?
  /// What an e-mail address may be; `nil` for anything.
  public var email: TextRule?
  /// Whether two records of one loan are a finding.
  public var findsDuplicateLoans = false
  /// Whether a comment `check-loans: ignore CODE` before a book silences a finding, and is one
  /// itself if there is nothing to silence.
  public var heedsComments = false
  /// The codes of rules that are switched off: a comment that is to silence one of them is not
  /// reported as useless, since nobody looked.
  ///
  /// They are few, and a set would have to be made ready for each short run.
  public var idleCodes: [Diagnostic.Code] = []

  /// What is wrong with a catalogue in any case, and with expirations.
  public init(
    requiresExpiration: Bool = false, expiration: @escaping DateRule = { _ in nil }
  ) {
    self.requiresExpiration = requiresExpiration
    self.expiration = expiration
  }

  /// Whether the place of a field's value has to be known.
  func judges(_ field: LoanField) -> Bool {
    switch field {
    case .expiration: true
    case .loaned: period != nil
    case .isbn: isbn != nil
    case .email: email != nil
    case .id, .title, .author, .barcode, .borrower: false
    }
  }
}
