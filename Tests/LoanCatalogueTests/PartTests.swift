import Loans
import TestSupport
import Testing

@testable import LoanCatalogue

/// Reading in parts, each exactly where it is.
struct PartTests {
  private static let head = "<books>"

  /// Where the parts begin, and whether all could be read on their own.
  private struct Result {
    var starts: [Loans.SourceLocation] = []
    var titles: [String] = []
    var isWhole = true
  }

  /// - Parameter records: what is between the tags of the root element.
  private func read(_ records: String, jobs: Int, partSize: Int) throws -> Result {
    let folder = try ScratchFolder()
    try folder.write("\(Self.head)\(records)</books>", to: "books.xml")
    let catalogue = try CatalogueFile(opening: "\(folder.path)/books.xml")
    let frame = PartFrame(
      head: Array(Self.head.utf8), tail: Array("</books>".utf8), recordStart: Array("<book".utf8))
    let start = PartStart(
      offset: frame.head.count,
      location: Loans.SourceLocation(line: 1, column: frame.head.count + 1), head: frame.head)
    var reader = CatalogueReader()
    (reader.jobs, reader.parts.size) = (jobs, partSize)
    let document = CatalogueDocument(
      reader: reader, profile: .native, path: "books.xml", catalogue: catalogue)
    var result = Result()
    let work = PartReader(document, frame, from: start)
    let parts = BatchStream(threads: jobs, mayStall: false) { work.run($0) }
    while let part = parts.next() {
      switch part {
      case .batch(let batch):
        result.titles += (0..<batch.count).compactMap { batch[$0].loan?.title }
      case .unreadable, .failed: result.isWhole = false
      }
    }
    var cutter = PartCutter(catalogue, frame, from: start, partSize: partSize, jobs: jobs)
    var buffer = PartBuffer(capacity: 100)
    while let part = cutter.cut(into: &buffer) { result.starts.append(part.start.location) }
    return result
  }

  private func book(_ title: String) -> String {
    "<book><title>\(title)</title><expiration>2026.12.01</expiration></book>"
  }

  @Test(arguments: [1, 2, 5])
  func `A usual catalogue is read in parts to its end`(jobs: Int) throws {
    let titles = (0..<2_000).map { "Title \($0)" }
    let result = try read(titles.map(book).joined(separator: "\n"), jobs: jobs, partSize: 3_000)
    #expect(result.isWhole)
    #expect(result.titles == titles)
    #expect(result.starts.count > 40)
  }

  @Test(arguments: 90...110)
  func `A part that just fills the memory for it is read, and a shorter one after it`(
    length: Int
  ) throws {
    let titles = [String(repeating: "x", count: length), "A", "B"]
    let result = try read(titles.map(book).joined(), jobs: 1, partSize: 50)
    #expect(result.isWhole)
    #expect(result.titles == titles)
  }

  @Test func `A part begins where a record does, and knows where that is`() throws {
    let records = [
      book("é"), "\n\n", book("ő\n"), "  <!-- <book> -->", "<![CDATA[ <book> ]]>", book("x"),
      "\n<?p <book>?>é", book("y"), "<book/>",
    ]
    let result = try read(records.joined(), jobs: 1, partSize: 1)
    #expect(result.isWhole)
    #expect(
      result.starts == [
        Loans.SourceLocation(line: 1, column: 8), Loans.SourceLocation(line: 3, column: 1),
        Loans.SourceLocation(line: 4, column: 88), Loans.SourceLocation(line: 5, column: 14),
        Loans.SourceLocation(line: 5, column: 78),
      ])
  }

  @Test(arguments: ["<book><book/></book>", "<shelf><book/></shelf>", "<book>", "</book>", "&x;"])
  func `What cannot be read on its own is found out`(text: String) throws {
    let result = try read(book("A") + book("B") + text + book("C"), jobs: 2, partSize: 1)
    #expect(!result.isWhole)
    #expect(result.titles.first == "A")
  }
}
