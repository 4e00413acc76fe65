import CatalogueProperties
import LoanCatalogue
import Loans
import TestSupport
import Testing

private let expiration = "<expiration>2026.12.01</expiration>"

/// The records of a catalogue of these.
private func records(_ texts: String...) throws -> [Reading.Record] {
  try CatalogueReader().reading(ofText: "<books>\(texts.joined(separator: "\n"))</books>").records
}

private func record(_ text: String) throws -> Reading.Record {
  try #require(try records(text).first)
}

struct IdentityTests {
  private static let fields = [
    "<isbn>1</isbn>", "<title>A B</title>", "<author>C</author>", "<borrower>D</borrower>",
  ]

  @Test(arguments: [
    "<book><borrower>D</borrower><author>C</author>\(expiration)<title>A B</title><isbn>1</isbn></book>",
    "<Book>\n<isbn>\n1</isbn><title> A\n\tB </title><author>C</author><borrower>D</borrower>\(expiration)</Book>",
    "<book><isbn>&#49;</isbn><title><![CDATA[A ]]>B</title><author>C</author><borrower>D</borrower>\(expiration)</book>",
    "<book id=''><isbn>1</isbn><title>A B</title><author>C</author><borrower>D</borrower>\(expiration)<barcode> </barcode></book>",
    "<book><isbn>1</isbn><title>A B</title><author>C</author><borrower>D</borrower><expiration>1999.01.01</expiration></book>",
    "<book><isbn>1</isbn><title>A B</title><author>C</author><borrower>D</borrower><email>e</email>\(expiration)</book>",
  ])
  func `A loan stays itself however it is written, renewed or reached`(text: String) throws {
    let first = try record("<book>\(Self.fields.joined())\(expiration)</book>")
    let other = try record(text)
    #expect(other.identity == first.identity)
  }

  @Test func `An id counts before a barcode, and a barcode before the other fields`() throws {
    let all = Self.fields.joined()
    let id = try record("<book id='a'><title>T</title>\(expiration)</book>")
    let barcode = try record("<book><barcode>a</barcode><title>T</title>\(expiration)</book>")
    let both = try record("<book id='a'><barcode>b</barcode>\(all)\(expiration)</book>")
    let more = try record("<book><barcode>a</barcode>\(all)\(expiration)</book>")
    #expect(both.identity == id.identity)
    #expect(more.identity == barcode.identity)
    #expect(id.identity != barcode.identity)
  }

  @Test func `Every field of an identity makes another loan`() throws {
    var texts = [Self.fields.joined()]
    for index in Self.fields.indices {
      var fields = Self.fields
      fields[index] = fields[index].replacing(">", with: ">x", maxReplacements: 1)
      texts.append(fields.joined())
      fields.remove(at: index)
      texts.append(fields.joined())
    }
    texts += ["<isbn>1A B</isbn><author>C</author><borrower>D</borrower>"]
    texts += ["<isbn>A B</isbn><title>1</title><author>C</author><borrower>D</borrower>"]
    texts += ["", "<barcode>1</barcode>", "<barcode>2</barcode>"]
    let keys = try texts.map { try record("<book>\($0)\(expiration)</book>").identity }
    #expect(Set(keys).count == texts.count)
  }

  @Test func `The keys are stored, and so stay what they are`() throws {
    let id = try record("<book id='bk101'><title>T</title>\(expiration)</book>")
    #expect(id.identity.hash == 0xDCDF_F5F6_A7DE_FD92)
    let fields = try record("<book>\(Self.fields.joined())\(expiration)</book>")
    #expect(fields.identity.hash == 0x0C0A_C44C_0412_628E)
  }

  @Test func `Equal loans are told apart by their order`() throws {
    let text = "<book>\(Self.fields.joined())\(expiration)</book>"
    let alone = try record(text)
    let three = try records(text, "<book><title>Other</title>\(expiration)</book>", text, text)
    #expect(three[0].identity == alone.identity)
    #expect(Set(three.map(\.identity)).count == 4)
    #expect(three[2].identity == LoanIdentity(hash: alone.identity.hash, ordinal: 2))
    #expect(three[3].identity == LoanIdentity(hash: alone.identity.hash, ordinal: 3))
    #expect(try records(text, text).map(\.identity) == [three[0].identity, three[2].identity])
  }

  @Test func `A copy on the shelf does not change the identity of one that is lent`() throws {
    let lent = "<book>\(Self.fields.joined())\(expiration)</book>"
    let onShelf = "<book>\(Self.fields.joined())</book>"
    #expect(try records(onShelf, lent)[1].identity == record(lent).identity)
  }

  @Test func `Two books with one id are both loans`() throws {
    let reading = try CatalogueReader().reading(
      ofText: """
        <books><book id="a"><title>T</title>\(expiration)</book>
        <book id=" a "><title>U</title>\(expiration)</book></books>
        """)
    #expect(reading.findings == ["2:1 duplicate-id"])
    #expect(reading.titles == ["T", "U"])
    #expect(reading.records.map(\.identity.ordinal) == [1, 2])
    #expect(reading.records[0].identity.hash == reading.records[1].identity.hash)
  }

  private static let date = "<expiration>2026.12.01</expiration>"

  @Test(arguments: [1, 2, 3, 5, 8, 13])
  func `Every repetition of an id is found among many, in any order`(seed: UInt64) throws {
    var random = Random(state: seed)
    let ids = (0..<3_000).map { _ in Int.random(in: 0..<4_000, using: &random) }
    let text = ids.map { "<book id='bk\($0)'><title>T</title>\(Self.date)</book>" }.joined(
      separator: "\n")
    let reading = try CatalogueReader().reading(ofText: "<books>\(text)</books>")
    var first: [Int: Int] = [:]
    var expected: [String] = []
    for (index, id) in ids.enumerated() {
      if let line = first[id] {
        expected.append("\(index + 1): bk\(id) line \(line)")
      } else {
        first[id] = index + 1
      }
    }
    let found = reading.diagnostics.map {
      let line = $0.message.split(separator: ";")[0].split(separator: " ").last ?? ""
      return "\($0.location.line): \($0.value ?? "") line \(line)"
    }
    #expect(found == expected)
    #expect(Set(reading.records.map(\.identity)).count == ids.count)
  }

  @Test(arguments: [
    ["a", "b", "c"], ["a", "aa", "b"], ["bk1", "bk10", "bk2"], ["a", "Á", "á", "🌙"],
    ["c", "b", "a"],
  ])
  func `Ids that differ are no repetition`(ids: [String]) throws {
    let text = ids.map { "<book id='\($0)'><title>T</title>\(Self.date)</book>" }.joined()
    #expect(try CatalogueReader().reading(ofText: "<books>\(text)</books>").diagnostics == [])
  }

  @Test(arguments: [
    ["a", "a"], ["a", "b", "b"], ["a", "b", "a"], ["b", "a", "a"], ["c", "a", "c"],
  ])
  func `Ids that are equal are one, wherever they are`(ids: [String]) throws {
    let text = ids.map { "<book id='\($0)'><title>T</title>\(Self.date)</book>" }.joined()
    let reading = try CatalogueReader().reading(ofText: "<books>\(text)</books>")
    #expect(reading.diagnostics.map(\.code) == [.duplicateID])
  }
}

/// Xorshift, so that a failure can be repeated.
private struct Random: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state
  }
}

struct FingerprintTests {
  private static let fields = [
    "title", "author", "isbn", "barcode", "borrower", "email", "phone", "status", "renewable",
  ]

  private func text(
    _ values: [String: String], id: String = "a", date: String = "2026.12.01", more: String = ""
  ) -> String {
    let fields = Self.fields.map { "<\($0)>\(values[$0] ?? "lost 1")</\($0)>" }.joined()
    return "<book id='\(id)'>\(fields)<expiration>\(date)</expiration>\(more)</book>"
  }

  @Test func `Every field that is kept changes the fingerprint`() throws {
    var texts = [text([:]), text([:], id: "b")]
    texts += Self.fields.map { text([$0: "recalled 2"]) }
    texts += Self.fields.map { text([$0: ""]) }
    texts += [text(["title": "xx", "author": ""]), text(["title": "", "author": "xx"])]
    let fingerprints = try texts.map { try record($0).fingerprint }
    #expect(Set(fingerprints).count == texts.count)
    #expect(try record(text([:])).fingerprint == fingerprints[0])
  }

  @Test(arguments: [
    "<summary>s</summary>", "<address>a</address>", "<callNumber>c</callNumber>",
    "<loaned>2026.11.01</loaned>",
  ])
  func `What is not kept does not, nor the date`(more: String) throws {
    let plain = try record(text([:]))
    #expect(try record(text([:], more: more)).fingerprint == plain.fingerprint)
    #expect(try record(text([:], date: "2026.12.02")).fingerprint == plain.fingerprint)
  }
}
