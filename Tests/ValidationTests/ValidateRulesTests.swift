import LoanRules
import Loans
import TestSupport
import Testing

/// What `validate` is told to make of its findings.
struct ValidateRulesTests {
  private static let books = """
    <books>
    <book id="a"><title>T</title><isbn>9789631193618</isbn><expiration>2026-12-01</expiration></book>
    <book id="b"><expiration>2026.12.01</expiration></book>
    </books>
    """

  private func codes(_ arguments: String..., variables: [String: String] = [:]) async throws -> (
    Int32?, [String]
  ) {
    let desk = try Desk(now: nil, catalogue: Self.books)
    let result = try await desk.run(
      ["validate", "-q", "books.xml"] + arguments, variables: variables)
    #expect(result.errorText == "")
    return (
      result.status,
      result.lines.map { line in
        let severity = line.contains(": error: ") ? "error" : "warning"
        return "\(severity) \(line.split(separator: "[").last?.dropLast() ?? "")"
      }
    )
  }

  @Test func `Without a wish, only what costs a loan is an error`() async throws {
    #expect(
      try await codes() == (
        1, ["warning invalid-isbn", "error date-format", "warning missing-title"]
      ))
  }

  @Test func `Strict makes errors of warnings`() async throws {
    #expect(
      try await codes("--strict") == (
        1, ["error invalid-isbn", "error date-format", "error missing-title"]
      ))
    #expect(
      try await codes("--strict", "--warn", "missing-title", "--ignore", "invalid-isbn") == (
        1, ["error date-format", "warning missing-title"]
      ))
  }

  @Test func `A code can be made more or less of, and left out`() async throws {
    #expect(
      try await codes("--warn", "date-format", "--ignore", "invalid-isbn") == (
        0, ["warning date-format", "warning missing-title"]
      ))
    #expect(
      try await codes("--ignore", "date-format", "--error", "missing-title") == (
        1, ["warning invalid-isbn", "error missing-title"]
      ))
  }

  @Test func `The environment can say the same`() async throws {
    let variables = [
      "CHECK_LOANS_WARN": "date-format", "CHECK_LOANS_IGNORE": "invalid-isbn,missing-title",
    ]
    #expect(try await codes(variables: variables) == (0, ["warning date-format"]))
    #expect(
      try await codes(variables: ["CHECK_LOANS_STRICT": "1", "CHECK_LOANS_ERROR": "no-loans"]).1
        .allSatisfy { $0.hasPrefix("error ") })
  }

  @Test func `A date under another name is an error, unless it is to be a warning`() async throws {
    let hidden = "<book><title>A</title><expiraton>2026.11.22</expiraton></book>"
    let other =
      "<book><title>B</title><due>2026.11.22</due><expiration>2026.12.22</expiration></book>"
    let desk = try Desk(now: nil, catalogue: "<books>\(hidden)\(other)</books>")
    let result = try await desk.run("validate", "books.xml")
    #expect(result.status == 1)
    #expect(result.lines.first?.hasSuffix("[unknown-date-element]") == true)
    #expect(result.lines.count == 1)
    let lowered = try await desk.run("validate", "--warn", "unknown-date-element", "books.xml")
    #expect(lowered.status == 0)
    #expect(lowered.lines.count == 1)
  }

  @Test(arguments: [
    (["--ignore", "date-fromat"], "did you mean date-format? check-loans rules lists the codes"),
    (["--error", "x"], "check-loans rules lists the codes"),
    (
      ["--ignore", "malformed-xml"],
      "nothing after such a place is read, so it is always an error"
    ),
    (["--warn", "external-entity"], "so it is always an error"),
    (
      ["--warn", "no-loans", "--error", "no-loans"],
      "no-loans is given with two of --error, --warn and --ignore; choose one"
    ),
    (["--max-days", "-1"], "--max-days"), (["--max-diagnostics", "0"], "--max-diagnostics"),
    (["--jobs", "0"], "--jobs"), (["--dry-run"], "--dry-run shows what --fix would do; give both"),
    (["--fix", "-"], "standard input cannot be fixed; save it to a file first"),
    (["--fix", "--dry-run", "--format", "json"], "prints a diff, which has no other --format"),
    (["-", "--files-from", "-"], "standard input cannot be both a catalogue and the list of them"),
  ])
  func `A wish that makes no sense is wrong usage, with the reason`(
    arguments: [String], words: String
  ) async throws {
    let desk = try Desk(now: nil)
    let result = try await desk.run(["validate", "books.xml"] + arguments)
    #expect(result.status == 64)
    #expect(result.text == "")
    #expect(result.errorText.contains(words), "\(result.errorText)")
  }

  @Test func `A variable that makes no sense is a bad setting`() async throws {
    let desk = try Desk(now: nil)
    for (name, value) in [("IGNORE", "malformed-xml"), ("JOBS", "many"), ("MAX_DAYS", "x")] {
      let result = try await desk.run(
        "validate", "books.xml", variables: ["CHECK_LOANS_\(name)": value])
      #expect(result.status == 78)
      #expect(result.errorText.contains("CHECK_LOANS_\(name)"))
    }
  }

  @Test func `Days ahead are counted from the day in the library's zone`() async throws {
    let desk = try Desk(now: nil, catalogue: catalogue(("Abigél", "2026.12.01")))
    func status(_ arguments: String...) async throws -> Int32? {
      try await desk.run(
        ["validate", "-q", "--strict", "--max-days", "10", "books.xml"] + arguments
      ).status
    }
    #expect(try await status("--now", "2026-11-21") == 0)
    #expect(try await status("--now", "2026-11-20") == 1)
    let real = try await desk.run("validate", "--max-days", "36500", "books.xml")
    #expect(real.status == 0)
    let lost = try await desk.run(
      "validate", "--max-days", "1", "--time-zone", "Mars/Olympus", "books.xml")
    #expect(lost.status == 78)
  }

  @Test func `A comment silences one finding, and one too many does no harm`() async throws {
    let desk = try Desk(
      now: nil,
      catalogue: """
        <books>
        <!-- check-loans: ignore date-format (the desk knows) -->
        <book id="a"><title>T</title><expiration>soon</expiration></book>
        <!-- check-loans: ignore date-format -->
        <book id="b"><title>T</title><expiration>2026.12.01</expiration></book>
        </books>
        """)
    let result = try await desk.run("validate", "books.xml")
    #expect(
      result.outcome
        == Outcome(
          0, errors: "check-loans: 1 file, 2 books, 1 loan, 1 left out: no problems\n"))
    // What is to remind of loans does not let one go silently.
    let check = try await desk.run("check", "--state", "none", "--now", "2026-11-21", "books.xml")
    #expect(check.status == 65)
    #expect(check.errorText.contains("[date-format]"))
  }

  @Test func `All rules are listed, as the reference has them`() async throws {
    let desk = try Desk(now: nil)
    let lines = try await desk.run("rules").lines
    #expect(lines.count == Diagnostic.Code.allCases.count)
    for (line, code) in zip(lines, Diagnostic.Code.allCases) {
      #expect(line.hasPrefix("\(code.rawValue) "))
      #expect(line.contains(" \(code.validationSeverity.rawValue) "))
    }
    let page = try File.text(of: "\(projectDirectory)/docs/reference.md")
    let json = try JSON(
      parsing: try await desk.run("rules", "--format", "json").text)
    #expect(json.rules.elements.count == lines.count)
    for rule in json.rules.elements {
      let warning = rule.severity == "warning" ? "warning: " : ""
      #expect(
        page.contains("| `\(rule.code.text ?? "")` | \(warning)\(rule.summary.text ?? "") |"),
        "\(rule.code)")
    }
  }

  @Test(arguments: Diagnostic.Code.allCases)
  func `Every code is explained with an example and a remedy`(code: Diagnostic.Code) async throws {
    let result = try await Desk(now: nil).run("rules", code.rawValue)
    #expect(result.status == 0 && result.errorText == "")
    #expect(result.text.hasPrefix("\(code.rawValue) (\(code.validationSeverity.rawValue)): "))
    for part in ["\n\nFor example:\n\n    ", "\n\nBetter:\n\n    "] {
      #expect(result.text.contains(part))
    }
    #expect(result.lines.allSatisfy { $0.count <= 100 })
  }

  @Test func `An explanation in full`() async throws {
    #expect(
      try await Desk(now: nil).run("rules", "empty-expiration").outcome
        == Outcome(
          0,
          output: """
            empty-expiration (error): an expiration is present but empty

            A book without an expiration is on the shelf; one whose expiration is empty
            may be lent, and its date lost.

            For example:

                <expiration></expiration>

            Better:

                <expiration>2026.12.01</expiration>

            Write the date, or remove the element if the book is on the shelf.
            To silence it everywhere: --ignore empty-expiration; to make it a warning or
            an error: --warn, --error.
            To leave it out of one book, write before the book:

                <!-- check-loans: ignore empty-expiration (reason) -->

            """))
  }
}
