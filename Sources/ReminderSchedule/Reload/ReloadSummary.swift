public import Loans

/// The effect of a reload on the schedule.
public enum ReloadOutcome: Hashable, Sendable {
  /// The catalogue's prior reminders were cancelled and the new ones scheduled.
  case replaced(ReloadSummary)
  /// Nothing has changed, because the catalogue could not be used.
  case kept
  /// Nothing has changed, because the catalogue had no record and loans of it were stored.
  ///
  /// - Parameter stored: the number of loans that were stored, and still are.
  case refusedEmpty(stored: Int)
}

/// The numbers of a catalogue's loans in the schedule after a reload, and of the changes.
public struct ReloadSummary: Hashable, Sendable {
  /// Loans of the catalogue with a usable expiration.
  public var loans = 0
  /// Loans that have not expired; each has a reminder, to come, due or delivered.
  public var scheduled = 0
  /// The first reminder after `now`, if there is one.
  public var nextFireAt: CivilDateTime?
  /// Loans that were not stored, or had left the catalogue before.
  public var added = 0
  /// Loans that were stored with other values, or cancelled.
  public var changed = 0
  /// Loans that were stored and are no longer in the catalogue.
  public var removed = 0
  /// Loans that were stored with the same values.
  public var unchanged = 0
}
