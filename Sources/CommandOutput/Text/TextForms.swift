import Loans

/// `1 loan`, `2 loans`.
package func counted(_ count: Int, _ noun: String) -> String {
  "\(count) \(noun)\(count == 1 ? "" : "s")"
}

extension String {
  /// The text with spaces after it, at least `width` characters together.
  package func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - count))
  }
}

extension CivilDateTime {
  /// `2026-11-21 00:00`, for people.
  package var words: String { "\(date) \(time)" }
}

extension String {
  /// The text with a small letter at its beginning, as our messages have it.
  package var withSmallBeginning: String { prefix(1).lowercased() + dropFirst() }
}
