import LoanCatalogue
import LoanRules
import Loans
import System
import SystemPackage
import TestSupport
import Testing

@testable import CommandOutput
@testable import Validation

/// A folder with one catalogue, all of whose bad dates mean 1 December 2026.
struct FixingDesk {
  let folder: ScratchFolder
  let name: String

  var path: String { "\(folder.path)/\(name)" }

  static let bad = "2026-12-1"
  static let good = "2026.12.01"

  static func record(_ date: String, title: String = "T") -> String {
    "  <book>\n    <title>\(title)</title>\n    <expiration>\(date)</expiration>\n  </book>\n"
  }

  init(_ bytes: [UInt8], name: String = "books.xml") throws {
    folder = try ScratchFolder()
    self.name = name
    try folder.write(bytes: bytes, to: name)
  }

  init(_ text: String = "<books>\n\(record(bad))\(record(good))</books>\n") throws {
    try self.init(Array(text.utf8))
  }

  var bytes: [UInt8] {
    get throws { try File.bytes(of: path) }
  }

  func problems() throws -> [Diagnostic] {
    var problems: [Diagnostic] = []
    var reader = CatalogueReader()
    reader.locatesFixes = true
    let reading = try reader.open(path)
    while let batch = try reading.next() {
      for var diagnostic in batch.diagnostics {
        if diagnostic.code == .dateFormat { diagnostic.replacement = Self.good }
        if diagnostic.replacement != nil { problems.append(diagnostic) }
      }
    }
    return problems
  }

  @discardableResult
  func fix() throws -> FixOutcome { try CatalogueFixer(path).fix(problems()) }

  func diff() throws -> [UInt8] {
    try CatalogueFixer(path).fix(problems(), isDryRun: true).diff
  }
}

struct FixingTests {
  @Test func `The catalogue is replaced by the fixed one, and nothing is left beside it`() throws {
    let desk = try FixingDesk()
    let problems = try desk.problems()
    let outcome = try desk.fix()
    #expect(outcome.fixed == [SourceLocation(line: 4, column: 17)])
    #expect(outcome.left == 0)
    #expect(outcome.fixed == [problems[0].location])
    let record = FixingDesk.record(FixingDesk.good)
    #expect(try File.text(of: desk.path) == "<books>\n\(record)\(record)</books>\n")
    #expect(try File.names(in: desk.folder.path) == ["books.xml"])
  }

  @Test(arguments: [0o640, 0o600, 0o664, 0o755] as [UInt32])
  func `The permissions stay`(mode: UInt32) throws {
    try expectStays(mode)
  }

  @Test(.enabled(if: isRoot, "only root can read the catalogue then"))
  func `Permissions that forbid to read stay, too`() throws {
    try expectStays(0o200)
  }

  private func expectStays(_ mode: UInt32) throws {
    let desk = try FixingDesk()
    let problems = try desk.problems()
    try desk.folder.setPermissions(of: desk.name, mode)
    _ = try CatalogueFixer(desk.path).fix(problems)
    #expect(try desk.folder.status(of: desk.name).mode == mode)
  }

  @Test(.enabled(if: isRoot, "only root can give files away"))
  func `The owner and the group stay`() async throws {
    let desk = try FixingDesk()
    try desk.folder.setPermissions(of: desk.name, 0o640)
    let chown = Command(
      "/bin/chown", ["65534:1", desk.path], environment: [:], directory: desk.folder.path)
    #expect(try await chown.run().status == 0)
    try desk.fix()
    let status = try Stat(of: desk.path)
    #expect(status.userID == UserID(65_534))
    #expect(status.groupID == GroupID(1))
    #expect(status.permissions.rawValue == 0o640)
  }

  @Test func `A symbolic link stays, and leads to the fixed catalogue`() throws {
    let desk = try FixingDesk()
    try desk.folder.makeDirectory("links")
    try desk.folder.makeLink("links/first.xml", to: "second.xml")
    try desk.folder.makeLink("links/second.xml", to: "../books.xml")
    let link = "\(desk.folder.path)/links/first.xml"
    let problems = try desk.problems()
    _ = try CatalogueFixer(link).fix(problems)
    #expect(try File.names(in: "\(desk.folder.path)/links") == ["first.xml", "second.xml"])
    let isLink = FileSystem.linkTarget(of: FilePath(link)) == "second.xml"
    #expect(isLink)
    #expect(try desk.problems().isEmpty)
  }

  @Test func `What has nothing to mend is not touched`() throws {
    let desk = try FixingDesk("<books>\n\(FixingDesk.record(FixingDesk.good))</books>")
    let before = try desk.folder.status(of: desk.name)
    #expect(try desk.fix() == FixOutcome())
    #expect(try desk.folder.status(of: desk.name) == before)
  }

  @Test func `What cannot be fixed is counted, and the file not touched`() throws {
    let desk = try FixingDesk("<books>\n\(FixingDesk.record("2026-<!-- -->12-01"))</books>")
    let before = try desk.folder.status(of: desk.name)
    #expect(try desk.fix() == FixOutcome(left: 1))
    #expect(try desk.folder.status(of: desk.name) == before)
    #expect(try desk.diff().isEmpty)
  }

  @Test func `Mending twice changes nothing more`() throws {
    let desk = try FixingDesk()
    try desk.fix()
    let after = try desk.folder.status(of: desk.name)
    #expect(try desk.fix() == FixOutcome())
    #expect(try desk.folder.status(of: desk.name) == after)
  }

  @Test func `A dry run touches nothing`() throws {
    let desk = try FixingDesk()
    let before = try desk.folder.status(of: desk.name)
    #expect(try !desk.diff().isEmpty)
    #expect(try desk.folder.status(of: desk.name) == before)
    #expect(try File.names(in: desk.folder.path) == ["books.xml"])
  }
}

/// What is refused, with the catalogue as it was.
struct FixingRefusalTests {
  private func expect(
    _ desk: FixingDesk, _ status: CommandOutput.ExitStatus, _ message: String,
    sourceLocation: Testing.SourceLocation = #_sourceLocation,
    _ body: () throws -> Void
  ) throws {
    let before = try (desk.folder.status(of: desk.name), desk.bytes)
    let names = try File.names(in: desk.folder.path)
    let error = #expect(throws: CommandError.self, sourceLocation: sourceLocation) { try body() }
    #expect(error?.status == status, sourceLocation: sourceLocation)
    #expect(
      error?.message?.replacing(desk.path, with: desk.name) == "\(desk.name): \(message)",
      sourceLocation: sourceLocation)
    #expect(try desk.folder.status(of: desk.name) == before.0, sourceLocation: sourceLocation)
    #expect(try desk.bytes == before.1, sourceLocation: sourceLocation)
    #expect(try File.names(in: desk.folder.path) == names, sourceLocation: sourceLocation)
  }

  @Test func `A read-only file is not replaced, though its directory could be written`() throws {
    let desk = try FixingDesk()
    try desk.folder.setPermissions(of: desk.name, 0o444)
    try expect(
      desk, .noPermission,
      "this file is read-only, so it was left as it was; allow writing first"
    ) { try desk.fix() }
  }

  @Test func `A file with several names is not replaced`() throws {
    let desk = try FixingDesk()
    try desk.folder.makeHardLink("other.xml", to: desk.name)
    try expect(
      desk, .inputOutput,
      """
      this file has 2 names (hard links), and fixing would leave the others with the old content; \
      it was left as it was, put a copy in its place first
      """
    ) { try desk.fix() }
  }

  @Test func `A file that was changed since it was read is not replaced`() throws {
    let desk = try FixingDesk()
    let fixer = CatalogueFixer(desk.path)
    let problems = try desk.problems()
    try desk.folder.write(bytes: desk.bytes + [0x0A], to: desk.name)
    let message = "the file was changed meanwhile; nothing was fixed, try again"
    try expect(desk, .tryAgain, message) { _ = try fixer.fix(problems) }
    try expect(desk, .tryAgain, message) { _ = try fixer.fix(problems, isDryRun: true) }
  }

  @Test func `A file that is changed while it is first read is said to be`() throws {
    let desk = try FixingDesk()
    var request = ValidationRequest(
      catalogues: [desk.path], reader: CatalogueReader(), severities: SeverityPolicy(),
      form: TextForm(), output: nil, limit: .max, jobs: 1, variables: [:],
      repositoryPath: { $0 }, fixing: .replace, isQuiet: false, unknownZone: nil)
    request.reader.onProgress = { [bytes = try desk.bytes] _ in
      do {
        try desk.folder.write(bytes: bytes + [0x0A], to: desk.name)
      } catch {
        Issue.record(error)
      }
    }
    var validation = CatalogueValidation(of: desk.path, request, CatalogueReader()) { _ in }
    let result = try validation.run()
    #expect(
      result.messages == [
        "check-loans: \(desk.path): the file was changed meanwhile; nothing was fixed, try again"
      ])
    #expect(result.status == .tryAgain)
    #expect(try desk.problems().count == 1)
  }

  @Test func `A device that has come in the file's place is not read to its end`() throws {
    let desk = try FixingDesk()
    try desk.folder.makeLink("link.xml", to: desk.name)
    let fixer = CatalogueFixer("\(desk.folder.path)/link.xml")
    let problems = try desk.problems()
    try desk.folder.remove("link.xml")
    try desk.folder.makeLink("link.xml", to: "/dev/zero")
    let error = #expect(throws: CommandError.self) { try fixer.fix(problems) }
    #expect(error?.status == .tryAgain)
  }

  @Test func `A file that is changed while the new one is written is not replaced`() throws {
    let desk = try FixingDesk()
    let fixer = CatalogueFixer(desk.path)
    try desk.folder.write(bytes: Array("<books/>".utf8), to: "books.xml")
    let error = #expect(throws: CommandError.self) { try fixer.replace(by: [0x41]) }
    #expect(error?.status == .tryAgain)
    #expect(try desk.bytes == Array("<books/>".utf8))
    #expect(try File.names(in: desk.folder.path) == ["books.xml"])
  }

  @Test(arguments: [nil, "books.xml"])
  func `A new file that is given up leaves nothing behind`(old: String?) throws {
    let desk = try FixingDesk()
    do {
      let status = old == nil ? nil : try Stat(of: desk.path)
      let replacement = try FileReplacement.begin(
        at: "\(desk.folder.path)/\(old ?? "new.xml")", like: status)
      try replacement.write([0x41])
    }
    #expect(try File.names(in: desk.folder.path) == ["books.xml"])
    #expect(try desk.problems().count == 1)
  }

  @Test(.enabled(if: !isRoot, "root may do everything"))
  func `A directory that cannot be written is told`() throws {
    let desk = try FixingDesk()
    try desk.folder.setPermissions(of: ".", 0o555)
    defer { try? desk.folder.setPermissions(of: ".", 0o755) }
    try expect(
      desk, .noPermission,
      """
      a new file cannot be made beside it: permission denied; the catalogue was left as it was
      """
    ) { try desk.fix() }
  }

  @Test func `A file that has gone is told`() throws {
    let desk = try FixingDesk()
    let problems = try desk.problems()
    try desk.folder.remove(desk.name)
    let error = #expect(throws: CommandError.self) {
      _ = try CatalogueFixer(desk.path).fix(problems)
    }
    #expect(error?.status == .noInput)
  }
}
