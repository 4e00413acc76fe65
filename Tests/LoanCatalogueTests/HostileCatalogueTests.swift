import CatalogueProperties
import LoanCatalogue
import Loans
import TestSupport
import Testing

private let expiration = "<expiration>2026.12.01</expiration>"

/// Repeats a text, quickly even where it is long.
private func times(_ count: Int, _ text: String) -> String { String(repeating: text, count: count) }

struct DeclaredTextTests {
  private func expectRefusal(
    _ declarations: String, _ content: String, of name: String
  ) throws {
    let reading = try CatalogueReader().reading(
      ofText: "<!DOCTYPE books [\n\(declarations)]><books><book>\(content)</book></books>")
    #expect(reading.findings == ["2:1 declared-text"])
    #expect(reading.diagnostics.first?.value == name)
    #expect(!reading.summary.isComplete)
    #expect(reading.records == [])
  }

  @Test(.timeLimit(.minutes(1)))
  func `Entities of entities of entities are refused before they are used`() throws {
    let laughs = (1...9).map { "<!ENTITY l\($0) \"\(times(10, "&l\($0 - 1);"))\">" }
    try expectRefusal("<!ENTITY l0 \"lol\">\(laughs.joined())", "<title>&l9;</title>", of: "l0")
  }

  @Test(arguments: [
    "<!ENTITY p \"Móra\">", "<!ENTITY p \"&p;\">", "<!ENTITY p ''>", "<!ENTITY % p 'x'>%p;",
  ])
  func `So is any other entity, used or not`(declaration: String) throws {
    try expectRefusal(declaration, "<title>T</title>\(expiration)", of: "p")
  }

  @Test(arguments: ["CDATA 'v'", "CDATA #FIXED 'v'", "(a|b) 'a'"])
  func `So is a value of an attribute`(type: String) throws {
    try expectRefusal(
      "<!ATTLIST book p \(type)>", "<title>T</title>\(expiration)", of: "p")
  }

  @Test func `A document type without either is none of our business`() throws {
    let reading = try CatalogueReader().reading(
      ofText: """
        <!DOCTYPE books [<!ELEMENT books (book*)><!ATTLIST book id ID #REQUIRED><!NOTATION n PUBLIC "n">]>
        <books><book id="a"><title>&lt;T&#62;</title>\(expiration)</book></books>
        """)
    #expect(reading.diagnostics == [])
    #expect(reading.titles == ["<T>"])
  }
}

struct LimitTests {
  @Test func `Of a kind of slip a thousand are listed in one book, and of another as many`() throws
  {
    let reading = try reading("<title>T</title>\(times(1_100, "<Isbn/>"))<x><expiration/></x>")
    let counts = Dictionary(grouping: reading.diagnostics, by: \.code).mapValues(\.count)
    #expect(counts == [.unknownCase: 1_001, .misplacedExpiration: 1])
    #expect(reading.diagnostics.contains { $0.message.contains("which are not listed") })
    #expect(reading.records.count == 1)
  }

  private func reading(_ fields: String, attributes: String = "") throws -> Reading {
    try CatalogueReader().reading(
      ofText: "<books><book\(attributes)>\(fields)\(expiration)</book></books>")
  }

  private func expectRefusal(_ reading: Reading) {
    #expect(reading.diagnostics.map(\.code) == [.malformedXML])
    #expect(reading.records == [])
    #expect(!reading.summary.isComplete)
  }

  @Test(.timeLimit(.minutes(10)), arguments: [300, 100_000])
  func `Elements nested too deep are refused`(depth: Int) throws {
    try expectRefusal(reading("<title>T</title>\(times(depth, "<x>"))\(times(depth, "</x>"))"))
    try expectRefusal(reading("<title>T</title>\(times(depth, "<x>"))"))
  }

  @Test func `Elements nested reasonably are not`() throws {
    let reading = try reading("<title>T</title>\(times(200, "<x>"))\(times(200, "</x>"))")
    #expect(reading.diagnostics == [])
    #expect(reading.titles == ["T"])
  }

  @Test(arguments: ["title", "author", "borrower"])
  func `A field of 9 MB is taken`(name: String) throws {
    let text = times(9_000_000, "x")
    let reading = try reading("<title>T</title><\(name)>\(text)</\(name)>")
    #expect(reading.diagnostics == [])
    #expect(reading.summary.loans == 1)
    let loan = reading.records.first?.loan
    let long = [loan?.title, loan?.author, loan?.borrower].compactMap { $0 }.map(\.utf8.count)
    #expect(long.max() == (name == "title" ? 1 : 9_000_000))
  }

  @Test(arguments: ["title", "borrower", "expiration"])
  func `A field of 11 MB is refused`(name: String) throws {
    try expectRefusal(reading("<\(name)>\(times(11_000_000, "x"))</\(name)>"))
  }

  @Test(.timeLimit(.minutes(10)), arguments: ["", "p:"])
  func `A million different names are refused, and a thousand are not`(prefix: String) throws {
    let book = "<book><title>A</title><expiration>2026.12.01</expiration></book>"
    func reading(_ count: Int) throws -> Reading {
      let elements = (0..<count).map { "<\(prefix)z\($0)/>" }.joined()
      return try CatalogueReader().reading(
        ofText: "<books xmlns:p='urn:p'>\(elements)\(book)</books>")
    }
    #expect(try reading(1_000).diagnostics == [])
    #expect(try reading(1_000_000).diagnostics.map(\.code) == [.malformedXML])
  }

  @Test func `A text of 11 MB that nobody wants is passed over`() throws {
    let long = times(11_000_000, "x")
    let reading = try reading("<title>T</title><summary>\(long)</summary>\(long)")
    #expect(reading.diagnostics == [])
    #expect(reading.titles == ["T"])
  }

  @Test(arguments: ["id", "note"])
  func `An attribute of 11 MB is refused`(name: String) throws {
    try expectRefusal(
      reading("<title>T</title>", attributes: " \(name)='\(times(11_000_000, "x"))'"))
  }

  @Test(.timeLimit(.minutes(10)))
  func `A tag of many attributes is read or refused`() throws {
    let attributes = (0..<30_000).map { " a\($0)='x'" }.joined()
    let reading = try reading("<title>T</title>", attributes: "\(attributes) id='b'")
    let isRead = reading.diagnostics == [] && reading.records.first?.loan?.id == "b"
    #expect(isRead || reading.diagnostics.map(\.code) == [.malformedXML])
  }

  @Test func `A name of 11 MB is refused`() throws {
    try expectRefusal(reading("<\(times(11_000_000, "x"))/>"))
  }

  @Test(arguments: [
    "<!--X-->", "<?x X?>", "<![CDATA[X]]>", "<summary><![CDATA[X]]></summary>",
  ])
  func `Anything else of 11 MB is read or refused`(text: String) throws {
    let text = text.replacing("X", with: times(11_000_000, "x"))
    let reading = try reading("<title>T</title>\(text)")
    #expect(reading.diagnostics == [] || reading.diagnostics.map(\.code) == [.malformedXML])
    #expect(reading.summary.isComplete == (reading.titles == ["T"]))
  }

  @Test func `A long id and a long date are quoted in short`() throws {
    let long = times(1_000_000, "9")
    let reading = try CatalogueReader().reading(
      ofText: """
        <books><book id="\(long)"><title>T</title><expiration>\(long)</expiration></book>
        <book id="\(long)"><title>T</title></book></books>
        """)
    #expect(reading.diagnostics.map(\.code) == [.dateFormat, .duplicateID])
    #expect(reading.diagnostics.allSatisfy { $0.message.count < 200 })
  }
}

struct ExternalTextTests {
  private static let canary = "quetzalcoatlus"
  private let folder: ScratchFolder

  init() throws {
    folder = try ScratchFolder()
    try folder.write(Self.canary, to: "canary.txt")
    try folder.write("<!ENTITY c '\(Self.canary)'>", to: "canary.dtd")
    try folder.write("<book><title>\(Self.canary)</title>\(expiration)</book>", to: "canary.xml")
  }

  private func reading(_ prolog: String, _ content: String) throws -> Reading {
    let text = """
      \(prolog)
      <books xmlns:xi="http://www.w3.org/2001/XInclude"><book id="a"><title>T</title>\(expiration)\
      </book>\(content)</books>
      """
    let reading = try CatalogueReader().reading(
      ofText: text.replacing("FOLDER", with: folder.path), in: folder)
    #expect(!"\(reading)".contains(Self.canary))
    #expect(reading.records.first?.loan?.title == "T" || reading.records == [])
    return reading
  }

  @Test(arguments: [
    "<!ENTITY c SYSTEM 'FOLDER/canary.txt'>", "<!ENTITY c SYSTEM 'file://FOLDER/canary.txt'>",
    "<!ENTITY c SYSTEM 'canary.txt'>", "<!ENTITY c PUBLIC 'canary' 'FOLDER/canary.txt'>",
    "<!ENTITY d SYSTEM 'FOLDER/canary.txt'><!ENTITY c '&d;'>",
    "<!ENTITY % p '&#37; <!ENTITY c SYSTEM \"FOLDER/canary.txt\">'><!ENTITY c SYSTEM 'FOLDER/canary.txt'>",
  ])
  func `A text in another file is refused where it is declared, and never read`(
    declarations: String
  ) throws {
    for content in [
      "<book><title>&c;</title>\(expiration)</book>",
      "<book><title/><expiration>&c;</expiration></book>",
      "<book><title/><x>&c;</x></book>", "&c;",
    ] {
      let reading = try reading("<!DOCTYPE books [\(declarations)]>", content)
      let codes: [Diagnostic.Code?] = [.externalEntity, .declaredText]
      #expect(codes.contains(reading.diagnostics.last?.code))
      #expect(!reading.summary.isComplete)
      #expect(reading.records == [])
    }
  }

  @Test(arguments: ["id", "note"])
  func `A text in another file is no attribute either`(name: String) throws {
    let reading = try reading(
      "<!DOCTYPE books [<!ENTITY c SYSTEM 'FOLDER/canary.txt'>]>",
      "<book \(name)='&c;'><title/>\(expiration)</book>")
    #expect(!reading.summary.isComplete)
    #expect(reading.records == [])
  }

  @Test(arguments: [
    "<!ENTITY % p SYSTEM 'FOLDER/canary.dtd'>%p;",
    "<!ENTITY % p PUBLIC 'canary' 'file://FOLDER/canary.dtd'>%p;",
    "<!ENTITY % q SYSTEM 'FOLDER/canary.dtd'><!ENTITY % p '&#37;q;'>%p;",
  ])
  func `Declarations in another file are refused, and never read`(declarations: String) throws {
    let reading = try reading(
      "<!DOCTYPE books [\(declarations)]>", "<book><title>&c;</title>\(expiration)</book>")
    #expect(reading.diagnostics.map(\.code) == [.externalEntity])
    #expect(!reading.summary.isComplete)
    #expect(reading.records == [])
  }

  @Test(arguments: [
    "<!DOCTYPE books SYSTEM 'FOLDER/canary.dtd'>",
    "<!DOCTYPE books PUBLIC 'canary' 'file://FOLDER/canary.dtd' []>",
  ])
  func `The document type is not looked up, and what it would define is an error`(
    prolog: String
  ) throws {
    let plain = try reading(prolog, "")
    #expect(plain.diagnostics == [])
    #expect(plain.titles == ["T"])
    let used = try reading(prolog, "<book><title>&c;</title>\(expiration)</book>")
    #expect(used.diagnostics.last?.code == .externalEntity)
    #expect(!used.summary.isComplete)
  }

  @Test func `Inclusions and style sheets are not looked up`() throws {
    let reading = try reading(
      "<?xml-stylesheet href='FOLDER/canary.txt' type='text/xsl'?>",
      """
      <xi:include href="FOLDER/canary.xml"/><book><title><xi:include href="FOLDER/canary.txt"\
       parse="text"/>U</title>\(expiration)</book>
      """)
    #expect(reading.diagnostics == [])
    #expect(reading.titles == ["T", "U"])
  }
}

/// Books and files that are longer than anybody's, within what is accepted.
struct LongCatalogueTests {
  /// Reads a text in batches, on one thread.
  private func reading(_ text: String) throws -> Reading {
    let folder = try ScratchFolder()
    try folder.write(text, to: "books.xml")
    var reader = CatalogueReader()
    reader.chunks.least = 0
    return try reader.reading(of: "\(folder.path)/books.xml")
  }

  @Test func `A long book with many slips is read`() throws {
    let title = times(1_100_000, "x")
    let reading = try reading(
      // Whatever declares a document type is read as a whole.
      "<!DOCTYPE books><books><book><title>\(title)</title>\(times(40, "<Isbn/>"))"
        + "<author>A</author>\(expiration)</book><book><title>T</title>\(expiration)</book></books>"
    )
    #expect(reading.diagnostics.count == 40)
    #expect(reading.titles == [title, "T"])
    #expect(reading.records.first?.loan?.author == "A")
  }

  @Test func `A long id is not copied into each finding`() throws {
    let reading = try reading(
      "<books><book id='\(times(9_000, "ő"))'><title>T</title>\(times(3, "<Isbn/>"))</book></books>"
    )
    #expect(reading.diagnostics.compactMap(\.loan) == Array(repeating: times(2_048, "ő"), count: 3))
  }

  @Test(.timeLimit(.minutes(5)), arguments: [1, 2])
  func `A file with a hole is refused where that begins`(jobs: Int) throws {
    let folder = try ScratchFolder()
    try folder.write(
      "<books>\n\(times(30_000, "<book><title>T</title></book>\n"))", to: "books.xml")
    try folder.setSize(of: "books.xml", 1 << 40)
    var reader = CatalogueReader()
    reader.jobs = jobs
    let reading = try reader.reading(of: "\(folder.path)/books.xml")
    #expect(reading.findings == ["30002:1 malformed-xml"])
    #expect(reading.records.count == 30_000)
  }

  @Test(arguments: [("<!--", "-->"), ("<title><![CDATA[", "]]></title>"), ("<book id='", "'/>")])
  func `What passes libxml2's limit is refused, and not called open`(
    start: String, end: String
  ) throws {
    let reading = try reading("<books>\(start)\(times(10_500_000, "x"))\(end)</books>")
    #expect(reading.diagnostics.last?.code == .malformedXML)
    #expect(reading.diagnostics.last?.message.contains("closed") == false)
  }

  @Test func `Two problems far along one line are two`() throws {
    let comment = "<!--\(times(9_000_000, "x"))-->"
    let item = "<item><item_data><due_date>28/11/26x</due_date></item_data></item>"
    let reading = try reading("<items>\(item)\(comment)\(comment)\(item)\(item)</items>")
    let bad = reading.diagnostics.filter { $0.code == .dateFormat }
    #expect(bad.map(\.location.column) == [25, 18_000_105, 18_000_171])
  }

  @Test func `An attribute's value is only looked at where its name is one of an expiration`()
    throws
  {
    func time(_ book: String) throws -> Duration {
      let text = "<books>\(times(2_000, book))</books>"
      var records = 0
      let time = try ContinuousClock().measure { records = try reading(text).summary.records }
      #expect(records == 2_000)
      return time
    }
    let attributes = (0..<40).map { " lang\($0)='1 Dec 2026'" }.joined()
    let elements = (0..<40).map { "<lang\($0)>1 Dec 2026</lang\($0)>" }.joined()
    let plain = try time("<book><title>T</title>\(elements)</book>")
    #expect(try time("<book\(attributes)><title>T</title></book>") < plain * 4)
  }
}

struct EncodingTests {
  private func reading(_ encoding: String, _ text: String = "T") throws -> Reading {
    try CatalogueReader().reading(
      ofText: """
        <?xml version="1.0" encoding="\(encoding)"?>
        <books><book><title>\(text)</title>\(expiration)</book></books>
        """)
  }

  @Test(arguments: [
    "UTF-7", "utf-7", "Utf-7", "UTF7", "utf7", "UNICODE-1-1-UTF-7", "csUnicode11UTF7",
    "x-library-8", "UTF-9", "EBCDIC-NOWHERE", "UTF-8-MAC-NOWHERE",
  ])
  func `An encoding that is unknown or can hide markup is refused`(encoding: String) throws {
    let reading = try reading(encoding, "+ADw-/title+AD4-")
    #expect(reading.findings == ["1:1 unsupported-encoding"])
    #expect(
      reading.diagnostics.first?.message
        == "the encoding \"\(encoding)\" is not supported; save the catalogue as UTF-8")
    #expect(reading.diagnostics.first?.value == encoding)
    #expect(reading.records == [])
    #expect(!reading.summary.isComplete)
  }

  @Test(arguments: ["UTF-8", "utf-8", "US-ASCII", "ISO-8859-1", "windows-1252", "KOI8-R"])
  func `A common encoding is taken`(encoding: String) throws {
    #expect(try reading(encoding).titles == ["T"])
    #expect(try reading(encoding).diagnostics == [])
  }

  @Test(arguments: [
    [0xFF], [0xC0, 0xBC], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xE9], [0],
  ])
  func `Bytes that are no UTF-8 are malformed where they are`(bytes: [UInt8]) throws {
    let start = Array("<books>\n<book><title>é".utf8)
    let end = Array("l</title>\(expiration)</book></books>".utf8)
    let reading = try CatalogueReader().reading(ofBytes: start + bytes + end, in: ScratchFolder())
    #expect(reading.findings == ["2:15 malformed-xml"])
    #expect(reading.records == [])
  }
}

/// A program may have parsers of its own beside this library's.
struct OtherParserTests {
  @Test func `An entity that another parser wants is refused without a look at what it carries`()
    throws
  {
    _ = try CatalogueReader().reading(ofText: "<books/>")
    #expect(OtherParser.read("<!DOCTYPE a [<!ENTITY x 'y'>]><a>&x;</a>"))
    // Whether that is a fault depends on libxml2's version.
    _ = OtherParser.read("<!DOCTYPE a [<!ENTITY x SYSTEM 'file:///dev/null'>]><a>&x;</a>")
  }
}
