import TestSupport
import Testing

/// The report for spreadsheets.
struct ReportCSVTests {
  @Test func `It has a line for each loan, by its expiration`() async throws {
    let result = try await Desk().run("--state", "none", "--format", "csv", "books.xml")
    #expect(result.status == 0)
    #expect(
      result.text.hasPrefix(
        "catalogue,line,id,title,author,isbn,barcode,borrower,email,language,category,type,library,"
          + "renewable,loanStatus,phone,address,callNumber,expiration,status,daysLeft,remindAt,expirationTime\r\n"
      ))
    let lines = result.text.split(separator: "\r\n")
    #expect(
      lines.last.map(String.init)
        == "books.xml,13,bk102,Abigél,Szabó Magda,9789631182040,30053532,Halmos Benedek,"
        + "halmos.benedek@example.org,,,,,,,,,,2026-11-22,expires-soon,1,2026-11-21T00:00,")
    #expect(!result.text.replacing("\r\n", with: "").contains("\n"))
  }

  @Test func `Its names are those of JSON`() async throws {
    let desk = try Desk()
    let csv = try await desk.run("--state", "none", "--format", "csv", "books.xml").text
    let head = csv.split(separator: "\r\n")[0].split(separator: ",").map(String.init)
    let json = try JSON(
      parsing: try await desk.run("--state", "none", "--format", "json", "books.xml").text)
    let keys = json.loans[0].keys
    #expect(head == keys.dropLast())
    #expect(keys.last == "openDays")
  }

  @Test(.enabled(if: File.exists("/usr/bin/python3"), "python3 is not installed"))
  func `Hostile texts stay texts, in a spreadsheet too`() async throws {
    let titles = [
      "=HYPERLINK(\"http://x\")", "+1", "-1", "@SUM(A1)", "a,b", "say \"no\"", "semi;colon", "'",
      "\u{9B}31m", "＝1",
    ]
    let desk = try Desk(
      catalogue: catalogue(titles.map { ($0, "2026.11.21") }))
    let result = try await desk.run(
      "--state", "none", "--format", "csv", "--output", "report.csv", "books.xml")
    #expect(result.outcome == Outcome(0))
    var command = desk.command([
      "-c", "import csv; print('|'.join(r[3] for r in csv.reader(open('report.csv', newline=''))))",
    ])
    command.program = "/usr/bin/python3"
    command.environment["PYTHONUTF8"] = "1"
    let read = try await command.run().lines[0].split(separator: "|").map(String.init)
    #expect(
      read == [
        "title", "'=HYPERLINK(\"http://x\")", "'+1", "'-1", "'@SUM(A1)", "a,b", "say \"no\"",
        "semi;colon",
        "'", "\\u{9b}31m", "'＝1",
      ])
  }

  @Test func `It goes with notices where it has a file of its own`() async throws {
    let desk = try Desk()
    let both = try await desk.run("--notify", "stdout", "--format", "csv", "books.xml")
    #expect(both.ends(64, saying: "--format csv both need standard output;"))
    let file = try await desk.run(
      "--notify", "stdout", "--format", "csv", "--output", "report.csv", "books.xml")
    #expect(file.status == 0)
    #expect(file.lines.count == 6)
    #expect(desk.folder.contents(of: "report.csv").hasPrefix("catalogue,line,"))
  }

  @Test func `A place for the report that is not there keeps nobody from being reminded`()
    async throws
  {
    let desk = try Desk()
    let result = try await desk.run("--notify", "stdout", "--output", "no/report", "books.xml")
    #expect(result.status == 73)
    #expect(result.lines.count == 6)
    #expect(
      result.errorLines.first
        == "check-loans: no/report: cannot create the file for the results: no such file or directory"
    )
    let again = try await desk.run("--notify", "stdout", "books.xml")
    #expect(again.outcome == Outcome(0))
  }

  @Test(arguments: ["x", "./x", "link/x"])
  func `A report does not take the place of a schedule that is still to be made`(
    output: String
  ) async throws {
    let desk = try Desk()
    try desk.folder.makeLink("link", to: ".")
    let result = try await desk.run("--state", "x", "--output", output, "books.xml")
    #expect(result.status == 64)
    #expect(!desk.folder.contains("x"))
  }

  @Test(arguments: [
    ["check", "--closed-calendars", "FILE", "--now", "2026-11-21"],
    ["check", "--mail-css", "FILE"],
    ["check", "--notify", "exec:./FILE"], ["check", "--mail-program", "./FILE"],
    ["validate", "--files-from", "FILE"],
  ])
  func `A report takes the place of no file that an option names`(command: [String]) async throws {
    let desk = try Desk()
    try desk.folder.write("books.xml\n", to: "file.xml")
    let arguments = command.map { $0.replacing("FILE", with: "file.xml") }
    let result = try await desk.run(arguments + ["--output", "file.xml", "books.xml"])
    #expect(result.ends(64, saying: "--output would overwrite "), "\(result)")
    #expect(desk.folder.contents(of: "file.xml") == "books.xml\n")
  }

  @Test(arguments: [
    ["check", "--state", "none", "-"], ["validate", "-"], ["calendar", "--state", "none", "-"],
    ["validate", "--files-from", "-"],
  ])
  func `A report does not take the place of what is read as standard input`(
    command: [String]
  ) async throws {
    let desk = try Desk()
    try desk.folder.write("list.xml\n", to: "list.xml")
    let name = command.contains("--files-from") ? "list.xml" : "books.xml"
    let before = desk.folder.contents(of: name)
    let file = "\(desk.folder.path)/\(name)"
    let result = try await desk.run(command + ["--output", name], input: .file(file))
    #expect(result.ends(64, saying: "--output would overwrite "))
    #expect(desk.folder.contents(of: name) == before)
  }

  @Test(arguments: ["fetch.sh", "other.xml", "folder/in.xml", "schedule.city.xml"])
  func `A report takes the place of nothing that the settings have for other runs`(
    output: String
  ) async throws {
    let desk = try Desk()
    try desk.folder.makeDirectory("folder")
    try desk.folder.write("<books/>", to: output)
    try desk.writeSettings(
      """
      state = "~/schedule"
      catalogues = ["~/other.xml", "~/folder"]
      [[catalogue]]
      name = "city"
      run = ["../../fetch.sh"]
      """)
    for command in [["check"], ["lists", "call"], ["calendar"]] {
      let result = try await desk.run(command + ["--output", output, "books.xml"])
      #expect(result.ends(64, saying: "--output would overwrite "), "\(command)")
    }
    #expect(desk.folder.contents(of: output) == "<books/>")
  }

  @Test(arguments: ["none/", "\("x".repeated(256))", "none/x"])
  func `A file that cannot be made ends the run before anything is sent`(
    output: String
  ) async throws {
    let desk = try Desk()
    for command in [["validate", "--format", "json"], ["calendar"], ["lists", "call"]] {
      let result = try await desk.run(command + ["--output", output, "books.xml"])
      #expect(result.ends(73, saying: "cannot create the file for the results"), "\(command)")
    }
  }

  @Test(arguments: [
    ["check", "--output"], ["lists", "call", "--output"], ["calendar", "--output"],
    ["validate", "--output"],
  ])
  func `A report takes the place of nothing that is needed`(command: [String]) async throws {
    let desk = try Desk()
    try desk.folder.write("quiet = true\n", to: "config.toml")
    try await desk.run("books.xml")
    _ = try await desk.shell("cd state/check-loans && printf %032d 0 | tee calendar.key mail.key")
    let before = try desk.contents()
    try desk.folder.makeLink("link.xml", to: "books.xml")
    var needed = ["books.xml", "link.xml"]
    if command[0] != "validate" {
      needed += [
        "config.toml", "state/check-loans/schedule.sqlite",
        "state/check-loans/schedule.sqlite.lock", "state/check-loans/schedule.sqlite-journal",
        "state/check-loans/schedule.sqlite-wal",
        "state/check-loans/calendar.key", "state/check-loans/mail.key",
      ]
    }
    for file in needed {
      var arguments = command + [file, "books.xml"]
      if command[0] != "validate" { arguments += ["--config", "config.toml"] }
      let result = try await desk.run(arguments)
      #expect(result.status == 64, "\(file)")
      #expect(result.errorText.contains("--output would overwrite "), "\(file)")
    }
    try desk.folder.remove("link.xml")
    #expect(try desk.contents() == before)
    let nameless = try await desk.run(command + ["", "books.xml"])
    #expect(nameless.status == 64)
    #expect(nameless.errorText.contains("--output needs the name of a file"))
    let printed = try await desk.run(command + ["-", "books.xml"])
    #expect(printed.text.isEmpty == (command[0] == "validate"))
    #expect(try !File.names(in: desk.folder.path).contains("-"))
  }

  @Test func `A link that leads nowhere stays`() async throws {
    let desk = try Desk()
    try desk.folder.makeLink("report", to: "nowhere/report")
    let result = try await desk.run("--state", "none", "--output", "report", "books.xml")
    #expect(result.status == 73)
    #expect(try await desk.shell("readlink report").text == "nowhere/report\n")
  }

  @Test func `A report that cannot be written changes no file`() async throws {
    let desk = try Desk()
    try desk.folder.write("old\n", to: "report.csv")
    let nowhere = try await desk.run("--state", "none", "--output", "nowhere/report", "books.xml")
    #expect(nowhere.status == 73)
    #expect(nowhere.text.isEmpty)
    let state = try await desk.run("--state", "/proc/x/y", "--output", "report.csv", "books.xml")
    #expect(state.status != 0)
    #expect(desk.folder.contents(of: "report.csv") == "old\n")
    let full = try await desk.run("--state", "none", "--output", "/dev/full", "books.xml")
    #expect(
      full.outcome
        == Outcome(
          74,
          errors: "check-loans: /dev/full: cannot write the results: no space left on device\n"))
  }
}
