/// A message to a person about a loan.
public struct Notice: Hashable, Sendable {
  /// The reason why a notice is sent.
  public enum Kind: String, CaseIterable, Sendable {
    /// The loan expires soon, or today.
    case reminder
    /// The loan has expired.
    case expired

    /// The kind of the notice of a rung.
    public init(rung: Int) { self = rung > 0 ? .expired : .reminder }
  }

  /// How much a notice calls for attention.
  public enum Urgency: String, CaseIterable, Sendable {
    /// There is still time.
    case normal
    /// It is already late.
    case critical
  }

  /// The rung of the ladder on which it is sent: a signed number of days from the expiration, see
  /// ``Ladder``.
  public var rung: Int
  /// The loan it is about.
  public var loan: Loan
  /// The catalogue that the loan is from: a path, or `-` for standard input.
  public var catalogue: String
  /// The untrusted name that people have for the library, `the Central Library`, if there is one:
  /// the loan's own, or else its catalogue's.
  public var library: String?

  /// The open days next to the expiration, if the library is closed on that day.
  public var openDays: OpenDays?
  /// The number of the loan in the schedule, if it is in one.
  public var number: Int?

  /// A notice of this rung about `loan`.
  ///
  /// - Parameter library: the name of the catalogue's library, where the loan has none of its own.
  public init(
    rung: Int, loan: Loan, catalogue: String, library: String? = nil, openDays: OpenDays? = nil
  ) {
    self.rung = rung
    self.loan = loan
    self.catalogue = catalogue
    self.library = loan.library ?? library
    self.openDays = openDays
  }

  /// The reason why it is sent.
  public var kind: Kind { Kind(rung: rung) }

  /// Critical once the loan has expired.
  public var urgency: Urgency { kind == .expired ? .critical : .normal }
}
