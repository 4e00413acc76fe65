import Loans

/// Names under which people write when a loan expires, other than `expiration`.
enum ExpirationName {
  /// The words of libraries and their readers for it, without hyphens.
  private static let words: Set<String> = [
    "due", "duedate", "datedue", "dueon", "dueby", "deadline", "until",
    "expire", "expires", "expireson", "expiry", "expirydate", "expiredate", "expirationdate",
    "returnby", "returndate", "returndue",
    "lejárat", "lejarat", "lejár", "lejar", "határidő", "hatarido", "visszahozni",
    "rückgabe", "rueckgabe", "rückgabedatum", "fällig", "faellig", "fälligkeit", "frist",
    "échéance", "echeance", "retour", "vencimiento", "devolución", "scadenza", "termín",
  ]

  /// Whether an element or attribute of this name probably holds an expiration, if it is a date.
  static func isLikely(_ name: String) -> Bool {
    let plain = name.lowercased().filter { !"-_.".contains($0) }
    if words.contains(plain) { return true }
    return (8...12).contains(plain.unicodeScalars.count)
      && plain.editDistance(to: right) <= 2
  }

  /// Whether a name can be nothing but a slip for `expiration`: with one letter more, less or wrong, or two in
  /// the wrong order.
  static func isSlip(_ name: String) -> Bool {
    let name = name.lowercased()
    return name != right && isLikely(name)
      && (name.editDistance(to: right) == 1 || name.sorted() == right.sorted())
  }

  private static let right = "expiration"
}
