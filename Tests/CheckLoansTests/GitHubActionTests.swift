import TestSupport
import Testing

@testable import CommandOutput

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

  @Test func `The program of its version is fetched once, and is not on the way of later steps`()
    async throws
  {
    let pipeline = try await Pipeline(isInstalled: false)
    let later = "- run: command -v check-loans || echo absent"
    try await pipeline.makeLibrary([
      Self.path: workflow() + later.split(separator: "\n").map { "      \($0)\n" }.joined(),
      "books.xml": catalogue(("Abigél", "2026.11.30")),
    ])
    for _ in 1...2 {
      let job = try await pipeline.play()
      #expect(!job.isRed, job.told)
      #expect(job.log.contains("check-loans \(ProgramVersion.number)"))
      #expect(job.log.last == "absent")
    }
    #expect(pipeline.calls == ["curl"])
    // What is kept on a runner is not trusted.
    try await pipeline.shell(
      "for f in runner/tools/check-loans/*; do rm $f/check-loans; echo echo OWNED > $f/check-loans; done"
    )
    let job = try await pipeline.play()
    #expect(!job.isRed && !job.log.contains("OWNED"), job.told)
    #expect(pipeline.calls == ["curl", "curl"])
    #expect(try File.names(in: "\(pipeline.folder.path)/runner/tools/check-loans").count == 1)
  }

  @Test func `What it finds is in its outputs`() async throws {
    let pipeline = try await Pipeline()
    let outputs = ["status", "errors", "warnings", "version"]
      .map { "$\($0.uppercased())" }.joined(separator: " ")
    let steps = """
      - uses: OWNER/check-loans@v0.1.0
        id: loans
      - if: always()
        env:
          STATUS: ${{ steps.loans.outputs.status }}
          ERRORS: ${{ steps.loans.outputs.errors }}
          WARNINGS: ${{ steps.loans.outputs.warnings }}
          VERSION: ${{ steps.loans.outputs.version }}
        run: echo "\(outputs)"
      """
    try await pipeline.makeLibrary([
      Self.path: CheckLoansTests.workflow(steps: steps),
      "books.xml": catalogue(("Abigél", "x"), ("", "2026.11.30")),
    ])
    #expect(try await pipeline.play().log.last == "1 1 1 \(ProgramVersion.number)")
    let good = catalogue(("Abigél", "2026.11.30"))
    try pipeline.folder.write(good, to: "library/books.xml")
    try await pipeline.shell("git commit -qam Mend; git push -q origin main", in: "library")
    #expect(try await pipeline.play().log.last == "0 0 0 \(ProgramVersion.number)")
    try await pipeline.shell(
      "git rm -q books.xml; git commit -qm -; git push -q origin main", in: "library")
    #expect(try await pipeline.play().log.last == "64   \(ProgramVersion.number)")
  }

  @Test(arguments: [
    ("echo tampered >> releases/v0.1.0/*", "is not what was released: its SHA-256 is"),
    ("rm releases/v0.1.0/*", "cannot be fetched"),
    (
      "sed -i 's/linux-x86_64/linux-riscv64/' project/packaging/archives.sha256",
      "choose the tag of a release"
    ),
    ("printf '#!/bin/sh\\necho Darwin\\n' > bin/uname; chmod +x bin/uname", "and this is Darwin"),
  ])
  func `What was not released for this system is not run`(cause: String, words: String) async throws
  {
    let pipeline = try await Pipeline()
    try await pipeline.makeLibrary([Self.path: workflow(), "books.xml": bad])
    try await pipeline.makeProject()
    try await pipeline.shell(cause)
    let job = try await pipeline.play()
    #expect(job.isRed)
    #expect(job.annotations.count == 1)
    let message = try #require(job.annotations.first?.message)
    #expect(message.hasPrefix("check-loans: ") && message.contains(words))
    #expect(job.log.last == "Error: Process completed with exit code 69.")
    #expect(job.steps.last == "Check the catalogues: skipped")
    let tools = "\(pipeline.folder.path)/runner/tools"
    #expect(try !File.exists(tools) || File.names(below: tools).isEmpty)
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
    #expect(scripts.count == 2)
    for script in scripts {
      #expect(!script.contains("${{"))
      try pipeline.folder.write(script, to: "script")
      try await pipeline.shell("shellcheck --shell=bash script")
    }
  }
}
