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
      case "sql":
        let found = try await pipeline.shell("loans <<'END'\n\(block.text)END").text
        // Not every result is shown, but each query finds something.
        #expect(found != "", "nothing is found by \(block.text)")
        result = found
      case "text":
        #expect(result == block.text)
        result = nil
      default: Issue.record("nothing runs \(block)")
      }
    }
    #expect(page.blocks.count { $0.language == "sql" } == 6)
    #expect(page.blocks.count { $0.language == "text" } == 2)
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

  /// The rows of a query, with bars between columns.
  private func rows(_ desk: Desk, _ sql: String) async throws -> [String] {
    try await Command(
      "/usr/bin/sqlite3", ["-readonly", Desk.state, sql], environment: desk.environment,
      directory: desk.folder.path
    ).run().lines
  }

  @Test func `The state of a reminder is that of the list`() async throws {
    let desk = try Desk(
      catalogue: catalogue(
        ("Sent", "2026.11.22"), ("Late", "2026.11.20"), ("Far", "2026.12.24")))
    let run = ["--notify", "stdout", "--notify", "exec:/nowhere/tell", "books.xml"]
    try await desk.run(run)
    let states = "SELECT title, state FROM reminders ORDER BY id"
    #expect(try await rows(desk, states) == ["Sent|failed", "Late|expired", "Far|pending"])
    try await desk.run("schedule", "forget", "--channel", "exec:/nowhere/tell")
    try await desk.run("schedule", "cancel", "--all")
    #expect(try await rows(desk, states) == ["Sent|delivered", "Late|cancelled", "Far|cancelled"])
    #expect(try await rows(desk, "SELECT count(*) FROM reason") == ["0"])
  }

  @Test func `The views have what is known of a loan, and its own library`() async throws {
    let desk = try Desk(
      catalogue: """
        <books><book id="1"><title>A</title><language>hu</language><category>student</category>
        <type>DVD</type><library>the Branch</library><renewable>0</renewable>
        <expiration>2026.11.22</expiration></book>
        <book id="2"><title>B</title><renewable>2</renewable><expiration>2026.11.22</expiration></book>
        <book id="3"><title>C</title><expiration>2026.11.22</expiration></book></books>
        """)
    try desk.folder.write("[[catalogue]]\npath = \"books.xml\"\nname = \"L\"\n", to: "c.toml")
    try await desk.run("--config", "c.toml", "--notify", "stdout")
    #expect(
      try await rows(
        desk,
        "SELECT title, language, category, item_type, library, renewable FROM reminders ORDER BY id"
      ) == ["A|hu|student|DVD|the Branch|0", "B||||L|1", "C||||L|"])
    let libraries = "SELECT library FROM deliveries ORDER BY id"
    #expect(try await rows(desk, libraries) == ["the Branch", "L", "L"])
  }

  @Test func `A delivery keeps its loan's title when it was renewed and returned`() async throws {
    let desk = try Desk(catalogue: catalogue(("Abigél", "2026.11.22"), ("Far", "2026.12.24")))
    try await desk.run("--notify", "stdout", "books.xml")
    let deliveries = "SELECT id, title, expiration, at FROM deliveries"
    let row = "1|Abigél|2026-11-22|2026-11-21T07:00:00+00:00"
    for books in [[("Abigél", "2026.11.29"), ("Far", "2026.12.24")], [("Far", "2026.12.24")]] {
      try desk.folder.write(catalogue(books), to: "books.xml")
      try await desk.run("books.xml")
      #expect(try await rows(desk, deliveries) == [row])
    }
  }

  @Test func `One delivery is one row, whoever has come to be like its loan`() async throws {
    func books(_ expirations: String...) -> String {
      let books = expirations.map {
        "<book id=\"1\"><title>Abigél</title><expiration>\($0)</expiration></book>"
      }
      return "<books>\(books.joined())</books>"
    }
    let desk = try Desk(catalogue: books("2026.12.24", "2026.11.22"))
    try await desk.run("--notify", "stdout", "books.xml")
    for expiration in ["2026.12.24", "2026.11.22"] {
      try desk.folder.write(books(expiration), to: "books.xml")
      try await desk.run("books.xml")
    }
    #expect(try await rows(desk, "SELECT expiration FROM deliveries") == ["2026-11-22"])
  }

  @Test func `The README leads to the page`() throws {
    #expect(try File.text(of: "\(projectDirectory)/README.md").contains("](docs/schedule.md)"))
  }
}
