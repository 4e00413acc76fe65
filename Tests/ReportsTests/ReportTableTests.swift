import TestSupport
import Testing

/// The report as a table.
struct ReportTableTests {
  private static let screens = "\(projectDirectory)/Tests/ReportsTests/Screens"

  /// A desk with loans of every kind, on a Wednesday.
  private func desk() throws -> Desk {
    try Desk(now: "2026-11-18T07:00", catalogue: File.text(of: "\(Self.screens)/books.xml"))
  }

  private func table(
    _ desk: Desk, _ arguments: String..., columns: Int? = nil
  ) async throws -> [String] {
    let variables = columns.map { ["COLUMNS": "\($0)"] } ?? [:]
    let arguments = ["--state", "none", "--format", "table"] + arguments + ["books.xml"]
    return try await desk.run(arguments, variables: variables).lines
  }

  @Test(.enabled(if: Screen.isHere, Screen.lack), arguments: [40, 80, 120, 200])
  func `It is as wide as the terminal, for all scripts`(columns: Int) async throws {
    let screen = Screen(desk: try desk(), columns: columns)
    let shown = try await screen.run("--state", "none", "--all", "books.xml")
    #expect(shown == (try File.text(of: "\(Self.screens)/\(columns).txt")))
    #expect(screen.status == "0\n")
  }

  @Test(.enabled(if: Screen.isHere, Screen.lack))
  func `What is urgent has a colour, where the terminal may have any`() async throws {
    let screen = Screen(desk: try desk(), columns: 120)
    let colored = try await screen.run("--state", "none", "books.xml", showsStyles: true)
    for style in ["\u{1B}[31m2026.11.17", "\u{1B}[33m2026.11.18", "\u{1B}[36m2026.11.19"] {
      #expect(colored.contains(style))
    }
    #expect(colored.contains("\u{1B}[1m\u{1B}[39mExpired"))
    for variables in [["NO_COLOR": "1"], ["TERM": "dumb"]] {
      let name = try #require(variables.keys.first)
      // The terminal itself sets TERM.
      try await expectPlain(screen, "env", "\(name)=\(variables[name] ?? "")")
    }
  }

  private func expectPlain(_ screen: Screen, _ env: String...) async throws {
    let line = env + [Command.checkLoans, "--state", "none", "books.xml"]
    try screen.desk.folder.write("#!/bin/sh\nexec \(line.joined(separator: " "))\n", to: "plain")
    var command = screen.desk.command(["-qec", "sh plain", "/dev/null"])
    command.program = "/usr/bin/script"
    command.environment["TERM"] = "xterm"
    let shown = try await command.run().text
    #expect(shown.contains("Expired"))
    #expect(!shown.contains("\u{1B}"))
  }

  @Test func `A pipe and a file get sentences`() async throws {
    let desk = try desk()
    let result = try await desk.run("--state", "none", "-q", "books.xml")
    #expect(
      result.lines.last
        == "\"吾輩は猫である — 夏目漱石の長い長い題名、とても長いので一行には入りきらないかもしれない本の名前\" "
        + "expires tomorrow (2026.11.19), by 夏目漱石, lent to 山田太郎, at 中央図書館")
    let file = try await desk.run("--state", "none", "-q", "--output", "report", "books.xml")
    #expect(file.outcome == Outcome(0))
    #expect(desk.folder.contents(of: "report") == result.text)
  }

  @Test func `What can still be saved comes first, the longest expired last`() async throws {
    let lines = try await table(desk(), "--all")
    let headings = lines.filter { !$0.hasPrefix(" ") }.dropLast()
    #expect(headings == ["Today", "Tomorrow", "This week", "Expired", "Later"])
    let expired = lines.drop { $0 != "Expired" }.dropFirst().prefix { $0.hasPrefix(" ") }
    #expect(expired.map { $0.prefix(12) } == ["  2026.11.17", "  2026.11.11", "  2025.11.17"])
    let week = lines.drop { $0 != "This week" }.dropFirst().prefix { $0.hasPrefix(" ") }
    #expect(week.map { $0.prefix(12) } == ["  2026.11.20", "  2026.11.22"])
  }

  @Test func `The last line says how many loans are left out, and how to see them`() async throws {
    let desk = try desk()
    #expect(
      try await table(desk).last
        == "3 more loans expire later: --all shows them too, --within 14 those of two weeks")
    #expect(
      try await table(desk, "--within", "4").last
        == "1 more loan expires later: --all shows it too")
    #expect(try await table(desk, "--all").last?.hasPrefix("8 loans, 3 expired") == true)
    #expect(try await table(desk, "--quiet").last?.hasPrefix("  2025.11.17") == true)
    // Those of others are not meant.
    #expect(
      try await table(desk, "--borrower", "halmos").last
        == "1 more loan expires later: --all shows it too")
  }

  @Test func `--within is about days from today, whatever the lead is`() async throws {
    let desk = try desk()
    func days(_ arguments: String...) async throws -> [String] {
      let result = try await desk.run(
        ["--state", "none", "--format", "json"] + arguments + ["books.xml"])
      return try JSON(parsing: result.text).loans.elements.map { "\($0.daysLeft.number ?? 999)" }
    }
    #expect(try await days("--within", "0") == ["-366", "-7", "-1", "0"])
    #expect(
      try await days("--within", "2", "--remind", "30") == ["-366", "-7", "-1", "0", "1", "2"])
    #expect(try await days("--remind", "4") == ["-366", "-7", "-1", "0", "1", "2", "4"])
    let both = try await desk.run("--all", "--within", "3", "books.xml")
    #expect(both.status == 64)
    // The command line wins over a setting.
    try desk.folder.write("all = true\n", to: "config.toml")
    #expect(try await days("--config", "config.toml", "--within", "0").count == 4)
  }

  @Test func `Loans are grouped by borrower, library or visit`() async throws {
    let desk = try desk()
    func headings(_ grouping: String) async throws -> [String] {
      try await table(desk, "--within", "30", "--group-by", grouping, "-q")
        .filter { !$0.hasPrefix(" ") && !$0.contains("more loan") }
    }
    #expect(
      try await headings("borrower") == [
        "Halmos Benedek", "Kovács Anna", "Mallory", "Vadas Lilla", "علي", "山田太郎", "No borrower",
      ])
    #expect(
      try await headings("library")
        == ["Central Library", "City Library", "中央図書館", "No library"])
    #expect(
      try await headings("visit") == [
        "By Sunday 2026.11.22, at Central Library: 1 book",
        "By Wednesday 2026.11.18, at City Library: 1 book",
        "By Thursday 2026.11.19, at 中央図書館: 1 book", "By Wednesday 2026.11.18: 4 books",
      ])
    // What is in the heading needs no column.
    #expect(try await table(desk, "--group-by", "borrower").first?.contains("Borrower") == false)
  }

  @Test func `Visits are in the order of their days, whatever loans are sorted by`() async throws {
    let desk = try Desk(
      catalogue: catalogue(("A", "2026.12.20"), ("B", "2026.11.21"), ("C", "2026.11.25")))
    let lines = try await table(desk, "--all", "-q", "--group-by", "visit", "--sort", "title")
    #expect(
      lines.filter { !$0.hasPrefix(" ") }
        == ["By Saturday 2026.11.21: 2 books", "By Sunday 2026.12.20: 1 book"])
  }

  @Test func `A visit for what has expired is on the next open day`() async throws {
    // A Sunday.
    let desk = try Desk(
      now: "2026-11-22T07:00", catalogue: catalogue(("One", "2026.11.18"), ("Two", "2026.11.22")))
    let lines = try await table(
      desk, "--all", "-q", "--group-by", "visit", "--closed-weekdays", "sunday")
    #expect(lines.filter { $0.hasPrefix("By ") } == ["By Monday 2026.11.23: 2 books"])
  }

  @Test func `A visit is on the last open day, and takes along what expires within a week`()
    async throws
  {
    let desk = try Desk(
      now: "2026-11-18T07:00",
      catalogue: catalogue(
        ("One", "2026.11.22"), ("Two", "2026.11.27"), ("Three", "2026.11.28"),
        ("Four", "2026.11.29")))
    let lines = try await desk.run(
      "--state", "none", "--all", "-q", "--format", "table", "--group-by", "visit",
      "--closed-weekdays", "sunday", "books.xml"
    ).lines
    #expect(
      lines == [
        "  Expires     When        Title", "By Saturday 2026.11.21: 2 books",
        "  2026.11.22  in 4 days   One",
        "      the library is closed that day, so return it by Saturday (2026.11.21)",
        "  2026.11.27  in 9 days   Two", "By Saturday 2026.11.28: 2 books",
        "  2026.11.28  in 10 days  Three", "  2026.11.29  in 11 days  Four",
        "      the library is closed that day, so return it by Saturday (2026.11.28)",
      ])
  }

  @Test func `Loans are sorted by what is asked for, in every format`() async throws {
    let desk = try desk()
    for format in ["text", "json", "csv", "table"] {
      let text = try await desk.run(
        "--state", "none", "-q", "--all", "--sort", "title", "--group-by", "library", "--format",
        format,
        "books.xml"
      ).text
      let titles = ["Robinson", "Egri", "吾輩", "A house", "Az arany", "Café"]
      let places = titles.compactMap { text.firstRange(of: $0)?.lowerBound }
      #expect(places.count == titles.count)
      #expect(places == places.sorted())
    }
  }

  @Test func `Columns that do not fit are shortened, then left out`() async throws {
    let desk = try desk()
    for columns in [1, 10, 30, 40, 55, 70, 90, 140, 500] {
      for line in try await table(desk, "--all", columns: columns).dropLast(2) {
        #expect(line.count <= max(columns, 34))
      }
    }
    let wide = try await table(desk, "--all", columns: 500)
    #expect(wide.contains { $0.contains("all the Men perished") })
  }
}

// MARK: - The pager

@Suite(.enabled(if: Screen.isHere, Screen.lack))
struct PagerTests {
  private func screen(_ count: Int, rows: Int = 10) throws -> Screen {
    let books = (1...count).map { ("Book \($0)", Optional("2026.11.21")) }
    return Screen(desk: try Desk(catalogue: catalogue(books)), rows: rows)
  }

  @Test func `What is longer than the terminal goes through it`() async throws {
    let screen = try screen(30)
    let variables = ["PAGER": "/usr/bin/tee seen"]
    for (arguments, isPaged) in [
      (["--all", "books.xml"], true), (["--all", "--pager", "none", "books.xml"], false),
      (["schedule", "list"], true), (["schedule", "list", "--pager", "none"], false),
    ] {
      _ = try await screen.run(arguments, variables: variables)
      #expect(screen.status == "0\n")
      #expect(screen.desk.folder.contents(of: "seen").contains("Book 30") == isPaged)
      try? screen.desk.folder.remove("seen")
      try screen.desk.folder.remove("status")
    }
    let short = try self.screen(3)
    _ = try await short.run(["--all", "books.xml"], variables: variables)
    #expect(!File.exists("\(short.desk.folder.path)/seen"))
  }

  @Test(arguments: [(4, false), (5, true)])
  func `It is not needed where the prompt fits too`(count: Int, isPaged: Bool) async throws {
    // Above and below the loans are two lines each.
    let screen = try screen(count, rows: 8)
    _ = try await screen.run(
      ["--all", "--state", "none", "books.xml"], variables: ["PAGER": "/usr/bin/tee seen"])
    #expect(File.exists("\(screen.desk.folder.path)/seen") == isPaged)
  }

  @Test func `It is less, which shows the first screen and waits`() async throws {
    let screen = try screen(30)
    let shown = try await screen.run(["--all", "books.xml"], isWaitedFor: false)
    #expect(shown.hasPrefix("  Expires     Title\nToday\n  2026.11.21  Book 1\n"))
    #expect(shown.hasSuffix("\n:\n"))
  }

  @Test(arguments: ["/usr/bin/head -n 1", "/bin/false", "/bin/true"])
  func `It may end before it has read all, and that it failed is said`(pager: String) async throws {
    let screen = try screen(5_000)
    let shown = try await screen.run(["--all", "books.xml"], variables: ["PAGER": pager])
    #expect(screen.status == "0\n")
    let words = "check-loans: /bin/false failed with exit status 1; --pager none does without it\n"
    #expect(shown.hasSuffix(words) == (pager == "/bin/false"))
  }

  @Test(arguments: ["", "cat", "/nowhere/pager", "nosuchpager -x"])
  func `Without one, everything is printed`(pager: String) async throws {
    let screen = try screen(30)
    let shown = try await screen.run(["--all", "books.xml"], variables: ["PAGER": pager])
    #expect(shown.contains("Book 30\n30 loans"))
    #expect(screen.status == "0\n")
  }
}
