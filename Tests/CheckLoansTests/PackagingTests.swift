import TestSupport
import Testing

@testable import CheckLoans
@testable import CommandOutput
@testable import Settings

/// What packages are made of.
struct PackagingTests {
  @Test func `The archive's own script installs all that is in it, and removes it again`()
    async throws
  {
    let folder = try ScratchFolder()
    func shell(_ script: String) async throws {
      let result = try await Command(
        "/bin/sh", ["-euc", script], environment: ["PATH": "/usr/bin:/bin"], directory: folder.path
      ).run()
      #expect(result.status == 0, "\(result.errorText)")
    }
    try folder.makeDirectory("tree")
    // Whatever this account gives to others, everybody can read what is installed.
    try await shell(
      "umask 077; '\(projectDirectory)/packaging/tree.sh' '\(Command.checkLoans)' tree")
    try await shell("[ -z \"$(find tree ! -perm -444)\" ] && [ -s tree.debug ]")
    let parts = try File.names(below: "\(folder.path)/tree")
      .map { String($0.dropFirst("\(folder.path)/tree/".count)) }
    let own = ["install.sh", "CHANGELOG.md"]
    #expect(Set(parts).isSuperset(of: own))
    try await shell("DESTDIR=root PREFIX=/usr tree/install.sh")
    // Wherever it was called, the destination is relative to that place.
    let installed = try File.names(below: "\(folder.path)/root")
    #expect(installed.count == parts.count - own.count)
    #expect(installed.contains("\(folder.path)/root/usr/bin/check-loans"))
    let notices = folder.contents(of: "root/usr/share/doc/check-loans/copyright")
    for holder in ["Mark Gillard", "Daniel Veillard", "Jean-loup Gailly"] {
      #expect(notices.contains(holder))
    }
    try await shell("DESTDIR=root PREFIX=/usr tree/install.sh --uninstall")
    #expect(try File.names(below: "\(folder.path)/root") == [])
  }

  @Test func `The package makes the account that the command expects`() throws {
    let text = try File.text(of: "\(projectDirectory)/packaging/debian/check-loans.sysusers")
    #expect(text == "u \(SystemAccount.name) - \"Loan reminders\" \(SystemAccount.home)\n")
  }

  @Test func `Every page that names the version names that of the program`() throws {
    let version = ProgramVersion.number
    let pages = try File.names(in: "\(projectDirectory)/docs").filter { $0.hasSuffix(".md") }
      .map { "docs/\($0)" }
    let others = ["README.md", "Examples/gitlab-ci.yml", "action.yml", ".pre-commit-hooks.yaml"]
    var found = 0
    for name in pages + others {
      let text = try File.text(of: "\(projectDirectory)/\(name)")
      let pattern = #/(?:\bv|check-loans[-_:])([0-9]+\.[0-9]+\.[0-9]+)/#
      for match in text.matches(of: pattern) {
        found += 1
        #expect(match.output.1 == version, "\(name) has \(match.output.0)")
      }
    }
    #expect(found > 20)
  }

  @Test func `A release has the date of its version in the changelog, and a tag of its name`()
    async throws
  {
    let folder = try ScratchFolder()
    func make(_ arguments: String...) async throws -> CommandResult {
      try await Command(
        "/usr/bin/make", arguments, environment: ["PATH": "/usr/bin:/bin"], directory: folder.path
      ).run()
    }
    let version = "Sources/CommandOutput/Process/ProgramVersion.swift"
    let copied = try await Command(
      "/bin/cp", ["--parents", "Makefile", version, folder.path],
      environment: [:], directory: projectDirectory
    ).run()
    #expect(copied.status == 0)
    try folder.write("# Changes\n\n## 9.9.9 (2026-01-02)\n", to: "CHANGELOG.md")
    let undated = try await make("check-version")
    #expect(undated.status == 2)
    let heading = "CHANGELOG.md has no heading `## \(ProgramVersion.number) ("
    #expect(undated.errorText.contains(heading))

    try folder.write("## \(ProgramVersion.number) (2026-01-02)\n", to: "CHANGELOG.md")
    #expect(try await make("check-version", "TAG=").status == 0)
    #expect(try await make("check-version", "TAG=v\(ProgramVersion.number)").status == 0)
    #expect(try await make("check-version", "TAG=v9.9.9").status == 2)
    let dist = try await make("--dry-run", "dist")
    #expect(dist.text.contains("--mtime=@1767312000"))
  }

  @Test func `What documents download is compared with its sum before it is used`() throws {
    let pages = try File.names(in: "\(projectDirectory)/docs").filter { $0.hasSuffix(".md") }
      .map { "docs/\($0)" }
    var found = 0
    for name in pages + ["README.md", "Examples/gitlab-ci.yml"] {
      let lines = try File.text(of: "\(projectDirectory)/\(name)").split(separator: "\n")
      for (line, next) in zip(lines, lines.dropFirst()) where line.contains("/releases/download/") {
        found += 1
        #expect(next.contains("sha256sum -c"), "\(name): \(line)")
      }
    }
    #expect(found > 2)
  }

  @Test func `The newest version of the changelog is that of the program, and make knows it`()
    async throws
  {
    let headings = try File.text(of: "\(projectDirectory)/CHANGELOG.md").split(separator: "\n")
      .filter { $0.hasPrefix("## ") }
    let newest = try #require(headings.first).split(separator: " ")
    #expect(newest.dropFirst().first == Substring(ProgramVersion.number))
    let make = try await Command(
      "/usr/bin/make", ["--dry-run", "dist"], environment: ["PATH": "/usr/bin:/bin"],
      directory: projectDirectory
    ).run()
    #expect(make.text.contains("check-loans-\(ProgramVersion.number)-linux-"))
  }
}
