import Loans
import TestSupport
import Testing

/// `validate`, over the project's fixtures.
struct ValidateTests {
  private static let directory = "\(projectDirectory)/Fixtures"

  private static func fixtures(_ kind: String) -> [String] {
    let names = (try? File.names(in: "\(directory)/\(kind)")) ?? []
    return names.filter { $0.hasSuffix(".xml") }
  }

  /// A desk whose folder has the fixture, under its own name, in place of `books.xml`.
  private func desk(with fixture: String) throws -> Desk {
    let desk = try Desk(now: nil)
    let name = fixture.split(separator: "/").last.map(String.init) ?? fixture
    try desk.folder.write(bytes: File.bytes(of: "\(Self.directory)/\(fixture)"), to: name)
    return desk
  }

  @Test(arguments: [
    (
      "date-format-hyphens", "9:17",
      """
      expiration "2026-12-01" is not of the form yyyy.MM.dd; did you mean 2026.12.01? \
      [date-format]
      """
    ),
    (
      "impossible-date-year-0", "9:17",
      "expiration \"0000.01.01\" is not a calendar date; years begin with 0001 [impossible-date]"
    ),
    (
      "empty-expiration-cdata", "9:5",
      """
      the expiration is empty; write yyyy.MM.dd, or remove it if the book is on the shelf \
      [empty-expiration]
      """
    ),
    (
      "duplicate-expiration", "10:5",
      """
      a second expiration in one book, after the one at line 9; keep only the right one \
      [duplicate-expiration]
      """
    ),
    (
      "external-entity-file", "3:3",
      """
      "file:///etc/passwd" is outside the catalogue and is never read; remove the reference to it \
      [external-entity]
      """
    ),
    (
      "unsupported-encoding-utf-7", "1:1",
      "the encoding \"UTF-7\" is not supported; save the catalogue as UTF-8 [unsupported-encoding]"
    ),
    (
      "not-a-catalogue-html", "1:1",
      """
      this is an HTML page, not a list of loans; look at it in a browser, since the address or the \
      login may be wrong [not-a-catalogue]
      """
    ),
  ])
  func `An error is one line with its place, and a summary on standard error`(
    fixture: String, place: String, message: String
  ) async throws {
    let desk = try desk(with: "invalid/\(fixture).xml")
    let result = try await desk.run("validate", "\(fixture).xml")
    #expect(result.status == 1)
    #expect(result.text == "\(fixture).xml:\(place): error: \(message)\n")
    #expect(result.errorLines.count == 1)
    let fixable = fixture == "date-format-hyphens" ? ", 1 fixable with --fix" : ""
    #expect(result.errorText.hasSuffix(": 1 error, 0 warnings\(fixable)\n"))
  }

  @Test func `A duplicate id names the first book that has it`() async throws {
    let desk = try desk(with: "invalid/duplicate-id.xml")
    #expect(
      try await desk.run("validate", "duplicate-id.xml").outcome
        == Outcome(
          1,
          output: """
            duplicate-id.xml:7:3: error: id "bk101" is already used by the book at line 3; \
            give each book an id of its own [duplicate-id]

            """, errors: "check-loans: 1 file, 3 loans: 1 error, 0 warnings\n"))
  }

  @Test func `A missing expiration is an error only where one is required`() async throws {
    let desk = try desk(with: "invalid/missing-expiration.xml")
    #expect(
      try await desk.run("validate", "missing-expiration.xml").outcome
        == Outcome(0, errors: "check-loans: 1 file, 3 books, 2 loans: no problems\n"))
    #expect(
      try await desk.run("validate", "--require-expiration", "missing-expiration.xml").outcome
        == Outcome(
          1,
          output: """
            missing-expiration.xml:7:3: error: the book has no <expiration>; add one of the form \
            yyyy.MM.dd [missing-expiration]

            """, errors: "check-loans: 1 file, 3 books, 2 loans: 1 error, 0 warnings\n"))
  }

  @Test func `The results as JSON tell the same`() async throws {
    let desk = try desk(with: "invalid/date-format-hyphens.xml")
    try desk.folder.write(catalogue(("", "2026.11.28")), to: "untitled.xml")
    let files = ["date-format-hyphens.xml", "untitled.xml"]
    let result = try await desk.run(["validate", "--format", "json"] + files)
    #expect(result.status == 1)
    let prints = try JSON(parsing: result.text).diagnostics.elements.map {
      $0.fingerprint.text ?? ""
    }
    #expect(prints.allSatisfy { $0.count == 16 && $0.allSatisfy(\.isHexDigit) })
    #expect(prints[0] != prints[1])
    #expect(
      result.text == """
        {"version":1,"files":2,"loans":3,"errors":1,"warnings":1,"omitted":0,"diagnostics":[\
        {"path":"date-format-hyphens.xml","line":9,"column":17,"endColumn":27,\
        "severity":"error","code":"date-format","message":"expiration \\"2026-12-01\\" is not of \
        the form yyyy.MM.dd; did you mean 2026.12.01?","value":"2026-12-01","loan":"bk102",\
        "replacement":"2026.12.01","fingerprint":"\(prints[0])"},\
        {"path":"untitled.xml","line":2,"column":1,"endColumn":null,"severity":"warning",\
        "code":"missing-title","message":"the book has no title, so its notices can only name \
        its id or barcode","value":null,"loan":null,"replacement":null,\
        "fingerprint":"\(prints[1])"}],"unread":[],"catalogues":[\
        {"path":"date-format-hyphens.xml","profile":"native"},\
        {"path":"untitled.xml","profile":"native"}]}

        """)
    #expect(try JSON(parsing: result.text).diagnostics.elements.count == 2)
    #expect(
      result.errorText == """
        check-loans: 2 files, 4 books, 3 loans, 1 left out: 1 error, 1 warning, 1 fixable with --fix

        """)
  }

  @Test func `A clean catalogue has no output, and is 0`() async throws {
    let desk = try Desk(now: nil)
    #expect(
      try await desk.run("validate", "books.xml").outcome
        == Outcome(0, errors: "check-loans: 1 file, 18 books, 14 loans: no problems\n"))
    #expect(
      try await desk.run("validate", "--format", "json", "-q", "books.xml").outcome
        == Outcome(
          0,
          output:
            """
            {"version":1,"files":1,"loans":14,"errors":0,"warnings":0,"omitted":0,"diagnostics":[],\
            "unread":[],"catalogues":[{"path":"books.xml","profile":"native"}]}

            """
        ))
  }

  @Test func `Warnings alone are no error`() async throws {
    let desk = try desk(with: "invalid/unlikely-date-last-day.xml")
    let result = try await desk.run("validate", "unlikely-date-last-day.xml")
    #expect(result.ends(0, output: result.text, saying: ": 1 file, 3 loans: 0 errors, 1 warning"))
    #expect(result.text.hasPrefix("unlikely-date-last-day.xml:9:17: warning: expiration \""))
    #expect(result.text.hasSuffix(" [unlikely-date]\n"))
    #expect(result.lines.count == 1)
  }

  @Test(arguments: fixtures("invalid"))
  func `Every invalid fixture has the diagnostics beside it`(fixture: String) async throws {
    let desk = try desk(with: "invalid/\(fixture)")
    let name = fixture.dropLast(4)
    let expected = try File.text(of: "\(Self.directory)/invalid/\(name).expected")
    let result = try await desk.run(["validate", "-q"] + Self.options(for: fixture) + [fixture])
    let told = result.lines.map { String($0.dropFirst(fixture.utf8.count + 1)) }
    let lines = expected.split(separator: "\n").map(String.init)
    #expect(told.count == lines.count)
    for (line, pattern) in zip(told, lines) {
      #expect(matches(line, pattern), "\(line) is not \(pattern)")
    }
    #expect(result.status == (lines.contains { $0.contains(": error: ") } ? 1 : 0))
    #expect(result.errorText == "")
  }

  /// What has to be asked for, that the defect of a fixture is found.
  static func options(for fixture: String) -> [String] {
    if fixture.hasPrefix("missing-expiration") { return ["--require-expiration"] }
    if fixture.hasPrefix("distant-expiration") { return ["--max-days=3650", "--now=2026-11-21"] }
    return fixture.hasPrefix("shifted-days") ? ["--time-zone=Europe/Prague"] : []
  }

  /// Whether a line is what an `.expected` file has: `?` there stands for any number, and a
  /// message that comes from libxml2 is left out.
  private func matches(_ line: String, _ pattern: String) -> Bool {
    let line = line.split(separator: ":", maxSplits: 3, omittingEmptySubsequences: false)
    let pattern = pattern.split(separator: ":", maxSplits: 3, omittingEmptySubsequences: false)
    guard line.count == 4, pattern.count == 4 else { return false }
    let arePlacesEqual = zip(line, pattern).prefix(2).allSatisfy {
      $0 == $1 || ($1 == "?" && Int($0) != nil)
    }
    let message = pattern[3].hasPrefix(" [") ? line[3].hasSuffix(pattern[3]) : line[3] == pattern[3]
    return arePlacesEqual && line[2] == pattern[2] && message
  }

  @Test func `Every diagnostic code is reached`() async throws {
    var reached: Set<String> = []
    let desk = try Desk(now: nil)
    for fixture in Self.fixtures("invalid") {
      try desk.folder.write(
        bytes: File.bytes(of: "\(Self.directory)/invalid/\(fixture)"), to: fixture)
    }
    let options = [
      "validate", "--format", "json", "--require-expiration", "--max-days", "3650", "--now",
      "2026-11-21", "--time-zone", "Europe/Prague",
    ]
    let results = try await desk.run(options + Self.fixtures("invalid"))
    for diagnostic in try JSON(parsing: results.text).diagnostics.elements {
      reached.insert(diagnostic.code.text ?? "")
    }
    #expect(reached == Set(Diagnostic.Code.allCases.map(\.rawValue)))
    #expect(reached.count == 30)
  }

  @Test func `Every valid fixture has no error`() async throws {
    let desk = try Desk(now: nil)
    let names = Self.fixtures("valid")
    #expect(names.count > 60)
    for name in names {
      try desk.folder.write(bytes: File.bytes(of: "\(Self.directory)/valid/\(name)"), to: name)
    }
    let result = try await desk.run(["validate"] + names)
    #expect(result.status == 0)
    #expect(result.lines.filter { $0.contains(": error: ") } == [])
    #expect(result.errorText.hasPrefix("check-loans: \(names.count) files, "))
  }

  @Test(arguments: [
    "invalid/date-format-hyphens.xml", "invalid/missing-expiration.xml",
    "invalid/not-a-catalogue-html.xml", "invalid/unlikely-date-last-day.xml",
    "valid/utf-16le-bom.xml",
  ])
  func `The order and the form of the arguments change nothing`(fixture: String) async throws {
    let desk = try desk(with: fixture)
    let file = fixture.split(separator: "/").last.map(String.init) ?? ""
    for flags in [["-q"], ["--quiet"], ["--require-expiration"], ["-q", "--require-expiration"]] {
      let plain = try await desk.run(["validate"] + flags + [file]).outcome
      for arguments in [
        [file] + flags, flags + [file, "--format", "text"], flags + ["--format=text", file],
        flags + ["--", file],
      ] {
        #expect(try await desk.run(["validate"] + arguments).outcome == plain, "\(arguments)")
      }
    }
    let plain = try await desk.run("validate", file).outcome
    #expect(plain.errors.hasPrefix("check-loans: 1 file, "))
    #expect(try await desk.run("validate", "--format", "text", file).outcome == plain)
  }

  @Test func `The environment counts in the plainest form too`() async throws {
    let desk = try Desk(now: nil, catalogue: catalogue(("Abigél", nil)))
    let variables = [
      "CHECK_LOANS_REQUIRE_EXPIRATION": "1", "CHECK_LOANS_QUIET": "yes",
      "CHECK_LOANS_FORMAT": "json",
    ]
    let plain = try await desk.run("validate", "books.xml", variables: variables)
    #expect(plain.status == 1)
    #expect(plain.errorText == "")
    #expect(try JSON(parsing: plain.text).diagnostics[0].code == "missing-expiration")
    let long = try await desk.run("validate", "--", "books.xml", variables: variables)
    #expect(long.outcome == plain.outcome)
  }

  @Test func `It keeps no state`() async throws {
    let desk = try Desk(now: nil)
    for format in ["text", "json"] {
      let result = try await desk.run("validate", "--format", format, "books.xml")
      #expect(result.errorText == "check-loans: 1 file, 18 books, 14 loans: no problems\n")
    }
    #expect(try await desk.run("validate", "-q", "books.xml").status == 0)
    #expect(try File.names(in: desk.folder.path) == ["books.xml"])
  }

  @Test func `It needs neither a state nor a clock that make sense`() async throws {
    var desk = try Desk(now: nil)
    desk.environment["XDG_STATE_HOME"] = "/proc/nonexistent"
    desk.environment["TZ"] = "Mars/Olympus_Mons"
    #expect(
      try await desk.run("validate", "books.xml").outcome
        == Outcome(0, errors: "check-loans: 1 file, 18 books, 14 loans: no problems\n"))
  }

  @Test func `Standard input can be checked`() async throws {
    let desk = try Desk(now: nil)
    let text = catalogue(("Abigél", "2026.11.31"))
    #expect(
      try await desk.run("validate", "-q", "-", input: .text(text)).outcome
        == Outcome(
          1,
          output: """
            -:2:40: error: expiration "2026.11.31" is not a calendar date; that month has \
            days 01 to 30 [impossible-date]

            """))
  }

  @Test func `A file that cannot be read is 66, and the others are checked`() async throws {
    let desk = try Desk(now: nil)
    try desk.folder.write(catalogue(("Abigél", "x")), to: "broken.xml")
    let result = try await desk.run("validate", "-q", "missing.xml", "broken.xml")
    #expect(result.ends(66, output: result.text, saying: "missing.xml: cannot read"))
    #expect(result.lines.map { $0.hasPrefix("broken.xml:2:40: error: ") } == [true])
  }

  @Test func `No problems are not claimed of a file that was not read`() async throws {
    let desk = try Desk(now: nil)
    let result = try await desk.run("validate", "missing.xml")
    #expect(result.status == 66)
    #expect(!result.errorText.contains("no problems"))
  }

  @Test(arguments: [["validate", "--nonsense"], ["validate", "-q", "--fix", "-"]])
  func `Wrong usage is 64`(arguments: [String]) async throws {
    let desk = try Desk(now: nil)
    let result = try await desk.run(arguments)
    #expect(result.status == 64)
    #expect(result.text == "")
    #expect(result.errorText.hasPrefix("check-loans: "))
  }

  @Test func `Where nothing names a catalogue it is books.xml, which must be there`() async throws {
    let desk = try Desk(now: nil, catalogue: catalogue(("Abigél", "x")))
    let result = try await desk.run("validate")
    #expect(result.status == 1)
    #expect(result.lines.map { $0.hasPrefix("books.xml:2:") } == [true])
    try desk.folder.makeDirectory("empty")
    #expect(
      try await desk.shell("cd empty; exec \"$0\" validate").outcome
        == Outcome(
          64,
          errors: """
            check-loans: no catalogue is given, and there is no books.xml here; name one, - for \
            standard input, a list of them with --files-from, or "files" in .check-loans.toml

            """))
  }

  @Test(arguments: [Command.Output.file("/dev/full"), .closed], [[], ["--format", "text"]])
  func `Lost output is 74`(output: Command.Output, options: [String]) async throws {
    let desk = try Desk(now: nil, catalogue: catalogue(("Abigél", "x")))
    let result = try await desk.run(["validate", "books.xml"] + options, output: output)
    #expect(result.status == 74)
    #expect(result.errorLines.count == 1)
    #expect(result.errorText.hasPrefix("check-loans: cannot write to standard output: "))
  }

  @Test func `Input that cannot be read from is 74`() async throws {
    let desk = try Desk(now: nil)
    #expect(
      try await desk.run("validate", "-", input: .closed).outcome
        == Outcome(
          74,
          errors: """
            check-loans: -: reading failed: bad file descriptor
            check-loans: 0 files, 0 loans: 0 errors, 0 warnings, 1 file not read

            """))
  }
}
