import TestSupport
import Testing

@testable import CommandOutput
@testable import Validation

/// Many catalogues in one call, and where their results go.
struct ValidateManyTests {
  private func desk(files: Int) throws -> Desk {
    let desk = try Desk(now: nil)
    for number in 0..<files {
      let books = (0...number % 7).map {
        ("Book \(number).\($0)", $0 % 2 == 0 ? "2026.12.01" : "x")
      }
      try desk.folder.write(catalogue(books), to: "c\(number).xml")
    }
    return desk
  }

  @Test(arguments: ["text", "json", "sarif", "junit", "checkstyle", "gitlab", "rdjsonl", "github"])
  func `However many are read side by side, the same bytes come out`(format: String) async throws {
    let desk = try desk(files: 60)
    let files = (0..<60).map { "c\($0).xml" } + ["missing.xml", "c3.xml"]
    let one = try await desk.run(["validate", "--jobs", "1", "--format", format] + files)
    #expect(one.status == 66)
    #expect(!one.text.isEmpty)
    for jobs in ["2", "7", "64"] {
      let many = try await desk.run(["validate", "--jobs", jobs, "--format", format] + files)
      #expect(many.outcome == one.outcome)
    }
  }

  @Test func `One with much to tell comes before the others all the same`() async throws {
    let desk = try Desk(now: nil)
    let bad = (0..<3_000).map { ("Book \($0)", "x" as String?) }
    for name in ["a.xml", "b.xml", "c.xml"] { try desk.folder.write(catalogue(bad), to: name) }
    try desk.folder.write(catalogue(("T", "x")), to: "d.xml")
    let result = try await desk.run("validate", "--jobs", "4", "d.xml", "a.xml", "b.xml", "c.xml")
    let names = result.lines.map { String($0.prefix { $0 != ":" }) }
    #expect(names.count == 9_001)
    #expect(names == names.sorted { ($0 == "d.xml" ? "" : $0) < ($1 == "d.xml" ? "" : $1) })
  }

  @Test func `Catalogues can come from a list, by lines or with NUL between`() async throws {
    let desk = try desk(files: 3)
    try desk.folder.write(catalogue(("T", "x")), to: "odd\nname.xml")
    func run(_ list: String) async throws -> CommandResult {
      try await desk.run("validate", "--files-from", "-", input: .text(list))
    }
    let lines = try await run("c0.xml\r\n\nc1.xml\nc2.xml")
    #expect(
      lines.errorText
        == "check-loans: 3 files, 6 books, 4 loans, 2 left out: 2 errors, 0 warnings\n")
    let marked = try await run("\u{FEFF}c0.xml\n")
    #expect(marked.errorText == "check-loans: 1 file, 1 loan: no problems\n")
    let nul = try await run("c0.xml\0odd\nname.xml\0")
    #expect(
      nul.errorText == "check-loans: 2 files, 2 books, 1 loan, 1 left out: 1 error, 0 warnings\n")
    #expect(nul.text.hasPrefix("odd\\u{a}name.xml:2:"))
    try desk.folder.write("c1.xml\n", to: "list")
    let both = try await desk.run("validate", "--files-from", "list", "c0.xml")
    #expect(
      both.errorText == "check-loans: 2 files, 3 books, 2 loans, 1 left out: 1 error, 0 warnings\n")
  }

  @Test func `An empty list is 66, unless it may be empty`() async throws {
    let desk = try Desk(now: nil)
    try desk.folder.write("\n", to: "list")
    #expect(
      try await desk.run("validate", "--files-from", "list").outcome
        == Outcome(
          66,
          errors: """
            check-loans: list: no catalogue is in the list; if that can be right, give \
            --allow-no-files

            """))
    let nothing = Outcome(0, errors: "check-loans: 0 files, 0 loans: 0 errors, 0 warnings\n")
    #expect(
      try await desk.run("validate", "--files-from", "-", "--allow-no-files").outcome == nothing)
    let variables = ["CHECK_LOANS_ALLOW_NO_FILES": "1"]
    #expect(
      try await desk.run("validate", "--files-from", "list", variables: variables).outcome
        == nothing)
  }

  @Test func `What can be fixed is counted where it can be fixed, and the summary is printed once`()
    async throws
  {
    let desk = try Desk(now: nil, catalogue: catalogue(("A", "2026-12-01"), ("B", "x"), ("C", nil)))
    let numbers = "check-loans: 1 file, 3 books, 0 loans, 2 left out: 2 errors, 0 warnings"
    let file = try await desk.run("validate", "--format", "github", "books.xml")
    #expect(file.errorText == "\(numbers), 1 fixable with --fix\n")
    #expect(file.lines.count == 2 && !file.text.contains(" loans"))
    let path = "\(desk.folder.path)/books.xml"
    #expect(
      try await desk.run("validate", "-", input: .file(path)).errorText == "\(numbers)\n")
    let ignored = try await desk.run("validate", "--ignore", "date-format", "books.xml")
    #expect(!ignored.errorText.contains("fixable"))
  }

  @Test func `A list that is not there is 66, one that is not UTF-8 is 64`() async throws {
    let desk = try Desk(now: nil)
    #expect(
      try await desk.run("validate", "--files-from", "list").outcome
        == Outcome(
          66, errors: "check-loans: list: cannot read the list of files: no such file\n"))
    let result = try await desk.run("validate", "--files-from", "-", input: .bytes([0x61, 0xFF]))
    #expect(result.status == 64)
    #expect(result.errorText.contains("is not UTF-8; rename the file"))
  }

  @Test func `Results in a file leave standard output empty`() async throws {
    let desk = try desk(files: 8)
    let files = (0..<8).map { "c\($0).xml" }
    let plain = try await desk.run(["validate", "--format", "json"] + files)
    let result = try await desk.run(
      ["validate", "--format", "json", "--output", "out.json"] + files)
    #expect(result.text == "")
    #expect(result.errorText == plain.errorText)
    #expect(desk.folder.contents(of: "out.json") == plain.text)
    #expect(try File.names(in: desk.folder.path).filter { $0.hasPrefix("out") } == ["out.json"])
  }

  @Test func `A file of results is replaced whole, or stays`() async throws {
    let desk = try desk(files: 2)
    try desk.folder.write("before", to: "out")
    let lost = try await desk.run("validate", "--output", "nowhere/out", "c1.xml")
    #expect(lost.status == 73)
    #expect(lost.errorText.hasPrefix("check-loans: nowhere/out: cannot create the file"))
    try await desk.run("validate", "--output", "out", "c1.xml")
    #expect(desk.folder.contents(of: "out").hasPrefix("c1.xml:3:"))
    let full = try await desk.run("validate", "--output", "/dev/full", "c1.xml")
    #expect(full.status == 74)
    #expect(full.errorText.hasPrefix("check-loans: /dev/full: cannot write the results"))
  }

  /// Whether files without a name can be had here.
  private static let hasNamelessFiles: Bool = {
    guard let folder = try? ScratchFolder(),
      let file = try? FileReplacement.begin(at: "\(folder.path)/out")
    else { return false }
    let names = try? File.names(in: folder.path)
    _ = consume file
    return names == []
  }()

  @Test(.enabled(if: hasNamelessFiles, "the file system has no files without a name"))
  func `A run that is killed leaves nothing of its results`() async throws {
    let desk = try desk(files: 1)
    let result = try await desk.shell(
      """
      mkfifo pipe
      exec 3<>pipe
      "$0" validate --output out - <pipe &
      until ls -l /proc/$!/fd 2>/dev/null | grep -q '(deleted)$'; do sleep 0.05; done
      kill -KILL $!
      wait $! || echo $?
      ls -A
      """)
    #expect(result.lines.first == "137")
    #expect(!result.lines.contains { $0.hasPrefix("out") || $0.hasPrefix(".check-loans") })
  }

  @Test(arguments: ["./books.xml", "link.xml"])
  func `Results never take the place of a catalogue`(output: String) async throws {
    let desk = try Desk(now: nil)
    try desk.folder.makeLink("link.xml", to: "books.xml")
    let before = desk.folder.contents(of: "books.xml")
    let result = try await desk.run("validate", "--output", output, "books.xml")
    #expect(result.status == 64)
    #expect(result.errorText.contains("--output would overwrite books.xml"))
    #expect(desk.folder.contents(of: "books.xml") == before)
  }

  @Test func `A link to results stays, and a hyphen is standard output`() async throws {
    let desk = try desk(files: 2)
    try desk.folder.write("old", to: "results")
    try desk.folder.makeLink("link", to: "results")
    let plain = try await desk.run("validate", "c1.xml")
    try await desk.run("validate", "--output", "link", "c1.xml")
    #expect(desk.folder.contents(of: "results") == plain.text)
    for output in ["-", "/dev/stdout"] {
      #expect(try await desk.run("validate", "--output", output, "c1.xml").outcome == plain.outcome)
    }
    #expect(try await desk.run("validate", "--output", "", "c1.xml").status == 64)
  }

  @Test(arguments: ["::error::x.xml", " ::error::x.xml", "\u{3000}::x.xml", "##[error]x.xml"])
  func `No path begins a line as a command would`(name: String) async throws {
    let desk = try Desk(now: nil)
    try desk.folder.write(catalogue(("T", "x")), to: name)
    let result = try await desk.run("validate", "--", name)
    #expect(result.lines.count == 1)
    #expect(result.lines[0].hasPrefix("./"))
    #expect(!result.lines[0].contains("##["))
  }

  @Test func `What is left out is counted`() async throws {
    let desk = try desk(files: 14)
    let files = (0..<14).map { "c\($0).xml" }
    let all = try await desk.run(["validate"] + files)
    let some = try await desk.run(["validate", "--max-diagnostics", "3"] + files)
    #expect(some.lines == Array(all.lines.prefix(3)))
    #expect(some.status == 1)
    #expect(
      some.errorText.hasPrefix(
        """
        check-loans: 14 files, 56 books, 32 loans, 24 left out: 24 errors, 0 warnings (21 not shown,
        """))
    let json = try JSON(
      parsing: try await desk.run(
        ["validate", "--format", "json", "--max-diagnostics", "3"] + files
      ).text)
    #expect(json.diagnostics.elements.count == 3)
    #expect(json.omitted == .int(21))
    #expect(json.errors == .int(24))
  }

  @Test func `Under GitHub Actions the form is GitHub's, unless another is asked for`() async throws
  {
    let desk = try Desk(now: nil, catalogue: catalogue(("T", "x")))
    let github = ["GITHUB_ACTIONS": "true", "GITHUB_WORKSPACE": desk.folder.path]
    let auto = try await desk.run("validate", "books.xml", variables: github)
    #expect(auto.lines[0].hasPrefix("::error file=books.xml,line=2,"))
    let text = try await desk.run("validate", "--format", "text", "books.xml", variables: github)
    #expect(text.lines[0].hasPrefix("books.xml:2:"))
    let file = try await desk.run("validate", "--output", "out", "books.xml", variables: github)
    #expect(file.text == "")
    #expect(desk.folder.contents(of: "out").hasPrefix("books.xml:2:"))
    #expect(try await desk.run("validate", "books.xml").lines[0].hasPrefix("books.xml:2:"))
  }

  @Test(arguments: [
    ("books.xml", "", "books.xml"), ("./books.xml", "", "books.xml"),
    ("sub/../books.xml", "", "books.xml"), ("../books.xml", "sub", "books.xml"),
    ("b.xml", "sub", "sub/b.xml"), ("ABSOLUTE/sub/b.xml", "", "sub/b.xml"),
  ])
  func `A path is what the repository calls it`(
    path: String, directory: String, expected: String
  ) async throws {
    let desk = try Desk(now: nil, catalogue: catalogue(("T", "x")))
    try desk.folder.makeDirectory("sub")
    try desk.folder.write(catalogue(("T", "x")), to: "sub/b.xml")
    var command = desk.command([
      "validate", "--format", "gitlab", path.replacing("ABSOLUTE", with: desk.folder.path),
    ])
    command.directory = "\(desk.folder.path)/\(directory)"
    command.environment["CI_PROJECT_DIR"] = desk.folder.path
    let issues = try JSON(parsing: try await command.run().text)
    #expect(issues[0].location.path == .string(expected))
  }
}
