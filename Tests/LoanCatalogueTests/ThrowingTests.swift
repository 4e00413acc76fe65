import CatalogueProperties
import LoanCatalogue
import TestSupport
import Testing

private struct Stop: Error, Equatable {
  var place: String
}

struct ThrowingTests {
  private let folder: ScratchFolder
  private let path: String

  init() throws {
    folder = try ScratchFolder()
    path = "\(folder.path)/books.xml"
  }

  private func write(_ text: String) throws {
    try folder.write("<books>\(text)</books>", to: "books.xml")
  }

  @Test func `What the closure for records throws ends the reading and is passed on`() throws {
    try write("<book id='1'/><book id='2'/><book id='3'/><book")
    var records = 0
    var diagnostics = 0
    #expect(throws: Stop(place: "record")) {
      _ = try CatalogueReader().read(path) { _ in
        diagnostics += 1
      } onRecord: { _ in
        records += 1
        if records == 2 { throw Stop(place: "record") }
      }
    }
    #expect(records == 2)
    #expect(diagnostics == 2)
  }

  @Test func `What the closure for diagnostics throws ends the reading and is passed on`() throws {
    try write("<book id='1'/><book id='1'/><book id='3'/>")
    var records = 0
    var diagnostics = 0
    #expect(throws: Stop(place: "diagnostic")) {
      _ = try CatalogueReader().read(path) { _ in
        diagnostics += 1
        if diagnostics == 2 { throw Stop(place: "diagnostic") }
      } onRecord: { _ in
        records += 1
      }
    }
    #expect(records == 1)
    #expect(diagnostics == 2)
  }

  @Test(arguments: ["", "<x", "&undefined;", "<book/>"])
  func `So it is at the end of the document`(text: String) throws {
    try write(text)
    #expect(throws: Stop(place: "diagnostic")) {
      _ = try CatalogueReader().read(path) { _ in
        throw Stop(place: "diagnostic")
      } onRecord: { _ in
      }
    }
  }

  @Test func `After what a closure throws nothing more is read`() async {
    await #expect(processExitsWith: .success) {
      killThisProcess(after: 20)
      StandardInput.giveWithoutEnd("<books><book></book>")
      #expect(throws: Stop(place: "record")) {
        _ = try CatalogueReader().read("-") { _ in
        } onRecord: { _ in
          throw Stop(place: "record")
        }
      }
    }
  }

  @Test func `After a fault in the document nothing more is read`() async {
    await #expect(processExitsWith: .success) {
      killThisProcess(after: 20)
      StandardInput.giveWithoutEnd("<books><book></Book>")
      let reading = try CatalogueReader().reading(of: "-")
      #expect(reading.findings == ["1:21 malformed-xml"])
    }
  }

  @Test func `A closure that throws nothing is called to the end`() throws {
    let book = "<book><expiration>2026.12.01</expiration></book>"
    try write(book + book + book)
    var calls: [String] = []
    let summary = try CatalogueReader().read(path) { _ in
      calls.append("diagnostic")
    } onRecord: { _ in
      calls.append("record")
    }
    #expect(calls == ["diagnostic", "record", "diagnostic", "record", "diagnostic", "record"])
    #expect(summary.records == 3)
  }

  @Test func `One catalogue can be read while another is`() throws {
    try write("<book id='1'/><book id='2'/>")
    var inner = 0
    let summary = try CatalogueReader().read(path) { _ in
    } onRecord: { _ in
      let reading = try CatalogueReader().reading(of: path)
      inner += reading.summary.records
    }
    #expect(summary.records == 2)
    #expect(inner == 4)
  }
}

struct ChangedWhileReadingTests {
  private let folder: ScratchFolder
  private let path: String

  /// A catalogue longer than what is read at a time.
  init() throws {
    folder = try ScratchFolder()
    path = "\(folder.path)/books.xml"
    let books = (1...6_000).map { "<book id='\($0)'><title>T</title></book>\n" }.joined()
    try folder.write("<books>\(books)</books>", to: "books.xml")
  }

  private func read(_ change: () throws -> Void) throws -> CatalogueSummary {
    var isFirst = true
    return try CatalogueReader().read(path) { _ in
    } onRecord: { _ in
      if isFirst { try change() }
      isFirst = false
    }
  }

  @Test(arguments: [0, 100, 140_000, 1_000_000])
  func `A file whose size changes is not taken for a catalogue`(size: Int) throws {
    let error = #expect(throws: CatalogueError.self) {
      _ = try read { try folder.setSize(of: "books.xml", size) }
    }
    #expect(error?.code == .changedWhileReading)
    #expect(error?.path == path)
    #expect(
      error?.message
        == "the file was changed while it was read; nothing was taken from it, try again")
  }

  @Test func `Neither is one that is written anew with the same size`() async throws {
    // File systems count time in steps of some milliseconds.
    try await Task.sleep(for: .milliseconds(50))
    let text = folder.contents(of: "books.xml")
    let error = #expect(throws: CatalogueError.self) {
      _ = try read { try folder.write(text, to: "books.xml") }
    }
    #expect(error?.code == .changedWhileReading)
  }

  @Test func `A file that another one replaces is read whole`() throws {
    try folder.write("<books/>", to: "new.xml")
    let summary = try read { try folder.rename("new.xml", to: "books.xml") }
    #expect(summary.records == 6_000)
    #expect(summary.isComplete)
  }

  @Test func `A file that stays is a catalogue`() throws {
    #expect(try read {}.records == 6_000)
  }
}
