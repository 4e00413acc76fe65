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
    try await shell("'\(projectDirectory)/packaging/tree.sh' '\(Command.checkLoans)' tree")
    let parts = try File.names(below: "\(folder.path)/tree")
      .map { String($0.dropFirst("\(folder.path)/tree/".count)) }
    let own = ["install.sh", "CHANGELOG.md", "LICENSE"]
    #expect(Set(parts).isSuperset(of: own))
    try await shell("DESTDIR=root PREFIX=/usr tree/install.sh")
    // Wherever it was called, the destination is relative to that place.
    let installed = try File.names(below: "\(folder.path)/root")
    #expect(installed.count == parts.count - own.count)
    #expect(installed.contains("\(folder.path)/root/usr/bin/check-loans"))
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
