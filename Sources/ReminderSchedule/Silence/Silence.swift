public import Loans

/// A time during which no notice is sent about some loans, which are read, judged and reported all the
/// same.
///
/// It is about one loan of the schedule, with its present expiration and person, and has no effect while
/// that is not in its catalogue; or about all loans, of now and later, that meet its conditions. Nothing
/// of it is in the ledger: once it has ended, the rung that a loan has reached by then is due, once.
public struct Silence: Hashable, Sendable {
  /// The reason why somebody has ordered a silence, and who.
  public struct Origin: Hashable, Sendable {
    /// The reason, as it was given; untrusted.
    public var reason: String
    /// The name of the user who ordered it.
    public var by: String
    /// The time at which that was, by the library's clock.
    public var at: CivilDateTime

    /// An origin.
    public init(reason: String, by: String, at: CivilDateTime) {
      self.reason = reason
      self.by = by
      self.at = at
    }
  }

  /// The number by which people name it.
  public let id: Int
  /// The loan of the schedule that it is about; `nil` if it is about those that meet the conditions.
  public let target: ScheduledLoan?
  /// The conditions.
  public let conditions: SilenceConditions
  /// The day from which notices are sent again; `nil` for no end.
  public let until: CivilDate?
  /// The reason for it, and who has ordered it.
  public let origin: Origin

  /// Whether the book is reported as returned, while its catalogue still has the loan.
  public var isReturn: Bool { target != nil && until == nil }

  /// The days after which a book that is reported as returned, and still on loan, is to be looked for.
  public static let daysToReturn = 7

  /// Whether the book should be looked for on the shelf.
  public func isOverdueReturn(today: CivilDate) -> Bool {
    isReturn && origin.at.date.adding(days: Self.daysToReturn) <= today
  }
}

/// The conditions that a loan must meet, and its notice, so that a silence holds; those that are `nil`
/// are met by all.
///
/// Texts are compared as bytes, white space normalized as a catalogue's is; addresses without regard to
/// case.
public struct SilenceConditions: Hashable, Sendable {
  /// The borrower.
  public var borrower: String?
  /// The borrower's address.
  public var email: String?
  /// The borrower's category.
  public var category: String?
  /// The loan's status.
  public var status: LoanStatus?
  /// The book's id or barcode in the catalogue.
  public var loan: String?
  /// A pattern of the title, with the wildcards `*`, `?` and `[…]`.
  public var title: String?
  /// The kind of notice.
  public var kind: Notice.Kind?
  /// The name of the channel.
  public var channel: String?

  /// No condition.
  public init() {}

  /// Whether they select loans, and not only notices.
  public var selectLoans: Bool {
    borrower ?? email ?? category ?? status?.rawValue ?? loan ?? title != nil
  }
}

extension Silence {
  /// An SQL condition: whether a silence is about the loan of a row of `loan`.
  static let isAboutLoan = """
    (\(isOfLoan) OR silence.identity IS NULL
        AND (silence.borrower IS NULL OR silence.borrower = \(column(.borrower)))
        AND (silence.email IS NULL OR lower(silence.email) = lower(\(column(.email))))
        AND (silence.category IS NULL OR silence.category = \(column(.category)))
        AND (silence.status IS NULL OR silence.status = \(column(.status)))
        AND (silence.loan IS NULL OR silence.loan IN (\(column(.id)), \(column(.barcode))))
        AND (silence.title IS NULL OR \(column(.title)) GLOB silence.title))
    """

  /// An SQL condition: whether a silence is about the loan of a row of `loan` alone.
  static let isOfLoan = """
    silence.identity = loan.identity AND silence.expiration = loan.expiration
        AND silence.person = loan.person AND silence.catalogue = loan.id >> \(LoanID.shift)
    """

  private static func column(_ field: LoanField) -> String {
    StoredTexts.column(field, of: "loan.fields")
  }

  /// An SQL condition: whether a silence holds for the notice that a loan has on a day.
  ///
  /// - Parameter today: the number of the day, in SQL.
  private static func holds(today: String) -> String {
    """
    \(isAboutLoan) AND (silence.until IS NULL OR silence.until > \(today))
      AND (silence.kind IS NULL OR silence.kind = iif(loan.expiration < \(today),
        '\(Notice.Kind.expired)', '\(Notice.Kind.reminder)'))
    """
  }

  /// An SQL expression: 1 if the notice that a loan has on a day is silenced.
  ///
  /// It costs nothing where there is no silence.
  ///
  /// - Parameters:
  ///   - today: the number of the day, in SQL.
  ///   - channel: the channel, in SQL; NULL for all of them.
  static func isSilenced(today: String, channel: String = "NULL") -> String {
    """
    iif((SELECT 1 FROM silence), EXISTS (
      SELECT 1 FROM silence WHERE \(holds(today: today))
        AND (silence.channel IS NULL OR silence.channel = \(channel))), 0)
    """
  }

  /// Silences, each with the loan of the schedule that it is about.
  private static let query = """
    SELECT silence.id, silence.borrower, silence.email, silence.loan, silence.title, silence.kind,
      silence.channel, silence.until, silence.reason, silence.made_by, silence.made_at,
      silence.category, silence.status
    """

  /// The silences that hold for the notice of a loan, the one that ends last first.
  fileprivate static let queryOfLoan = """
    \(query), silence.identity FROM silence, loan WHERE loan.id = ?1 AND \(holds(today: "?2"))
    ORDER BY silence.until IS NOT NULL, silence.until DESC, silence.id
    """

  /// All that have not ended, with the row number of the loan that each is about.
  ///
  /// Loans come first, since a silence is found by its loan's key, and a loan not by a silence's.
  static let queryOfAll = """
    WITH target AS (
      SELECT silence.id, loan.id AS loan FROM loan CROSS JOIN silence WHERE \(isOfLoan)
    )
    \(query), target.loan FROM silence LEFT JOIN target ON target.id = silence.id
    WHERE (silence.until IS NULL OR silence.until > ?1)
      AND (silence.identity IS NULL OR target.id IS NOT NULL)
    ORDER BY silence.id
    """

  /// The silence in a row.
  init(_ row: Statement, target: ScheduledLoan?) throws {
    guard let reason = row.text(8), let by = row.text(9), let at = row.time(10) else {
      throw DatabaseError.damage("a silence")
    }
    id = Int(row.integer(0))
    until = row.day(7)
    origin = Origin(reason: reason, by: by, at: at)
    self.target = target
    var conditions = SilenceConditions()
    (conditions.borrower, conditions.email) = (row.text(1), row.text(2))
    (conditions.loan, conditions.title) = (row.text(3), row.text(4))
    conditions.category = row.text(11)
    conditions.status = row.text(12).flatMap(LoanStatus.init(rawValue:))
    conditions.kind = row.text(5).flatMap(Notice.Kind.init)
    conditions.channel = row.text(6)
    self.conditions = conditions
  }
}

extension Database {
  /// Whether there is any silence.
  var hasSilences: Bool {
    get throws { try integer("SELECT 1 FROM silence LIMIT 1") != nil }
  }

  /// Whether the notice that a loan has on a day is silenced.
  ///
  /// - Parameters:
  ///   - id: the loan's row number.
  ///   - channel: the name of the channel; `nil` for all of them.
  func isSilenced(_ id: Int64, _ today: CivilDate, _ channel: String?) throws -> Bool {
    try integer(
      "SELECT \(Silence.isSilenced(today: "?2", channel: "?3")) FROM loan WHERE id = ?1", id,
      today.dayNumber, channel) == 1
  }

  /// The silences that hold for the notice that a loan has on a day, the one that ends last first.
  func silences(of loan: ScheduledLoan, today: CivilDate) throws -> [Silence] {
    try rows(Silence.queryOfLoan, loan.row, today.dayNumber) { row in
      try Silence(row, target: row.optionalInteger(13).map { _ in loan })
    }
  }
}
