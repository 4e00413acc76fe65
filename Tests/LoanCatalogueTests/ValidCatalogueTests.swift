import CatalogueProperties
import LoanCatalogue
import Loans
import Testing

/// `line id | title | author | borrower | expiration`, with `-` for what is not there.
private func words(_ record: Reading.Record) -> String {
  guard let loan = record.loan else { return "\(record.location.line) on the shelf" }
  let fields = [loan.id, loan.title, loan.author, loan.borrower].map { $0 ?? "-" }
  return "\(record.location.line) \(fields.joined(separator: " | ")) | \(loan.expiration)"
}

struct ValidCatalogueTests {
  @Test(arguments: [
    (
      "leap-days",
      [
        "3 bk101 | Toldi | - | - | 2000-02-29", "7 bk102 | Toldi | - | - | 2024-02-29",
        "11 bk103 | Toldi | - | - | 2028-02-29",
      ]
    ),
    (
      "barcode-without-id",
      [
        "3 - | Abigél | - | - | 2026-12-01", "8 - | Abigél | - | - | 2026-12-01",
        "13 - | Tüskevár | - | - | 2026-12-01",
      ]
    ),
    ("fields-in-another-order", ["3 bk101 | Abigél | Szabó Magda | Varga Kende | 2026-12-01"]),
    ("namespaces", ["4 bk101 | Abigél | - | - | 2026-12-01"]),
    ("xinclude-ignored", ["4 bk101 | Abigél | - | - | 2026-12-01"]),
    (
      "identical-loans",
      [
        "3 - | Toldi | Arany János | 7. b osztály | 2026-12-01",
        "9 - | Toldi | Arany János | 7. b osztály | 2026-12-01",
      ]
    ),
    ("start-tag-over-several-lines", ["3 bk101 | Abigél | - | - | 2026-12-01"]),
    ("white-space-one-line", ["2 bk101 | Abigél | - | - | 2026-12-01"]),
    ("uppercase-root", ["3 1 | Tüskevár | Fekete István | - | 2026-12-01"]),
    ("empty-optional-fields", ["3 bk101 | Abigél | - | - | 2026-12-01"]),
    (
      "unknown-elements-nested",
      [
        "3 bk101 | Egri csillagok | - | - | 2026-11-28", "10 bk102 | Abigél | - | - | 2026-12-01",
        "18 bk103 | Az arany ember | - | - | 2026-12-24",
      ]
    ),
    (
      "title-several-lines",
      [
        "3 bk101 | Egri csillagok | - | - | 2026-11-28",
        "7 bk102 | Abigél (második kiadás) | - | - | 2026-12-01",
        "14 bk103 | Az arany ember | - | - | 2026-12-24",
      ]
    ),
  ])
  func `The loans of a catalogue are these`(name: String, loans: [String]) throws {
    let fixture = try #require(Fixture.named(name))
    let reading = try CatalogueReader().reading(of: fixture.path)
    #expect(reading.records.map(words) == loans)
  }

  @Test(arguments: [
    "cdata-expiration-in-parts", "character-reference-every-character",
    "utf-16le-bom-no-declaration", "crlf-line-endings", "comment-in-expiration",
    "doctype-internal-declarations", "xml-1.1-declaration",
    "white-space-around-expiration", "utf-8-bom",
  ])
  func `Another way of writing it is the same loan`(name: String) throws {
    let fixture = try #require(Fixture.named(name))
    let loans = try CatalogueReader().reading(of: fixture.path).records.map(\.loan)
    let expiration = CivilDate(year: 2026, month: 12, day: 1)
    #expect(loans.count == 3)
    #expect(loans.dropFirst().first??.id == "bk102")
    #expect(loans.dropFirst().first??.title == "Abigél")
    #expect(loans.dropFirst().first??.expiration == expiration)
  }

  @Test(arguments: ["iso-8859-1", "iso-8859-2", "windows-1252", "shift-jis"])
  func `A title is told in Unicode whatever the encoding`(name: String) throws {
    let fixture = try #require(Fixture.named(name))
    let titles = try CatalogueReader().reading(of: fixture.path).titles
    let expected: [String: String] = [
      "iso-8859-1": "Le Père Goriot", "iso-8859-2": "Az őszi hűség könyve",
      "windows-1252": "“Œuvres” — l’édition à 9 €",
      "shift-jis": "吾輩は猫である",
    ]
    #expect(titles.first == expected[name])
  }

  @Test func `White space is folded wherever it stands, eight bytes being looked at together`()
    throws
  {
    var texts = [""]
    for _ in 0..<5 { texts += texts.flatMap { text in ["x", " ", "\n", "é"].map { text + $0 } } }
    var patterns = Set(texts).sorted()
    let ends = patterns.filter { !$0.contains("\n") && $0.utf8.count <= 4 }
    patterns += (0..<18).flatMap { length in
      ends.map { String(repeating: "y", count: length) + $0 + "z" }
    }
    let books = patterns.map {
      "<book><title>\($0)</title><expiration>2026.12.01</expiration></book>"
    }
    let reading = try CatalogueReader().reading(ofText: "<books>\(books.joined())</books>")
    let expected = patterns.map { text in
      text.split { $0 == " " || $0 == "\n" }.joined(separator: " ")
    }
    #expect(reading.titles.map { $0 ?? "" } == expected)
  }

  @Test func `Every field is taken, trimmed and with its white space folded`() throws {
    let reading = try CatalogueReader().reading(
      ofText: """
        <books><book id=" a &#9; b "><title> A\tB\n\n C </title><author>&#32;D<!-- -->E</author>
        <isbn>1</isbn><barcode>2</barcode><borrower><![CDATA[<F>]]> &amp; G</borrower>
        <email>h@i</email><summary>J</summary><expiration>
        2026.12.01 </expiration></book></books>
        """)
    #expect(reading.diagnostics == [])
    let expiration = try #require(CivilDate(year: 2026, month: 12, day: 1))
    #expect(
      reading.records.first?.loan
        == Loan(
          id: "a b", title: "A B C", author: "DE", isbn: "1", barcode: "2", borrower: "<F> & G",
          email: "h@i", expiration: expiration))
  }

  @Test func `More is known of a loan, and nothing in it is a mistake`() throws {
    let fixture = try #require(Fixture.named("more-of-a-loan"))
    let reading = try fixture.reader().reading(of: fixture.path)
    #expect(reading.diagnostics == [])
    let loans = reading.records.compactMap(\.loan)
    #expect(
      loans.map { [$0.language, $0.category, $0.type, $0.library] } == [
        ["hu", "student", "DVD", "the Branch in Óbuda"], ["tlh-¿", nil, "<reference>", nil],
        [nil, nil, nil, "the Branch"],
      ])
    #expect(loans.map(\.renewable) == [true, false, nil])
  }

  @Test(arguments: [
    ("yes", true), ("TRUE", true), (" 1 ", true), ("12", true), ("010", true), ("No", false),
    ("false", false), ("0", false), ("00", false), ("", nil), ("y", nil), ("-1", nil),
    ("2 times", nil), ("yes no", nil), ("٣", nil), ("1.5", nil),
  ])
  func `A loan can be renewed if its element says so`(text: String, renewable: Bool?) throws {
    let reading = try CatalogueReader().reading(
      ofText: """
        <Books><Book><Title>A</Title><Renewable>\(text)</Renewable>
        <expiration>2026.12.01</expiration></Book></Books>
        """)
    #expect(reading.diagnostics == [])
    #expect(reading.records.map(\.loan?.renewable) == [renewable])
  }

  @Test(arguments: ["book", "Book"])
  func `What only staff need is read, and changes no identity`(
    record: String
  ) throws {
    let fields =
      record == "book" ? ["phone", "address", "callNumber"] : ["Phone", "Address", "CallNumber"]
    let readings = try [fields.prefix(0), fields.prefix(3)].map { fields in
      let texts = fields.map { "<\($0)> \($0)\n1 </\($0)>" }.joined()
      return try CatalogueReader().reading(
        ofText: "<\(record)s><\(record)><title>A</title>\(texts)"
          + "<expiration>2026.12.01</expiration></\(record)></\(record)s>")
    }
    #expect(readings.flatMap(\.diagnostics) == [])
    let loan = try #require(readings[1].records[0].loan)
    #expect([loan.phone, loan.address, loan.callNumber] == fields.map { "\($0) 1" })
    #expect(readings[0].records[0].loan?.callNumber == nil)
    #expect(readings[0].records[0].identity == readings[1].records[0].identity)
  }

  @Test(arguments: ["callnumber", "CallNumber"])
  func `A name of two words in another case is reported`(name: String) throws {
    let reading = try CatalogueReader().reading(
      ofText: "<books><book><title>A</title><\(name)>1</\(name)>"
        + "<expiration>2026.12.01</expiration></book></books>")
    #expect(
      reading.diagnostics.map(\.message) == [
        "<\(name)> is ignored, since names are case-sensitive; did you mean <callNumber>?"
      ])
  }

  @Test func `Nothing more that is known of a loan makes it another`() throws {
    let texts = ["", "<language>hu</language><type>DVD</type><renewable>1</renewable>"]
    let readings = try texts.map { text in
      try CatalogueReader().reading(
        ofText: """
          <books><book><title>A</title>\(text)<expiration>2026.12.01</expiration></book></books>
          """)
    }
    #expect(readings[0].records[0].identity == readings[1].records[0].identity)
  }

  @Test(arguments: [
    ("2026.11.01", CivilDate(year: 2026, month: 11, day: 1)), ("1 November", nil), ("", nil),
  ])
  func `The day of lending is known where it can be read, and else nobody asks`(
    text: String, day: CivilDate?
  ) throws {
    let reading = try CatalogueReader().reading(
      ofText: """
        <books><book><title>A</title><loaned>\(text)</loaned>
        <expiration>2026.12.01</expiration></book><book><title>B</title>
        <expiration>2026.12.01</expiration></book></books>
        """)
    #expect(reading.diagnostics == [])
    #expect(reading.records.map(\.loan?.loaned) == [day, nil])
  }

  @Test func `Of several authors the first is taken`() throws {
    let reading = try CatalogueReader().reading(
      ofText: """
        <books><book><title/><title>A</title><title>B</title><author>C</author><author>D</author>
        <expiration>2026.12.01</expiration></book></books>
        """)
    #expect(reading.diagnostics == [])
    #expect(reading.records.first?.loan?.title == "A")
    #expect(reading.records.first?.loan?.author == "C")
  }

  @Test func `A book without expiration is on the shelf`() throws {
    let fixture = try #require(Fixture.named("no-expirations-all-on-the-shelf"))
    let reading = try CatalogueReader().reading(of: fixture.path)
    #expect(!reading.records.isEmpty)
    #expect(reading.records.allSatisfy { $0.expiration == .none && $0.loan == nil })
    #expect(reading.summary.onShelf == reading.records.count)
  }

  @Test func `A loan with a date that cannot be used is left out, and the others go on`() throws {
    let fixture = try #require(Fixture.named("several-dates-on-several-lines"))
    let reading = try fixture.reader().reading(of: fixture.path)
    #expect(reading.records.map(\.expiration).contains(.unusable))
    #expect(reading.summary.loans == reading.records.count { $0.loan != nil })
    #expect(reading.summary.isComplete)
  }
}
