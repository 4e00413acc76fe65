import TestSupport
import Testing

/// The README and the pages of `docs`: what they show is run, and their links are followed.
struct DocumentationTests {
  /// The README and all pages, by their paths in the project.
  private static var pages: [String] {
    get throws {
      try ["README.md"]
        + File.names(in: "\(projectDirectory)/docs").filter { $0.hasSuffix(".md") }
        .map { "docs/\($0)" }.sorted()
    }
  }

  /// All but those that are left to a suite of their own, in their order.
  @Test(arguments: try pages)
  func `Every block of a page does what the page says`(name: String) async throws {
    let page = try Page(name)
    let library = try await DocumentedLibrary(page: name)
    for block in page.blocks {
      switch name {
      case "docs/schedule.md": break  // SchedulePageTests
      case "docs/ci.md" where !CIPageTests.commonHeadings.contains(block.heading): break
      default: try await library.run(block)
      }
    }
  }

  @Test func `Where cron fetches catalogues, what is due is sent although the server is down`()
    async throws
  {
    let name = "docs/formats.md"
    let blocks = try Page(name).blocks
    let library = try await DocumentedLibrary(page: name)
    try await library.run(#require(blocks.first { $0.text.contains("/fetch-patrons:") }))
    try library.stopServer()
    let mail = try await library.mail(of: #require(blocks.first { $0.language == "crontab" }))
    #expect(Set(mail.errors.split(separator: "\n")) == ["curl: no server"])
    #expect(mail.text.contains(" expired "))
  }

  @Test func `Every link leads somewhere, and the README to every page`() throws {
    let readme = try Page("README.md").links
    for name in try Self.pages + ["Benchmarks/README.md"] {
      #expect(!name.hasPrefix("docs/") || readme.contains(name))
      let folder = name.split(separator: "/").dropLast().map { "\($0)/" }.joined()
      for link in try Page(name).links where !link.contains("://") {
        let parts = link.split(separator: "#", omittingEmptySubsequences: false)
        let target = parts[0].isEmpty ? name : folder + parts[0]
        guard File.exists("\(projectDirectory)/\(target)") else {
          Issue.record("\(name) leads to \(link), which is not there")
          continue
        }
        guard parts.count > 1 else { continue }
        #expect(try Page(target).anchors.contains(String(parts[1])), "\(name) leads to \(link)")
      }
    }
  }

  @Test func `The README is short, and no wider than a screen`() throws {
    let lines = try File.text(of: "\(projectDirectory)/README.md")
      .split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    #expect(lines.count <= 130)
    #expect(lines.filter { $0.count > 100 } == [])
  }
}
