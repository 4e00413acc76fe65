import Loans
import TestSupport
import Testing

@testable import LoanCatalogue

/// Reading in chunks, each exactly where it is.
struct ChunkTests {
  private static let head = "<books>"

  /// Where the chunks begin, and whether all could be read on their own.
  private struct Result {
    var starts: [Loans.SourceLocation] = []
    var titles: [String] = []
    var isWhole = true
  }

  /// - Parameter records: what is between the tags of the root element.
  private func read(_ records: String, jobs: Int, size: Int) throws -> Result {
    let folder = try ScratchFolder()
    try folder.write("\(Self.head)\(records)</books>", to: "books.xml")
    let catalogue = try CatalogueFile(opening: "\(folder.path)/books.xml")
    let frame = ChunkFrame(
      head: Array(Self.head.utf8), tail: Array("</books>".utf8), recordStart: Array("<book".utf8))
    let start = ChunkStart(
      offset: frame.head.count,
      location: Loans.SourceLocation(line: 1, column: frame.head.count + 1), head: frame.head)
    var reader = CatalogueReader()
    (reader.jobs, reader.chunks.size) = (jobs, size)
    let document = CatalogueDocument(
      reader: reader, profile: .native, path: "books.xml", catalogue: catalogue)
    var result = Result()
    let work = ChunkReader(document, frame, from: start)
    let chunks = BatchStream(threads: jobs, mayStall: false) { work.run($0) }
    while let chunk = chunks.next() {
      switch chunk {
      case .batch(let batch):
        result.titles += (0..<batch.count).compactMap { batch[$0].loan?.title }
      case .unreadable, .failed: result.isWhole = false
      }
    }
    var cutter = ChunkCutter(document, frame, from: start)
    var buffer = ChunkBuffer()
    while let chunk = cutter.cut(into: &buffer) { result.starts.append(chunk.start.location) }
    return result
  }

  private func book(_ title: String) -> String {
    "<book><title>\(title)</title><expiration>2026.12.01</expiration></book>"
  }

  @Test(arguments: [1, 2, 5])
  func `A usual catalogue is read in chunks to its end`(jobs: Int) throws {
    let titles = (0..<2_000).map { "Title \($0)" }
    let result = try read(titles.map(book).joined(separator: "\n"), jobs: jobs, size: 3_000)
    #expect(result.isWhole)
    #expect(result.titles == titles)
    #expect(result.starts.count > 40)
  }

  @Test(arguments: 90...110)
  func `A chunk that just fills the memory for it is read, and a shorter one after it`(
    length: Int
  ) throws {
    let titles = [String(repeating: "x", count: length), "A", "B"]
    let result = try read(titles.map(book).joined(), jobs: 1, size: 50)
    #expect(result.isWhole)
    #expect(result.titles == titles)
  }

  @Test func `A chunk begins where a record does, and knows where that is`() throws {
    let records = [
      book("é"), "\n\n", book("ő\n"), "  <!-- a > b -->", "<![CDATA[ <books> ]]>", book("x"),
      "\n<?p <bookshelf>?>é", book("y"), "<book/>",
    ]
    let result = try read(records.joined(), jobs: 1, size: 1)
    #expect(result.isWhole)
    #expect(
      result.starts == [
        Loans.SourceLocation(line: 1, column: 8), Loans.SourceLocation(line: 3, column: 1),
        Loans.SourceLocation(line: 4, column: 88), Loans.SourceLocation(line: 5, column: 19),
        Loans.SourceLocation(line: 5, column: 83),
      ])
  }

  @Test(arguments: [
    "<book><book/></book>", "<shelf><book/></shelf>", "<book>", "</book>", "&x;", "<!-- <book> -->",
    "<![CDATA[ <book> ]]>", "<?p <book>?>",
  ])
  func `What cannot be read on its own is found out`(text: String) throws {
    let result = try read(book("A") + book("B") + text + book("C"), jobs: 2, size: 1)
    #expect(!result.isWhole)
    #expect(result.titles.first == "A")
  }
}
