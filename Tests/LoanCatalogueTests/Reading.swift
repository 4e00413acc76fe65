import LoanCatalogue
import Loans
import TestSupport

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
    var fingerprint: UInt64
    var loan: Loan?
  }

  /// `9:17 date-format`, one for each diagnostic.
  var findings: [String] {
    diagnostics.map { "\($0.location.line):\($0.location.column) \($0.code.rawValue)" }
  }

  var titles: [String?] { records.map { $0.loan?.title } }
}

let fireAt = CivilDateTime(.first)

extension CatalogueReader {
  func reading(of path: String) throws -> Reading {
    var reading = Reading()
    reading.summary = try read(path) { diagnostic in
      reading.diagnostics.append(diagnostic)
    } onRecord: { record in
      reading.records.append(
        Reading.Record(
          location: record.location, expiration: record.expiration, key: record.key,
          identity: record.identity, fingerprint: record.fingerprint(fireAt: fireAt),
          loan: record.loan))
    }
    return reading
  }

  /// Reads these bytes as a catalogue.
  func reading(ofBytes bytes: [UInt8], in folder: ScratchFolder) throws -> Reading {
    try folder.write(bytes: bytes, to: "books.xml")
    return try reading(of: "\(folder.path)/books.xml")
  }

  /// Reads this text as a catalogue in UTF-8.
  func reading(ofText text: String, in folder: ScratchFolder? = nil) throws -> Reading {
    try reading(ofBytes: Array(text.utf8), in: folder ?? ScratchFolder())
  }
}
