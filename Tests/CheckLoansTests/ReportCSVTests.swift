import TestSupport
import Testing

/// The report for spreadsheets.
struct ReportCSVTests {
  @Test func `It has a line for each loan, by its expiration`() async throws {
    let result = try await Desk().run("--no-state", "--format", "csv", "books.xml")
    #expect(result.status == 0)
    #expect(
      result.text.hasPrefix(
        "catalogue,line,id,title,author,isbn,barcode,borrower,email,language,category,type,library,"
          + "renewable,phone,address,callNumber,expiration,status,daysLeft,remindAt,expirationTime\r\n"
      ))
    let lines = result.text.split(separator: "\r\n")
    #expect(
      lines.last.map(String.init)
        == "books.xml,13,bk102,Abigél,Szabó Magda,9789631182040,30053532,Halmos Benedek,"
        + "halmos.benedek@example.org,,,,,,,,,2026-11-22,expires-soon,1,2026-11-21T00:00,")
    #expect(!result.text.replacing("\r\n", with: "").contains("\n"))
  }

  @Test func `Its names are those of JSON`() async throws {
    let desk = try Desk()
    let csv = try await desk.run("--no-state", "--format", "csv", "books.xml").text
    let head = csv.split(separator: "\r\n")[0].split(separator: ",").map(String.init)
    let json = try JSON(
      parsing: try await desk.run("--no-state", "--format", "json", "books.xml").text)
    let keys = json.loans[0].keys
    #expect(head == keys.dropLast())
    #expect(keys.last == "openDays")
  }

  @Test(.enabled(if: File.exists("/usr/bin/python3"), "python3 is not installed"))
  func `Hostile texts stay texts, in a spreadsheet too`() async throws {
    let titles = [
      "=HYPERLINK(\"http://x\")", "+1", "-1", "@SUM(A1)", "a,b", "say \"no\"", "semi;colon", "'",
      "\u{9B}31m",
    ]
    let desk = try Desk(
      catalogue: catalogue(titles.map { ($0, "2026.11.21") }))
    let result = try await desk.run(
      "--no-state", "--format", "csv", "--output", "report.csv", "books.xml")
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
        "'", "\\u{9b}31m",
      ])
  }

  @Test func `It goes with notices where it has a file of its own`() async throws {
    let desk = try Desk()
    let both = try await desk.run("--notify", "stdout", "--format", "csv", "books.xml")
    #expect(
      both.outcome
        == Outcome(
          64,
          errors: """
            check-loans: --notify stdout and --format csv both need standard output; choose one, perhaps with \
            --notify none or --output

            """))
    let file = try await desk.run(
      "--notify", "stdout", "--format", "csv", "--output", "report.csv", "books.xml")
    #expect(file.status == 0)
    #expect(file.lines.count == 6)
    #expect(desk.folder.contents(of: "report.csv").hasPrefix("catalogue,line,"))
  }

  @Test func `A report that cannot be written changes no file`() async throws {
    let desk = try Desk()
    try desk.folder.write("old\n", to: "report.csv")
    try desk.folder.write("no catalogue", to: "broken.xml")
    let nowhere = try await desk.run("--no-state", "--output", "nowhere/report", "books.xml")
    #expect(nowhere.status == 73)
    #expect(nowhere.text.isEmpty)
    let state = try await desk.run("--state", "/proc/x/y", "--output", "report.csv", "books.xml")
    #expect(state.status != 0)
    #expect(desk.folder.contents(of: "report.csv") == "old\n")
  }
}
