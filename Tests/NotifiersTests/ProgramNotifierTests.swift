import Loans
import Notifiers
import TestSupport
import Testing

/// What a program of a channel with arguments is given.
@Suite(.ownThread) struct ProgramNotifierTests {
  /// A program that keeps its arguments and its input, and a notifier that runs it.
  private struct Recorder {
    let fake: FakeProgram
    let notifier: ProgramNotifier

    init(
      _ arguments: [String] = [], per scope: ProgramNotifier.Scope = .run,
      input: ProgramNotifier.Input = .text, script: String = "",
      environment: [String: String] = [:], passing names: [String] = [],
      timeout: Duration = .seconds(60)
    ) throws {
      fake = try FakeProgram(
        #"printf '%s\0' "$#" "$@" >> "$here/calls"; cat >> "$here/input"; "# + script)
      notifier = ProgramNotifier(
        channel: "phone", command: try ([fake.path] + arguments).map { try ArgumentTemplate($0) },
        per: scope, input: input, environment: environment, passing: names, timeout: timeout)
    }

    var calls: [[String]] { fake.folder.calls }
    var input: String { fake.folder.contents(of: "input") }
  }

  private let anna = Loan(
    title: "Abigél", borrower: "Kovács Anna", email: "anna@example.org", expiration: sampleDay(22))

  private func notice(_ loan: Loan, rung: Int = -1) -> Notice {
    Notice(rung: rung, loan: loan, catalogue: "books.xml")
  }

  @Test func `A notice fills the placeholders`() throws {
    let recorder = try Recorder([
      "{title}", "{text}", "{count}", "{urgency}", "{priority}", "{borrower}", "{email}",
      "a{{b}{count}{{title}{count}", "}",
    ])
    try recorder.notifier.sendAll([notice(anna)])
    let line = "“Abigél” is due tomorrow, 22 November 2026, lent to Kovács Anna"
    #expect(
      recorder.calls == [
        [
          "“Abigél” is due tomorrow", line, "1", "normal", "3", "Kovács Anna", "anna@example.org",
          "a{b}1{title}1", "}",
        ]
      ])
    #expect(recorder.input == "\(line)\n")
  }

  @Test func `Several notices are a summary and their lines`() throws {
    let recorder = try Recorder(["{title}", "{text}", "{count} {urgency} {priority}", "{email}"])
    try recorder.notifier.sendAll([reminder("a"), expired("b")])
    let lines = [
      "“a” is due tomorrow, 22 November 2026", "“b” is 7 days overdue (due 14 November 2026)",
    ]
    #expect(
      recorder.calls == [
        [
          "2 books to return: 1 overdue, 1 due soon", lines.joined(separator: "; "),
          "2 critical 4", "",
        ]
      ])
    #expect(recorder.input == lines.map { $0 + "\n" }.joined())
  }

  @Test func `A borrower is named where all loans are his`() throws {
    let recorder = try Recorder(["to={borrower} {email}"], per: .borrower)
    #expect(recorder.notifier.grouping == .byBorrower)
    try recorder.notifier.sendAll([notice(anna), notice(anna, rung: 1)])
    var other = anna
    other.borrower = nil
    try recorder.notifier.sendAll([notice(anna), notice(other)])
    #expect(
      recorder.calls == [["to=Kovács Anna anna@example.org"], ["to= anna@example.org"]])
  }

  @Test func `The program runs once for each notice, or for all`() throws {
    let notices = (0..<1_001).map { reminder("\($0)") }
    let each = try Recorder(["{count}"], per: .notice)
    #expect(each.notifier.grouping == .byBorrower)
    #expect(each.notifier.messages(for: notices).map(\.count) == Array(repeating: 1, count: 1_001))
    let all = try Recorder(["{count}"])
    #expect(all.notifier.grouping == .together)
    try all.notifier.sendAll(notices)
    #expect(all.calls == [["1000"], ["1"]])
  }

  @Test(arguments: [
    ("x\r\nPriority: 5\ty", "x Priority: 5 y"), ("\u{1B}[31mx\u{7}\0", "[31mx"),
    ("a\u{202E}b\u{2066}c", "abc"), ("{email} {title} {{", "{email} {title} {{"),
    ("$(touch x)`touch x`; x", "$(touch x)`touch x`; x"), ("ünnep 👩\u{200D}👧", "ünnep 👩\u{200D}👧"),
  ])
  func `A value is one harmless line, and no template`(title: String, value: String) throws {
    let recorder = try Recorder(["T: {title}", "{borrower}!"])
    var loan = anna
    (loan.title, loan.borrower) = (title, title)
    try recorder.notifier.sendAll([notice(loan)])
    #expect(recorder.calls == [["T: “\(value)” is due tomorrow", "\(value)!"]])
    #expect(!recorder.fake.folder.contains("x"))
  }

  @Test(arguments: ["x", "ű", "👩\u{200D}👧", "e\u{301}", "\u{301}"])
  func `A value has no more than 4 KB`(letter: String) throws {
    let recorder = try Recorder(["{title}", "{text}", "{borrower}", "{email}"])
    var loan = anna
    let long = "x" + String(repeating: letter, count: 1_000_000)
    (loan.title, loan.borrower, loan.email) = (long, long, long)
    try recorder.notifier.sendAll([notice(loan)])
    let sizes = try #require(recorder.calls.first).map(\.utf8.count)
    #expect(sizes.count == 4)
    #expect(sizes.allSatisfy { $0 <= 4_096 }, "\(sizes)")
    #expect(sizes.last.map { $0 > (letter == "\u{301}" ? 0 : 4_000) } == true, "\(sizes)")
  }

  @Test(arguments: [
    ("{borrower}", "-K/etc/x"), ("{borrower}", "@/etc/passwd"), ("{email}{borrower}", "--help"),
    ("{borrower}-x", ""),
  ])
  func `An argument that only a value makes an option is refused`(
    template: String, name: String
  ) throws {
    let recorder = try Recorder(["-H", template])
    var loan = anna
    (loan.borrower, loan.email) = (name, nil)
    let error = try #require(throws: NotifierError.self) {
      try recorder.notifier.sendAll([notice(loan)])
    }
    #expect(error.code == .failed)
    #expect(
      error.message
        == "phone: \(recorder.fake.path) was not run: its argument 2 would begin with - or @, like "
        + "an option; put a text before the placeholder, in run of its [[channel]] table")
    #expect(recorder.calls == [])
    let safe = try Recorder(["--name={borrower}", "-{borrower}", "@{borrower}", "--", "-"])
    try safe.notifier.sendAll([notice(loan)])
    #expect(safe.calls.first?.count == 5)
  }

  @Test func `As JSON it reads the document of exec, and can answer`() throws {
    let recorder = try Recorder(input: .json, script: "echo ok 1; exit 3")
    let error = try #require(throws: NotifierError.self) {
      try recorder.notifier.sendAll([reminder("a"), reminder("b")])
    }
    #expect(error.delivered == [1])
    let document = try JSON(parsing: recorder.input)
    #expect(document.channel == "phone")
    #expect(document.notices.elements.map { $0.loan.title } == ["a", "b"])
  }

  @Test(arguments: [ProgramNotifier.Input.text, .none])
  func `Otherwise its output is no answer`(input: ProgramNotifier.Input) throws {
    let working = try Recorder(input: input, script: "echo ok 1")
    try working.notifier.sendAll([reminder("a"), reminder("b")])
    #expect(working.input.isEmpty == (input == .none))
    let failing = try Recorder(input: input, script: "echo ok 1; echo busy >&2; exit 3")
    let error = try #require(throws: NotifierError.self) {
      try failing.notifier.sendAll([reminder("a"), reminder("b")])
    }
    #expect(error.delivered == [])
    #expect(
      error.message == "phone: \(failing.fake.path) failed with exit status 3: busy; if this "
        + "persists, correct its [[channel]] table")
  }

  @Test func `A program that takes too long is stopped`() async throws {
    let recorder = try Recorder(
      script: "echo $$ >> \"$here/pids\"; exec sleep 10000", timeout: .milliseconds(500))
    let error = try #require(throws: NotifierError.self) {
      try recorder.notifier.sendAll([reminder("a")])
    }
    #expect(error.code == .timedOut)
    #expect(
      error.message == "phone: \(recorder.fake.path) did not finish within 0.5 s and was stopped; "
        + "raise timeout in its [[channel]] table")
    try await expectEnd(of: recorder.fake.processes)
  }

  @Test func `It gets the variables that are named, besides the usual ones`() throws {
    let recorder = try Recorder(
      script: #"tr '\0' '\n' < /proc/$$/environ > "$here/environment""#,
      environment: [
        "PATH": "/bin", "NTFY_TOKEN": "tk", "OTHER": "x", "CHECK_LOANS_CHANNEL": "stdout",
      ], passing: ["NTFY_TOKEN", "UNSET", "CHECK_LOANS_CHANNEL"])
    try recorder.notifier.sendAll([reminder("a")])
    let variables = recorder.fake.folder.contents(of: "environment").split(separator: "\n")
    #expect(
      variables.sorted() == ["CHECK_LOANS_CHANNEL=phone", "NTFY_TOKEN=tk", "PATH=/bin"])
  }

  @Test(arguments: [
    (ProgramNotifier.Scope.run, NotifierError.Code.failed), (.borrower, .temporary),
    (.notice, .temporary),
  ])
  func `A program that fails for one borrower or notice may take others`(
    scope: ProgramNotifier.Scope, code: NotifierError.Code
  ) throws {
    let recorder = try Recorder(per: scope, script: "exit 3")
    let error = try #require(throws: NotifierError.self) {
      try recorder.notifier.sendAll([reminder("a")])
    }
    #expect(error.code == code)
  }

  @Test(arguments: [("{", "{"), ("a{title", "{title"), ("{title} {text ", "{text ")])
  func `A brace that is not closed is reported as such`(text: String, rest: String) {
    let failure = #expect(throws: ArgumentTemplate.Failure.self) {
      _ = try ArgumentTemplate(text)
    }
    #expect(failure?.description == "\(rest) has no closing brace; write {{ for a brace")
  }

  @Test(arguments: ["{}", "{Title}", "{ title}", "{\"a\": 1}", "{title}{x}"])
  func `What is no placeholder is no template`(text: String) {
    let failure = #expect(throws: ArgumentTemplate.Failure.self) {
      _ = try ArgumentTemplate(text)
    }
    #expect(
      failure?.description.hasSuffix(
        "} is none of {title} {text} {count} {urgency} {priority} {borrower} {email}; write {{ for "
          + "a brace") == true)
  }
}
