internal import CLinux

extension String {
  /// The columns that the text takes on a terminal: two for each character of East Asia and most
  /// emoji, none for marks and for emoji that are joined to the one before.
  ///
  /// - SeeAlso: `wcwidth(3)`.
  package var columns: Int {
    if utf8.allSatisfy({ (0x20...0x7E).contains($0) }) { return utf8.count }
    var columns = 0
    var isJoined = false
    for scalar in unicodeScalars {
      let own = Int(check_loans_columns(scalar.value))
      if !(isJoined && own == 2) { columns += own }
      isJoined = scalar == "\u{200D}"
    }
    return columns
  }

  /// The text in at most this many columns, with `…` and its last quotation mark in place of what does
  /// not fit: `"The Life and Strange Surprizing Adventures of Robinson Crus…"`.
  package func shortened(toColumns most: Int) -> String {
    if columns <= most { return self }
    let end = last == "\"" ? "…\"" : "…"
    var room = most - end.columns
    let kept = prefix { character in
      room -= String(character).columns
      return room >= 0
    }
    return kept + end
  }

  /// The text with spaces after it, at least this many columns together.
  package func padded(toColumns least: Int) -> String {
    self + String(repeating: " ", count: max(0, least - columns))
  }
}
