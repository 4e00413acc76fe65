/// The loans that a reload adds: into pages as far as these get full, the rest into rows.
///
/// A page is cheap to write and to read, but its loans change by getting rows; so a few new loans
/// a day wait in rows until a ``Packing``.
final class NewLoans {
  private let rows: LoanRows
  private let pages: PageWriter
  private var waiting: ContiguousArray<StoredLoan> = []
  /// The texts of those that wait, one after the other, and where each ends.
  private var texts: [UInt8] = []
  private var ends: ContiguousArray<Int> = []

  init(_ rows: LoanRows, _ pages: PageWriter) {
    self.rows = rows
    self.pages = pages
  }

  /// Stores a loan, now or with some that follow.
  ///
  /// - Parameter pack: appends its texts.
  func insert(_ loan: StoredLoan, _ pack: (inout [UInt8]) -> Void) throws {
    waiting.append(loan)
    pack(&texts)
    ends.append(texts.count)
    if waiting.count == LoanPage.capacity { try write(into: .pages) }
  }

  /// Stores the loans that still wait.
  ///
  /// - Parameter isFirst: whether the catalogue had no loans.
  func finish(isFirst: Bool) throws {
    try write(into: isFirst ? .pages : .rows)
    try pages.finish()
  }

  private enum Place { case pages, rows }

  private func write(into place: Place) throws {
    var start = 0
    for (index, loan) in waiting.enumerated() {
      let loanTexts = texts[start..<ends[index]]
      start = ends[index]
      switch place {
      case .pages:
        try pages.append(loan, loanTexts)
      case .rows:
        try rows.put(loan)
        try rows.put(loanTexts, of: loan.id)
      }
    }
    waiting.removeAll(keepingCapacity: true)
    texts.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
  }
}
