import Loans
import TestSupport
import Testing

@testable import LoanCatalogue

/// All characters of a catalogue that comes in pieces.
private func decoded(_ bytes: [UInt8], pieceSize: Int = 65_536) -> String {
  var converter = TextConverter(ofHead: bytes[...])
  let pieces = stride(from: 0, to: bytes.count, by: pieceSize).map {
    Array(bytes[$0..<min($0 + pieceSize, bytes.count)])
  }
  let text = pieces.flatMap { converter?.convert($0) ?? $0 }[...]
  return String(decoding: text.isMarked ? text.dropFirst(3) : text, as: UTF8.self)
}

struct SourceCharactersTests {
  @Test(arguments: Encoding.table, [1, 3, 65_536])
  func `Every character is found, wherever the pieces end`(
    encoding: Encoding, size: Int
  ) throws {
    let words = String(repeating: "\t\(encoding.words)x\r\n", count: size == 65_536 ? 9_000 : 9)
    let text = "\(encoding.declaration)<a>\n\(words)</a>"
    #expect(try decoded(encoding.bytes(of: text), pieceSize: size) == text)
  }

  @Test(arguments: [
    ([0xFF], "\u{FFFD}"), ([0x41, 0xC3], "A\u{FFFD}"), ([0xC3, 0x28], "\u{FFFD}("),
    ([0xEF, 0xBB, 0xBF, 0x41], "A"), ([0xF0, 0x9F, 0x8C, 0x99, 0x0A], "🌙\n"),
    ([0xFE, 0xFF, 0xD8, 0x3C, 0xDF, 0x19], "🌙"), ([0, 0, 0, 0x3C, 0, 1, 0xF3, 0x19], "<🌙"),
    ([0x3C, 0, 0, 0, 0x19, 0xF3, 1, 0], "<🌙"), ([], ""),
  ])
  func `A mark is none of the characters, and what is none is replaced`(
    bytes: [UInt8], text: String
  ) {
    #expect(decoded(bytes) == text)
  }

  @Test(arguments: [
    "<?xml encoding='ISO-8859-2'?>", "<?xml version=\"1.0\"\n\tencoding = \"ISO-8859-2\" ?>",
    "<?xml version='1.0' encoding='iso-8859-2' standalone='yes'?>",
  ])
  func `The encoding is the declared one`(declaration: String) {
    #expect(decoded(Array(declaration.utf8) + [0xF5]) == "\(declaration)ő")
  }

  @Test(arguments: [
    "", " <?xml encoding='ISO-8859-2'?>", "<?xml version='1.0'?><a encoding='ISO-8859-2'/>",
    "<?xml encoding='utf-8'?>", "<?xml encoding='nobody-knows'?>", "<?xml encoding='../x'?>",
    "<?xml xencoding='ISO-8859-2'?>",
  ])
  func `The encoding is UTF-8 otherwise`(declaration: String) {
    #expect(decoded(Array("\(declaration)ő".utf8)) == "\(declaration)ő")
  }
}

struct TextConverterTests {
  private static let head = Array("<?xml version='1.0' encoding='EUC-JP'?>".utf8)[...]

  @Test func `What is not of the encoding is replaced, and what is cut is waited for`() {
    func convert(_ pieces: [[UInt8]]) -> String {
      guard var converter = TextConverter(ofHead: Self.head) else { return "none" }
      return pieces.map { String(decoding: converter.convert($0), as: UTF8.self) }.joined(
        separator: "|")
    }
    #expect(convert([[0x41, 0xFF, 0x42, 0xFF]]) == "A\u{FFFD}B\u{FFFD}")
    #expect(convert([[0x41, 0xA4], [0xA2, 0x42]]) == "A|あB")
    #expect(
      convert([Array(repeating: 0xFF, count: 5_000)]) == String(repeating: "\u{FFFD}", count: 5_000)
    )
  }

  @Test func `Bytes of no encoding take time in proportion to them`() {
    func time(_ count: Int) -> Duration {
      let bytes = [UInt8](repeating: 0xFF, count: count)
      let times = (0..<3).map { _ in
        ContinuousClock().measure {
          var converter = TextConverter(ofHead: Self.head)
          #expect(converter?.convert(bytes).count == count * 3)
        }
      }
      return times.min() ?? .zero
    }
    #expect(time(131_072) < time(16_384) * 30)
  }
}

struct SourceLinesTests {
  private func lines(_ bytes: [UInt8], in folder: ScratchFolder) throws -> SourceLines {
    try folder.write(bytes: bytes, to: "books.xml")
    // Something that is not copied cannot be required.
    guard let lines = SourceLines(path: "\(folder.path)/books.xml") else {
      throw CatalogueError(code: .cannotRead, path: "", message: "", underlying: nil)
    }
    return lines
  }

  @Test(arguments: Encoding.table)
  func `Lines are read in the catalogue's encoding`(encoding: Encoding) throws {
    let folder = try ScratchFolder()
    let words = encoding.words
    let text = "\(encoding.declaration)<a>\r\n\(words)\n\n\ra\rb\r\r\n\(words)</a>"
    var lines = try lines(encoding.bytes(of: text), in: folder)
    let expected = [
      "\(encoding.declaration)<a>", encoding.words, "", "\ra\rb\r", "\(encoding.words)</a>",
    ]
    for (index, line) in expected.enumerated() {
      let excerpt = lines.excerpt(around: SourceLocation(line: index + 1, column: 1), width: 400)
      #expect(excerpt == SourceExcerpt(text: line, firstColumn: 1, isCutAfter: false))
    }
    #expect(lines.excerpt(around: SourceLocation(line: 6, column: 1)) == nil)
  }

  @Test func `A line that is behind is not read again, the last one is`() throws {
    let folder = try ScratchFolder()
    var lines = try lines(Array("a\nb\nc".utf8), in: folder)
    #expect(lines.excerpt(around: SourceLocation(line: 2, column: 1))?.text == "b")
    #expect(lines.excerpt(around: SourceLocation(line: 2, column: 2))?.text == "b")
    #expect(lines.excerpt(around: SourceLocation(line: 1, column: 1)) == nil)
    #expect(lines.excerpt(around: SourceLocation(line: 3, column: 1))?.text == "c")
  }

  @Test func `A long line is shown around the place`() throws {
    let folder = try ScratchFolder()
    let digits = (0..<200_000).map { UInt8(ascii: "0") + UInt8($0 % 10) }
    var lines = try lines(digits + [0x0A], in: folder)
    func excerpt(_ column: Int) -> SourceExcerpt? {
      lines.excerpt(around: SourceLocation(line: 1, column: column), width: 10)
    }
    #expect(
      excerpt(1) == SourceExcerpt(text: "0123456789", firstColumn: 1, isCutAfter: true))
    #expect(
      excerpt(8) == SourceExcerpt(text: "2345678901", firstColumn: 3, isCutAfter: true))
    #expect(
      excerpt(60_001) == SourceExcerpt(text: "5678901234", firstColumn: 59_996, isCutAfter: true))
    #expect(
      excerpt(65_536) == SourceExcerpt(text: "012345", firstColumn: 65_531, isCutAfter: true))
    #expect(excerpt(100_001) == nil, "beyond what is kept")
    #expect(excerpt(8)?.firstColumn == 3)
    #expect(lines.excerpt(around: SourceLocation(line: 2, column: 1))?.text == "")
  }

  @Test(arguments: [65_534, 65_535, 65_536, 300_000])
  func `Lines are counted beyond 65,535`(count: Int) throws {
    let folder = try ScratchFolder()
    let text = String(repeating: "\n", count: count - 1) + "here\nthere"
    var lines = try lines(Array(text.utf8), in: folder)
    #expect(lines.excerpt(around: SourceLocation(line: count, column: 1))?.text == "here")
    #expect(lines.excerpt(around: SourceLocation(line: count + 1, column: 3))?.text == "there")
  }

  @Test(arguments: ["-", "missing.xml", "."])
  func `What cannot be read again has no lines`(path: String) {
    let hasLines = if SourceLines(path: path) == nil { false } else { true }
    #expect(!hasLines)
  }
}
