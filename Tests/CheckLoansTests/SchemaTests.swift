import Loans
import TestSupport
import Testing

/// A language of schemas, as xmllint knows it.
enum SchemaLanguage: String, CaseIterable {
  case xsd
  case rng

  var path: String { "\(projectDirectory)/Sources/CheckLoans/Schemas/books.\(rawValue)" }

  private var option: String {
    switch self {
    case .xsd: "--schema"
    case .rng: "--relaxng"
    }
  }

  /// What xmllint thinks of a document, which may have entities in it.
  ///
  /// - Parameter isLong: whether to read it in one pass; otherwise many errors take far too long.
  func judgement(of path: String, isLong: Bool = false) async throws -> Judgement {
    let command = Command(
      "/usr/bin/xmllint",
      ["--nonet", "--noent", "--noout"] + (isLong ? ["--stream"] : []) + [option, self.path, path],
      environment: ["LC_ALL": "C", "XML_CATALOG_FILES": ""], directory: "/")
    let result = try await command.run()
    switch result.status {
    case 0: return .accepted
    case 1: return .malformed
    case 3: return .refused(lines: Self.lines(of: path, in: result.errorText))
    default: throw UnusableSchema(words: result.errorText)
    }
  }

  /// The lines that an error is told of.
  private static func lines(of path: String, in words: String) -> Set<Int> {
    var lines: Set<Int> = []
    for line in words.split(separator: "\n") where line.hasPrefix("\(path):") {
      let rest = line.dropFirst(path.count + 1)
      if let number = Int(rest.prefix { $0 != ":" }) { lines.insert(number) }
    }
    return lines
  }

  enum Judgement: Equatable {
    case accepted
    case malformed
    case refused(lines: Set<Int>)

    var isAcceptance: Bool { self == .accepted }
  }

  private struct UnusableSchema: Error {
    let words: String
  }
}

/// A catalogue in `Fixtures`, and what `validate` finds in it.
struct SchemaFixture: CustomTestStringConvertible {
  var name: String
  var path: String
  /// The codes of what is found, and of the errors among it.
  var codes: Set<String> = []
  var errors: Set<String> = []

  var testDescription: String { name }

  static let valid = all(in: "valid")
  static let invalid = all(in: "invalid")

  private static func all(in folder: String) -> [SchemaFixture] {
    let folder = "\(projectDirectory)/Fixtures/\(folder)"
    let names = (try? File.names(in: folder)) ?? []
    return names.filter { $0.hasSuffix(".xml") }.map { file in
      let name = String(file.dropLast(".xml".count))
      var fixture = SchemaFixture(name: name, path: "\(folder)/\(file)")
      fixture.readExpected("\(folder)/\(name).expected")
      return fixture
    }
  }

  private mutating func readExpected(_ path: String) {
    let text = (try? File.text(of: path)) ?? ""
    for line in text.split(separator: "\n") {
      guard let found = line.wholeMatch(of: /.*?: (error|warning): .*\[([a-z-]+)\]/) else {
        continue
      }
      codes.insert(String(found.2))
      if found.1 == "error" { errors.insert(String(found.2)) }
    }
  }

  /// Codes that are a matter of the parser, who reads for xmllint what it never reads for us.
  private static let ofParser: Set = [
    "external-entity", "declared-text", "unsupported-encoding", "not-a-catalogue",
    "error-answer", "unknown-borrower", "incomplete-answer", "missing-loan-days", "no-expirations",
    "shifted-days", "unknown-column",
  ]

  /// Codes of errors that no schema, or one of the two, can see.
  private static func unseen(by language: SchemaLanguage) -> Set<String> {
    // An expiration is required only where --require-expiration asks for it; a name in another case
    // is an unknown element, as is a date under another name.
    switch language {
    // Through a wildcard an expiration is known wherever it is.
    case .xsd:
      ["missing-expiration", "unknown-case", "unknown-date-element", "misplaced-expiration"]
    // RELAX NG knows uniqueness of ids only where a document type declares them.
    case .rng: ["missing-expiration", "unknown-case", "unknown-date-element", "duplicate-id"]
    }
  }

  /// Fixtures with an error that XML Schema does not see.
  private static let unseenByXSD: Set = [
    // Something is in it, and that one of it has to be a record cannot be said beside a wildcard.
    "no-loans-no-record", "no-loans-misplaced-expirations",
    // Every element that is declared globally may be the root.
    "no-loans-root-is-a-record",
  ]

  /// Fixtures with a misplaced expiration that XML Schema refuses for its date.
  private static let refusedByXSD: Set = [
    "misplaced-expiration-nested-deep", "misplaced-expiration-under-root-impossible-date",
  ]

  /// Whether schemas are to be asked about the catalogue.
  var isForSchemas: Bool { codes.isDisjoint(with: Self.ofParser) }

  /// Whether a schema is to refuse the catalogue.
  func isToBeRefused(by language: SchemaLanguage) -> Bool {
    // Only a warning, but a schema has no warnings, and this one is for whoever types a date.
    if codes.contains("invalid-loan-date") { return true }
    if language == .xsd && Self.unseenByXSD.contains(name) { return false }
    if language == .xsd && Self.refusedByXSD.contains(name) { return true }
    // What is in the misspelt book is then not in a book.
    if language == .rng && name == "unknown-case-record" { return true }
    return !errors.subtracting(Self.unseen(by: language)).isEmpty
  }
}

/// The command `schema`, and what its schemas say of catalogues.
struct SchemaTests {
  @Test(arguments: SchemaLanguage.allCases)
  func `It prints the schema as it is among the sources`(language: SchemaLanguage) async throws {
    let result = try await Desk().run("schema", "--format", language.rawValue)
    #expect(result.status == 0)
    #expect(result.output == (try File.bytes(of: language.path)))
    #expect(result.errorText == "")
  }

  @Test func `It prints the XML Schema if nothing else is asked for`() async throws {
    #expect(try await Desk().run("schema").output == (try File.bytes(of: SchemaLanguage.xsd.path)))
  }

  @Test func `It goes by no settings`() async throws {
    let result = try await Desk().run(
      "schema",
      variables: [
        "CHECK_LOANS_FORMAT": "rng", "CHECK_LOANS_REMIND": "often", "CHECK_LOANS_CONFIG": "/none",
      ])
    #expect(result.outcome == Outcome(0, output: try File.text(of: SchemaLanguage.xsd.path)))
  }

  @Test(arguments: [["--format", "dtd"], ["--format", ""], ["books.xml"], ["--format"]])
  func `Another format is wrong usage`(arguments: [String]) async throws {
    let result = try await Desk().run(["schema"] + arguments)
    #expect(result.status == 64)
    #expect(result.text == "")
    #expect(result.errorText.hasPrefix("check-loans: "))
  }

  @Test(arguments: [Command.Output.file("/dev/full"), .closed])
  func `A schema that cannot be written is 74`(output: Command.Output) async throws {
    let result = try await Desk().run("schema", output: output)
    #expect(result.status == 74)
    #expect(result.errorText.hasPrefix("check-loans: cannot write to standard output: "))
  }

  @Test func `The fixtures are there`() {
    #expect(SchemaFixture.valid.count >= 60)
    #expect(SchemaFixture.invalid.count >= 190)
    #expect(SchemaFixture.invalid.allSatisfy { !$0.codes.isEmpty })
  }

  @Test(arguments: SchemaFixture.valid, SchemaLanguage.allCases)
  func `A schema accepts what validate finds nothing in`(
    fixture: SchemaFixture, language: SchemaLanguage
  ) async throws {
    #expect(try await language.judgement(of: fixture.path) == .accepted)
  }

  @Test(arguments: SchemaFixture.invalid.filter(\.isForSchemas), SchemaLanguage.allCases)
  func `A schema refuses what validate calls an error, as far as it can see it`(
    fixture: SchemaFixture, language: SchemaLanguage
  ) async throws {
    let isToBeRefused = fixture.isToBeRefused(by: language)
    let judgement = try await language.judgement(of: fixture.path)
    #expect(judgement.isAcceptance != isToBeRefused)
  }

  /// Books, and which schemas refuse a catalogue of them.
  private static let catalogues: [(books: String, refusing: [SchemaLanguage])] = [
    ("<book/>", []),
    ("<book><expiration>2026.11.28</expiration><title>Abigél</title></book>", []),
    ("<book><loaned>2026.11.07</loaned><expiration>2026.11.28</expiration></book>", []),
    ("<book><loaned>\n 2024.02.29\t</loaned></book>", []),
    ("<book><loaned note='x'/></book>", []),
    ("<book><loaned>2026-11-07</loaned></book>", [.xsd, .rng]),
    ("<book><loaned>2026.02.29</loaned></book>", [.xsd, .rng]),
    ("<book><loaned>2026<b/>.11.07</loaned></book>", [.xsd, .rng]),
    ("<book><expiration note='x' xml:lang='hu'>2026.11.28</expiration></book>", []),
    ("<book><title>Az <em>ajtó</em><expiration>x</expiration></title></book>", [.rng]),
    ("<book><author>A</author><title>B</title><author>C</author></book>", []),
    ("text <book>text<note/>text<title/>text</book> text", []),
    ("<a><title><b/></title><book/></a><Book shelf='K 42'/><b:c xmlns:b='b'/>", []),
    ("<book id=' a '/><book id='b'/>", []),
    ("<book id='a  b'/><Book id=' a b'/>", [.xsd]),
    ("<book id=''/><book/><Book/>", []),
    ("<Book><expiration>2026.11.28</expiration><expiration/></Book>", [.xsd, .rng]),
    (
      "<Book><expiration>2026.11.28</expiration><expiration>2026.11.29</expiration></Book>",
      [.xsd, .rng]
    ),
    ("<book/><expiration>2026.11.28</expiration>", [.rng]),
    // The schema's own limits, both told in its first lines.
    ("<book/><a><expiration>x</expiration></a>", [.xsd, .rng]),
    ("<book id=''/><book id=''/>", [.xsd]),
  ]

  @Test(arguments: catalogues, ["books", "Books"])
  func `A schema knows the native form`(
    catalogue: (books: String, refusing: [SchemaLanguage]), root: String
  ) async throws {
    let desk = try Desk(catalogue: "<\(root)>\(catalogue.books)</\(root)>\n")
    for language in SchemaLanguage.allCases {
      let judgement = try await language.judgement(of: "\(desk.folder.path)/books.xml")
      #expect(judgement.isAcceptance != catalogue.refusing.contains(language), "\(language)")
    }
  }

  @Test func `The XML Schema takes the very dates that validate takes`() async throws {
    let dates = Self.dates
    // Beyond line 65,535 xmllint does not tell the line.
    try #require((30_000..<60_000).contains(dates.count))
    let desk = try Desk(catalogue: catalogue(dates.map { ("T", $0) }))
    let path = "\(desk.folder.path)/books.xml"
    let ours = Set(try await desk.run("validate", path).errorsByLine(of: path))
    try #require(ours.count > 10_000 && ours.count < dates.count - 10_000)
    let theirs = try await SchemaLanguage.xsd.judgement(of: path, isLong: true)
    #expect(theirs == .refused(lines: ours))
  }

  @Test func `RELAX NG has the patterns of the XML Schema`() throws {
    let types = try File.text(of: SchemaLanguage.xsd.path).split(separator: "<xs:simpleType")
    let steps = types.dropFirst().map { type in
      type.matches(of: /<xs:pattern value="([^"]*)"/).map { String($0.1) }.joined(separator: "|")
    }
    let patterns = try File.text(of: SchemaLanguage.rng.path)
      .matches(of: /<param name="pattern">([^<]*)</).map { String($0.1) }
    #expect(patterns.count == 3)
    #expect(patterns == steps.filter { !$0.isEmpty }.reversed())
  }

  @Test func `RELAX NG takes the dates of some years`() async throws {
    let days = Set(Self.dates.filter { $0.hasPrefix("2024.") || $0.hasPrefix("1900.") })
    let good = days.filter { (try? CivilDate(dotted: Array($0.utf8).span)) != nil }
    #expect(good.count == 366 + 365)
    let desk = try Desk(catalogue: catalogue(good.map { ("T", $0) }))
    let path = "\(desk.folder.path)/books.xml"
    #expect(try await SchemaLanguage.rng.judgement(of: path) == .accepted)
    let others = [
      "1900.02.29", "2024.02.30", "2024.04.31", "2024.13.01", "2024.00.01", "0000.01.01",
    ]
    for bad in others {
      try desk.folder.write(catalogue(("T", bad)), to: "books.xml")
      #expect(try await !SchemaLanguage.rng.judgement(of: path).isAcceptance, "\(bad)")
    }
  }

  /// Two days of every year, and whatever two digits can say in some.
  private static let dates: [String] = {
    let years = (0...9999).map { digits($0, 4) }
    let months = (Array(0...13) + [20, 32, 99]).map { digits($0, 2) }
    let days = (0...99).map { digits($0, 2) }
    let some = ["0000", "0001", "1900", "2000", "2023", "2024", "9999"]
    return years.flatMap { ["\($0).02.29", "\($0).01.01"] }
      + some.flatMap { year in
        months.flatMap { month in days.map { "\(year).\(month).\($0)" } }
      }
  }()

  private static func digits(_ number: Int, _ count: Int) -> String {
    let text = "\(number)"
    return String(repeating: "0", count: count - text.count) + text
  }
}

extension CommandResult {
  /// The lines of a catalogue in which `validate` has found errors.
  fileprivate func errorsByLine(of path: String) -> [Int] {
    lines.compactMap { line in
      guard line.contains(": error: ") else { return nil }
      return Int(line.dropFirst(path.count + 1).prefix { $0 != ":" })
    }
  }
}
