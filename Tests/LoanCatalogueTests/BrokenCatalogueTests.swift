import CatalogueProperties
import LoanCatalogue
import Loans
import TestSupport
import Testing

private let small = """
  <?xml version="1.0" encoding="UTF-8"?>
  <!DOCTYPE books>
  <books><!-- ő --><?x y?>
    <book id="a"><title>A&amp;B</title><expiration>2026.12.01</expiration></book>
    <book id='b'><title><![CDATA[C]]></title><author/><expiration>&#50;026.12.02</expiration></book>
    <Book/>
  </books>
  """

struct TruncatedCatalogueTests {
  @Test func `A catalogue cut off anywhere is malformed, and what came before is handed over`()
    throws
  {
    let folder = try ScratchFolder()
    let bytes = Array(small.utf8)
    let whole = try CatalogueReader().reading(ofBytes: bytes, in: folder)
    #expect(whole.findings == ["6:3 missing-title"])
    for count in 0..<bytes.count {
      let reading = try CatalogueReader().reading(ofBytes: Array(bytes.prefix(count)), in: folder)
      let text = String(decoding: bytes.prefix(count), as: UTF8.self)
      let complete = text.ranges(of: "</book>").count + text.ranges(of: "<Book/>").count
      guard reading.diagnostics.last?.code == .malformedXML, !reading.summary.isComplete,
        reading.summary.errors == 1,
        reading.records == Array(whole.records.prefix(complete))
      else {
        Issue.record("\(count) bytes: \(reading.findings), \(reading.records.count) records")
        continue
      }
    }
  }

  @Test(arguments: [true, false])
  func `So is one in UTF-16`(isBigEndian: Bool) throws {
    let folder = try ScratchFolder()
    let bytes = utf16(small.replacing("UTF-8", with: "UTF-16"), isBigEndian: isBigEndian)
    let whole = try CatalogueReader().reading(ofBytes: bytes, in: folder)
    #expect(whole.findings == ["6:3 missing-title"])
    for count in 0..<bytes.count {
      let reading = try CatalogueReader().reading(ofBytes: Array(bytes.prefix(count)), in: folder)
      guard reading.diagnostics.last?.code == .malformedXML, !reading.summary.isComplete,
        reading.records == Array(whole.records.prefix(reading.records.count))
      else {
        Issue.record("\(count) bytes: \(reading.findings), \(reading.records.count) records")
        continue
      }
    }
  }
}

/// A byte-order mark and the text in UTF-16.
private func utf16(_ text: String, isBigEndian: Bool) -> [UInt8] {
  "\u{FEFF}\(text)".utf16.flatMap { unit in
    let (high, low) = (UInt8(unit >> 8), UInt8(unit & 0xFF))
    return isBigEndian ? [high, low] : [low, high]
  }
}

/// A document and some of the lengths that it is cut off at.
private struct Cuts: CustomTestStringConvertible {
  var name: String
  var bytes: [UInt8]
  var lengths: [Int]

  var testDescription: String { name }

  /// All fixtures, cut off everywhere.
  ///
  /// A large one is cut off near both of its ends and at a hundred places between. What two of them
  /// have in common at the beginning is read once.
  static let ofFixtures: [Cuts] = {
    let fixtures =
      (Fixture.valid + Fixture.invalid).map { ($0.name, $0.path) }
      + SystemDocument.all.map { ($0.name, $0.path) }
    let documents = fixtures.map { ($0.0, Files.bytes(of: $0.1) ?? []) }
      .sorted { $0.1.lexicographicallyPrecedes($1.1) }
    var before: [UInt8] = []
    return documents.map { name, bytes in
      defer { before = bytes }
      let shared = zip(before, bytes).prefix { $0 == $1 }.count
      return Cuts(
        name: name, bytes: bytes, lengths: lengths(of: bytes.count).filter { $0 >= shared })
    }
  }()

  private static func lengths(of count: Int) -> [Int] {
    guard count > 2_000 else { return Array(0..<count) }
    let between = stride(from: 200, to: count - 200, by: (count - 400) / 100)
    return Array(0..<200) + Array(between) + Array(count - 200..<count)
  }
}

struct TruncatedFixtureTests {
  @Test(arguments: Cuts.ofFixtures)
  private func `A fixture cut off anywhere is read as far as it goes`(cuts: Cuts) {
    let properties = ReadingProperties()
    for length in cuts.lengths {
      for fault in properties.faults(ofReadingOnce: Array(cuts.bytes.prefix(length))) {
        Issue.record("\(length) bytes: \(fault)")
      }
    }
  }

  @Test func `No fixture is left out`() {
    #expect(Cuts.ofFixtures.map(\.lengths.count).reduce(0, +) > 50_000)
  }
}

struct ChangedCatalogueTests {
  /// Something of everything, in few bytes.
  private static let tiny = """
    <?xml version="1.0"?><!DOCTYPE books[<!ENTITY e "é">]>
    <books><!--ő--><book id="a"><title>&e;<![CDATA[C]]></title><expiration>&#50;026.02.30<?x?>\
    </expiration></book></books>
    """

  private func expectSense(
    _ bytes: [UInt8], _ properties: borrowing ReadingProperties, _ change: String
  ) {
    for fault in properties.faults(ofReadingOnce: bytes) { Issue.record("\(change): \(fault)") }
  }

  /// Puts every byte in the place of each byte of a tenth of the document.
  private func changeEveryByte(of bytes: [UInt8], tenth: Int) {
    let properties = ReadingProperties()
    for index in stride(from: tenth, to: bytes.count, by: 10) {
      var bytes = bytes
      for byte in 0...UInt8.max {
        bytes[index] = byte
        expectSense(bytes, properties, "byte \(byte) at \(index)")
      }
    }
  }

  @Test(arguments: Effort.seeds(0..<10))
  func `Any byte in the place of any other gives a result`(tenth: Int) {
    changeEveryByte(of: Array(Self.tiny.utf8), tenth: tenth)
  }

  @Test(arguments: Effort.seeds(0..<10))
  func `Any byte in the place of any other of UTF-16 gives a result`(tenth: Int) {
    let text = "<books><book id='ő'><title/><expiration>2026.02.30</expiration></book></books>"
    changeEveryByte(of: utf16(text, isBigEndian: true), tenth: tenth)
  }

  private static let bytes = Array(small.utf8)

  @Test func `Any byte more or less gives a result`() {
    let properties = ReadingProperties()
    for index in Self.bytes.indices {
      var bytes = Self.bytes
      bytes.insert(bytes[index], at: index)
      expectSense(bytes, properties, "double \(index)")
      bytes.removeSubrange(index...index + 1)
      expectSense(bytes, properties, "without \(index)")
    }
  }

  @Test func `A zero byte is malformed wherever it is`() throws {
    let folder = try ScratchFolder()
    for index in Self.bytes.indices {
      var bytes = Self.bytes
      bytes.insert(0, at: index)
      let reading = try CatalogueReader().reading(ofBytes: bytes, in: folder)
      if reading.diagnostics.last?.code != .malformedXML || reading.summary.isComplete {
        Issue.record("a zero byte at \(index): \(reading.findings)")
      }
    }
  }
}
