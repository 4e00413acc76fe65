import CatalogueProperties
import Dispatch
import LoanCatalogue
import Loans
import TestSupport
import Testing

/// A catalogue of more than 4 MB is parsed ahead of those who use it.
struct ReadingAheadTests {
  private struct Stop: Error {}

  private let folder: ScratchFolder
  private let path: String
  private static let count = 40_000

  init() throws {
    folder = try ScratchFolder()
    path = "\(folder.path)/books.xml"
  }

  private func write(count: Int = count, ending: String = "</books>") throws {
    var text = "<books>\n"
    for number in 0..<count {
      let date = number % 1_000 == 7 ? "2026-12-01" : "2026.12.01"
      text += "<book id='\(number)'><title>A book of many, and a long title of its own, number "
      text += "\(number)</title><expiration>\(date)</expiration></book>\n"
    }
    try folder.write(text + ending, to: "books.xml")
  }

  @Test func `Records and diagnostics come in the order of the document, and all of them`() throws {
    try write()
    var lines: [Int] = []
    var diagnostics = 0
    let summary = try CatalogueReader().read(path) { diagnostic in
      lines.append(diagnostic.location.line)
      diagnostics += 1
    } onRecord: { record in
      lines.append(record.location.line)
    }
    #expect(diagnostics == 40)
    #expect(lines.count == Self.count + 40)
    #expect(lines == lines.sorted())
    #expect(summary.records == Self.count && summary.errors == 40)
  }

  @Test(arguments: [1, 2, 300, 20_000, 39_999])
  func `What the closure throws ends the reading at once and is passed on`(limit: Int) throws {
    try write()
    var records = 0
    #expect(throws: Stop.self) {
      _ = try CatalogueReader().read(path) { _ in
      } onRecord: { _ in
        records += 1
        if records == limit { throw Stop() }
      }
    }
    #expect(records == limit)
  }

  @Test func `What a slow closure throws ends the reading, however far that is ahead`() throws {
    try write()
    #expect(throws: Stop.self) {
      _ = try CatalogueReader().read(path) { _ in
      } onRecord: { _ in
        // Time enough to read as far ahead as it may.
        _ = DispatchSemaphore(value: 0).wait(timeout: .now() + 1)
        throw Stop()
      }
    }
  }

  @Test func `What was read before the file changed is handed over`() throws {
    try write()
    var records = 0
    #expect(throws: CatalogueError.self) {
      _ = try CatalogueReader().read(path) { _ in
      } onRecord: { _ in
        if records == 0 { try folder.setSize(of: "books.xml", 6_000_000) }
        records += 1
      }
    }
    #expect(records == Self.count)
  }

  @Test func `A break in the document is told after all that came before it`() throws {
    try write(ending: "<book")
    var records = 0
    var last: Diagnostic.Code?
    let summary = try CatalogueReader().read(path) { diagnostic in
      last = diagnostic.code
    } onRecord: { _ in
      records += 1
    }
    #expect(records == Self.count)
    #expect(last == .malformedXML)
    #expect(!summary.isComplete)
  }
}
