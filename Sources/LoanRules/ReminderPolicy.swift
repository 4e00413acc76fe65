public import Loans

/// The rule by which reminders fire.
public struct ReminderPolicy: Hashable, Sendable {
  /// Days before the expiration, 0 to 3,650.
  public let lead: Int
  /// The time of day.
  public let time: CivilTime

  /// The leads that make sense.
  public static let leads = 0...3_650

  /// One day ahead, at 00:00, so that a daily run at any hour finds the reminder due.
  public static let standard = ReminderPolicy(uncheckedLead: 1, time: .midnight)

  /// A reminder `lead` days ahead at this time of day, or `nil` if the lead is not in ``leads``.
  public init?(lead: Int, time: CivilTime) {
    guard Self.leads.contains(lead) else { return nil }
    self.init(uncheckedLead: lead, time: time)
  }

  private init(uncheckedLead: Int, time: CivilTime) {
    lead = uncheckedLead
    self.time = time
  }

  /// When the reminder of a loan with this expiration fires; days are counted on the calendar, and
  /// never before 0001-01-01.
  public func fireDate(expiration: CivilDate) -> CivilDateTime {
    CivilDateTime(expiration.adding(days: -lead), time)
  }
}
