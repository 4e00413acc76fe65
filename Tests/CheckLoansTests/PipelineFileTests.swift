import TestSupport
import Testing

/// What CI systems read of the project, and of `docs/ci.md`, as their own schemas and tools see it.
@Suite(.enabled(if: PublicTools.areWanted, "\(PublicTools.hint)"))
struct PipelineFileTests {
  private func expectValid(_ text: String, _ file: String) async throws {
    let pipeline = try await Pipeline()
    try await pipeline.paste(text, to: file)
    let schema = "python -m check_jsonschema --builtin-schema vendor."
    let check =
      switch file {
      case "action.yml": "\(schema)github-actions \(file)"
      case _ where file.hasPrefix(".github/workflows/"): "\(schema)github-workflows \(file)"
      case ".github/dependabot.yml": "\(schema)dependabot \(file)"
      case ".gitlab-ci.yml": "\(schema)gitlab-ci --data-transform gitlab-ci \(file)"
      case ".pre-commit-hooks.yaml": "python -m pre_commit validate-manifest \(file)"
      case ".pre-commit-config.yaml": "python -m pre_commit validate-config \(file)"
      default: "echo 'nothing is known of \(file)'; exit 1"
      }
    try await pipeline.shell(check)
  }

  @Test(arguments: [
    "action.yml", ".pre-commit-hooks.yaml", ".github/workflows/ci.yml",
    ".github/workflows/release.yml", ".github/dependabot.yml",
  ])
  func `The project's own files are valid`(file: String) async throws {
    try await expectValid(File.text(of: "\(projectDirectory)/\(file)"), file)
  }

  @Test func `An auditor of workflows finds nothing`() async throws {
    let pipeline = try await Pipeline()
    let audit = "zizmor --offline --quiet --persona auditor action.yml .github"
    try await pipeline.shell("cd '\(projectDirectory)'; \(audit)")
  }

  @Test func `The scripts of workflows and packages are sound`() async throws {
    let pipeline = try await Pipeline()
    for name in ["ci", "release"] {
      let jobs = try await pipeline.yaml("\(projectDirectory)/.github/workflows/\(name).yml").jobs
      for script in jobs.keys.flatMap({ jobs[$0].steps.elements }).compactMap({ $0["run"].text }) {
        #expect(!script.contains("${{"))
        try pipeline.folder.write(script, to: "script")
        // GitHub ends a script at the first command that fails.
        try await pipeline.shell("shellcheck --shell=bash --exclude=SC2164 script")
      }
    }
    try await pipeline.shell("shellcheck '\(projectDirectory)'/packaging/*.sh")
  }

  @Test func `Every file that the page shows is valid`() async throws {
    let blocks = try Page("docs/ci.md").blocks.filter { $0.language == "yaml" }
    #expect(blocks.count == 8)
    for block in blocks {
      guard let file = block.file else {
        let steps = block.text.split(separator: "\n").map { "      \($0)\n" }.joined()
        let job = "on: push\njobs:\n  a:\n    runs-on: ubuntu-24.04\n    steps:\n\(steps)"
        try await expectValid(job, ".github/workflows/a.yml")
        continue
      }
      try await expectValid(block.text, file)
    }
  }

  @Test func `An action that is not valid is found out`() async throws {
    let pipeline = try await Pipeline()
    let action = try File.text(of: "\(projectDirectory)/action.yml")
      .replacing("using: composite", with: "using: bash")
    try pipeline.folder.write(action, to: "a.yml")
    let check = "python -m check_jsonschema --builtin-schema vendor.github-actions a.yml"
    try await pipeline.shell(check, status: 1)
  }
}

/// The hooks, run by pre-commit itself.
@Suite(.enabled(if: PublicTools.areWanted, "\(PublicTools.hint)"))
struct PreCommitTests {
  private static let commit = "git add . && git commit -q -m Change"

  private func pipeline(_ config: String) async throws -> Pipeline {
    let pipeline = try await Pipeline()
    try await pipeline.makeProject()
    try await pipeline.shell("git init -q library; mkdir -p library/branches/north")
    try await pipeline.paste(config, to: "library/.pre-commit-config.yaml")
    try await pipeline.shell("python -m pre_commit install", in: "library")
    return pipeline
  }

  private func configuration(_ number: Int) throws -> String {
    try Page("docs/ci.md")[all: "pre-commit, yaml, .pre-commit-config.yaml"][number].text
  }

  @Test(arguments: ["check-loans", "check-loans-system"])
  func `A wrong date does not get into a commit`(hook: String) async throws {
    let config = try configuration(0).replacing("id: check-loans", with: "id: \(hook)")
    let pipeline = try await pipeline(config)
    try pipeline.folder.write(catalogue(("Abigél", "2026.11.31")), to: "library/books.xml")
    let refused = try await pipeline.shell(Self.commit, in: "library", status: 1)
    #expect(
      (refused.lines + refused.errorLines).contains {
        $0.hasPrefix("books.xml:2:40: error: expiration \"2026.11.31\" is not a calendar date")
      })
    try pipeline.folder.write(catalogue(("Abigél", "2026.11.30")), to: "library/books.xml")
    try await pipeline.shell(Self.commit, in: "library")
    let log = try await pipeline.shell("git log --format=%s", in: "library")
    #expect(log.text == "Change\n")
  }

  @Test func `In a linked worktree, too, the project is asked for its release`() async throws {
    let pipeline = try await pipeline(configuration(0))
    let origin = "https://user:secret@library.example.org/loans.git"
    try pipeline.folder.write(catalogue(("Abigél", "2026.11.30")), to: "library/books.xml")
    try await pipeline.shell("\(Self.commit); git remote add origin \(origin)", in: "library")
    try await pipeline.shell("rm -rf ../.cache; git worktree add -q ../linked", in: "library")
    try await pipeline.shell("touch more; \(Self.commit)", in: "linked")
    #expect(pipeline.calls == ["curl", "curl"])
  }

  @Test func `It checks what the project's settings name, and no other file`() async throws {
    let config = try configuration(0).replacing("id: check-loans", with: "id: check-loans-system")
    let pipeline = try await pipeline(config)
    try pipeline.folder.write(
      "files = [\"branches/*.xml\"]\n", to: "library/.check-loans.toml")
    for name in ["books.xml", "pom.xml", "branches/north/books.xml"] {
      try pipeline.folder.write("<x", to: "library/\(name)")
    }
    let east = "branches/east.xml"
    try pipeline.folder.write(catalogue(("Abigél", "x")), to: "library/\(east)")
    let refused = try await pipeline.shell(Self.commit, in: "library", status: 1)
    #expect((refused.text + refused.errorText).matches(of: /\.xml:\d+:\d+:/).count == 1)
    #expect((refused.text + refused.errorText).contains("\n\(east):2:"))
    try pipeline.folder.write(catalogue(("Abigél", "2026.11.30")), to: "library/\(east)")
    try await pipeline.shell(Self.commit, in: "library")
  }

  @Test func `Where there is nothing to check, the commit is refused`() async throws {
    let config = try configuration(0).replacing("id: check-loans", with: "id: check-loans-system")
    let refused = try await pipeline(config).shell(Self.commit, in: "library", status: 1)
    #expect((refused.text + refused.errorText).contains("exit code: 64"))
  }

  @Test func `What is safe to put right is put right and shown`() async throws {
    let pipeline = try await pipeline(configuration(1))
    let name = "library/branches/north/loans.xml"
    try pipeline.folder.write(catalogue(("Abigél", "2026-12-01")), to: name)
    // pre-commit refuses the commit once, for somebody to look at what was changed.
    let refused = try await pipeline.shell(Self.commit, in: "library", status: 1)
    #expect((refused.text + refused.errorText).contains("files were modified by this hook"))
    #expect(pipeline.folder.contents(of: name) == catalogue(("Abigél", "2026.12.01")))
    try await pipeline.shell(Self.commit, in: "library")
  }

  @Test func `Both hooks are alike but for where the program comes from`() async throws {
    let pipeline = try await Pipeline()
    let hooks = try await pipeline.yaml("\(projectDirectory)/.pre-commit-hooks.yaml").elements
    #expect(hooks.map { $0["id"].text } == ["check-loans", "check-loans-system"])
    #expect(hooks.map { $0["language"].text } == ["script", "system"])
    let entries = ["packaging/fetch.sh validate", "check-loans validate"]
    #expect(hooks.map { $0["entry"].text } == entries)
    for key in ["description", "pass_filenames", "require_serial", "name"] {
      #expect(hooks[0][key] == hooks[1][key])
      #expect(hooks[0][key] != .null)
    }
  }
}
