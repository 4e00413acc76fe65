import LoanCatalogue
import Loans
import TestSupport
import Testing

@testable import CommandOutput
@testable import Validation

struct UnifiedDiffTests {
  private static let patch = "/usr/bin/patch"
  private static let git = "/usr/bin/git"

  /// Lines of records, some of whose dates are bad.
  private static func catalogue(
    _ pattern: String, between: Int = 0, lineEnd: String = "\n", end: String = "\n",
    words: String = "Ő"
  ) -> String {
    let records = pattern.map { letter in
      let date = letter == "b" ? FixingDesk.bad : letter == "s" ? "2026\n12\n1" : FixingDesk.good
      let padding = String(repeating: "  <!-- \(words) -->\n", count: between)
      return "  <book><title>\(words)</title><expiration>\(date)</expiration></book>\n\(padding)"
    }
    return "<books>\n\(records.joined())</books>\(end)".replacing("\n", with: lineEnd)
  }

  /// A diff, applied to a copy of the catalogue, has to give what mending gives.
  private func expectApplies(
    _ desk: FixingDesk, by program: [String],
    sourceLocation: Testing.SourceLocation = #_sourceLocation
  ) async throws {
    let copy = try FixingDesk(desk.bytes, name: desk.name)
    let diff = try copy.diff()
    // Names are relative where the path is.
    let prefix = copy.folder.path.dropFirst()
    let text = diff.replacing("\(prefix)/".utf8, with: [])
    try copy.folder.write(bytes: text, to: "the.diff")
    var command = Command(
      program[0], program.dropFirst() + ["the.diff"],
      environment: ["PATH": "/usr/bin:/bin", "GIT_CEILING_DIRECTORIES": "/tmp", "LC_ALL": "C"],
      directory: copy.folder.path)
    command.deadline = .seconds(30)
    let result = try await command.run()
    #expect(result.status == 0, "\(result.text)\(result.errorText)", sourceLocation: sourceLocation)
    #expect(!result.text.contains("fuzz") && !result.text.contains("offset"))
    try desk.fix()
    #expect(try copy.bytes == desk.bytes, sourceLocation: sourceLocation)
  }

  private static let byPatch = [patch, "-p1", "--no-backup-if-mismatch", "--fuzz=0", "-i"]
  private static let byGit = [git, "apply", "--whitespace=nowarn", "-p1"]

  private static let patterns = [
    "b", "bgggggg", "ggggggb", "gggbggg", "ggggbgggg", "bgggggbggggggbgggggggb", "bbbb", "gbbgbbg",
    "ssbs", "bggggggggggsggggggggggb",
  ]

  @Test(
    .enabled(if: File.exists(patch), "the Debian package patch is not installed"),
    arguments: patterns, ["\n", "\r\n"])
  func `patch applies the diff, and the catalogue is as if fixed`(
    pattern: String, lineEnd: String
  ) async throws {
    for end in ["\n", "", "\n\n\n"] {
      for between in [0, 2, 5] {
        let text = Self.catalogue(pattern, between: between, lineEnd: lineEnd, end: end)
        try await expectApplies(FixingDesk(text), by: Self.byPatch)
      }
    }
  }

  @Test(.enabled(if: File.exists(git), "git is not installed"), arguments: patterns)
  func `So does git`(pattern: String) async throws {
    for end in ["\n", ""] {
      try await expectApplies(FixingDesk(Self.catalogue(pattern, end: end)), by: Self.byGit)
    }
  }

  @Test(.enabled(if: File.exists(patch), "the Debian package patch is not installed"))
  func `A diff of ISO-8859-2 can be applied too`() async throws {
    let text = Self.catalogue("gbgggbgggggggb", words: "#")
    let declared = "<?xml version='1.0' encoding='ISO-8859-2'?>\n\(text)"
    let bytes = declared.utf8.map { $0 == UInt8(ascii: "#") ? 0xD5 : $0 }
    try await expectApplies(FixingDesk(bytes), by: Self.byPatch)
  }

  private static let names = [
    "two words.xml", "quo\"te.xml", "back\\slash.xml", "tab\t.xml", "űrhajó.xml", "new\nline.xml",
    "\u{1B}[31m.xml", "a b\\c.xml", "-x.xml", "--- a.xml", "'.xml", "a  .xml",
  ]

  @Test(
    .enabled(if: File.exists(patch), "the Debian package patch is not installed"), arguments: names)
  func `A diff names the file, whatever it is called`(name: String) async throws {
    let bytes = Array(Self.catalogue("gbg").utf8)
    try await expectApplies(FixingDesk(bytes, name: name), by: Self.byPatch)
  }

  @Test(.enabled(if: File.exists(git), "git is not installed"), arguments: names)
  func `A diff names the file for git, too`(name: String) async throws {
    let bytes = Array(Self.catalogue("gbg").utf8)
    try await expectApplies(FixingDesk(bytes, name: name), by: Self.byGit)
  }

  @Test(.enabled(if: File.exists(patch), "the Debian package patch is not installed"))
  func `Any pattern of bad dates gives a diff that can be applied`() async throws {
    var dice = Dice(state: 11)
    for _ in 1...40 {
      let pattern = (1...60).map { _ in
        ["b", "s", "g", "g", "g", "g", "g", "g", "g"].randomElement(using: &dice) ?? "g"
      }.joined()
      let end = ["\n", "", "\n\n"].randomElement(using: &dice) ?? ""
      try await expectApplies(
        FixingDesk(
          Self.catalogue(pattern, between: Int.random(in: 0...2, using: &dice), end: end)),
        by: Self.byPatch)
    }
  }

  @Test func `A diff reads like that of diff`() throws {
    let desk = try FixingDesk(Self.catalogue("gggggbgggggggbb", end: "", words: "x"))
    let good = " " + Self.line(FixingDesk.good)
    let bad = "-" + Self.line(FixingDesk.bad)
    let fixed = "+" + Self.line(FixingDesk.good)
    let name = desk.path.dropFirst()
    #expect(
      try String(decoding: desk.diff(), as: UTF8.self)
        == """
        --- a/\(name)
        +++ b/\(name)
        @@ -4,7 +4,7 @@
        \(good)\(good)\(good)\(bad)\(fixed)\(good)\(good)\(good)\
        @@ -12,6 +12,6 @@
        \(good)\(good)\(good)\(bad)\(bad)\(fixed)\(fixed) </books>
        \\ No newline at end of file

        """)
  }

  private static func line(_ date: String) -> String {
    "  <book><title>x</title><expiration>\(date)</expiration></book>\n"
  }

  @Test(arguments: [
    ("books.xml", "a/books.xml"), ("./books.xml", "a/books.xml"), ("/x//y.xml", "a/x/y.xml"),
    ("a b.xml", "a/a b.xml\t"), ("a\"b c.xml", #""a/a\"b c.xml""#), ("\u{7}\\", #""a/\007\\""#),
    ("é.xml", "a/é.xml"), ("../x.xml", "a/../x.xml"), ("\u{7F}", #""a/\177""#),
  ])
  func `Names are written as git does`(path: String, name: String) {
    #expect(UnifiedDiff.name("a/", path) == name)
  }

  @Test func `A diff on a terminal steers nothing`() {
    let bytes = Array("-\t\u{1B}[2Jx\u{9B}\r\n+é\u{202E}\n".utf8) + [0xFF, 0, 0x0A]
    #expect(
      UnifiedDiff.visible(bytes)
        == "-\t\\u{1b}[2Jx\\u{9b}\\u{d}\n+é\\u{202e}\n\u{FFFD}\\u{0}\n")
  }
}
