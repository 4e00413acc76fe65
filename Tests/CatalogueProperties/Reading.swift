import LoanCatalogue
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

  /// Reads a catalogue as `check-loans` does, with every rule switched on.
  ///
  /// - Throws: `CatalogueError`.
  init(of path: String, _ detail: CatalogueReader.Detail) throws {
    let reader = CatalogueReader(detail: detail, requiresExpiration: true) { date in
      (1970...2099).contains(date.parts.year) ? nil : (.unlikelyDate, "\(date.dotted) is unlikely")
    }
    var diagnostics: [Diagnostic] = []
    var records: [Record] = []
    summary = try reader.read(path) {
      diagnostics.append($0)
    } onRecord: {
      records.append(Record($0))
    }
    self.diagnostics = diagnostics
    self.records = records
  }
}
