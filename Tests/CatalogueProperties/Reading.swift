package import LoanCatalogue
import LoanRules
package import Loans

/// All that one reading of a catalogue handed over.
package struct Reading: Equatable {
  package var diagnostics: [Diagnostic] = []
  package var records: [Record] = []
  package var summary = CatalogueSummary()

  /// A copy of what a record says.
  package struct Record: Equatable {
    package var location: SourceLocation
    package var expiration: LoanRecord.Expiration
    package var identity: LoanIdentity
    package var fingerprint: UInt64
    package var loan: Loan?
    /// Whether its texts as bytes are those of the loan.
    package var arePartsRight: Bool

    fileprivate init(_ record: LoanRecord) {
      location = record.location
      expiration = record.expiration
      identity = record.identity
      fingerprint = record.fingerprint
      loan = record.loan
      arePartsRight = loan.map { $0 == Loan(parts: record) } ?? true
    }
  }

  /// What is first another thing than in another reading.
  func difference(from other: Reading) -> String {
    if let (mine, its) = zip(diagnostics, other.diagnostics).first(where: { $0 != $1 }) {
      return "\(mine) in place of \(its)"
    }
    if let (mine, its) = zip(records, other.records).first(where: { $0 != $1 }) {
      return "\(mine) in place of \(its)"
    }
    return """
      \(diagnostics.count) diagnostics, \(records.count) records, \(summary) in place of \
      \(other.diagnostics.count), \(other.records.count), \(other.summary)
      """
  }

}

extension CatalogueReader {
  /// Reads a catalogue to its end, or until a closure throws.
  ///
  /// - Throws: `CatalogueError`, and what the closures throw.
  package func read(
    _ path: String, onDiagnostic: (Diagnostic) throws -> Void,
    onRecord: (LoanRecord) throws -> Void
  ) throws -> CatalogueSummary {
    let reading = try open(path)
    while let batch = try reading.next() {
      try batch.forEach(diagnostic: onDiagnostic, record: onRecord)
    }
    return reading.summary
  }

  /// - Throws: `CatalogueError`.
  package func reading(of path: String) throws -> Reading {
    var reading = Reading()
    reading.summary = try read(path) {
      reading.diagnostics.append($0)
    } onRecord: {
      reading.records.append(Reading.Record($0))
    }
    return reading
  }
}

extension CatalogueRules {
  /// Everything that there are rules for, as `check-loans validate` composes it.
  package static let all: CatalogueRules = {
    var rules = CatalogueRules { ExpirationRule.judge($0) }
    rules.honorsIgnoreComments = true
    rules.findsDuplicateLoans = true
    rules.isbn = { ISBNRule.judge($0) }
    rules.email = { EmailRule.judge($0) }
    rules.period = { ExpirationRule.judge($1, loaned: $0) }
    return rules
  }()
}

extension Loan {
  /// A loan of the same texts.
  fileprivate init(parts: some LoanParts) {
    func text(_ field: LoanField) -> String? {
      var found: String?
      parts.withText(of: field) { found = String(decoding: [UInt8](copying: $0), as: UTF8.self) }
      return found
    }
    self.init(
      id: text(.id), title: text(.title), author: text(.author), isbn: text(.isbn),
      barcode: text(.barcode), borrower: text(.borrower), email: text(.email),
      language: text(.language), category: text(.category), type: text(.type),
      library: text(.library), renewable: parts.isRenewable, status: parts.status,
      phone: text(.phone),
      address: text(.address), callNumber: text(.callNumber), loaned: parts.loanedOn,
      expiration: parts.lastDay, expirationTime: parts.lastTime)
  }
}
