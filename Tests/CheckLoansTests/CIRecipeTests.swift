import TestSupport
import Testing

/// What `docs/ci.md` shows, as it stands there.
struct CIPageTests {
  private let page: Page

  init() throws { page = try Page("docs/ci.md") }

  /// The headings whose blocks ``DocumentationTests`` runs.
  static let commonHeadings: Set = ["Project settings", "Many catalogues"]

  /// Each is taken up by a test of ``CIRecipeTests``, or by ``DocumentationTests``.
  @Test func `Nothing is on the page that no test pastes`() {
    #expect(
      page.blocks.map(\.description) == [
        "GitHub, yaml, .github/workflows/catalogue.yml",
        "GitHub, console",
        "Inputs and outputs, yaml",
        "Code scanning, yaml",
        "Without the action, yaml",
        "Problem matcher, yaml",
        "GitLab, yaml, .gitlab-ci.yml",
        "pre-commit, yaml, .pre-commit-config.yaml",
        "pre-commit, yaml, .pre-commit-config.yaml",
        "Jenkins, groovy, Jenkinsfile",
        "reviewdog, sh",
        "Cron, crontab",
        "Project settings, toml, .check-loans.toml",
        "Choosing what counts, console",
        "Choosing what counts, console",
        "Choosing what counts, xml",
        "Many catalogues, sh",
      ])
  }

  @Test func `The README leads to the page with the same workflow`() throws {
    let workflows = try Page("README.md").blocks.filter { $0.language == "yaml" }.map(\.text)
    #expect(workflows == [page["GitHub, yaml, .github/workflows/catalogue.yml"].text])
    #expect(try File.text(of: "\(projectDirectory)/README.md").contains("](docs/ci.md)"))
  }

  @Test func `The page leads to the problem matcher`() {
    #expect(page.links.contains("../.github/check-loans-matcher.json"))
  }
}

/// `docs/ci.md`: everything on it is pasted and run.
@Suite(.enabled(if: PublicTools.areWanted, "\(PublicTools.hint)"))
struct CIRecipeTests {
  private let page: Page

  init() throws { page = try Page("docs/ci.md") }

  private static let badCatalogue = catalogue(("Abigél", "2026.11.31"), ("Egri csillagok", "x"))

  /// The problem matcher, which the page has readers copy.
  private var matcher: String {
    get throws { try File.text(of: "\(projectDirectory)/.github/check-loans-matcher.json") }
  }

  @Test func `A date that does not exist leads to a red check with the annotation on its line`()
    async throws
  {
    let path = ".github/workflows/catalogue.yml"
    let good = """
      <books>
        <book id="bk102">
          <title>Abigél</title>
          <borrower>Halmos Benedek</borrower>
          <expiration>2026.11.22</expiration>
        </book>
      </books>

      """
    let pipeline = try await Pipeline()
    try await pipeline.makeLibrary([path: page["GitHub, yaml, \(path)"].text, "books.xml": good])
    let first = try await pipeline.play()
    #expect(!first.isRed)
    #expect(first.annotations == [])
    #expect(first.summary == "### check-loans\n\n1 file, 1 loan: no problems\n")

    let push = "git commit -q -a -m Renew; git push -q origin renewal"
    let shown = page["GitHub, console"]
    try await pipeline.shell(
      "git switch -q -c renewal; sed -i s/2026.11.22/2026.11.31/ books.xml", in: "library")
    try await pipeline.type(shown, in: "library")
    try await pipeline.shell(push, in: "library")
    let second = try await pipeline.play(branch: "renewal")
    #expect(second.isRed)
    #expect(second.annotations.map(\.place) == ["books.xml:5"])
    let message = try #require(second.annotations.first?.message)
    #expect(shown.text.contains("books.xml:5:17: error: \(message) ["))

    try await pipeline.shell("sed -i s/11.31/11.30/ books.xml; \(push)", in: "library")
    #expect(try await !pipeline.play(branch: "renewal").isRed)
  }

  @Test func `Every input that the page gives the action does what its option does`() async throws {
    let pipeline = try await Pipeline()
    let twice = """
      <books><book id='a'><title>A</title><expiration>2026.12.01</expiration></book>\
      <book id='a'/></books>
      """
    let far = catalogue(("Far", "2098.01.01"))
    try await pipeline.makeLibrary([
      ".github/workflows/catalogue.yml": workflow(
        steps: page["Inputs and outputs, yaml"].text),
      "books.xml": twice, "branches/north/books.xml": far, "branches/south.xml": twice,
    ])
    let job = try await pipeline.play()
    #expect(job.isRed)
    // The missing titles are ignored, and what is far away is an error because of `strict`.
    #expect(
      job.annotations.map { "\($0.level) \($0.place)" } == [
        "warning books.xml:1", "error branches/north/books.xml:2", "warning branches/south.xml:1",
      ])
    #expect(job.summary == "### check-loans\n\n3 files, 5 books, 3 loans: 1 error, 2 warnings\n")
  }

  @Test func `What code scanning is given names the line`() async throws {
    let pipeline = try await Pipeline()
    try await pipeline.makeLibrary([
      ".github/workflows/catalogue.yml": workflow(steps: page["Code scanning, yaml"].text),
      "books.xml": Self.badCatalogue,
    ])
    let job = try await pipeline.play()
    #expect(job.isRed)
    #expect(job.annotations.map(\.place) == ["books.xml:2", "books.xml:3"])
    #expect(job.steps.last == "github/codeql-action/upload-sarif@v4: not played")
    let results = try JSON(
      parsing: pipeline.folder.contents(of: "runner/work/check-loans.sarif")
    ).runs[0].results.elements
    let places = results.map { $0.locations[0].physicalLocation }
    #expect(places.map(\.artifactLocation.uri.text) == ["books.xml", "books.xml"])
    #expect(places.map(\.region.startLine.number) == [2, 3])
  }

  @Test func `Without the action the archive is fetched, compared and unpacked`() async throws {
    let pipeline = try await Pipeline(isInstalled: false)
    let sum = try await pipeline.publishArchive()
    let steps = page["Without the action, yaml"].text
    try await pipeline.makeLibrary([
      ".github/workflows/catalogue.yml": workflow(
        steps: steps.replacing("SHA256", with: sum)),
      "books.xml": Self.badCatalogue,
    ])
    let job = try await pipeline.play()
    #expect(job.isRed)
    #expect(job.annotations.map(\.place) == ["books.xml:2", "books.xml:3"], job.told)
    #expect(job.steps.last == "check-loans validate books.xml: failure")
  }

  @Test func `The problem matcher finds the place of every line, whatever is in it`() async throws {
    let pipeline = try await Pipeline()
    let hostile = catalogue(
      ("A", "a.xml:7:8: error: no [date-format]"), ("B", "::error file=x,line=9::y"),
      ("C", "\u{9b}31m##[error]x"), ("D", "x]\u{2028}b.xml:1:1: error: z [y]"),
      ("E", "2026.12.01"), ("", "2026.12.01"), ("G", "%0A::error::x"))
    try await pipeline.makeLibrary([
      "workflow.yml": workflow(steps: page["Problem matcher, yaml"].text),
      ".github/check-loans-matcher.json": matcher,
      "books.xml": hostile,
    ])
    let job = try await pipeline.play("workflow.yml")
    #expect(job.isRed)
    #expect(
      job.annotations.map { "\($0.level) \($0.place)" } == [
        "error books.xml:2", "error books.xml:3", "error books.xml:4", "error books.xml:5",
        "warning books.xml:7", "error books.xml:8",
      ])
    #expect(
      job.report.annotations.elements.map(\.title.text) == [
        "date-format", "date-format", "date-format", "date-format", "missing-title", "date-format",
      ])
    let start = "expiration \"a.xml:7:8: error: no [date-format]\" is not"
    #expect(job.annotations.first?.message.hasPrefix(start) == true)
    #expect(job.commands == ["add-matcher"])
  }

  @Test func `The problem matcher takes no other line for a problem`() async throws {
    let pipeline = try await Pipeline()
    let lines = """
      check-loans: 2 files, 5 books, 3 loans, 1 left out: 1 error, 1 warning
      check-loans: books.xml: cannot read the catalogue: no such file or directory
      books.xml:3: error: no column [date-format]
      books.xml:3:4: note: of no interest [date-format]
      books.xml:3:4: error: no code
      books.xml:3:4: error: a code of other letters [Date Format]
      north, south:2026.xml:3:4: error: a name with a colon and a blank [date-format]

      """
    try await pipeline.makeLibrary([
      "workflow.yml": workflow(
        steps: """
          - run: |
              echo '::add-matcher::matcher.json'
              cat lines
          """),
      "matcher.json": matcher, "lines": lines,
    ])
    let job = try await pipeline.play("workflow.yml")
    #expect(job.annotations.map(\.place) == ["north, south:2026.xml:3"])
  }

  @Test func `GitLab gets both reports, and the job fails`() async throws {
    let block = page["GitLab, yaml, .gitlab-ci.yml"]
    #expect(try File.text(of: "\(projectDirectory)/Examples/gitlab-ci.yml") == block.text)
    let pipeline = try await Pipeline(isInstalled: false)
    let sum = try await pipeline.publishArchive()
    try await pipeline.makeLibrary([".gitlab-ci.yml": block.text, "books.xml": Self.badCatalogue])
    let job = try await pipeline.yaml("library/.gitlab-ci.yml").catalogue
    let script = (job.before_script.elements + job.script.elements).compactMap(\.text)
      .joined(separator: "\n")
    let variables = ["CI_PROJECT_DIR": "\(pipeline.folder.path)/library"]
    // Where the sum is another, nothing of the archive is run.
    let other = try await pipeline.shell(script, in: "library", variables: variables, status: 1)
    #expect(!other.text.contains("books.xml:"))
    let result = try await pipeline.shell(
      script.replacing("SHA256", with: sum), in: "library", variables: variables, status: 1)
    #expect(result.lines.filter { $0.hasPrefix("books.xml:") }.count == 2)

    let reports = job.artifacts.reports
    let quality = try JSON(
      parsing: pipeline.folder.contents(of: "library/\(reports.codequality.text ?? "")"))
    #expect(quality.elements.map(\.location.path.text) == ["books.xml", "books.xml"])
    #expect(quality.elements.map(\.location.lines.begin.number) == [2, 3])
    try await expectJUnit("library/\(reports.junit.text ?? "")", pipeline)
  }

  @Test(arguments: ["GitLab, yaml, .gitlab-ci.yml", "Jenkins, groovy, Jenkinsfile"])
  func `A catalogue that is missing keeps no report of the others from being written`(name: String)
    async throws
  {
    let pipeline = try await Pipeline()
    try pipeline.folder.write("files = [\"books.xml\", \"none.xml\"]\n", to: ".check-loans.toml")
    try pipeline.folder.write(Self.badCatalogue, to: "books.xml")
    let result = try await pipeline.shell(Self.script(page[name].text), status: 66)
    #expect(result.errorText.contains("none.xml: cannot read"))
    let reports = try File.names(in: pipeline.folder.path).filter { $0.contains("-") }
    #expect(reports.filter { pipeline.folder.contents(of: $0).contains("2026.11.31") }.count == 2)
  }

  @Test(arguments: ["GitLab, yaml, .gitlab-ci.yml", "Jenkins, groovy, Jenkinsfile"])
  func `A report that cannot be written fails the job`(name: String) async throws {
    let pipeline = try await Pipeline()
    try pipeline.folder.write(catalogue(("Abigél", "2026.11.30")), to: "books.xml")
    let script = Self.script(page[name].text)
    try await pipeline.shell(script)
    for report in script.matches(of: /--output (\S+)/).map(\.output.1) {
      try await pipeline.shell(script.replacing(report, with: "/dev/full"), status: 74)
    }
  }

  /// The commands of a recipe that check something, as a shell gets them that stops at a failure.
  private static func script(_ recipe: String) -> String {
    let commands = recipe.split(separator: "\n").map { $0.trimmingPrefix(/[ -]+/) }
      .filter { $0.hasPrefix("check-loans validate") || $0.hasPrefix("exit ") }
    return "set -e\n" + commands.joined(separator: "\n")
  }

  /// Expects a report with at least one failure, and one whose message is that of the first book.
  private func expectJUnit(_ path: String, _ pipeline: Pipeline) async throws {
    let script = """
      import json, sys, junitparser
      suites = junitparser.JUnitXml.fromfile(sys.argv[1])
      if isinstance(suites, junitparser.TestSuite): suites = [suites]
      results = [str(r.message) for s in suites for c in s for r in c.result]
      json.dump(results, sys.stdout)
      """
    let result = try await pipeline.shell("python -c '\(script)' '\(path)'")
    let messages = try JSON(parsing: result.text).elements.compactMap(\.text)
    #expect(messages.contains { $0.contains("\"2026.11.31\" is not a calendar date") })
  }

  @Test func `Jenkins gets both reports, and the stage fails`() async throws {
    let text = page["Jenkins, groovy, Jenkinsfile"].text
    let parts = text.split(separator: "'''")
    try #require(parts.count == 3)
    let pipeline = try await Pipeline()
    try pipeline.folder.write(Self.badCatalogue, to: "books.xml")
    try await pipeline.shell(String(parts[1]), status: 1)
    for report in ["check-loans-junit.xml", "check-loans-checkstyle.xml"] {
      #expect(parts[2].contains("'\(report)'"))
    }
    try await expectJUnit("check-loans-junit.xml", pipeline)
    let checkstyle = pipeline.folder.contents(of: "check-loans-checkstyle.xml")
    #expect(checkstyle.contains("<file name=\"books.xml\""))
    #expect(checkstyle.contains("line=\"2\""))
    #expect(text.count { $0 == "{" } == text.count { $0 == "}" })
  }

  @Test func `reviewdog gets a line of JSON for each finding`() async throws {
    let pipeline = try await Pipeline()
    try pipeline.folder.write(Self.badCatalogue, to: "books.xml")
    try pipeline.folder.write(
      program: "#!/bin/sh\nprintf '%s\\n' \"$@\" > arguments\ncat > findings\n",
      to: "bin/reviewdog")
    try await pipeline.shell(page["reviewdog, sh"].text, status: 1)
    let findings = try pipeline.folder.contents(of: "findings").split(separator: "\n")
      .map { try JSON(parsing: String($0)) }
    #expect(findings.map(\.location.path.text) == ["books.xml", "books.xml"])
    #expect(findings.map(\.location.range.start.line.number) == [2, 3])
    #expect(pipeline.folder.contents(of: "arguments").hasPrefix("-f=rdjsonl\n"))
  }

  @Test func `cron has something to mail only if something is wrong`() async throws {
    let lines = page["Cron, crontab"].text.split(separator: "\n")
    let line = try #require(lines.last)
    let fields = line.split(separator: " ", maxSplits: 5, omittingEmptySubsequences: true)
    #expect(fields.prefix(5) == ["0", "6", "*", "*", "*"])
    let pipeline = try await Pipeline()
    let command = String(fields[5]).replacing(
      "/srv/library/", with: "\(pipeline.folder.path)/")
    try pipeline.folder.write(catalogue(("Abigél", "2026.11.30")), to: "books.xml")
    let clean = try await pipeline.shell(command)
    #expect(clean.text + clean.errorText == "")
    try pipeline.folder.write(Self.badCatalogue, to: "books.xml")
    #expect(try await pipeline.shell(command, status: 1).lines.count == 2)
  }

  @Test func `A catalogue becomes clean step by step`() async throws {
    let pipeline = try await Pipeline()
    for step in page[all: "Choosing what counts, console"] { try await pipeline.type(step) }
    let comment = try #require(
      page["Choosing what counts, xml"].text.split(separator: "\n").first)
    let text = pipeline.folder.contents(of: "books.xml")
    let book = "<book id=\"bk102\">"
    try #require(text.contains(book))
    try pipeline.folder.write(text.replacing(book, with: "\(comment)\n\(book)"), to: "books.xml")
    try await pipeline.shell("check-loans validate --strict books.xml")
  }

  @Test func `Every status of the page is that of the command`() async throws {
    let pipeline = try await Pipeline()
    try pipeline.folder.write(catalogue(("Abigél", "2026.11.30")), to: "clean.xml")
    try pipeline.folder.write(Self.badCatalogue, to: "books.xml")
    let commands: [(status: Int32, command: String)] = [
      (0, "check-loans validate clean.xml"), (1, "check-loans validate books.xml"),
      (64, "check-loans validate --nonsense"), (66, "check-loans validate missing.xml books.xml"),
      (73, "check-loans validate --output none/results books.xml"),
      (74, "check-loans validate books.xml > /dev/full"),
      (78, "CHECK_LOANS_FORMAT=nonsense check-loans validate books.xml"),
    ]
    for (status, command) in commands { try await pipeline.shell(command, status: status) }
    #expect(page.rowNames == ["status", "0", "1", "other"])
  }
}
