import LoanCatalogue
import LoanRules
import Loans

/// All that one reading of a catalogue handed over.
struct Reading: Equatable {
  var diagnostics: [Diagnostic] = []
  var records: [Record] = []
  var summary = CatalogueSummary()

  /// A copy of what a record says.
  struct Record: Equatable {
    var location: SourceLocation
    var expiration: LoanRecord.Expiration
    var key: UInt64
    var identity: String
    var loan: Loan?

    init(_ record: LoanRecord) {
      location = record.location
      expiration = record.expiration
      key = record.key
      identity = record.identity
      loan = record.loan
    }
  }

  /// Reads a catalogue as `check-loans validate` does, with every rule switched on.
  ///
  /// - Throws: `CatalogueError`.
  init(of path: String, _ detail: CatalogueReader.Detail) throws {
    var reading = (diagnostics: [Diagnostic](), records: [Record]())
    summary = try CatalogueReader(detail: detail, rules: Self.rules).read(path) {
      reading.diagnostics.append($0)
    } onRecord: {
      reading.records.append(Record($0))
    }
    (diagnostics, records) = reading
  }

  private static let rules: CatalogueRules = {
    var rules = CatalogueRules(requiresExpiration: true) {
      ExpirationRule.judge($0, today: .first, atMost: 740_000)
    }
    rules.heedsComments = true
    rules.findsDuplicateLoans = true
    rules.isbn = { ISBNRule.judge($0) }
    rules.email = { EmailRule.judge($0) }
    rules.period = { ExpirationRule.judge($1, loaned: $0) }
    return rules
  }()
}
