import TestSupport
import Testing

/// `docs/schedule.md`: every query on it is run, and the schedule's views are as it says.
struct SchedulePageTests {
  private let page: Page

  init() throws { page = try Page("docs/schedule.md") }

  @Test func `Every query and command of the page gives what it shows`() async throws {
    let pipeline = try await Pipeline()
    try pipeline.folder.write(File.text(of: Desk.books), to: "books.xml")
    let reading = page["Reading it, sh"].text
    try pipeline.folder.write(program: "#!/bin/bash\n\(reading)loans \"$@\"\n", to: "bin/loans")

    var result: String?
    for block in page.blocks where block.description != "Reading it, sh" {
      // The page's library is the pipeline's folder.
      var block = block
      block.text = block.text.replacing("/srv/library", with: pipeline.folder.path)
      switch block.language {
      case "console": try await pipeline.type(block)
      case "sql": result = try await pipeline.shell("loans <<'END'\n\(block.text)END").text
      case "text":
        #expect(result == block.text)
        result = nil
      default: #expect(block.text.hasPrefix("datasette "), "nothing runs \(block)")
      }
    }
    #expect(page.blocks.count { $0.language == "sql" } == 6)
    #expect(page.blocks.count { $0.language == "text" } == 6)
  }

  @Test(arguments: ["reminders", "deliveries"])
  func `The page describes each column of a view, in order`(view: String) async throws {
    let desk = try Desk()
    try await desk.run("books.xml")
    let columns = Command(
      "/usr/bin/sqlite3",
      ["-readonly", Desk.state, "SELECT name FROM pragma_table_info('\(view)')"],
      environment: desk.environment, directory: desk.folder.path)
    #expect(try await columns.run().lines == page.names(under: "View `\(view)`"))
  }

  @Test func `The README leads to the page`() throws {
    #expect(try File.text(of: "\(projectDirectory)/README.md").contains("](docs/schedule.md)"))
  }
}
