public import Loans

/// The rule by which the notices of a loan fire.
public struct ReminderPolicy: Hashable, Sendable {
  /// The ladder of loans that no rule fits.
  public var ladder: Ladder
  /// Rules for some loans, of which the first that fits decides.
  public var rules: [LadderRule]
  /// The days on which the library is closed.
  public var closedDays: ClosedDays

  /// A policy with these parts; without any, one reminder a day ahead, and one notice a day after.
  public init(
    _ ladder: Ladder = .standard, rules: [LadderRule] = [], closedDays: ClosedDays = ClosedDays()
  ) {
    self.ladder = ladder
    self.rules = rules
    self.closedDays = closedDays
  }

  /// The index of the rule that decides about a loan; `nil` for none.
  package func rule(for loan: some LoanParts) -> Int? {
    if rules.isEmpty { return nil }
    let isWithheld = loan.status?.isWithheld ?? false
    return rules.firstIndex { (!isWithheld || $0.namesStatus) && $0.fits(loan) }
  }

  /// The ladder of the loans that a rule decides about, or none; without one, those that are lost or
  /// claimed returned have no notices.
  package func ladder(rule: Int?, _ status: LoanStatus?) -> Ladder {
    if let rule { return rules[rule].ladder }
    guard let status, status.isWithheld else { return ladder }
    return Ladder(leads: [], delays: [], withheld: status)
  }
}

/// A ladder for the loans that have certain texts.
public struct LadderRule: Hashable, Sendable {
  /// What a loan's field must be, one of several texts, compared as bytes.
  public struct Condition: Hashable, Sendable {
    /// The field.
    public var field: LoanField
    /// The texts that fit.
    public var texts: [String]
    /// The text of a loan that has none.
    public var standard: String?

    /// A condition with these parts.
    public init(_ field: LoanField, _ texts: [String], standard: String? = nil) {
      self.field = field
      self.texts = texts
      self.standard = standard
    }

    fileprivate func fits(_ loan: some LoanParts) -> Bool {
      var fits =
        standard.map { text in texts.contains { $0.utf8.elementsEqual(text.utf8) } } ?? false
      loan.withText(of: field) { text in
        fits = texts.contains { wanted in
          let wanted = wanted.utf8.span
          return wanted.count == text.count && wanted.indices.allSatisfy { wanted[$0] == text[$0] }
        }
      }
      return fits
    }
  }

  /// What must hold, all of it.
  public var conditions: [Condition]
  /// The ladder of the loans for which it does.
  public var ladder: Ladder

  /// A rule with these parts.
  public init(_ conditions: [Condition], ladder: Ladder) {
    self.conditions = conditions
    self.ladder = ladder
  }

  fileprivate var namesStatus: Bool { conditions.contains { $0.field == .status } }

  package func fits(_ loan: some LoanParts) -> Bool { conditions.allSatisfy { $0.fits(loan) } }
}
