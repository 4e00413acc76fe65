extension String {
  /// The columns that the text takes on a terminal.
  var columns: Int { unicodeScalars.reduce(0) { $0 + $1.columns } }

  /// The text in at most this many columns, with `…` and its last quotation mark in place of what does
  /// not fit: `"The Life and Strange Surprizing Adventures of Robinson Crus…"`.
  func shortened(toColumns most: Int) -> String {
    if columns <= most { return self }
    let end = last == "\"" ? "…\"" : "…"
    var room = most - end.columns
    let kept = prefix { character in
      room -= String(character).columns
      return room >= 0
    }
    return kept + end
  }
}

extension Unicode.Scalar {
  /// The columns that a terminal gives the character: two to those of East Asia and to emoji, none to
  /// marks (Unicode Standard Annex 11).
  fileprivate var columns: Int {
    switch properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: break
    }
    switch value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97C, 0xAC00...0xD7A3,
      0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F,
      0x1F680...0x1F6FF, 0x1F900...0x1FAFF, 0x20000...0x3FFFD:
      return 2
    default: return 1
    }
  }
}
