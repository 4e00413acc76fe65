import Loans
import TestSupport
import Testing

@testable import LoanCatalogue

/// Reading in parts, where whatever cannot be read so is read in one piece instead, unnoticed.
struct PartTests {
  /// What comes of reading all records of a document in parts.
  private struct Result {
    var isWhole = false
    var titles: [String] = []
  }

  /// - Parameter records: what stands between the tags of the root element.
  private func read(_ records: String, jobs: Int, partSize: Int) throws -> Result {
    let folder = try ScratchFolder()
    try folder.write("<books>\(records)</books>", to: "books.xml")
    let catalogue = try OpenCatalogue("\(folder.path)/books.xml")
    let file = try #require(catalogue.bytes)
    let frame = PartFrame(
      head: Array("<books>".utf8), tail: Array("</books>".utf8),
      recordStart: Array("<book".utf8), rootLine: 1)
    let reader = CatalogueReader()
    let parts = PartReader(reader: reader, profile: .native, frame: frame, file: file.file)
    var split = SplitReading(
      parts, size: file.size,
      from: SplitPoint(
        offset: frame.head.count, location: SourceLocation(line: 1, column: frame.head.count + 1),
        frame: frame), SplitSettings(jobs: jobs, partSize: partSize))
    var result = Result()
    withoutActuallyEscaping({ (event: ReadingEvent) in
      if case .record(let record) = event, let title = record.loan?.title {
        result.titles.append(title)
      }
    }) { use in
      var builder = RecordBuilder(
        reader: reader, profile: .native, purpose: .reading, use: use)
      if case .wholeDocument = split.run(into: &builder) { result.isWhole = true }
    }
    try catalogue.checkUnchanged()
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
  }

  @Test func `A part that just fills the memory for it is read, and a shorter one behind it`()
    throws
  {
    let settings = SplitSettings(jobs: 1, partSize: 100)
    let around = "<books></books>\(book(""))".utf8.count
    for length in settings.bufferSize - around - 3...settings.bufferSize - around + 3 {
      let titles = [String(repeating: "x", count: length), "A", "B"]
      let result = try read(titles.map(book).joined(), jobs: 1, partSize: 100)
      #expect(result.isWhole, "\(length)")
      #expect(result.titles == titles, "\(length)")
    }
  }
}
