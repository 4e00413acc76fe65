import Languages
import Loans
import TestSupport
import Testing

@testable import Notifiers

/// What notify-send is told, read from the arguments that a fake one gets.
@Suite(.ownThread) struct NotifySendWordsTests {
  @Test func `A reminder is a normal notification about one loan`() async throws {
    #expect(
      try await arguments(of: [reminder("Abigél")]) == [
        "--app-name=Check Loans", "--urgency=normal", "--category=x-check-loans.loan.due", "--",
        "“Abigél” is due tomorrow", "Return or renew it by 22 November 2026.",
      ])
  }

  @Test func `An overdue book is a critical notification`() async throws {
    #expect(
      try await arguments(of: [expired("Egri csillagok")]) == [
        "--app-name=Check Loans", "--urgency=critical",
        "--category=x-check-loans.loan.expired", "--", "“Egri csillagok” is 7 days overdue",
        "It was due on 14 November 2026: return or renew it now.",
      ])
  }

  @Test func `A notification is in the language of its reader`() async throws {
    let hungarian = try #require(KnownLanguages().language(for: "hu"))
    let one = try await arguments(of: [expired("Toldi", at: "A & B")], in: hungarian)
    #expect(one.summary == "„Toldi” határideje 7 napja lejárt")
    #expect(
      one.body == """
        A határidő lejárt (2026. november 14.): kérjük, mielőbb hozza vissza vagy hosszabbítsa meg \
        (A &amp; B).
        """)
    let russian = try #require(KnownLanguages().language(for: "ru"))
    let some = [reminder("A", at: "Б")] + (1...21).map { expired("\($0)") }
    let digest = try await arguments(of: some, in: russian)
    #expect(digest.summary == "22 книги к возврату: 21 просрочена, у 1 скоро истекает срок")
    #expect(
      digest.body.hasPrefix("«1»: возврат просрочен на 7 дней\n«2»: ")
        && digest.body.hasSuffix("\nи ещё 17\nПолный список: check-loans schedule list"))
  }

  @Test func `The body of one notice names the library`() async throws {
    #expect(
      try await arguments(of: [reminder("Abigél", at: "the Central Library")]).body
        == "Return or renew it at the Central Library by 22 November 2026.")
    #expect(
      try await arguments(of: [expired("Toldi", at: "the Central Library")]).body
        == "It was due on 14 November 2026: return or renew it now at the Central Library.")
  }

  @Test func `Nobody is told to renew what cannot be renewed`() async throws {
    var (soon, late) = (reminder("Abigél", at: "the Library"), expired("Toldi"))
    (soon.loan.renewable, late.loan.renewable) = (false, false)
    #expect(
      try await arguments(of: [soon]).body
        == "Return it at the Library by 22 November 2026; it cannot be renewed.")
    #expect(
      try await arguments(of: [late]).body
        == "It was due on 14 November 2026: return it now; it cannot be renewed.")
    soon.loan.renewable = true
    #expect(
      try await arguments(of: [soon]).body
        == "Return or renew it at the Library by 22 November 2026.")
  }

  @Test(arguments: [
    (#"<b>A & B\101</b>"#, #"at &lt;b&gt;A &amp; B\\101&lt;/b&gt; by"#),
    ("one\n\u{1B}[31mtwo\u{202E}", "at one [31mtwo by"),
    (String(repeating: "ű", count: 1_000), "at \(String(repeating: "ű", count: 60))… by"),
    ("\u{202E}", "renew it by"),
    ("", "renew it by"),
  ])
  func `A library's name in a body is short, escaped and harmless`(
    name: String, shown: String
  ) async throws {
    let body = try await arguments(of: [reminder("Abigél", at: name)]).body
    #expect(body.contains("\(shown) 22 November 2026."), "\(body)")
  }

  @Test(
    arguments: [
      (nil, nil, "A book is due tomorrow"),
      ("", nil, "A book is due tomorrow"),
      (" \u{1B}\n\u{202E} ", nil, "A book is due tomorrow"),
      (nil, "bk101", "Book bk101 is due tomorrow"),
      ("\u{7}", "bk101", "Book bk101 is due tomorrow"),
    ] as [(String?, String?, String)])
  func `A loan without title still has a summary`(
    title: String?, id: String?, summary: String
  ) async throws {
    #expect(try await arguments(of: [reminder(title, id: id)]).summary == summary)
  }

  @Test(arguments: [
    ("one\r\ntwo\nthree\tfour\u{2028}five\u{85}six", "one two three four five six"),
    ("\u{1B}[31mred\u{1B}[0m", "[31mred[0m"),
    ("\u{1B}]8;;https://example.org\u{1B}\\link\u{7}", "]8;;https://example.org\\link"),
    ("\u{9B}31mred", "31mred"),
    ("\u{202E}kcab\u{2066}!\u{200B}", "kcab!"),
    ("  many   spaces \n ", "many spaces"),
    ("می‌خواهم", "می‌خواهم"),
    ("👩🏽‍🚀 in space", "👩🏽‍🚀 in space"),
  ])
  func `A summary is one harmless line`(title: String, shown: String) async throws {
    #expect(
      try await arguments(of: [reminder(title)]).summary == "“\(shown)” is due tomorrow")
  }

  @Test func `A long title ends after 200 characters`() async throws {
    let summary = try await arguments(of: [reminder(String(repeating: "ű", count: 100_000))])
      .summary
    #expect(summary == "“" + String(repeating: "ű", count: 200) + "…” is due tomorrow")
  }

  @Test func `A title of 200 characters is not shortened`() async throws {
    let title = String(repeating: "ű", count: 200)
    #expect(try await arguments(of: [reminder(title)]).summary == "“\(title)” is due tomorrow")
  }

  @Test func `An emoji of several scalars is shown whole or not at all`() async throws {
    let family = "👨‍👩‍👧‍👦"
    let summary = try await arguments(of: [reminder(String(repeating: family, count: 300))])
      .summary
    let shown = summary.dropFirst().prefix { $0 == Character(family) }
    #expect(shown.count == 200)
    #expect(summary == "“\(shown)…” is due tomorrow")
  }

  @Test func `One letter with ten thousand combining marks is cut`() async throws {
    let title = "e" + String(repeating: "\u{301}", count: 10_000)
    let summary = try await arguments(of: [reminder(title)]).summary
    #expect(summary.unicodeScalars.starts(with: "“e\u{301}\u{301}\u{301}".unicodeScalars))
    #expect(summary.hasSuffix("…” is due tomorrow"))
    #expect(summary.unicodeScalars.count < 1_700)
  }

  @Test(arguments: [
    (4, 3, "7 books to return: 4 overdue, 3 due soon"),
    (6, 1, "7 books to return: 6 overdue, 1 due soon"),
    (6, 0, "6 books to return: 6 overdue"),
    (0, 6, "6 books to return: 6 due soon"),
    (1, 0, "1 book to return: 1 overdue"),
  ])
  func `A digest counts what is overdue and what is due soon`(
    overdue: Int, soon: Int, summary: String
  ) {
    #expect(DesktopMessage.digestSummary(overdue: overdue, soon: soon) == summary)
  }

  @Test func `A digest names the first five, overdue before the others, each by date`()
    async throws
  {
    let all = try await arguments(of: [
      reminder("in two days", on: 23), reminder("tomorrow"), expired("a week ago"),
      reminder("today", on: 21), expired("yesterday", on: 20), expired("a fortnight ago", on: 7),
      reminder("also tomorrow"),
    ])
    #expect(all.summary == "7 books to return: 3 overdue, 4 due soon")
    let body = """
      “a fortnight ago” is 14 days overdue
      “a week ago” is 7 days overdue
      “yesterday” is 1 day overdue
      “today” is due today
      “tomorrow” is due tomorrow
      and 2 more
      Run check-loans schedule list for all of them.
      """
    #expect(all.body == body)
    #expect(all[1] == "--urgency=critical")
    #expect(all[2] == "--category=x-check-loans.loan.expired")
  }

  @Test func `A digest names the libraries where they differ`() async throws {
    let names = ["the <A> Library", "the B Library", nil]
    let mixed = (0..<6).map { reminder("Book \($0)", at: names[$0 % 3]) }
    let lines = try await arguments(of: mixed).body.split(separator: "\n")
    #expect(
      lines.prefix(3) == [
        "“Book 0” is due tomorrow, at the &lt;A&gt; Library",
        "“Book 1” is due tomorrow, at the B Library", "“Book 2” is due tomorrow",
      ])
    let alike = (0..<6).map { reminder("Book \($0)", at: names[1]) }
    #expect(try await !arguments(of: alike).body.contains("Library"))
  }

  @Test func `A digest of reminders alone is not critical`() async throws {
    let all = try await arguments(of: (1...6).map { reminder("Book \($0)") })
    #expect(all[1] == "--urgency=normal")
    #expect(all[2] == "--category=x-check-loans.loan.due")
    #expect(all.body.contains("\nand 1 more\n"))
  }

  @Test func `Titles in a digest are escaped for markup, and their backslashes doubled`()
    async throws
  {
    let titles = [#"C:\new\101\377"#, "<b>bold</b>", "Salt & Pepper", "--help", #"ends in \"#, "x"]
    let body = try await arguments(of: titles.map { reminder($0) }).body
    #expect(
      body.split(separator: "\n").prefix(5) == [
        #"“C:\\new\\101\\377” is due tomorrow"#,
        "“&lt;b&gt;bold&lt;/b&gt;” is due tomorrow",
        "“Salt &amp; Pepper” is due tomorrow",
        "“--help” is due tomorrow",
        #"“ends in \\” is due tomorrow"#,
      ])
  }

  @Test func `A digest stays small whatever the titles hold`() async throws {
    let marks = "&" + String(repeating: "\u{301}", count: 100_000)
    let long = String(repeating: "&", count: 100_000)
    let body = try await arguments(of: (1...500).map { reminder($0 % 2 == 0 ? marks : long) })
      .body
    #expect(body.utf8.count < 8_000)
    #expect(body.hasPrefix("“" + String(repeating: "&amp;", count: 60) + "…” is due tomorrow\n"))
    #expect(body.hasSuffix("\nand 495 more\nRun check-loans schedule list for all of them."))
  }

  @Test(arguments: [(0, 0), (1, 1), (5, 5), (6, 1), (500, 1)])
  func `More than five notices become one digest`(notices: Int, messages: Int) throws {
    let notifier = NotifySendNotifier(environment: [:], userID: 0)
    let due = (0..<notices).map { reminder("Book \($0)") }
    #expect(notifier.messages(for: due).count == messages)
  }

  private func arguments(
    of notices: [Notice], in language: Language = .english
  ) async throws -> [String] {
    let fake = try FakeNotifySend.recording()
    try fake.notifier(in: language).sendAll(notices)
    try #require(fake.calls.count == 1)
    try #require(fake.calls[0].count == 6)
    return fake.calls[0]
  }
}

extension [String] {
  fileprivate var summary: String { self[4] }
  fileprivate var body: String { self[5] }
}
