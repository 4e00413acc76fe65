import CatalogueProperties
import LoanCatalogue
import Loans
import TestSupport
import Testing

/// A catalogue read in chunks, by several threads, says what it says in one piece.
struct SplitReadingTests {
  /// The fixtures that are small enough to be cut into parts of a byte.
  private static let fixtures = (Fixture.valid + Fixture.invalid).map(\.path)
    .filter { Files.bytes(of: $0)?.count ?? 0 < 100_000 }

  @Test(arguments: fixtures)
  func `A fixture says the same in chunks`(path: String) throws {
    let bytes = try #require(Files.bytes(of: path))
    let faults = ReadingProperties().faults(
      ofReadingInChunks: bytes, sizes: [1, 40, 333], jobs: [2, 3])
    #expect(faults == [])
  }

  @Test(arguments: [
    "<books><book id='1'/></books>\0<book id='2'/></books>",
    "<books><book id='1'/><book id='2'/></books><!-- check-loans: ignore\ndate-format -->",
    "<books><book id='1'/><book id='2'/></books>\n<!-- check-loans: ignore date-format"
      + String(repeating: " ", count: 9_000) + "-->",
    "<books><book id='1'/><!-- check-loans: ignore missing-title --><book id='2'/></books>",
    "<books><book id='1'/><x/><book id='2'><books><book id='3'/></books></book></books>",
    "<books><book id='1'/></books><book id='2'/>", "<books><book id='1'/><book",
    "<BOOKS><book id='1'/><book id='2'><title>T</title></book></BOOKS>",
    "<bOoks><book id='1'/><book id='2'><title>T</title></book></bOoks>",
    "<books><book id='1'/>\n<book id='2'></book >\n<book id='1'/></books><!-- <book >-->\n",
    "<books><book>" + String(repeating: "<!-- check-loans: ignore x -->", count: 1_200)
      + "</book>" + String(repeating: "<!-- check-loans: ignore x -->", count: 600)
      + "<book>" + String(repeating: "<!-- check-loans: ignore y -->", count: 500)
      + "</book><book/></books>",
  ])
  func `So does a catalogue that is special`(text: String) {
    let faults = ReadingProperties().faults(
      ofReadingInChunks: Array(text.utf8), sizes: [1, 20], jobs: [2, 3])
    #expect(faults == [])
  }

  @Test(arguments: Effort.seeds(0..<24))
  func `So does a catalogue full of traps`(tenth: Int) {
    let properties = ReadingProperties()
    for seed in tenth * 12..<tenth * 12 + 12 {
      var trap = TrapCatalogue(seed: UInt64(seed))
      let bytes = trap.bytes()
      let jobs = [2, 3 + seed % 14]
      let faults = properties.faults(
        ofReadingInChunks: bytes, sizes: [1, 17 + seed, 400], jobs: jobs)
      for fault in faults {
        Issue.record("\(seed): \(fault)\n\(String(decoding: bytes, as: UTF8.self))")
      }
    }
  }

  @Test(arguments: Effort.seeds(0..<12))
  func `So does one that is broken anywhere`(tenth: Int) {
    let properties = ReadingProperties()
    for seed in tenth * 40..<tenth * 40 + 40 {
      var trap = TrapCatalogue(seed: 1_000_000 + UInt64(seed))
      let bytes = trap.brokenBytes()
      let faults = properties.faults(
        ofReadingInChunks: bytes, sizes: [1, 90 + seed], jobs: [2, 3 + seed % 3])
      for fault in faults {
        Issue.record("\(seed): \(fault)\n\(String(decoding: bytes, as: UTF8.self))")
      }
    }
  }

  @Test(arguments: [(jobs: 1, least: 0), (2, 0), (16, 0), (2, 1 << 40)])
  func `Records stay in order, and what a closure throws ends the reading`(
    jobs: Int, least: Int
  ) throws {
    struct Stop: Error {}
    let folder = try ScratchFolder()
    var text = "<books>\n"
    for number in 0..<5_000 {
      text += "<book id='\(number)'><title>T</title><expiration>2026.12.01</expiration></book>\n"
    }
    try folder.write(text + "</books>", to: "books.xml")
    var reader = CatalogueReader()
    reader.jobs = jobs
    reader.chunks = (size: 2_000, least: least)
    for limit in [1, 30, 4_999, 5_000] {
      var lines: [Int] = []
      #expect(throws: Stop.self) {
        _ = try reader.read("\(folder.path)/books.xml") { _ in
        } onRecord: { record in
          lines.append(record.location.line)
          if lines.count == limit { throw Stop() }
        }
      }
      #expect(lines == Array(2...limit + 1))
    }
  }
}

/// Catalogues in which much looks like what it is not.
private struct TrapCatalogue {
  private var random: Dice

  init(seed: UInt64) { random = Dice(state: seed) }

  private mutating func pick(_ choices: [String]) -> String {
    choices[Int(random.next() % UInt64(choices.count))]
  }

  private mutating func bytes(of text: String) -> [UInt8] { Array(text.utf8) }

  private mutating func value(_ name: String) -> String {
    switch name {
    case "title":
      pick([
        "A", "Ő & ü".replacing("&", with: "&amp;"), "  a  b\n c ", "<![CDATA[<book id='7'>]]>",
        "x<!-- <book> -->y", "&#x151;", "", "<b>z</b>", "]] >", "日本",
      ])
    case "isbn": pick(["9780306406157", "9780306406158", "x", ""])
    case "barcode": pick(["1", "2", "300", "4"]) + pick(["", "", "7"])
    case "email": pick(["a@example.org", "a b", "é@x"])
    case "loaned": pick(["2026.01.02", "2027.01.01", "?"])
    case "expiration":
      pick([
        "2026.12.01", "2026.12.02", " 2026.12.03\n", "2026-12-01", "2026.02.30", "",
        "2026.12.<!-- <book> -->01", "<![CDATA[2026.11.11]]>", "<i>2026.12.01</i>", "9026.01.01",
      ])
    default: pick(["Anna", "Béla & Co".replacing("&", with: "&amp;"), "C"])
    }
  }

  private mutating func record(_ number: Int, _ end: String) -> String {
    let name = pick(["book", "book", "book", "book", "book", "Book", "BOOK"])
    let id = pick([
      " id='\(number)'", " id=\"b\(number)\"", " id='3'", "", "\(end)id = '\(number)'",
    ])
    let other = pick(["", "", " note='a > b'", " id2='<'".replacing("<", with: "&lt;")])
    if random.next() % 20 == 0 { return "<\(name)\(id)\(other)/>" }
    var text = "<\(name)\(id)\(other)>"
    let fields = [
      "title", "author", "isbn", "barcode", "borrower", "email", "loaned", "expiration",
    ]
    for field in fields where random.next() % 4 != 0 {
      text += "\(end)<\(field)>\(value(field))</\(field)>"
      if random.next() % 12 == 0 { text += "<expiration>2026.12.09</expiration>" }
    }
    if random.next() % 10 == 0 {
      text += "<!-- check-loans: ignore missing-title --><series><book id='in'/></series>"
    }
    return text + end + "</\(name)>"
  }

  private mutating func between(_ end: String) -> String {
    pick([
      end, end, end, end, "", "\(end)<!-- <book id='c'><title>T</title></book> -->\(end)",
      "<!-- check-loans: ignore missing-title --><!-- check-loans: ignore date-format -->",
      "<![CDATA[ <book> ]]>", "<?p <book>?>", "stray &amp; text",
      "<expiration>2026.12.01</expiration>",
      "<shelf><book id='s'><title>T</title></book></shelf>", "<!-- check-loans: ignore nothing -->",
      "<!--\(end)<book >\(end)-->", "<Shelf kind='<'/>".replacing("'<'", with: "'&lt;'"),
    ])
  }

  mutating func bytes() -> [UInt8] {
    let end = pick(["\n", "\r\n", "\r", " ", ""])
    let head = pick([
      "", "<?xml version='1.0'?>", "<?xml version='1.0' encoding='UTF-8'?>\(end)", "\u{FEFF}",
      "<!-- <book> -->\(end)<?xml-stylesheet href='a'?>\(end)",
      "<!DOCTYPE books [<!ENTITY e '<book/>'>]>", "\n\n<?p?>\n",
    ])
    let root = pick(["books", "books", "books", "Books", "books xmlns='u'", "l:books xmlns:l='u'"])
    let tag = root.prefix { $0 != " " }
    var text = "\(head)<\(root)\(pick(["", " a='1'", end + "b = '>'"]))>"
    for number in 0..<3 + Int(random.next() % 20) {
      text += between(end) + record(number, end)
    }
    text += between(end) + "</\(tag)>" + pick(["", end, "<!-- <book> -->", "<?p <book>?>\(end)"])
    return bytes(of: tag == "l:books" ? text.replacing("<book", with: "<l:book") : text)
  }

  mutating func brokenBytes() -> [UInt8] {
    var bytes = bytes()
    let place = Int(random.next() % UInt64(bytes.count))
    switch random.next() % 5 {
    case 0: bytes.removeSubrange(place...)
    case 1: bytes.remove(at: place)
    case 2:
      bytes.insert(
        contentsOf: Array(pick(["<", "&", ">", "]]>", "<book>", "</book>"]).utf8), at: place)
    case 3: bytes[place] = UInt8(truncatingIfNeeded: random.next())
    default: bytes.insert(contentsOf: bytes[place...], at: place)
    }
    return bytes
  }
}
