import TestSupport
import Testing

/// What stays right although something fails on the way.
struct FailureTests {
  @Test func `A page that is no catalogue is an error, also where an empty one is allowed`()
    async throws
  {
    let desk = try Desk()
    try await desk.run("books.xml")
    try desk.folder.write("<html><body>Not found</body></html>", to: "books.xml")
    let result = try await desk.run("--allow-empty", "books.xml")
    #expect(result.status == 65)
    #expect(result.errorText.contains("[no-loans]"))
    #expect(try await desk.pending().count == 14)
  }

  @Test func `Validation goes on after a file that cannot be read to its end`() async throws {
    let desk = try Desk(now: nil, catalogue: catalogue(("Abigél", "x")))
    let result = try await desk.run("validate", "books.xml", "-", "books.xml", input: .closed)
    #expect(result.status == 74)
    #expect(result.lines.count == 2)
    #expect(result.errorText.contains("2 files, 0 loans: 2 errors, 0 warnings, 1 file not read"))
  }

  @Test func `A loan that a misspelt name hides is told of every time`() async throws {
    let book = "<book><title>A</title><Expiration>2026.11.22</Expiration></book>"
    let desk = try Desk(catalogue: "<books><expiration>2026.11.22</expiration>\(book)</books>")
    for _ in 0..<2 {
      let result = try await desk.run("--notify", "stdout", "books.xml")
      #expect(result.status == 0)
      #expect(result.lines == [])
      #expect(result.errorLines.map { $0.hasSuffix("[misplaced-expiration]") } == [true, false])
      #expect(result.errorLines.last?.hasSuffix("[unknown-case]") == true)
    }
  }

  @Test func `A dry run with JSON prints one document`() async throws {
    let desk = try Desk()
    let result = try await desk.run(
      "--dry-run", "--notify", "notify-send", "--format", "json", "books.xml")
    #expect(result.lines.count == 1)
    #expect(try JSON(parsing: result.text).loans.elements.count == 6)
    #expect(result.errorLines.count == 6)
  }

  @Test func `One catalogue spelt in two ways is read once`() async throws {
    let desk = try Desk()
    let result = try await desk.run(
      "--no-state", "--notify", "stdout", "books.xml", "./books.xml",
      "\(desk.folder.path)/books.xml")
    #expect(result.status == 0)
    #expect(result.lines.count == 6)
    #expect(Set(result.lines).count == 6)
  }

  @Test func `Without a schedule notices come in the same order as with one`() async throws {
    let desk = try Desk()
    let without = try await desk.run("--no-state", "--notify", "stdout", "books.xml")
    let with = try await desk.run("--notify", "stdout", "books.xml")
    #expect(without.lines == with.lines)
  }

  @Test func `Of a catalogue that cannot be read to its end nothing is told`() async throws {
    let desk = try Desk()
    let result = try await desk.run("--no-state", "--notify", "stdout", "-", input: .file("/"))
    #expect(result.status == 66)
    #expect(result.lines == [])
  }

  @Test func `A reload that runs out of room leaves the schedule as it was`() async throws {
    let desk = try Desk()
    try await desk.run("books.xml")
    let before = try await desk.schedule()
    var books: [(title: String, expiration: String?)] = []
    for number in 0..<90_000 {
      books.append(("A title that takes some room, number \(number)", "2026.12.01"))
    }
    try desk.folder.write(catalogue(books), to: "books.xml")
    let result = try await desk.shell("ulimit -f 2000; \"$0\" books.xml")
    #expect(result.status == 74)
    #expect(result.errorLines.count == 1)
    #expect(try await desk.schedule() == before)
  }
}
