/// Writes loans into pages, in the order of their numbers.
final class PageWriter {
  private let catalogue: Int64
  private let insertLoans: LateStatement
  private let insertTexts: LateStatement
  private var loans: ContiguousArray<StoredLoan> = []
  private var texts: TextPage.Draft?

  /// For loans of one catalogue.
  init(_ database: Database, catalogue: Int64) {
    self.catalogue = catalogue
    insertLoans = LateStatement(database, sql: "INSERT INTO page VALUES (?, ?)")
    insertTexts = LateStatement(database, sql: "INSERT INTO text_page VALUES (?, ?)")
  }

  /// Takes the next loan.
  func append(_ loan: StoredLoan, _ texts: ArraySlice<UInt8>) throws {
    if let first = loans.first,
      loans.count == LoanPage.capacity || loan.id - first.id > LoanPage.longestReach
    {
      try writeLoans()
    }
    loans.append(loan)
    if self.texts?.hasRoom(for: texts, of: loan.id) ?? false {
      self.texts?.append(texts, of: loan.id)
    } else {
      try writeTexts()
      self.texts = TextPage.Draft(PageNumber(catalogue: catalogue, loan: loan.id), texts)
    }
  }

  /// Writes what is not full yet.
  func finish() throws {
    try writeLoans()
    try writeTexts()
  }

  private func writeLoans() throws {
    guard let first = loans.first else { return }
    let number = PageNumber(catalogue: catalogue, loan: first.id)
    let words = LoanPage.words(of: loans, number: number)
    try insertLoans.statement.run { parameters in
      parameters.bind(number.rawValue)
      parameters.bind(words[...])
    }
    loans.removeAll(keepingCapacity: true)
  }

  private func writeTexts() throws {
    guard let draft = texts else { return }
    try insertTexts.statement.run { parameters in
      parameters.bind(draft.number.rawValue)
      parameters.bind(blob: draft.bytes)
    }
    texts = nil
  }
}
