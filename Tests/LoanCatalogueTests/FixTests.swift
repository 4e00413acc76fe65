import CatalogueProperties
import Loans
import TestSupport
import Testing

@testable import LoanCatalogue

/// What fixing makes of a catalogue.
private struct Fixed {
  var before: Reading
  var bytes: [UInt8]
  var after: Reading
  var fixes: CatalogueFixes

  init(_ bytes: [UInt8], in folder: ScratchFolder, partSize: Int? = nil) throws {
    var reader = CatalogueReader()
    reader.locatesFixes = true
    if let partSize { reader.chunks = (partSize, 0) }
    before = try reader.reading(ofBytes: bytes, in: folder)
    fixes = CatalogueFixes(before.diagnostics.filter { $0.replacement != nil }, in: bytes)
    self.bytes = fixes.edits.applied(to: bytes[...])
    after = try CatalogueReader().reading(ofBytes: self.bytes, in: folder)
  }
}

/// Ways to write one date, all of which can only be that date.
private enum Writing {
  static let date = "2026.12.01"
  static let forms = [
    "2026-12-01", "2026/12/1", "2026. 12. 01.", "2026.12.01.", "20261201", "2026 12 01",
    "2026.12.1",
  ]

  /// What can be around a date that is fixed; `§` is the value.
  static let frames = ["§", " § ", "\n\t§\n"]

  /// Ways to write the date whose bytes are not those of the value.
  static let unfixable = [
    "2026-<!-- -->12-01", "2026-12<?x?>-01", "<![CDATA[2026]]>-12-01", "2026-12-<![CDATA[01]]>",
    "<![CDATA[2026-12-01]]>", "2026-12-01<!-- -->", "<?x 2026-12-01?>2026-12-01", "2026\n12\n\t01",
    "&#50;026-12-01", "2026-12-01&#x20;",
  ]
}

struct FixTests {
  private func record(_ value: String, _ title: String = "T") -> String {
    "<book><title>\(title)</title><expiration>\(value)</expiration></book>"
  }

  private func expect(
    _ value: String, becomes fixed: String,
    sourceLocation: Testing.SourceLocation = #_sourceLocation
  ) throws {
    let catalogue = { (record: String) in "<books>\n \(record)\(record)\r\n\(record)</books>\n" }
    let result = try Fixed(Array(catalogue(record(value)).utf8), in: ScratchFolder())
    #expect(
      String(decoding: result.bytes, as: UTF8.self) == catalogue(record(fixed)),
      sourceLocation: sourceLocation)
  }

  @Test(arguments: Writing.forms, Writing.frames)
  func `Only the value's bytes are replaced, whatever is around it`(
    form: String, frame: String
  ) throws {
    try expect(
      frame.replacing("§", with: form), becomes: frame.replacing("§", with: Writing.date))
  }

  @Test(arguments: Writing.unfixable)
  func `A value that is not written as it is read is left alone and reported`(
    value: String
  ) throws {
    let bytes = Array("<books>\(record(value))</books>".utf8)
    let result = try Fixed(bytes, in: ScratchFolder())
    #expect(result.before.findings.count == 1)
    #expect(result.bytes == bytes)
    #expect(result.fixes.locations.isEmpty)
  }

  @Test(arguments: [
    ("01.12.2026", 0), ("2026-13-01", 0), ("2026.02.30", 0), ("x", 0), ("2026-12-01", 1),
  ])
  func `Only what has one reading is fixed`(value: String, count: Int) throws {
    let result = try Fixed(Array("<books>\(record(value))</books>".utf8), in: ScratchFolder())
    #expect(result.fixes.locations == result.before.diagnostics.prefix(count).map(\.location))
  }

  @Test func `Nothing is touched where the value no longer stands`() throws {
    let bytes = Array("<books>\(record("2026-12-01"))</books>".utf8)
    var reader = CatalogueReader()
    reader.locatesFixes = true
    let reading = try reader.reading(ofBytes: bytes, in: ScratchFolder())
    let problems = reading.diagnostics.filter { $0.replacement != nil }
    #expect(CatalogueFixes(problems, in: bytes).edits.count == 1)
    for (old, new) in [
      ("2026-12-01", "2026-12-02"), ("2026-12-01", "2026-12-011"), ("2026-12-01", "02026-12-01"),
      ("<books>", "<books> "), ("<books>", "<books>\n"), ("2026-12-01", "2026-12"),
      ("2026-12-01</expiration></book></books>", "2026-12-01"),
      ("2026-12-01", "2026-12-01]"), ("2026-12-01", "2026-12-01&#50;"),
    ] {
      let other = String(decoding: bytes, as: UTF8.self).replacing(old, with: new)
      #expect(CatalogueFixes(problems, in: Array(other.utf8)).edits.isEmpty, "\(other)")
    }
  }

  @Test(arguments: ["2026.12.01x", "", "2026.12.01<!--", "２０２６.１２.０１"])
  func `A replacement is digits and full stops`(replacement: String) {
    var diagnostic = Diagnostic(
      .dateFormat, at: SourceLocation(line: 1, column: 1), message: "", value: "2026-12-01",
      replacement: replacement)
    let bytes = Array("><expiration>2026-12-01</expiration>".utf8)
    diagnostic.bytes = 12..<23
    #expect(CatalogueFixes([diagnostic], in: bytes).edits.isEmpty)
  }

  @Test func `A carriage return alone before a date never leads to another place`() throws {
    let catalogue = "<books>\r<book><expiration>2026-12-01</expiration></book>\r</books>"
    let result = try Fixed(Array(catalogue.utf8), in: ScratchFolder())
    let expected = catalogue.replacing("2026-12-01", with: Writing.date)
    #expect(String(decoding: result.bytes, as: UTF8.self) == expected)
  }

  @Test(arguments: [
    "<books><book><expiration>2026-12-01\r</expiration></book></books>",
    "<books><book><expiration>\r2026-12-01</expiration></book>\n2026-12-01</books>",
    "<books><book><expiration>\n\r2026-12-01</expiration><title>\n2026-12-01</title></book></books>",
    "<books><book><expiration>\n\r2026-12-01\r\n</expiration>2026-12-01</book></books>",
  ])
  func `A date beside a carriage return alone is left as it is`(catalogue: String) throws {
    let result = try Fixed(Array(catalogue.utf8), in: ScratchFolder())
    #expect(result.before.diagnostics.contains { $0.code == .dateFormat })
    #expect(String(decoding: result.bytes, as: UTF8.self) == catalogue)
  }

  @Test(arguments: ["xml9", "xml-model", "xmlé"])
  func `An instruction that is named like a declaration declares no encoding`(
    name: String
  ) throws {
    let catalogue = { (value: String) in
      "<?\(name) version='1.0' encoding='UTF-16'?><books>+ok\(record(value))</books>"
    }
    let result = try Fixed(Array(catalogue("2026-12-01").utf8), in: ScratchFolder())
    #expect(result.before.findings.count == 1)
    #expect(String(decoding: result.bytes, as: UTF8.self) == catalogue(Writing.date))
  }

  @Test(arguments: [65_534, 65_535, 65_536, 200_000])
  func `Values beyond line 65,535 are fixed`(lines: Int) throws {
    let text = { (value: String) in
      "<books>\(String(repeating: "é\n", count: lines)) \(record(value))</books>"
    }
    let result = try Fixed(Array(text("\n2026-12-01").utf8), in: ScratchFolder(), partSize: 65_536)
    #expect(result.bytes == Array(text("\n\(Writing.date)").utf8))
    #expect(result.fixes.locations.map(\.line) == [lines + 2])
  }

  @Test(arguments: [70_000, 200_000])
  func `Values beyond column 65,535 are fixed`(columns: Int) throws {
    let text = { (value: String) in
      "<books>\(String(repeating: "é", count: columns)) \(record(value))</books>"
    }
    let result = try Fixed(Array(text("2026-12-01").utf8), in: ScratchFolder(), partSize: 65_536)
    #expect(result.bytes == Array(text(Writing.date).utf8))
  }
}

/// Catalogues thrown together, in every encoding.
struct FixPropertyTests {
  /// A catalogue in parts; every second one is a value.
  private struct Sample {
    var parts: [String] = []
    var fixed: [String] = []
    var unfixable = 0

    mutating func add(value: String) {
      parts.append(value)
      fixed.append(Writing.date)
    }
  }

  private func sample(_ encoding: Encoding, _ lineEnd: String, _ dice: inout Dice) -> Sample {
    var sample = Sample()
    func turned(_ text: String) -> String { text.replacing("\n", with: lineEnd) }
    var text = turned("\(encoding.declaration)<books>\n<!-- \(encoding.words) -->\n")
    for number in 1...Int.random(in: 1...40, using: &dice) {
      let words = dice.next() % 3 == 0 ? encoding.words : "x"
      text += turned(dice.next() % 4 == 0 ? "" : "\n  ")
      text += "<book id='\(number)'><title>\(words)</title>"
      text += turned(dice.next() % 2 == 0 ? "" : "\n    ") + "<expiration>"
      switch dice.next() % 8 {
      case 0: text += Writing.date
      case 1:
        text += turned(Writing.unfixable.randomElement(using: &dice) ?? "")
        sample.unfixable += 1
      default:
        let value = Writing.forms.randomElement(using: &dice) ?? ""
        let frame = turned(Writing.frames.randomElement(using: &dice) ?? "").split(
          separator: "§", omittingEmptySubsequences: false)
        sample.parts.append(text + frame[0])
        sample.fixed.append(text + frame[0])
        sample.add(value: value)
        text = String(frame[1])
      }
      text += "</expiration></book>"
    }
    sample.parts.append(text + turned("\n</books>"))
    sample.fixed.append(text + turned("\n</books>"))
    return sample
  }

  @Test(arguments: Encoding.table.filter(\.keepsASCII), ["\n", "\r\n"])
  func `Fixing changes nothing but the values, all of them, and once for all`(
    encoding: Encoding, lineEnd: String
  ) throws {
    let folder = try ScratchFolder()
    var dice = Dice(state: UInt64(encoding.library.utf8.reduce(0) { $0 &* 31 &+ Int($1) }))
    for _ in 1...12 {
      let sample = sample(encoding, lineEnd, &dice)
      let bytes = try encoding.bytes(of: sample.parts.joined())
      let result = try Fixed(bytes, in: folder, partSize: Int.random(in: 1...300, using: &dice))
      try #require(result.before.summary.isComplete, "\(result.before.diagnostics)")
      #expect(try encoding.text(of: result.bytes) == sample.fixed.joined())
      #expect(result.fixes.edits.count == sample.parts.count / 2)
      #expect(try result.bytes == encoding.bytes(of: sample.fixed.joined()))
      #expect(result.after.diagnostics.count { $0.code == .dateFormat } == sample.unfixable)
      #expect(result.after.diagnostics.map(\.code).allSatisfy { $0 == .dateFormat })
      let again = try Fixed(result.bytes, in: folder)
      #expect(again.bytes == result.bytes)
      try expectSameOutside(result, bytes)
    }
  }

  /// Byte for byte, whatever the encoding.
  private func expectSameOutside(_ result: Fixed, _ bytes: [UInt8]) throws {
    var (old, new) = (0, 0)
    for edit in result.fixes.edits {
      let length = edit.bytes.lowerBound - old
      #expect(bytes[old..<old + length] == result.bytes[new..<new + length])
      old = edit.bytes.upperBound
      new += length + edit.replacement.count
    }
    #expect(bytes[old...] == result.bytes[new...])
  }

  @Test(arguments: Encoding.table.filter { !$0.keepsASCII })
  func `Where a digit is not one byte, nothing is touched`(encoding: Encoding) throws {
    var dice = Dice(state: 3)
    let bytes = try encoding.bytes(of: sample(encoding, "\n", &dice).parts.joined())
    let result = try Fixed(bytes, in: ScratchFolder())
    #expect(result.fixes.edits.isEmpty)
    #expect(result.before.diagnostics.contains { $0.replacement != nil })
  }
}
