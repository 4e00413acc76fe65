import CatalogueProperties
import LoanCatalogue
import Loans
import TestSupport
import Testing

/// Catalogues that come in a gzip file or a ZIP archive.
struct PackedCatalogueTests {
  private static let fixtures = ["valid", "invalid"].flatMap { directory in
    Files.names(in: Fixture.directory(directory)).filter { $0.hasSuffix(".xml") }.sorted()
      .map { "\(Fixture.directory(directory))/\($0)" }
  }
  private static let catalogue = Array(
    """
    <books>
      <book id="1"><title>Abigél</title><expiration>2026.11.22</expiration></book>
      <book id="2"><title>Az ajtó</title><expiration>2026-11-23</expiration></book>
      <book id="3"><title>Katalin utca</title><expiration>2026.11.24</expiration></book>
    </books>

    """.utf8)
  private static let packed = gzip(catalogue)
  private static let archive = zip(("images/", []), ("tellico.xml", catalogue))

  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  private func read(_ bytes: [UInt8]) throws -> Reading {
    try CatalogueReader().reading(ofBytes: bytes, in: folder)
  }

  private func expectRefused(
    _ bytes: [UInt8], _ message: String, at place: Loans.SourceLocation = .init(line: 1, column: 1)
  ) throws {
    let reading = try read(bytes)
    #expect(reading.diagnostics.last?.code == .notACatalogue)
    #expect(reading.diagnostics.last?.message == message)
    #expect(reading.diagnostics.last?.location == place)
    #expect(!reading.summary.isComplete)
  }

  @Test(arguments: fixtures)
  func `What is found in a document is found where it is, also when it is packed`(
    path: String
  ) throws {
    let bytes = try File.bytes(of: path)
    let plain = try read(bytes)
    for packed in [gzip(bytes), zip(("a.xml", bytes)), zip(("a.xml", bytes), isPacked: false)] {
      let reading = try read(packed)
      #expect(reading == plain)
    }
  }

  @Test func `Files that were packed one by one and joined are one document`() throws {
    let plain = try read(Self.catalogue)
    for cut in Self.catalogue.indices {
      let joined = gzip(Array(Self.catalogue[..<cut])) + gzip(Array(Self.catalogue[cut...]))
      #expect(try read(joined) == plain, "\(cut)")
    }
  }

  @Test func `Zeros after a gzip file are nothing, anything else is an error`() throws {
    let plain = try read(Self.catalogue)
    let zeros = [UInt8](repeating: 0, count: 100_000)
    #expect(try read(Self.packed + zeros) == plain)
    let words = "this gzip file has something after its end; compress the catalogue again"
    let end = Loans.SourceLocation(line: 5, column: 9)
    for rest in [[1], Array("<books/>".utf8), zeros + [1], zeros + Self.packed] {
      try expectRefused(Self.packed + rest, words, at: end)
    }
    try expectRefused(
      Self.packed + [0x1F, 0], "this gzip file is damaged; fetch it again", at: end)
  }

  @Test(arguments: [packed, gzip(catalogue) + gzip(Array("\n".utf8)), archive])
  func `What is cut off anywhere is never taken for the whole`(packed: [UInt8]) throws {
    for count in 0..<packed.count {
      // The first of two files that were joined is one by itself.
      if count == Self.packed.count && packed.starts(with: Self.packed) { continue }
      let reading = try read(Array(packed[..<count]))
      #expect(!reading.summary.isComplete, "\(count)")
      #expect(reading.summary.errors > 0, "\(count)")
    }
  }

  @Test(arguments: [packed, archive, zip(("a.xml", catalogue), isPacked: false)])
  func `What is damaged anywhere is never taken for something else`(packed: [UInt8]) throws {
    let plain = try read(Self.catalogue)
    for index in packed.indices {
      for bits: UInt8 in [0x01, 0x55, 0x80] {
        var damaged = packed
        damaged[index] ^= bits
        let reading = try read(damaged)
        #expect(!reading.summary.isComplete || reading == plain, "\(index) \(bits)")
      }
    }
  }

  @Test func `What is read before the break is handed over, and the break has a place`() throws {
    let books = (1...2_000).map { "<book><title>\($0 * $0 % 8_191)</title><x/></book>\n" }
    let packed = gzip(Array("<books>\n\(books.joined())</books>".utf8))
    let reading = try read(Array(packed[..<(packed.count / 2)]))
    #expect((500...1_500).contains(reading.records.count))
    let last = try #require(reading.diagnostics.last)
    #expect(last.message == "this gzip file is cut off; fetch it again")
    #expect(reading.records.count...reading.records.count + 2 ~= last.location.line - 1)
  }

  @Test func `Damage that makes a document malformed is told as damage`() throws {
    var damaged = zip(("a.xml", Self.catalogue), isPacked: false)
    let index = try #require(damaged.firstIndex(of: UInt8(ascii: "<")))
    damaged[index + 1] ^= 0x20
    try expectRefused(
      damaged, "this ZIP archive is cut off or damaged; fetch it again",
      at: Loans.SourceLocation(line: 5, column: 1))
  }

  @Test func `Of an archive Tellico's document is read, or the only one, or the only file`()
    throws
  {
    let plain = try read(Self.catalogue)
    let other = Array("<other/>".utf8)
    #expect(try read(zip(("a.xml", other), ("tellico.xml", Self.catalogue))) == plain)
    #expect(try read(zip(("x/", []), ("x/A.XML", Self.catalogue), ("README", other))) == plain)
    #expect(try read(zip(("books", Self.catalogue))) == plain)
  }

  @Test func `An archive that cannot be read is told as what it is, with no name in it`() throws {
    let (a, b) = (("a.xml", Self.catalogue), ("b.xml", Self.catalogue))
    let none = "there is no XML document in this ZIP archive; unzip -l lists what is in it"
    try expectRefused(zip(), none)
    try expectRefused(zip(("a", []), ("b", [])), none)
    try expectRefused(
      zip(a, b),
      "there are 2 XML documents in this ZIP archive; unpack it and give those that list loans")
    for mark in ["[Content_Types].xml", "mimetype"] {
      try expectRefused(
        zip((mark, []), a),
        "this is an Office or OpenDocument file or an e-book, not XML; export the loans as XML")
    }
    try expectRefused(
      zip(a, flags: 1), "this ZIP archive is encrypted; unpack it first with its password")
    var other = zip(a)
    let list = try #require(other.firstRange(of: Array("PK\u{1}\u{2}".utf8)))
    other[list.lowerBound + 10] = 14
    try expectRefused(
      other, "this ZIP archive is of a kind that cannot be read directly; unpack it first")
  }

  @Test func `What is packed twice is told`() throws {
    try expectRefused(
      gzip(Self.packed), "this is packed twice: inside it is a gzip file; unpack it first")
    try expectRefused(
      gzip(Self.archive), "this is packed twice: inside it is a ZIP archive; unpack it first")
  }

  @Test func `A bomb is defused`() throws {
    let words = "to more than 200 times its size; if that is right, unpack it first"
    let spaces = [UInt8](repeating: 0x20, count: 100 << 20)
    let bomb = Array("<books>".utf8) + spaces + Array("</books>".utf8)
    let packed = gzip(bomb)
    for packed in [packed, zip(("a.xml", bomb))] {
      let reading = try read(packed)
      #expect(reading.diagnostics.map(\.code) == [.notACatalogue])
      #expect(reading.diagnostics[0].message.hasSuffix(words))
      #expect((64 << 20...65 << 20).contains(reading.diagnostics[0].location.column))
    }
  }

  @Test func `A long document is read as it comes, by however many threads`() throws {
    let books = (1...60_000).map { number in
      let date = number % 1_000 == 7 ? "2026-12-01" : "2026.12.01"
      let title = "<title>A book of many</title>"
      return "<book id='\(number)'>\(title)<expiration>\(date)</expiration></book>"
    }
    let text = "<books>\n\(books.joined(separator: "\n"))\n</books>"
    let plain = try CatalogueReader().reading(ofText: text, in: folder)
    try folder.write(bytes: gzip(Array(text.utf8)), to: "books.xml")
    for jobs in [1, 4] {
      var reader = CatalogueReader()
      reader.jobs = jobs
      #expect(try reader.reading(of: "\(folder.path)/books.xml") == plain)
    }
  }

  @Test func `No place in a packed file is said to be one where bytes can be replaced`() throws {
    var reader = CatalogueReader()
    reader.locatesFixes = true
    let bytes = try reader.reading(ofBytes: Self.packed, in: folder).diagnostics.map(\.bytes)
    #expect(bytes == [nil])
    #expect(try reader.open("\(folder.path)/books.xml").isPacked)
  }
}
