import LoanCatalogue
import Loans
import TestSupport
import Testing

private let small = """
  <?xml version="1.0" encoding="UTF-8"?>
  <!DOCTYPE books [<!ENTITY e "é">]>
  <books><!-- ő --><?x y?>
    <book id="a"><title>A&e;B</title><expiration>2026.12.01</expiration></book>
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

  @Test(arguments: [1, 2])
  func `So is one in UTF-16`(order: Int) throws {
    let folder = try ScratchFolder()
    let text = "\u{FEFF}" + small.replacing("UTF-8", with: "UTF-16")
    let bytes = text.utf16.flatMap { unit in
      let (high, low) = (UInt8(unit >> 8), UInt8(unit & 0xFF))
      return order == 1 ? [high, low] : [low, high]
    }
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

struct ChangedCatalogueTests {
  /// What must be true of every reading, whatever was read.
  private func fault(in reading: Reading, lines: Int) -> String? {
    let summary = reading.summary
    let ending: [Diagnostic.Code] = [.malformedXML, .externalEntity, .unsupportedEncoding]
    let endings = reading.diagnostics.count { ending.contains($0.code) }
    if endings > 1 || (endings == 1) == summary.isComplete { return "completeness" }
    if endings == 1 && !ending.contains(reading.diagnostics[reading.diagnostics.count - 1].code) {
      return "something behind the end"
    }
    if summary.errors + summary.warnings != reading.diagnostics.count { return "counts" }
    if summary.records != reading.records.count { return "records" }
    for diagnostic in reading.diagnostics {
      if diagnostic.message != diagnostic.message.visible { return "harmful message" }
      if !(1...lines + 1).contains(diagnostic.location.line) { return "line" }
      if !(1...200).contains(diagnostic.location.column) { return "column" }
    }
    return nil
  }

  private func expectSense(_ bytes: [UInt8], _ folder: ScratchFolder, _ change: String) throws {
    let reading = try CatalogueReader().reading(ofBytes: bytes, in: folder)
    let lines = bytes.count { $0 == 0x0A } + 1
    guard let fault = fault(in: reading, lines: lines) else { return }
    Issue.record("\(change): \(fault): \(reading.findings)")
  }

  private static let bytes = Array(small.utf8)
  private static let others: [UInt8] =
    Array("\u{0}\u{1B} \n\t\"&'<>/]-!?;:#x0=%[".utf8) + [0x7F, 0x80, 0xC3, 0xED, 0xF4, 0xFE, 0xFF]

  @Test(arguments: others)
  func `Any byte in the place of another gives a result`(byte: UInt8) throws {
    let folder = try ScratchFolder()
    for index in Self.bytes.indices where Self.bytes[index] != byte {
      var bytes = Self.bytes
      bytes[index] = byte
      try expectSense(bytes, folder, "byte \(byte) at \(index)")
    }
  }

  @Test func `Any byte more or less gives a result`() throws {
    let folder = try ScratchFolder()
    for index in Self.bytes.indices {
      var bytes = Self.bytes
      bytes.insert(bytes[index], at: index)
      try expectSense(bytes, folder, "double \(index)")
      bytes.removeSubrange(index...index + 1)
      try expectSense(bytes, folder, "without \(index)")
    }
  }

  @Test func `Any bit changed gives a result`() throws {
    let folder = try ScratchFolder()
    for index in Self.bytes.indices {
      for bit in 0..<8 {
        var bytes = Self.bytes
        bytes[index] ^= 1 << UInt8(bit)
        try expectSense(bytes, folder, "bit \(bit) of \(index)")
      }
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
