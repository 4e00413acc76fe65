/// Puts what is in rows back into the pages of a catalogue, all of which are written anew.
///
/// Loans that are cancelled or have left stay in rows, with their texts: that is not on a page, and
/// will not be so for long.
struct Packing {
  private let database: Database
  private let catalogue: Int64
  private let rows: LoanRows
  private let writer: PageWriter
  private let lookup: LoanLookup
  private var oldTexts: OldTexts

  /// Whether it is worth it.
  ///
  /// - Parameter packed: how many loans the pages have.
  static func isDue(_ database: Database, catalogue: Int64, packed: Int) throws -> Bool {
    let rows = try database.integer(
      sql: "SELECT count(*) FROM loan WHERE catalogue = ? AND left_on IS NULL AND cancelled = 0"
    ) { $0.bind(catalogue) }
    let gone = try database.integer(sql: "SELECT count(*) FROM gone WHERE catalogue = ?") {
      $0.bind(catalogue)
    }
    return Int(rows ?? 0) + Int(gone ?? 0) > least + packed / 4
  }

  /// So many rows are as good as a page.
  private static var least: Int { 64 }

  init(_ database: Database, catalogue: Int64, _ rows: LoanRows, _ writer: PageWriter) throws {
    self.database = database
    self.catalogue = catalogue
    self.rows = rows
    self.writer = writer
    lookup = LoanLookup(database)
    oldTexts = try OldTexts(database, catalogue: catalogue)
  }

  /// Does it.
  ///
  /// A page is deleted when it has been read. Those that are written begin with a loan that was
  /// read, and so are never in the way of one that is not, nor taken for one.
  mutating func run() throws {
    var reader = try LoanReader(database, catalogue: catalogue)
    let deletePages = try RowStatement(
      database, sql: "DELETE FROM page WHERE id > ? AND id <= ?")
    var loans: ContiguousArray<StoredLoan> = []
    var last: Int64 = -1
    var hasMore = true
    while hasMore {
      hasMore = try reader.read(into: &loans)
      let reached = reader.reachedNumber
      try deletePages.run { parameters in
        parameters.bind(PageNumber(catalogue: catalogue, loan: 0).rawValue &+ last)
        parameters.bind(PageNumber(catalogue: catalogue, loan: reached).rawValue)
      }
      last = reached
      for loan in loans { try take(loan) }
      loans.removeAll(keepingCapacity: true)
    }
    try oldTexts.finish()
    try writer.finish()
    try database.execute(sql: "DELETE FROM gone WHERE catalogue = ?") { $0.bind(catalogue) }
  }

  private mutating func take(_ loan: StoredLoan) throws {
    let packed = try oldTexts.texts(of: loan.id)
    let own = loan.hasRow ? try lookup.rowTexts(of: loan.id) : nil
    guard let texts = own ?? packed else { throw Schema.damage("no texts of loan \(loan.id)") }
    if loan.isScheduled {
      if loan.hasRow { try rows.deleteRow(loan.id) }
      try writer.append(loan, texts)
    } else if own == nil {
      try rows.put(texts, of: loan.id)
    }
  }
}

/// The texts that pages have, in the order of their numbers; each page is deleted when it was read.
private struct OldTexts {
  private let catalogue: Int64
  private let select: RowStatement
  private let delete: RowStatement
  private var page: TextPage?
  private var next: TextPage?

  init(_ database: Database, catalogue: Int64) throws {
    self.catalogue = catalogue
    select = try RowStatement(
      database,
      sql: "SELECT id, texts FROM text_page WHERE id > ? AND id < ? ORDER BY id LIMIT 1")
    delete = try RowStatement(database, sql: "DELETE FROM text_page WHERE id = ?")
    next = try takePage(after: -1)
  }

  /// Reads and deletes the first page that begins behind a loan.
  private func takePage(after loan: Int64) throws -> TextPage? {
    select.query { parameters in
      parameters.bind(PageNumber(catalogue: catalogue, loan: 0).rawValue &+ loan)
      parameters.bind(PageNumber(catalogue: catalogue + 1, loan: 0).rawValue)
    }
    guard try select.next() else { return nil }
    let page = try TextPage(PageNumber(rawValue: select.integer(0)), select.blob(1))
    select.reset()
    try delete.run { $0.bind(page.number.rawValue) }
    return page
  }

  /// What the pages have of a loan, whose number is higher than that of the one before.
  mutating func texts(of loan: Int64) throws -> ArraySlice<UInt8>? {
    while let reached = next, reached.number.first <= loan {
      page = reached
      // Before anything behind it is written.
      next = try takePage(after: reached.last)
    }
    return page?[loan]
  }

  /// Deletes the pages behind the last loan.
  mutating func finish() throws {
    while let reached = next { next = try takePage(after: reached.last) }
  }
}
