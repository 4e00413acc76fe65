/// How much of a book a message gives away, since others may read it: a household, a provider, whoever
/// looks at a locked screen.
public enum TitleDetail: String, CaseIterable, Sendable {
  /// Title and author as they are.
  case full
  /// The first letters of both, `A. P. U. F.`, and no ISBN.
  case initials
  /// Neither of them and no ISBN; a barcode or an id stays.
  case none
}

extension Notice {
  /// The notice with no more of the book than this.
  public func hidingTitles(_ detail: TitleDetail) -> Notice {
    var notice = self
    notice.loan = loan.hidingTitles(detail)
    return notice
  }
}

extension Loan {
  /// The loan with no more of the book than this.
  public func hidingTitles(_ detail: TitleDetail) -> Loan {
    if detail == .full { return self }
    var loan = self
    loan.isbn = nil
    loan.title = detail == .initials ? title?.initials : nil
    loan.author = detail == .initials ? author?.initials : nil
    return loan
  }
}

extension String {
  /// The first letter or digit of each word, `A. P. U. F.`, of twenty at most; `nil` if there is none.
  fileprivate var initials: String? {
    let letters = split(whereSeparator: \.isWhitespace).lazy.compactMap { word in
      word.unicodeScalars.first { $0.properties.isAlphabetic || $0.properties.numericType != nil }
    }
    let initials = letters.prefix(20).map { "\($0.properties.uppercaseMapping)." }
    return initials.isEmpty ? nil : initials.joined(separator: " ")
  }
}
