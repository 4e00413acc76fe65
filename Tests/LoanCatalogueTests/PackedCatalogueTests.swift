import CatalogueProperties
import LoanCatalogue
import Loans
import TestSupport
import Testing

/// Catalogues that come in a compressed file or a ZIP archive.
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

  @Test func `What follows a gzip file and is none is nothing`() throws {
    let plain = try read(Self.catalogue)
    let zeros = [UInt8](repeating: 0, count: 100_000)
    for rest in [zeros, [0x1F, 0], zeros + Self.packed] {
      #expect(try read(Self.packed + rest) == plain)
    }
  }

  @Test(arguments: [packed, gzip(catalogue) + gzip(Array("\n".utf8)), archive])
  func `What is cut off anywhere is never taken for the whole`(packed: [UInt8]) throws {
    let list = packed.firstRange(of: Array("PK\u{1}\u{2}".utf8))
    for count in 0..<packed.count {
      // The first of two files that were joined is one by itself, even with a byte of the other; so
      // is all that comes before the list in an archive.
      if (0...1) ~= count - Self.packed.count && packed.starts(with: Self.packed) { continue }
      if let list, count >= list.lowerBound { break }
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
    try expectRefused(damaged, Self.damage, at: Loans.SourceLocation(line: 1, column: 1))
  }

  @Test func `Of an archive Tellico's document is read, or the only one`() throws {
    let plain = try read(Self.catalogue)
    let other = Array("<other/>".utf8)
    #expect(try read(zip(("tellico.xml", Self.catalogue), ("a.xml", other))) == plain)
    for name in ["x/A.XML", "könyvek.xml"] {
      #expect(try read(zip(("x/", []), (name, Self.catalogue), ("README", other))) == plain)
    }
  }

  @Test func `An archive that cannot be read is told as what it is, with no name in it`() throws {
    let (a, b) = (("a.xml", Self.catalogue), ("b.xml", Self.catalogue))
    let none = "there is no XML document in this ZIP archive; unzip -l lists what is in it"
    try expectRefused(zip(), none)
    try expectRefused(zip(("a", []), ("b", [])), none)
    try expectRefused(
      zip(a, b),
      "there are several XML documents in this ZIP archive; unpack it and give those that list loans",
      at: Loans.SourceLocation(line: 5, column: 9))
    for mark in ["[Content_Types].xml", "mimetype"] {
      try expectRefused(
        zip((mark, []), a),
        "this is an Office or OpenDocument file or an e-book, not XML; export the loans as XML")
    }
    try expectRefused(zip(a, flags: 1), Self.damage)
  }

  private static let damage =
    "this ZIP archive is cut off, damaged or encrypted; fetch it again, or unpack it first"

  @Test func `What is packed twice is told, but an archive in a gzip file is read`() throws {
    for packed in [gzip(Self.packed), zip(("a.xml", Self.packed)), zip(("a.xml", Self.archive))] {
      try expectRefused(packed, "this is compressed twice; unpack it first")
    }
    #expect(try read(gzip(Self.archive)) == read(Self.catalogue))
    for count in [Self.archive.count / 2, Self.archive.count] {
      let reading = try read(Array(gzip(Array(Self.archive[..<count])).dropLast(3)))
      #expect(reading.diagnostics.last?.message == "this gzip file is cut off; fetch it again")
    }
  }

  @Test(arguments: ["bzip2", "xz", "zstd"])
  func `So are files of other programs, and none that is cut off`(program: String) async throws {
    try folder.write(bytes: Self.catalogue, to: "a.xml")
    let command = Command(
      "/bin/sh", ["-c", "\(program) < a.xml > a.packed"], environment: ["PATH": "/usr/bin:/bin"],
      directory: folder.path)
    try #require(try await command.run().status == 0)
    let packed = try File.bytes(of: "\(folder.path)/a.packed")
    #expect(try read(packed) == read(Self.catalogue))
    for count in [packed.count / 2, packed.count - 1] {
      #expect(try !read(Array(packed[..<count])).summary.isComplete)
    }
  }

  @Test func `A bomb is defused`() throws {
    let words = "this file expands to more than 64 MiB; if that is right, unpack it first"
    let spaces = [UInt8](repeating: 0x20, count: 100 << 20)
    let bomb = Array("<books>".utf8) + spaces + Array("</books>".utf8)
    let packed = gzip(bomb)
    for packed in [packed, zip(("a.xml", bomb))] {
      let reading = try read(packed)
      #expect(reading.diagnostics.map(\.code) == [.notACatalogue])
      #expect(reading.diagnostics[0].message == words)
      // Some versions of libxml2 have read a little further than they have parsed.
      #expect((63 << 20...65 << 20).contains(reading.diagnostics[0].location.column))
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
