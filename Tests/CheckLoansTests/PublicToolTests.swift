import Loans
import TestSupport
import Testing

@testable import CheckLoans
@testable import CommandOutput
@testable import Settings
@testable import Validation

/// What `validate` writes, read by the programs that it is meant for.
@Suite(.enabled(if: PublicTools.areWanted, "\(PublicTools.hint)"))
struct PublicToolTests {
  /// What a form tells of a finding.
  struct Reading: CustomTestStringConvertible {
    var format: FindingsFormat
    var keys: [String]
    var testDescription: String { format.rawValue }
  }

  private static let readings = [
    Reading(format: .github, keys: place + ["column", "endColumn"]),
    Reading(
      format: .sarif, keys: place + ["column", "endColumn", "replacement", "fingerprint"]),
    Reading(format: .junit, keys: place + ["fingerprint"]),
    Reading(format: .gitlab, keys: place + ["fingerprint"]),
    Reading(format: .checkstyle, keys: place + ["column"]),
    Reading(format: .rdjsonl, keys: place + ["column", "endColumn", "replacement"]),
  ]
  private static let place = ["path", "line", "severity", "code", "message"]

  @Test(arguments: readings)
  func `A public reader finds in each form what JSON tells`(reading: Reading) async throws {
    let library = try HostileLibrary()
    let expected = try await library.findings()
    #expect(expected.count > 20)
    #expect(Set(expected.map(\.["severity"])) == ["error", "warning"])
    let found = try await library.read(reading.format)
    #expect(found.map { $0.only(reading.keys) } == expected.map { $0.only(reading.keys) })
  }

  /// In UTF-8, UTF-16, ISO-8859-2 and others; behind tabs, CRLF, byte order marks, CDATA sections,
  /// references and comments; beyond line and column 65,535.
  @Test(arguments: readings)
  func `Every finding of every fixture stands at the same place in each form`(
    reading: Reading
  ) async throws {
    let library = try HostileLibrary(fixtures: HostileLibrary.fixtures(for: reading.format))
    let expected = try await library.findings()
    #expect(expected.count > 200)
    let found = try await library.read(reading.format)
    #expect(found.count == expected.count)
    for (found, expected) in zip(found, expected) {
      // A value over several lines has no end column, and then no place to put another.
      let keys = reading.keys.filter { $0 != "replacement" || expected.endColumn != nil }
      #expect(found.only(keys) == expected.only(keys))
    }
  }

  @Test func `Text has the same places as JSON`() async throws {
    let library = try HostileLibrary(fixtures: HostileLibrary.fixtures(for: .text))
    let lines = try await library.results(.text).split(separator: "\n")
    let expected = try await library.findings()
    #expect(lines.count == expected.count)
    for (line, finding) in zip(lines, expected) {
      let place =
        "\(finding.path.text ?? ""):\(finding.line.number ?? 0):\(finding.column.number ?? 0)"
      #expect(line.hasPrefix("\(place): \(finding.severity.text ?? ""): "))
      #expect(line.hasSuffix(" [\(finding.code.text ?? "")]"))
    }
  }

  @Test(arguments: readings)
  func `A public reader finds nothing in a catalogue without problems`(
    reading: Reading
  ) async throws {
    let library = try HostileLibrary(catalogues: ["good.xml": HostileLibrary.good])
    #expect(try await library.findings() == [])
    #expect(try await library.read(reading.format) == [])
  }

  @Test(arguments: readings)
  func `A public reader finds the catalogue that could not be read`(
    reading: Reading
  ) async throws {
    let library = try HostileLibrary(
      catalogues: ["good.xml": HostileLibrary.good], missing: "[a](b) ::x.xml")
    let found = try await library.read(reading.format)
    #expect(found.map { $0["path"] } == ["[a](b) ::x.xml"])
    #expect(found.map { $0["code"] } == ["not-read"])
    #expect(found.map { $0["severity"] } == ["error"])
    #expect(found.allSatisfy { $0["message"].text?.contains("no such file") == true })
  }
}

extension JSON {
  /// What is known of these, in their order.
  fileprivate func only(_ keys: [String]) -> [JSON] { keys.map { self[$0] } }
}

/// Catalogues whose names and texts try to be something else.
private struct HostileLibrary {
  private let desk: Desk
  private let names: [String]

  static let good = """
    <books><book id="a"><title>Abigél</title><expiration>2026.11.28</expiration></book></books>
    """

  private static let attacks = [
    "::add-mask::x", "##[add-mask]2", "##[stop-commands]x", "%0A::error::x", "a\n::error::b",
    "]]>", "<b>bold</b> & \"quoted\" 'text'", "\u{9B}31m\u{85}\u{7F}", "\u{202E}kcab\u{2066}",
    "\u{2028}\u{200B}\u{FEFF}", "👩\u{200D}👧 Ünnep", "[click](http://example.org) {0} {2028}",
    "`code` ``more`` @someone #1 <img src=x>", "--><!--", "\\u001b \\ \\n", "`",
  ]

  /// A book whose title, and one whose expiration, is the text.
  private static func entries(_ attack: String) -> String {
    let text = attack.escapedAsMarkup
    return """
      <book><title>\(text)</title>  <expiration>2026-12-01</expiration></book>
      <book><title>ű</title><!-- é --><expiration>\(text)</expiration></book>
      <book><borrower>\(text)</borrower><expiration>2026.12.01</expiration></book>

      """
  }

  private static let hostile = """
    <books>
    \(attacks.map(entries).joined())<Expiration/><book id='a'/><book id='a'/></books>
    """

  private static func books(_ attack: String) -> String { "<books>\(entries(attack))</books>" }

  private static let names = [
    "::add-mask::x.xml", "##[error]x.xml", "##[stop-commands]x.xml",
    "a b,ü:c=d;#f%25%0A?.xml", "new\nline.xml", "-leading.xml", "]]><b>&\"'.xml", "[a](b).xml",
    "..x.xml",
  ]

  init(catalogues: [String: String]? = nil, missing: String? = nil) throws {
    desk = try Desk(now: nil)
    let catalogues =
      catalogues
      ?? Dictionary(uniqueKeysWithValues: Self.names.map { ($0, Self.books($0)) })
      .merging(["books.xml": Self.hostile]) { $1 }
    names = catalogues.keys.sorted() + (missing.map { [$0] } ?? [])
    for (name, text) in catalogues {
      try desk.folder.write(text, to: name)
    }
  }

  /// The project's fixtures of these names.
  init(fixtures: [String]) throws {
    desk = try Desk(now: nil)
    names = fixtures
    for name in fixtures {
      try desk.folder.write(
        bytes: File.bytes(of: "\(projectDirectory)/Fixtures/invalid/\(name)"), to: name)
    }
  }

  /// The fixtures whose places a form can tell.
  static func fixtures(for format: FindingsFormat) -> [String] {
    let names = (try? File.names(in: "\(projectDirectory)/Fixtures/invalid")) ?? []
    return names.filter { $0.hasSuffix(".xml") }.filter { name in
      // Columns in bytes need the line, which cannot be had where it is long or broken.
      let lost = ["malformed", "unsupported", "beyond-column", "-long-"]
      return format != .rdjsonl || !lost.contains { name.contains($0) }
    }
  }

  /// What is found, as the form JSON tells it.
  func findings() async throws -> [JSON] {
    try JSON(parsing: await results(.json)).diagnostics.elements
  }

  /// What a public reader finds in the results.
  func read(_ format: FindingsFormat) async throws -> [JSON] {
    try desk.folder.write(await results(format), to: "results")
    let reader = "\(projectDirectory)/Tests/CheckLoansTests/Tools/read_results.py"
    let result = try await PublicTools.run(
      reader, format.rawValue, "results", directory: desk.folder.path)
    try #require(result.status == 0, "\(result.errorText)")
    return try JSON(parsing: result.text).elements
  }

  func results(_ format: FindingsFormat) async throws -> String {
    try await desk.run(["validate", "-q", "--format", format.rawValue, "--"] + names).text
  }
}
