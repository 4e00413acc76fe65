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
    package var key: UInt64
    package var identity: String
    package var fingerprint: UInt64
    package var loan: Loan?
    /// Whether the form in which it is stored gives the same again.
    package var isPackedRight: Bool

    fileprivate init(_ record: LoanRecord) {
      location = record.location
      expiration = record.expiration
      key = record.key
      identity = record.identity
      fingerprint = record.fingerprint
      loan = record.loan
      var bytes: [UInt8] = []
      record.appendPacked(to: &bytes)
      if let loan {
        let packed = PackedLoan.unpack(bytes[...], expiration: loan.expiration)
        isPackedRight = packed?.loan == loan && packed?.identity == identity
      } else {
        isPackedRight = bytes.isEmpty
      }
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
    rules.heedsComments = true
    rules.findsDuplicateLoans = true
    rules.isbn = { ISBNRule.judge($0) }
    rules.email = { EmailRule.judge($0) }
    rules.period = { ExpirationRule.judge($1, loaned: $0) }
    return rules
  }()
}
