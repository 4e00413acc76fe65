import LoanCatalogue
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
      let again = try Reading(of: file.path, .loans)
      let diagnostics = try Reading(of: file.path, .diagnostics)
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
      let reading = try Reading(of: file.path, .loans)
      return try reading.faults(inDocumentOf: bytes.count)
        + reading.faults(comparedToLibXML2: Tree.canBeMade(of: bytes))
        + (PlainText(bytes).map(reading.misplacements) ?? []) + more(reading)
    } catch {
      return ["the catalogue was not read: \(error)"]
    }
  }

  /// - Throws: `CatalogueError`.
  private func faults(ofMending bytes: [UInt8], _ reading: Reading) throws -> [String] {
    guard let mended = Mended(bytes, reading) else { return [] }
    file.fill(with: mended.bytes)
    return try mended.faults(inReading: Reading(of: file.path, .loans))
  }
}
