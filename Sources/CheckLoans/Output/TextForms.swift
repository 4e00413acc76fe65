import Loans

/// `1 loan`, `2 loans`.
func counted(_ count: Int, _ noun: String) -> String {
  "\(count) \(noun)\(count == 1 ? "" : "s")"
}

/// Why a catalogue without any loan did not replace one that had loans.
///
/// - Parameters:
///   - stored: the number of its loans in the schedule.
///   - mayBeEmpty: whether it may be right.
func emptinessWords(stored: Int, mayBeEmpty: Bool) -> String {
  """
  no loan with an expiration, but \(counted(stored, "loan")) in the schedule; nothing was changed, and \
  \(stored == 1 ? "its" : "their") notices will still be delivered\
  \(mayBeEmpty ? "; if all books are back, run again with --allow-empty" : "")
  """
}

extension String {
  /// The text with spaces after it, at least `width` characters together.
  func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - count))
  }
}

extension CivilDateTime {
  /// `2026-11-21 00:00`, for people.
  var words: String { "\(date) \(time)" }
}

extension String {
  /// The text with a small letter at its beginning, as our messages have it.
  var withSmallBeginning: String { prefix(1).lowercased() + dropFirst() }
}
