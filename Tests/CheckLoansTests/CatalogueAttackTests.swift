import TestSupport
import Testing

/// Catalogues that want something: refused at once, in little memory, and without a trace.
@Suite(.enabled(if: Command.canMeasureMemory, "needs python3"))
struct CatalogueAttackTests {
  private static let canary = "CANARY-4711"

  /// Everything that can be put in place of a catalogue, with the code that refuses it.
  private static func attack(_ name: String, canary: String) -> [UInt8] {
    let loan = "<book><title>T</title><expiration>2026.11.22</expiration></book>"
    switch name {
    case "external entity":
      return Array(
        """
        <!DOCTYPE books [<!ENTITY x SYSTEM "file://\(canary)">]>
        <books><book><title>&x;</title><expiration>2026.11.22</expiration></book></books>
        """.utf8)
    case "external entity by its bare path":
      return Array(
        """
        <!DOCTYPE books [<!ENTITY x SYSTEM "\(canary)">]>
        <books><book><title>T</title><expiration>&x;</expiration></book></books>
        """.utf8)
    case "parameter entity":
      return Array(
        """
        <!DOCTYPE books [<!ENTITY % x SYSTEM "file://\(canary)"> %x;]>
        <books>\(loan)</books>
        """.utf8)
    case "billion laughs", "billion laughs in an expiration":
      var entities = "<!ENTITY l0 \"lol\">"
      for level in 1...9 {
        entities += "<!ENTITY l\(level) \"\("&l\(level - 1);".repeated(10))\">"
      }
      let place = name == "billion laughs" ? "title" : "expiration"
      return Array(
        "<!DOCTYPE books [\(entities)]><books><book><\(place)>&l9;</\(place)></book></books>".utf8)
    case "quadratic blow-up":
      let entity = "<!ENTITY a \"\("a".repeated(100_000))\">"
      let text = "&a;".repeated(20_000)
      return Array(
        "<!DOCTYPE books [\(entity)]><books><book><title>\(text)</title></book></books>".utf8)
    case "empty entities", "instructions in entities":
      let inner = name == "empty entities" ? "" : "<?a?>"
      let entity = "<!ENTITY a \"\(inner)\"><!ENTITY b \"\("&a;".repeated(10_000))\">"
      let text = "&b;".repeated(10_000)
      return Array(
        "<!DOCTYPE books [\(entity)]><books><book><title>\(text)</title></book></books>".utf8)
    case "depth 300":
      return Array("<books>\("<x>".repeated(300))\("</x>".repeated(300))\(loan)</books>".utf8)
    case "depth 1,000,000":
      return Array("<books>\("<x>".repeated(1_000_000))".utf8)
    case "a title of 11 MB":
      return Array("<books><book><title>\("x".repeated(11_000_000))</title></book></books>".utf8)
    case "an element name of 30 MB":
      return Array("<books><\("x".repeated(30_000_000))/>\(loan)</books>".utf8)
    case "UTF-7":
      return Array("<?xml version=\"1.0\" encoding=\"UTF-7\"?><books>\(loan)</books>".utf8)
    case "NUL bytes":
      return Array("<books>".utf8) + [UInt8](repeating: 0, count: 1_000_000)
    case "SQLite's own file":
      return Array("SQLite format 3\0".utf8) + [UInt8](repeating: 7, count: 100_000)
    default:
      preconditionFailure("no attack \(name)")
    }
  }

  @Test(arguments: [
    ("external entity", "external-entity"),
    ("external entity by its bare path", "external-entity"),
    ("parameter entity", "external-entity"), ("billion laughs", "declared-text"),
    ("billion laughs in an expiration", "declared-text"), ("quadratic blow-up", "declared-text"),
    ("empty entities", "declared-text"), ("instructions in entities", "declared-text"),
    ("depth 300", "malformed-xml"), ("depth 1,000,000", "malformed-xml"),
    ("a title of 11 MB", "malformed-xml"), ("an element name of 30 MB", "malformed-xml"),
    ("UTF-7", "unsupported-encoding"), ("NUL bytes", "malformed-xml"),
    ("SQLite's own file", "not-a-catalogue"),
  ])
  func `An attack is an error in under a second, of which only ten are asserted`(
    name: String, code: String
  ) async throws {
    let desk = try Desk()
    try desk.folder.write(Self.canary, to: "canary.txt")
    try await desk.run("books.xml")
    let bytes = try desk.stateBytes()
    let attack = Self.attack(name, canary: "\(desk.folder.path)/canary.txt")
    try desk.folder.write(bytes: attack, to: "books.xml")
    for arguments in [
      ["books.xml"], ["books.xml", "--format", "json"], ["validate", "books.xml"],
    ] {
      let result = try await run(arguments, on: desk)
      #expect(result.status == (arguments[0] == "validate" ? 1 : 65))
      let words = result.text + result.errorText
      #expect(words.contains(code), "\(arguments)")
      #expect(!words.contains(Self.canary))
      #expect(words.utf8.count < 2_000)
    }
    #expect(try desk.stateBytes() == bytes)
    #expect(!bytes.contains(Self.canary))
  }

  @Test func `A text in an element that nobody asked for is never shown`() async throws {
    let desk = try Desk(
      catalogue: """
        <books><book><title>Abigél</title><secret>\(Self.canary)</secret>
        <xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="canary.txt" parse="text"/>
        <expiration>2026.11.22</expiration></book></books>
        """)
    try desk.folder.write(Self.canary, to: "canary.txt")
    let result = try await desk.run("books.xml", "-v")
    #expect(result.status == 0)
    #expect(result.lines.first == "\"Abigél\" expires tomorrow (2026.11.22)")
    #expect(!(result.text + result.errorText).contains(Self.canary))
    #expect(!(try desk.stateBytes().contains(Self.canary)))
  }

  @Test(arguments: ["pipe", "directory", "/dev/zero"])
  func `What is no file is refused instead of waited for`(path: String) async throws {
    let desk = try Desk()
    try desk.folder.makeNamedPipe("pipe")
    try desk.folder.makeDirectory("directory")
    for arguments in [[path], ["validate", path]] {
      let result = try await run(arguments, on: desk)
      #expect(result.status == 66)
      #expect(result.errorText.contains("this is a"))
    }
  }

  @Test(arguments: [
    ("https://user:secret@example.org\n", "plain text"),
    ("<html><head><title>secret</title></head></html>", "an HTML page"),
    (
      "PK\u{3}\u{4}\(String(repeating: "\0", count: 22))\u{A}\0\0\0secret.xml", "ZIP archive"
    ),
  ])
  func `Nothing is quoted of what is not a catalogue`(text: String, words: String) async throws {
    let desk = try Desk(catalogue: text)
    try desk.folder.makeLink("link.xml", to: "books.xml")
    for path in ["books.xml", "link.xml"] {
      for arguments in [["validate", path], ["--state", "none", path]] {
        let result = try await desk.run(arguments)
        #expect((result.text + result.errorText).contains(" \(words)"), "\(path)")
        #expect(!(result.text + result.errorText).contains("secret"))
      }
    }
  }

  @Test func `Standard input without end is refused`() async throws {
    let desk = try Desk()
    var command = desk.command(["--name", "zero", "-"])
    command.input = .file("/dev/zero")
    command.measuresMemory = true
    let result = try await command.run()
    #expect(result.status == 65)
    try await expectModest(result, on: desk)
  }

  @Test func `A hundred thousand loans take little memory`() async throws {
    let loans = (1...100_000).map { ("Book \($0)", Optional("2027.01.02")) }
    let desk = try Desk(catalogue: catalogue(loans))
    let result = try await run(["validate", "books.xml"], on: desk)
    #expect(result.errorText == "check-loans: 1 file, 100000 loans: no problems\n")
  }

  /// Records of MARC, each with a copy that is lent, or with none, as in the answer of a server or not.
  @Test(arguments: [true, false], ["", "<header><identifier>7</identifier></header>"])
  func `A hundred thousand records of another system take little memory`(
    areLent: Bool, header: String
  ) async throws {
    let copy = """
      <datafield tag="952"><subfield code="p">#</subfield><subfield code="q">2027-01-02</subfield></datafield>
      """
    let record = """
      <record><datafield tag="245"><subfield code="a">Book #</subfield></datafield>\
      \(areLent ? copy : "")</record>

      """
    let (start, end) =
      header.isEmpty
      ? ("<collection xmlns='http://www.loc.gov/MARC21/slim'>", "</collection>")
      : (
        "<OAI-PMH xmlns='http://www.openarchives.org/OAI/2.0/'><ListRecords>",
        "</ListRecords></OAI-PMH>"
      )
    let records = (1...100_000).map { number in
      let record = record.replacing("#", with: "\(number)")
      return header.isEmpty ? record : "<record>\(header)<metadata>\(record)</metadata></record>"
    }
    let desk = try Desk(catalogue: start + records.joined() + end)
    let result = try await run(["validate", "books.xml"], on: desk)
    #expect(result.errorText.contains("\(areLent ? 100_000 : 0) loans"))
  }

  @Test(arguments: ["<books>#<book>", "<books><book>#"])
  func `Comments that silence nothing take little memory, wherever they are`(
    beginning: String
  ) async throws {
    let comments = "<!-- check-loans: ignore date-format -->\n".repeated(200_000)
    let desk = try Desk(
      catalogue: beginning.replacing("#", with: comments) + "<title>T</title></book></books>")
    let result = try await run(["validate", "--max-diagnostics", "1", "books.xml"], on: desk)
    #expect(result.errorText.contains(": 0 errors, 1 warning\n"))
  }

  private func run(_ arguments: [String], on desk: Desk) async throws -> CommandResult {
    var command = desk.command(arguments)
    command.measuresMemory = true
    let result = try await command.run()
    try await expectModest(result, on: desk)
    return result
  }

  /// Expects little memory beyond what the binary itself takes, which depends on how it was built.
  private func expectModest(_ result: CommandResult, on desk: Desk) async throws {
    #expect(result.ending != .deadlinePassed)
    // Without the word nothing would be parsed, which takes memory, too.
    var version = desk.command(["check", "--version"])
    version.measuresMemory = true
    let least = try #require(await version.run().peakMemory)
    let peak = try #require(result.peakMemory)
    #expect(least > 1_000_000, "a peak that can be measured")
    #expect(peak - least < 40_000_000)
  }
}

extension Collection<UInt8> {
  /// Whether a text is in it somewhere.
  fileprivate func contains(_ text: String) -> Bool {
    Array(self).firstRange(of: Array(text.utf8)) != nil
  }
}
