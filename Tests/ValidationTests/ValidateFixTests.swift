import TestSupport
import Testing

/// `validate --fix`, as somebody uses it.
struct ValidateFixTests {
  private static let before = """
    <?xml version="1.0" encoding="ISO-8859-2"?>
    <books>
      <book id="a"><title>\u{150}</title><loaned>2026.11.1</loaned>
        <expiration> 2026-12-1\t</expiration></book>
      <book id="b"><title>B</title><expiration>2014. 07. 14.</expiration></book>
      <book id="c"><title>C</title><expiration>13.12.2026</expiration></book>
      <book id="d"><title>D</title><expiration>2026.02.30</expiration></book>
      <!-- check-loans: ignore date-format (as it came) -->
      <book id="e"><title>E</title><expiration>2026/01/02</expiration></book>
    </books>

    """

  private static let after =
    before.replacing("2026.11.1<", with: "2026.11.01<").replacing("2026-12-1", with: "2026.12.01")
    .replacing("2014. 07. 14.", with: "2014.07.14")

  /// The text in ISO-8859-2.
  private static func bytes(_ text: String) -> [UInt8] {
    text.unicodeScalars.map { $0 == "\u{150}" ? 0xD5 : UInt8($0.value) }
  }

  private func desk() throws -> Desk {
    let desk = try Desk(now: nil)
    try desk.folder.write(bytes: Self.bytes(Self.before), to: "books.xml")
    return desk
  }

  private func content(_ desk: Desk) throws -> [UInt8] {
    try File.bytes(of: "\(desk.folder.path)/books.xml")
  }

  private static let left = """
    books.xml:6:44: error: expiration "13.12.2026" is not of the form yyyy.MM.dd; did you mean \
    2026.12.13? [date-format]
    books.xml:7:44: error: expiration "2026.02.30" is not a calendar date; that month has days 01 \
    to 28 [impossible-date]

    """

  @Test func `Nothing is fixed that nobody has named`() async throws {
    let desk = try Desk(now: nil, catalogue: catalogue(("Abigél", "2026-11-22")))
    let text = desk.folder.contents(of: "books.xml")
    for options in [[], ["--dry-run"]] {
      let result = try await desk.run(["validate", "--fix"] + options)
      #expect(result.status == 64)
      #expect(
        result.errorText == "check-loans: --fix changes only catalogues that are named; name one\n")
      #expect(desk.folder.contents(of: "books.xml") == text)
    }
    try desk.folder.write("files = [\"books.xml\"]\n", to: ".check-loans.toml")
    #expect(try await desk.run("validate", "--fix").status == 0)
    #expect(desk.folder.contents(of: "books.xml") != text)
  }

  @Test func `A catalogue that has two names is fixed once`() async throws {
    let books = (0..<4_000).map { ("Book \($0)", Optional("2026-12-01")) }
    for _ in 0..<5 {
      let desk = try Desk(now: nil, catalogue: catalogue(books))
      try desk.folder.makeLink("link.xml", to: "books.xml")
      try desk.folder.makeLink("here", to: ".")
      let result = try await desk.run(
        "validate", "--fix", "--jobs", "4", "books.xml", "link.xml", "here/books.xml")
      #expect(
        result.outcome
          == Outcome(
            0, errors: "check-loans: 1 file, 4000 loans: no problems, 4000 dates fixed\n"))
      #expect(try await desk.run("validate", "-q", "books.xml").outcome == Outcome(0))
    }
  }

  @Test(
    .enabled(if: isRoot, "only root can be somebody else"),
    arguments: [("daemon", 0o666), ("daemon", 0o606)])
  func `A file whose owner or group cannot be kept is left as it was`(
    owner: String, mode: Int
  ) async throws {
    let desk = try desk()
    let result = try await desk.shell(
      """
      chmod 777 .
      chown \(owner):\(owner) books.xml
      chmod \(String(mode, radix: 8)) books.xml
      cp "$0" /tmp/check-loans-$$
      trap 'rm /tmp/check-loans-$$' EXIT
      setpriv --reuid nobody --regid nogroup --clear-groups /tmp/check-loans-$$ \
        validate --fix books.xml || echo $?
      stat -c '%U %G %a' books.xml
      """)
    #expect(result.lines.suffix(2) == ["77", "\(owner) \(owner) \(String(mode, radix: 8))"])
    #expect(
      result.errorLines.first?.hasPrefix(
        "check-loans: books.xml: its owner or group cannot be kept")
        == true)
    #expect(try content(desk) == Self.bytes(Self.before))
  }

  @Test func `A full disk leaves the catalogue as it was`() async throws {
    let desk = try desk()
    let record = "<book><expiration>2026-12-1</expiration></book>\n"
    let before = "<books>\n\(String(repeating: record, count: 1_000))</books>"
    try desk.folder.write(before, to: "books.xml")
    let result = try await desk.shell("ulimit -f 20; exec \"$0\" validate --fix books.xml")
    #expect(result.status == 74)
    #expect(result.errorText.contains(": file too large; "))
    #expect(desk.folder.contents(of: "books.xml") == before)
    #expect(try File.names(in: desk.folder.path).filter { $0 != "state" } == ["books.xml"])
  }

  @Test func `It mends what has one reading, tells what is left, and mends nothing twice`()
    async throws
  {
    let desk = try desk()
    let fixed = try await desk.run("validate", "--fix", "books.xml")
    #expect(
      fixed.outcome
        == Outcome(
          1, output: Self.left,
          errors: """
            check-loans: 1 file, 5 books, 2 loans, 3 left out: 2 errors, 0 warnings, 3 dates fixed

            """))
    #expect(try content(desk) == Self.bytes(Self.after))
    let again = try await desk.run("validate", "--fix", "books.xml")
    #expect(
      again.outcome
        == Outcome(
          1, output: Self.left,
          errors: "check-loans: 1 file, 5 books, 2 loans, 3 left out: 2 errors, 0 warnings\n"))
    #expect(try content(desk) == Self.bytes(Self.after))
  }

  @Test func `A dry run changes nothing, and patch does with its diff what it would do`()
    async throws
  {
    let desk = try desk()
    let dry = try await desk.run("validate", "--fix", "--dry-run", "books.xml")
    #expect(dry.status == 1)
    #expect(
      dry.errorText
        == Self.left
        + "check-loans: 1 file, 5 books, 0 loans, 5 left out: 4 errors, 1 warning, "
        + "3 fixable with --fix\n")
    #expect(try content(desk) == Self.bytes(Self.before))
    try desk.folder.write(bytes: dry.output, to: "diff")
    let patched = try await desk.shell("patch --fuzz=0 -p1 < diff")
    #expect(patched.status == 0)
    #expect(patched.text == "patching file books.xml\n")
    #expect(try content(desk) == Self.bytes(Self.after))
    let rest = try await desk.run("validate", "--fix", "--dry-run", "books.xml")
    #expect(rest.text == "")
  }

  @Test func `A clean dry run says nothing and is 0`() async throws {
    let desk = try Desk(now: nil)
    #expect(
      try await desk.run("validate", "--fix", "--dry-run", "-q", "books.xml").outcome == Outcome(0))
  }

  @Test func `What a diff leaves is counted in all catalogues together`() async throws {
    let desk = try Desk(now: nil)
    for name in ["a.xml", "b.xml"] {
      try desk.folder.write(catalogue(("A", "2026-12-1"), ("B", "x"), ("C", "y")), to: name)
    }
    let result = try await desk.run(
      "validate", "--fix", "--dry-run", "--max-diagnostics", "3", "a.xml", "b.xml")
    let lines = result.errorText.split(separator: "\n")
    #expect(lines.dropLast().map { $0.prefix(8) } == ["a.xml:3:", "a.xml:4:", "b.xml:3:"])
    #expect(lines.last?.contains("(1 not shown, ") == true)
    #expect(lines.last?.hasSuffix("), 2 fixable with --fix") == true)
  }

  @Test func `What is ignored is not fixed`() async throws {
    let desk = try desk()
    try await desk.run("validate", "--fix", "--ignore", "date-format", "books.xml")
    #expect(
      try content(desk)
        == Self.bytes(Self.before.replacing("2026.11.1<", with: "2026.11.01<")))
  }

  @Test func `A catalogue that is not well-formed is left alone`() async throws {
    let text = "<books><book id='a'><title>T</title><expiration>2026-1-2</expiration></book>"
    let desk = try Desk(now: nil, catalogue: text)
    let result = try await desk.run("validate", "--fix", "books.xml")
    #expect(result.status == 1)
    #expect(result.text.contains("[malformed-xml]") && result.text.contains("[date-format]"))
    #expect(desk.folder.contents(of: "books.xml") == text)
  }

  @Test func `One that may not be written is told, and the others are fixed`() async throws {
    let desk = try desk()
    try desk.folder.write(catalogue(("T", "2026-1-2")), to: "locked.xml")
    try desk.folder.setPermissions(of: "locked.xml", 0o444)
    let result = try await desk.run("validate", "--fix", "locked.xml", "books.xml")
    #expect(result.status == 77)
    #expect(result.errorLines[0].hasPrefix("check-loans: locked.xml: this file is read-only"))
    #expect(result.text.hasPrefix("locked.xml:2:"))
    #expect(desk.folder.contents(of: "locked.xml").contains("2026-1-2"))
    #expect(try content(desk) == Self.bytes(Self.after))
  }

  @Test func `A catalogue that is named twice is fixed once`() async throws {
    for jobs in ["1", "4"] {
      let desk = try desk()
      let names = ["books.xml", "./books.xml", "books.xml"]
      let dry = try await desk.run(["validate", "--fix", "--dry-run", "--jobs", jobs] + names)
      #expect(dry.text.split(separator: "\n").count { $0.hasPrefix("+++ ") } == 1)
      let fixed = try await desk.run(["validate", "--fix", "--jobs", jobs] + names)
      #expect(fixed.status == 1)
      #expect(fixed.errorText.hasPrefix("check-loans: 1 file, "))
      #expect(try content(desk) == Self.bytes(Self.after))
    }
  }

  @Test(
    .enabled("the file system has no extended attributes, or there is no python3") {
      try await setAttribute(of: Desk()).status == 0
    })
  func `Attributes stay, and so who may read it`() async throws {
    let desk = try desk()
    #expect(try await Self.setAttribute(of: desk).status == 0)
    try await desk.run("validate", "--fix", "books.xml")
    #expect(try content(desk) == Self.bytes(Self.after))
    let got = try await desk.shell(
      Self.python + #"print(os.getxattr("books.xml", "user.note").decode())'"#)
    #expect(got.text == "kept\n")
  }

  private static let python = "/usr/bin/python3 -c 'import os; "

  private static func setAttribute(of desk: Desk) async throws -> CommandResult {
    try await desk.shell(python + #"os.setxattr("books.xml", "user.note", b"kept")'"#)
  }

  @Test(arguments: [["GITHUB_ACTIONS": "true"], ["TF_BUILD": "True"]])
  func `Where lines can be commands, a diff goes to a file`(variables: [String: String])
    async throws
  {
    let desk = try desk()
    let arguments = ["validate", "-q", "--fix", "--dry-run", "books.xml"]
    let refused = try await desk.run(arguments, variables: variables)
    #expect(refused.status == 64 && refused.text == "")
    #expect(refused.errorText.contains("write the diff to a file with --output"))
    let plain = try await desk.run(arguments)
    let written = try await desk.run(arguments + ["--output", "diff"], variables: variables)
    #expect(written.status == 1 && written.text == "")
    #expect(try File.bytes(of: "\(desk.folder.path)/diff") == plain.output)
  }

  @Test func `Many are fixed side by side as they are one by one`() async throws {
    var outcomes: [CommandResult.Outcome] = []
    for jobs in ["1", "5"] {
      let desk = try Desk(now: nil)
      var names: [String] = []
      for number in 0..<30 {
        names.append("c\(number).xml")
        try desk.folder.write(
          catalogue((0...number).map { ("T\($0)", "2026-1-\($0 % 28 + 1)") }), to: names[number])
      }
      let dry = try await desk.run(["validate", "--fix", "--dry-run", "--jobs", jobs] + names)
      #expect(dry.text.split(separator: "\n").count { $0.hasPrefix("+++ ") } == 30)
      outcomes.append(dry.outcome)
      let fixed = try await desk.run(["validate", "--fix", "--jobs", jobs] + names)
      #expect(fixed.status == 0)
      #expect(fixed.errorText.hasSuffix("no problems, 465 dates fixed\n"))
      outcomes.append(fixed.outcome)
    }
    #expect(outcomes[0] == outcomes[2] && outcomes[1] == outcomes[3])
  }
}
