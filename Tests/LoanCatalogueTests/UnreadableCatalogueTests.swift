import CatalogueProperties
import LoanCatalogue
import TestSupport
import Testing

struct UnreadableCatalogueTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  private func failure(_ path: String) -> CatalogueError? {
    #expect(throws: CatalogueError.self) {
      _ = try CatalogueReader().read(path) { _ in
        Issue.record("a diagnostic of what cannot be read")
      } onRecord: { _ in
        Issue.record("a record of what cannot be read")
      }
    }
  }

  private func expectRefused(_ path: String, as kind: String) {
    let error = failure(path)
    #expect(error?.code == .cannotRead)
    #expect(error?.path == path)
    #expect(error?.underlying == nil)
    #expect(
      error?.message
        == "this is \(kind), not a file; give a catalogue file, or - to read standard input")
  }

  @Test func `A named pipe is refused at once, although nobody writes to it`() async {
    await #expect(processExitsWith: .success) {
      killThisProcess(after: 20)
      let tests = try UnreadableCatalogueTests()
      try tests.folder.makeNamedPipe("pipe.xml")
      try tests.folder.makeLink("link.xml", to: "pipe.xml")
      tests.expectRefused("\(tests.folder.path)/pipe.xml", as: "a named pipe")
      tests.expectRefused("\(tests.folder.path)/link.xml", as: "a named pipe")
    }
  }

  @Test func `A directory is refused`() throws {
    try folder.makeDirectory("books")
    expectRefused("\(folder.path)/books", as: "a directory")
    expectRefused("\(folder.path)/books/", as: "a directory")
  }

  @Test(.timeLimit(.minutes(10)), arguments: ["/dev/zero", "/dev/null"])
  func `A device is refused`(path: String) {
    expectRefused(path, as: "a device")
  }

  @Test func `A socket is refused`() throws {
    try folder.makeSocket("socket")
    let error = failure("\(folder.path)/socket")
    #expect(error?.code == .cannotRead)
  }

  @Test func `A link to a file is followed`() throws {
    try folder.write("<books><book><title>T</title></book></books>", to: "books.xml")
    try folder.makeLink("other.xml", to: "books.xml")
    #expect(try CatalogueReader().reading(of: "\(folder.path)/other.xml").summary.records == 1)
  }

  @Test func `A file that does not exist is told as such`() throws {
    let path = "\(folder.path)/no\u{1B}where.xml"
    let error = failure(path)
    #expect(error?.code == .cannotRead)
    #expect(error?.underlying == 2)
    #expect(error?.message == "cannot read the catalogue: no such file or directory")
    #expect(
      error?.description == "\(folder.path)/no\\u{1b}where.xml: \(error?.message ?? "nothing")")
  }

  @Test func `So is a link to nowhere, to itself, and a path through a file`() throws {
    try folder.makeLink("nowhere.xml", to: "missing.xml")
    #expect(failure("\(folder.path)/nowhere.xml")?.code == .cannotRead)
    try folder.makeLink("loop.xml", to: "loop.xml")
    #expect(failure("\(folder.path)/loop.xml")?.code == .cannotRead)
    try folder.write("<books/>", to: "books.xml")
    #expect(failure("\(folder.path)/books.xml/x")?.code == .cannotRead)
    #expect(failure("")?.code == .cannotRead)
  }

  @Test(.disabled(if: isRoot, "root may read everything"))
  func `A file closed to us is told as such`() throws {
    try folder.write("<books/>", to: "books.xml")
    try folder.setPermissions(of: "books.xml", 0)
    let error = failure("\(folder.path)/books.xml")
    #expect(error?.code == .cannotRead)
    #expect(error?.message == "cannot read the catalogue: permission denied")
  }

  @Test func `A file that only may be read is read`() throws {
    try folder.write("<books><book><title>T</title></book></books>", to: "books.xml")
    try folder.setPermissions(of: "books.xml", 0o400)
    #expect(try CatalogueReader().reading(of: "\(folder.path)/books.xml").summary.records == 1)
  }

  @Test func `An empty file is no catalogue`() throws {
    let reading = try CatalogueReader().reading(ofText: "", in: folder)
    #expect(reading.findings == ["1:1 malformed-xml"])
    #expect(!reading.summary.isComplete)
  }
}
