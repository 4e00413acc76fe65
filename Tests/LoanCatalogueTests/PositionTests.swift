import CatalogueProperties
import LoanCatalogue
import Loans
import TestSupport
import Testing

/// One line with every kind of finding that has a place inside a record.
private let records = """
  <Book id="bk1"><title>Abigél 🌙</title><!-- ő --><expiration>2026<![CDATA[.02]]>.30</expiration>\
  </Book><book barcode="x>" id='bk1'><Title/><x a="é"/><expiration> 2026-12-01 </expiration></book>\
  <book id="bk2"><title>A&amp;B</title><x>ő<expiration/></x><expiration></expiration></book>\
  <book id="&#x62;k2"><title><![CDATA[>]]></title><expiration>&#50;026.13.01</expiration>\
  <expiration/></book><BOOK/></books>
  """

/// Where the findings in `records` are if it begins at column 1.
private let findings = [
  "1:61 impossible-date", "1:103 missing-title", "1:103 duplicate-id", "1:131 unknown-case",
  "1:162 date-format", "1:234 misplaced-expiration", "1:251 empty-expiration", "1:283 duplicate-id",
  "1:370 duplicate-expiration", "1:390 unknown-case",
]

/// Something without meaning that can be made as long as one likes.
struct Padding: CustomTestStringConvertible {
  var testDescription: String
  var prefix = ""
  var unit: String
  var suffix = ""

  func text(_ count: Int) -> String { prefix + String(repeating: unit, count: count) + suffix }

  /// Line breaks in the text, and characters behind the last one.
  func size(_ count: Int) -> (lines: Int, columns: Int) {
    let scalars = Array(text(min(count, 1)).unicodeScalars)
    let lines = scalars.count { $0 == "\n" }
    let columns = scalars.reversed().prefix { $0 != "\n" }.count
    guard count > 1 else { return (lines, columns) }
    let unit = Array(unit.unicodeScalars)
    let hasBreak = unit.contains("\n")
    return (
      lines + (count - 1) * unit.count { $0 == "\n" },
      columns + (hasBreak ? 0 : (count - 1) * unit.count)
    )
  }

  /// Paddings that stay on their line.
  static let columns = [
    Padding(testDescription: "spaces", unit: " "),
    Padding(testDescription: "tabs", unit: "\t"),
    Padding(testDescription: "a comment", prefix: "<!--", unit: "x", suffix: "-->"),
    Padding(
      testDescription: "a comment of two bytes a character", prefix: "<!--", unit: "ő",
      suffix: "-->"),
    Padding(testDescription: "text of four bytes a character", unit: "🌙"),
    Padding(
      testDescription: "CDATA of three bytes a character", prefix: "<![CDATA[", unit: "日",
      suffix: "]]>"),
    Padding(testDescription: "elements", unit: "<é/>"),
    Padding(testDescription: "elements with end tags", unit: "<é:ő xmlns:é='é'></é:ő>"),
    Padding(testDescription: "character references", unit: "&#x1F319;"),
    Padding(testDescription: "predefined entities", unit: "&lt;"),
    Padding(testDescription: "an attribute", prefix: "<x a='", unit: "é", suffix: "'/>"),
    Padding(testDescription: "a processing instruction", prefix: "<?x ", unit: "é", suffix: "?>"),
    Padding(testDescription: "carriage returns alone", unit: "\r"),
    Padding(
      testDescription: "a comment with carriage returns", prefix: "<!--", unit: "x\r", suffix: "-->"
    ),
  ]

  /// Paddings of one line each.
  static let lines = [
    Padding(testDescription: "LF", unit: "\n"),
    Padding(testDescription: "CRLF", unit: "\r\n"),
    Padding(testDescription: "a comment", prefix: "<!--", unit: "é\n", suffix: "-->\n"),
    Padding(
      testDescription: "a comment with CRLF", prefix: "<!--", unit: "é\r\n", suffix: "-->\r\n"),
    Padding(testDescription: "CDATA", prefix: "<![CDATA[", unit: "é\n", suffix: "]]>\n"),
    Padding(testDescription: "elements", unit: "<x\n/>"),
    Padding(testDescription: "an attribute", prefix: "<x a='", unit: "é\n", suffix: "'/>\n"),
    Padding(
      testDescription: "a processing instruction", prefix: "<?x ", unit: "é\n", suffix: "?>\n"),
  ]
}

struct PositionTests {
  /// `findings`, so many lines and columns further on.
  private func moved(_ lines: Int, _ columns: Int) -> [String] {
    findings.map {
      let place = $0.split(separator: " ")[0].split(separator: ":").compactMap { Int($0) }
      return "\(place[0] + lines):\(place[1] + columns) \($0.split(separator: " ")[1])"
    }
  }

  private func expect(
    _ prefix: String, moved lines: Int, _ columns: Int, in folder: ScratchFolder,
    sourceLocation: Testing.SourceLocation = #_sourceLocation
  ) throws {
    let reading = try CatalogueReader().reading(ofText: prefix + records, in: folder)
    let expected = moved(lines, columns)
    guard reading.findings != expected else { return }
    Issue.record("\(reading.findings) instead of \(expected)", sourceLocation: sourceLocation)
  }

  private func expect(
    _ padding: Padding, _ count: Int, in folder: ScratchFolder,
    sourceLocation: Testing.SourceLocation = #_sourceLocation
  ) throws {
    let (lines, columns) = padding.size(count)
    try expect(
      "<books>\(padding.text(count))", moved: lines, lines == 0 ? columns + 7 : columns, in: folder,
      sourceLocation: sourceLocation)
  }

  @Test func `Places count lines and characters from 1`() throws {
    try expect("<books>", moved: 0, 7, in: ScratchFolder())
    try expect("   <books>\n", moved: 1, 0, in: ScratchFolder())
  }

  @Test(arguments: Padding.columns)
  func `What stands before on the line moves every place by its characters`(
    padding: Padding
  ) throws {
    let folder = try ScratchFolder()
    for count in [0, 1, 2, 3, 100, 1_000] { try expect(padding, count, in: folder) }
  }

  @Test(arguments: Padding.lines)
  func `What stands before on other lines moves every place by its lines`(
    padding: Padding
  ) throws {
    let folder = try ScratchFolder()
    for count in [0, 1, 2, 3, 100, 1_000] { try expect(padding, count, in: folder) }
  }

  @Test(arguments: Padding.columns)
  func `Columns are right beyond 65,535`(padding: Padding) throws {
    let folder = try ScratchFolder()
    for count in [65_400, 65_535, 65_536, 70_000] {
      try expect(padding, count, in: folder)
    }
  }

  @Test(arguments: Padding.lines)
  func `Lines are right beyond 65,535`(padding: Padding) throws {
    let folder = try ScratchFolder()
    for count in [65_533, 65_534, 65_535, 65_536, 70_000] {
      try expect(padding, count, in: folder)
    }
  }

  /// Lengths that move the edge of each piece that is read over all of `records`: of 4,000 bytes
  /// up to libxml2 2.13, later 4,096, and of the reader's own 128 KiB.
  private static let lengths =
    Array(0...450) + Array(3_550...4_110) + Array(7_550...8_210) + Array(130_650...131_080)

  @Test(arguments: [Padding.columns[0], Padding.columns[2], Padding.lines[0]])
  func `Places do not depend on where a piece that is read ends`(padding: Padding) throws {
    let folder = try ScratchFolder()
    for count in Self.lengths { try expect(padding, count, in: folder) }
  }

  @Test func `Characters cut in two by the end of a piece count once`() throws {
    let folder = try ScratchFolder()
    for padding in [Padding.columns[3], Padding.columns[4], Padding.columns[5]] {
      for count in Array(900...1_060) + Array(1_200...1_400) + Array(1_880...2_080) {
        try expect(padding, count, in: folder)
      }
    }
  }

  @Test(arguments: [false, true])
  func `Places in UTF-16 count characters too`(isBigEndian: Bool) throws {
    let folder = try ScratchFolder()
    for count in Array(1_700...2_060) + [65_536] {
      let text = "\u{FEFF}<books>\(Padding.columns[2].text(count))🌙\(records)"
      let bytes = text.utf16.flatMap { unit in
        let (high, low) = (UInt8(unit >> 8), UInt8(unit & 0xFF))
        return isBigEndian ? [high, low] : [low, high]
      }
      let reading = try CatalogueReader().reading(ofBytes: bytes, in: folder)
      guard reading.findings != moved(0, 7 + 7 + count + 1) else { continue }
      Issue.record("\(count): \(reading.findings)")
    }
  }

  @Test(arguments: [65_534, 65_535, 65_536, 200_000])
  func `A fault in the document has its line too`(lines: Int) throws {
    let prefix = "<books>\(String(repeating: "\n", count: lines))"
    let reading = try CatalogueReader().reading(ofText: "\(prefix)  <book></Book></books>")
    #expect(reading.findings == ["\(lines + 1):16 malformed-xml"])
    let reference = try CatalogueReader().reading(ofText: "\(prefix)  <book>&nbsp;</book></books>")
    #expect(reference.findings == ["\(lines + 1):15 malformed-xml"])
  }

  @Test func `A record stands where its start tag begins`() throws {
    let reading = try CatalogueReader().reading(
      ofText:
        "<?xml version='1.0'?>\n<books>\n\t<book\n id='1'\n>é</book>é<book/> \r\n <Book /></books>")
    #expect(
      reading.records.map(\.location) == [
        SourceLocation(line: 3, column: 2), SourceLocation(line: 5, column: 11),
        SourceLocation(line: 6, column: 2),
      ])
  }
}

struct EndColumnTests {
  private func diagnostic(_ record: String) throws -> Diagnostic {
    let reading = try CatalogueReader().reading(
      ofText: "<books>\n<book id='a'><title>T</title></book>\n\(record)\n</books>")
    return try #require(reading.diagnostics.first)
  }

  @Test(arguments: [
    ("2026.02.30", 35, 45), ("  2026.02.30  ", 37, 47), ("1 Ő 🌙", 35, 40), ("x", 35, 36),
    ("1\r\r2", 35, 39), ("20<!-- -->26", 35, 47), ("2026.&#48;2.30", 35, 49),
    ("&#50;&#48;", 35, 45), ("&lt;", 35, 39), ("a&#98;", 35, 41),
  ])
  func `The value ends before the column`(value: String, column: Int, endColumn: Int) throws {
    let diagnostic = try diagnostic(
      "<book><title>é</title><expiration>\(value)</expiration></book>")
    #expect(diagnostic.location == SourceLocation(line: 3, column: column))
    #expect(diagnostic.endColumn == endColumn)
  }

  @Test(arguments: [
    ("<![CDATA[x]]>", 48), ("<![CDATA[ x]]>", 49), (" <![CDATA[1 ]]>", 50), ("\r 2026.02.30\r", 48),
  ])
  func `A value that is not as it is written is all that is in its element`(
    value: String, endColumn: Int
  ) throws {
    let diagnostic = try diagnostic(
      "<book><title>é</title><expiration>\(value)</expiration></book>")
    #expect(diagnostic.location.column == 35)
    #expect(diagnostic.endColumn == endColumn)
  }

  @Test(arguments: ["<![CDATA[2026-12-01]]>", "2026&#45;12-01", "2026-12<!-- -->-01"])
  func `A date that is not as it is written is not said to be fixable`(value: String) throws {
    let plain = try diagnostic("<book><title>é</title><expiration>2026-12-01</expiration></book>")
    #expect(plain.replacement == "2026.12.01")
    let other = try diagnostic("<book><title>é</title><expiration>\(value)</expiration></book>")
    #expect(other.message == plain.message)
    #expect(other.replacement == nil)
  }

  @Test(arguments: ["2026\n02", "\n2026 \n \n 02\n", "a<!--\n-->b", "&#50;\n6"])
  func `A value over several lines has no last column`(value: String) throws {
    let diagnostic = try diagnostic(
      "<book><title>é</title><expiration>\(value)</expiration></book>")
    #expect(diagnostic.code == .dateFormat)
    #expect(diagnostic.endColumn == nil)
  }

  @Test(arguments: ["<book id='a'>", "<book\n id = \" a \">", "<book id='&#97;'>"])
  func `An id that is used twice is where its tag begins`(tag: String) throws {
    let diagnostic = try diagnostic("\(tag)<title>T</title></book>")
    #expect(diagnostic.code == .duplicateID)
    #expect(diagnostic.location == SourceLocation(line: 3, column: 1))
    #expect(diagnostic.value == "a")
  }

  @Test func `The value and the record are told as written`() throws {
    let diagnostic = try diagnostic(
      "<book id='b&#9;'><title>é</title><expiration> 1 \n 2\u{9B} </expiration></book>")
    #expect(diagnostic.value == "1 2\u{9B}")
    #expect(diagnostic.loan == "b")
    #expect(diagnostic.message == "expiration \"1 2\\u{9b}\" is not of the form yyyy.MM.dd")
  }

  @Test func `A record without id is told by its title`() throws {
    let diagnostic = try diagnostic(
      "<book><title> Egri\n csillagok</title><expiration>x</expiration></book>")
    #expect(diagnostic.loan == "Egri csillagok")
  }
}
