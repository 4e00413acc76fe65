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
      let again = try Self.reader().reading(of: file.path)
      return try (reading == again ? [] : ["a second reading differs: \(reading) and \(again)"])
        + faults(ofReadingInChunks: reading, bytes.count)
        + faults(ofFixing: bytes)
    }
  }

  /// Reads the bytes as a catalogue, in one piece and in chunks of several sizes.
  ///
  /// - Parameters:
  ///   - sizes: of a part, at least.
  ///   - jobs: how many threads read, more than one.
  /// - Returns: one sentence for each way in which something else came out.
  public func faults(ofReadingInChunks bytes: [UInt8], sizes: [Int], jobs: [Int]) -> [String] {
    file.fill(with: bytes)
    do {
      let whole = try Self.reader().reading(of: file.path)
      return try sizes.flatMap { size in
        try jobs.flatMap { jobs in try faults(ofReadingInChunks: whole, size: size, jobs: jobs) }
      }
    } catch {
      return ["the catalogue was not read: \(error)"]
    }
  }

  /// - Throws: `CatalogueError`.
  private func faults(ofReadingInChunks whole: Reading, _ count: Int) throws -> [String] {
    try [count % 97 + 1, count / 3 + 1].flatMap { size in
      try faults(ofReadingInChunks: whole, size: size, jobs: 2 + count % 3)
    }
  }

  /// - Throws: `CatalogueError`.
  private func faults(
    ofReadingInChunks whole: Reading, size: Int, jobs: Int
  ) throws -> [String] {
    var reader = Self.reader()
    reader.jobs = jobs
    reader.chunks = (size: size, least: 0)
    let parts = try reader.reading(of: file.path)
    if parts == whole { return [] }
    return [
      "in chunks of \(size) bytes by \(jobs) threads it differs: \(parts.difference(from: whole))"
    ]
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
      let reading = try Self.reader().reading(of: file.path)
      if try CatalogueReader().open(file.path).isPacked { return try more(reading) }
      let codes = Set(reading.diagnostics.map(\.code))
      let isPlain = codes.isDisjoint(with: [.notACatalogue, .errorAnswer, .unknownBorrower])
      return try reading.faults(inDocumentOf: bytes.count)
        + (isPlain ? reading.faults(comparedToLibXML2: Tree.canBeMade(of: bytes)) : [])
        + (PlainText(bytes).map(reading.misplacements) ?? []) + more(reading)
    } catch {
      return ["the catalogue was not read: \(error)"]
    }
  }

  /// Reads the bytes up to the end of a profile as that, and those after it as a catalogue of its
  /// form.
  ///
  /// - Returns: one sentence for each property that does not hold; none if there is no profile.
  public func faults(ofReadingByProfile bytes: [UInt8]) -> [String] {
    guard let end = bytes.firstRange(of: Array("</profile>".utf8))?.upperBound else { return [] }
    let head = Array(bytes[..<end])
    let document = Array(bytes[end...])
    do {
      let reader = Self.reader(profile: try CatalogueProfile(reading: head))
      file.fill(with: document)
      let reading = try reader.reading(of: file.path)
      let again = try reader.reading(of: file.path)
      return reading.faults(inDocumentOf: document.count)
        + (reading == again ? [] : ["a second reading differs: \(reading) and \(again)"])
    } catch let error as CatalogueProfile.Fault {
      let lines = head.count { $0 == UInt8(ascii: "\n") } + 1
      return (1...lines).contains(error.location.line) && !error.message.isEmpty
        ? [] : ["what is wrong with the profile is not said: \(error)"]
    } catch let error as CatalogueError where error.code == .profileFailed {
      return []
    } catch {
      return ["the catalogue was not read: \(error)"]
    }
  }

  /// A reader with every rule switched on, also those that need an option.
  private static func reader(profile: CatalogueProfile? = nil) -> CatalogueReader {
    var rules = CatalogueRules.all
    rules.requiresExpiration = true
    rules.expiration = { ExpirationRule.judge($0, today: .first, atMost: 740_000) }
    return CatalogueReader(profile: profile, rules: rules)
  }

  /// - Throws: `CatalogueError`.
  private func faults(ofFixing bytes: [UInt8]) throws -> [String] {
    var reader = Self.reader()
    reader.locatesFixes = true
    guard let fixed = Fixed(bytes, try reader.reading(of: file.path)) else { return [] }
    file.fill(with: fixed.bytes)
    return try fixed.faults(inReading: reader.reading(of: file.path))
  }
}
