/// The contents of a whole catalogue, counted.
public struct CatalogueSummary: Hashable, Sendable {
  /// Whether the document was read to its end; if not, what came before the break must not be
  /// taken for the whole.
  public var isComplete = true
  /// What the document says of itself.
  public var answer = Answer()
  /// Whether the root element is one of the profile's.
  public var isKnownForm = false
  /// The name of the profile that it was read with; `nil` if its root element is not one of the
  /// profile's.
  public var profile: String?
  /// Records found.
  public var records = 0
  /// Books that are not lent: records without expiration, in the tool's own form; in others those of
  /// which a condition of the profile does not hold.
  public var onShelf = 0
  /// Loans, of a form that is not the tool's own, without expiration.
  public var withoutExpiration = 0
  /// Loans among these that have nothing at all where an expiration is looked for.
  public var undated = 0
  /// Of these, loans whose day of lending is known, and which would expire some days later
  /// (``CatalogueReader/loanDays``).
  public var uncounted = 0
  /// Records with a usable expiration.
  public var loans = 0
  /// Diagnostics of severity error.
  public var errors = 0
  /// Diagnostics of severity warning.
  public var warnings = 0

  /// What a document says of itself.
  public struct Answer: Hashable, Sendable {
    /// Whether it says that the server does not know the borrower.
    public var isBorrowerUnknown = false
    /// Whether it says that there are more records than it contains.
    public var isPart = false
    /// Whether the list that loans would be in is there and empty, in a form that is not the tool's own.
    public var isListEmpty = false
    /// Whether a date under the name of an expiration is in it, but no record, in such a form.
    public var hasOtherDate = false
  }

  /// Records that no loan could be made of, each with an error unless a comment silences it.
  public var leftOut: Int { records - loans - onShelf - withoutExpiration }

  /// A summary of nothing yet.
  public init() {}
}
