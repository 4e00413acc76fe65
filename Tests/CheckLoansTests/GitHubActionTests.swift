import TestSupport
import Testing

/// The project's GitHub action, beyond what `docs/ci.md` shows of it.
@Suite(.enabled(if: PublicTools.areWanted, "\(PublicTools.hint)"))
struct GitHubActionTests {
  private func workflow(_ inputs: String = "") -> String {
    let with = inputs.split(separator: "\n").map { "    \($0)\n" }.joined()
    return CheckLoansTests.workflow(
      steps: "- uses: OWNER/check-loans@v0.1.0\n\(with.isEmpty ? "" : "  with:\n\(with)")")
  }

  private static let path = ".github/workflows/catalogue.yml"
  private let bad = catalogue(("Abigél", "x"))

  @Test func `It is built once, and then comes from the cache`() async throws {
    let pipeline = try await Pipeline(isInstalled: false)
    try await pipeline.makeProject()
    try await pipeline.makeLibrary([Self.path: workflow(), "books.xml": bad])
    let action = "\(pipeline.folder.path)/project"
    for runner in ["first", "second"] {
      // Another machine, with the same cache.
      try await pipeline.shell("mkdir -p \(runner) cache; ln -s ../cache \(runner)/cache")
      let job = try await pipeline.play(action: action, runner: runner)
      #expect(job.isRed)
      #expect(job.annotations.map(\.place) == ["books.xml:2"], job.told)
      let outcome = runner == "first" ? "success" : "skipped"
      #expect(job.steps.contains("Keep what was built: \(outcome)"))
    }
    #expect(pipeline.calls.filter { $0 == "swift build" }.count == 1)

    try await pipeline.shell("echo '// Changed.' >> project/Sources/CheckLoans/Main.swift")
    try await pipeline.shell("mkdir third; ln -s ../cache third/cache")
    _ = try await pipeline.play(action: action, runner: "third")
    #expect(pipeline.calls.filter { $0 == "swift build" }.count == 2)
  }

  @Test func `Where it can be neither found nor built, the check is red and says so`() async throws
  {
    var pipeline = try await Pipeline(isInstalled: false)
    try await pipeline.makeLibrary([Self.path: workflow(), "books.xml": bad])
    try await pipeline.shell("mkdir few; ln -s /bin/bash /usr/bin/git few")
    pipeline.environment["PATH"] = "\(pipeline.folder.path)/few"
    let job = try await pipeline.play()
    #expect(job.isRed)
    #expect(job.annotations == [])
    let line = try #require(job.log.first)
    #expect(line.hasPrefix("check-loans: it is built with Swift 6.2 or later and make"))
    #expect(line.hasSuffix("ubuntu-24.04, which has both"))
    #expect(job.steps.last == "Check the catalogues: skipped")
  }

  @Test(arguments: [
    "$(touch pwned).xml", "`touch pwned`.xml", "; touch pwned #.xml", "-q.xml", "--help",
    "a b.xml", "'\".xml", "${{ github.token }}.xml", "[ab].xml", "*", "%0A::error::x.xml",
    "é,line=7::x.xml", "a\\b.xml",
  ])
  func `The name of a catalogue is nothing but a name`(name: String) async throws {
    let pipeline = try await Pipeline()
    try await pipeline.makeLibrary([Self.path: workflow("files: '*'")])
    try pipeline.folder.write(bad, to: "library/\(name)")
    try await pipeline.shell(
      "git add .; git commit -q -m Add; git push -q origin main", in: "library")
    let job = try await pipeline.play()
    #expect(job.isRed)
    #expect(job.annotations.map(\.place) == ["\(name):2"], job.told)
    #expect(job.commands == ["error"])
    #expect(!job.summary.contains(name))
    let left = try File.names(in: "\(pipeline.folder.path)/runner/work")
    #expect(Set(left) == [".git", ".github", name])
  }

  @Test(arguments: [
    "strict: $(touch pwned)", "ignore: \"'; touch pwned; '\"", "max-days: '`touch pwned`'",
    "error: '\"; touch pwned #'", "warn: a,b", "require-expiration: maybe",
  ])
  func `An input that makes no sense is refused`(input: String) async throws {
    let pipeline = try await Pipeline()
    try await pipeline.makeLibrary([Self.path: workflow(input), "books.xml": bad])
    let job = try await pipeline.play()
    #expect(job.isRed)
    #expect(job.annotations == [])
    #expect(job.log.last == "Error: Process completed with exit code 78.")
    #expect(job.summary == "### check-loans\n\nnot checked, status 78\n")
    let left = try File.names(in: "\(pipeline.folder.path)/runner/work")
    #expect(left == [".git", ".github", "books.xml"])
  }

  @Test func `Codes stand with commas between them, and blanks perhaps`() async throws {
    let pipeline = try await Pipeline()
    let untitled = catalogue(("", "x"))
    try await pipeline.makeLibrary([
      Self.path: workflow("ignore: ' missing-title , date-format '"), "books.xml": untitled,
    ])
    let job = try await pipeline.play()
    #expect(!job.isRed, job.told)
    #expect(job.annotations == [])
  }

  @Test(arguments: ["none.xml", "brnches/**/*.xml", "[a].xml"], ["", "\nsarif-file: a.sarif"])
  func `Each line of the files must match a file, and the others are checked`(
    line: String, others: String
  ) async throws {
    let pipeline = try await Pipeline()
    try await pipeline.makeLibrary([
      Self.path: workflow("files: |\n  books.xml\n  \(line)\(others)"),
      "books.xml": catalogue(("Abigél", "2026.11.30")), "branches/north/books.xml": bad,
    ])
    let job = try await pipeline.play()
    #expect(job.log.last == "Error: Process completed with exit code 66.")
    #expect(job.annotations.map(\.place) == ["\(line):?"], job.told)
    #expect(job.summary.hasSuffix("1 file, 1 loan: no problems, 1 file not read\n"))
  }

  @Test func `Lost results make the check red, and it still says what is wrong`() async throws {
    let pipeline = try await Pipeline()
    try await pipeline.makeLibrary([
      Self.path: workflow("sarif-file: /dev/full"),
      "books.xml": catalogue(("Abigél", "2026.11.30"), ("", "2026.11.30")),
    ])
    let job = try await pipeline.play()
    #expect(job.log.last == "Error: Process completed with exit code 74.")
    #expect(job.annotations.map(\.place) == ["books.xml:3"], job.told)
    #expect(job.summary.hasSuffix("1 file, 2 loans: 0 errors, 1 warning\n"))
  }

  @Test(arguments: ["", "files: ''"])
  func `Without files, those of the project's settings are checked`(input: String) async throws {
    let pipeline = try await Pipeline()
    try await pipeline.makeLibrary([
      Self.path: workflow(input),
      ".check-loans.toml": "files = [\"books.xml\", \"branches/*.xml\"]\n",
      "books.xml": catalogue(("Abigél", "2026.11.30")), "branches/east.xml": bad,
    ])
    let job = try await pipeline.play()
    #expect(job.isRed)
    #expect(job.annotations.map(\.place) == ["branches/east.xml:2"], job.told)
  }

  @Test func `A catalogue's text gives no command and does not reach the summary`() async throws {
    let pipeline = try await Pipeline()
    let texts = [
      "::stop-commands::x", "\n::add-mask::a", "##[error]x", "x\r::warning::y", "%0A::error::z",
      "::set-output name=a::b",
    ]
    try await pipeline.makeLibrary([
      Self.path: workflow(), "books.xml": catalogue(texts.map { (title: $0, expiration: $0) }),
    ])
    let job = try await pipeline.play()
    #expect(job.commands == ["error"])
    #expect(job.annotations.count == texts.count)
    #expect(
      job.summary.hasPrefix("### check-loans\n\n1 file, 6 books, 0 loans, 6 left out: 6 errors, "))
    #expect(job.summary.split(separator: "\n").count == 2)
  }

  @Test func `Its scripts are sound, and no expression is in them`() async throws {
    let pipeline = try await Pipeline()
    let action = try await pipeline.yaml("\(projectDirectory)/action.yml")
    let scripts = action.runs.steps.elements.compactMap { $0["run"].text }
    #expect(scripts.count == 3)
    for script in scripts {
      #expect(!script.contains("${{"))
      try pipeline.folder.write(script, to: "script")
      try await pipeline.shell("shellcheck --shell=bash script")
    }
  }
}
