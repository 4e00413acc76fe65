import CatalogueProperties
import LoanCatalogue
import Loans
import TestSupport

extension Reading {
  /// `9:17 date-format`, one for each diagnostic.
  var findings: [String] {
    diagnostics.map { "\($0.location.line):\($0.location.column) \($0.code.rawValue)" }
  }

  var titles: [String?] { records.map { $0.loan?.title } }
}

extension CatalogueReader {
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
