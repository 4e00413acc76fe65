import LoanCatalogue
import LoanRules
import Loans

/// What must be true of every reading of a catalogue, whatever bytes it is of.
///
/// The fuzzer asks it of what it thinks of, the tests of what they damage.
public struct ReadingProperties: ~Copyable, Sendable {
  private let file = MemoryFile()

  /// For one catalogue after the other.
  public init() {}

  /// Reads the bytes as a catalogue, in every way that there is.
  ///
  /// - Returns: one sentence for each property that does not hold.
  public func faults(ofReading bytes: [UInt8]) -> [String] {
    faults(ofReading: bytes) { reading in
      let again = try Self.reader(.loans).reading(of: file.path)
      let diagnostics = try Self.reader(.diagnostics).reading(of: file.path)
      return try (reading == again ? [] : ["a second reading differs: \(reading) and \(again)"])
        + reading.faults(comparedToDiagnosticsAlone: diagnostics)
        + faults(ofMending: bytes, reading)
    }
  }

  /// Reads the bytes once, which is faster.
  ///
  /// - Returns: one sentence for each property that does not hold.
  public func faults(ofReadingOnce bytes: [UInt8]) -> [String] {
    faults(ofReading: bytes) { _ in [] }
  }

  private func faults(
    ofReading bytes: [UInt8], and more: (Reading) throws -> [String]
  ) -> [String] {
    file.fill(with: bytes)
    do {
      let reading = try Self.reader(.loans).reading(of: file.path)
      // Headers are no part of the document that libxml2 is asked for.
      let codes = Set(reading.diagnostics.map(\.code))
      let isPlain = codes.isDisjoint(with: [.httpHeaders, .notACatalogue, .errorAnswer])
      return try reading.faults(inDocumentOf: bytes.count)
        + (isPlain ? reading.faults(comparedToLibXML2: Tree.canBeMade(of: bytes)) : [])
        + (PlainText(bytes).map(reading.misplacements) ?? []) + more(reading)
    } catch {
      return ["the catalogue was not read: \(error)"]
    }
  }

  /// A reader with every rule switched on, also those that need an option.
  private static func reader(_ detail: CatalogueReader.Detail) -> CatalogueReader {
    var rules = CatalogueRules.all
    rules.requiresExpiration = true
    rules.expiration = { ExpirationRule.judge($0, today: .first, atMost: 740_000) }
    return CatalogueReader(detail: detail, rules: rules)
  }

  /// - Throws: `CatalogueError`.
  private func faults(ofMending bytes: [UInt8], _ reading: Reading) throws -> [String] {
    guard let mended = Mended(bytes, reading) else { return [] }
    file.fill(with: mended.bytes)
    return try mended.faults(inReading: Self.reader(.loans).reading(of: file.path))
  }
}
