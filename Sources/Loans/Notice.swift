/// A message to a person about a loan.
public struct Notice: Hashable, Sendable {
  /// The reason why a notice is sent.
  public enum Kind: String, CaseIterable, Sendable {
    /// The loan expires soon, or today.
    case reminder
    /// The loan has expired.
    case expired
  }

  /// How much a notice calls for attention.
  public enum Urgency: String, CaseIterable, Sendable {
    /// There is still time.
    case normal
    /// It is already late.
    case critical
  }

  /// The reason why it is sent.
  public var kind: Kind
  /// The loan it is about.
  public var loan: Loan
  /// The catalogue that the loan is from: a path, or `-` for standard input.
  public var catalogue: String
  /// The untrusted name that people have for the library, `the Central Library`, if there is one.
  public var library: String?

  /// A notice of this kind about `loan`.
  public init(kind: Kind, loan: Loan, catalogue: String, library: String? = nil) {
    self.kind = kind
    self.loan = loan
    self.catalogue = catalogue
    self.library = library
  }

  /// Critical once the loan has expired.
  public var urgency: Urgency { kind == .expired ? .critical : .normal }

  /// One line without line break, harmless on a terminal: label, what happens when, the date,
  /// then author, borrower and library where known.
  ///
  ///     "Abigél" expires tomorrow (2026.11.22), by Szabó Magda, lent to Kovács Anna, at the Library
  public func line(today: CivilDate) -> String {
    loan.line(today: today, library: library)
  }
}
