import TestSupport
import Testing

/// Messages to borrowers, through the whole command.
struct MailChannelTests {
  private static let anna = loan("Abigél", "Anna", "anna@example.org")
  private static let nobody = loan("Toldi", "Zoltán", nil)
  private static let unreachable =
    "check-loans: mail: 1 borrower has no usable address; 1 notice stays pending; "
    + "see check-loans schedule list --failed, or set mail-fallback to the desk's address\n"

  @Test func `A server that is busy for one of fifteen readers costs nobody a message`()
    async throws
  {
    let numbers = 1...15
    let desk = try MailDesk(
      numbers.map { loan("Book \($0)", "Reader \($0)", "reader\($0)@example.org") })
    let addresses = numbers.map { "reader\($0)@example.org" }
    try desk.desk.folder.write("", to: "busy-\(addresses[8])")
    let first = try await desk.run()
    let program = "\(desk.desk.folder.path)/.config/check-loans/send"
    #expect(first.ending == .exited(69))
    #expect(first.errors.hasPrefix("check-loans: mail: \(program) failed with exit status 75: "))
    #expect(first.errors.hasSuffix("; 1 notice stays pending\n"))
    #expect(desk.tried == addresses)
    #expect(try await desk.mails().count == 14)
    try desk.desk.folder.remove("busy-\(addresses[8])")
    #expect(try await desk.run() == Outcome(0))
    #expect(desk.tried == addresses + [addresses[8]])
    let mails = try await desk.mails()
    #expect(
      Set(mails.map(\.to)) == Set(numbers.map { "Reader \($0) <reader\($0)@example.org>" }))
    #expect(mails.count == 15, "each once")
    #expect(try await desk.run() == Outcome(0))
    #expect(desk.tried.count == 16)
  }

  @Test func `Without a sender nothing is read`() async throws {
    let desk = try Desk()
    let file = "\(desk.folder.path)/.config/check-loans/config.toml"
    let words = """
      check-loans: mail needs a sender; set mail-from = "Town Library <desk@example.org>" in \(file), \
      which does not exist, or use --mail-from

      """
    for arguments in [["missing.xml"], ["deliver"], ["--dry-run", "missing.xml"]] {
      let result = try await desk.run(arguments + ["--notify", "mail"])
      #expect(result.outcome == Outcome(78, errors: words), "\(arguments)")
    }
    #expect(!desk.folder.contains("state"))
  }

  @Test(arguments: [["--dry-run", "books.xml"], ["deliver", "--dry-run"]])
  func `A dry run prints the messages, for other programs to read`(
    arguments: [String]
  ) async throws {
    let desk = try MailDesk([
      Self.anna, Self.nobody, loan("Winnetou", "Béla", "bela@example.org", "2026.11.20"),
    ])
    if arguments[0] == "deliver" {
      try await desk.desk.run("--notify", "none", "books.xml")
      let settings = desk.desk.folder.contents(of: Desk.settings)
      let listed = "catalogues = [\"\(desk.desk.folder.path)/books.xml\"]\n"
      try desk.desk.folder.write(listed + settings, to: Desk.settings)
    }
    let state = try? desk.desk.stateBytes()
    let result = try await desk.desk.run(
      arguments, output: .appended("\(desk.desk.folder.path)/mbox"))
    let count = "check-loans: would send 2 messages with 2 notices through mail\n"
    #expect(result.outcome == Outcome(0, errors: count + Self.unreachable))
    let mails = try await desk.mails(in: "mbox")
    #expect(mails.map(\.to) == ["Anna <anna@example.org>", "Béla <bela@example.org>"])
    #expect(mails.map(\.defects) == [0, 0])
    #expect(mails.last?.books == ["- “Winnetou” is 1 day overdue (due 20 November 2026)"])
    #expect(mails.first?.html.contains("Abigél") == true)
    let stateNow = try? desk.desk.stateBytes()
    #expect(stateNow == state, "nothing is written")
    #expect(desk.tried == [])
  }

  @Test func `A trial sends all to one address, and counts for nothing`() async throws {
    let desk = try MailDesk([Self.anna, loan("Toldi", "Béla", "bela@example.org")])
    let trial = ["--mail-redirect", "Trial <trial@example.org>", "books.xml"]
    #expect(try await desk.desk.run(trial).outcome == Outcome(0))
    #expect(desk.tried == ["trial@example.org", "trial@example.org"])
    let mails = try await desk.mails()
    #expect(mails.map(\.to) == ["Trial <trial@example.org>", "Trial <trial@example.org>"])
    #expect(
      mails.map(\.subject) == [
        "anna@example.org: 1 book to return, due 22 November 2026",
        "bela@example.org: 1 book to return, due 22 November 2026",
      ])
    let list = try JSON(parsing: await desk.desk.run("schedule", "list", "--format", "json").text)
    #expect(list.reminders[0].deliveries.elements.map(\.channel) == ["mail-redirect"])
    #expect(try await desk.run() == Outcome(0))
    #expect(desk.tried.dropFirst(2) == ["anna@example.org", "bela@example.org"])
  }

  @Test func `Who has no address is reported, and found afterwards`() async throws {
    let desk = try MailDesk([Self.anna, Self.nobody, loan("Biblia", "Béla", "not an address")])
    #expect(
      try await desk.run()
        == Outcome(
          0,
          errors: Self.unreachable.replacing("1 borrower has", with: "2 borrowers have")
            .replacing("1 notice stays", with: "2 notices stay")))
    #expect(desk.tried == ["anna@example.org"])
    let failed = try await desk.desk.run("schedule", "list", "--failed").lines
    #expect(failed.count == 2)
    #expect(
      failed.first?.hasSuffix(
        "mail: the borrower has no usable address; correct the catalogue") == true)
    let explained = try await desk.desk.run("schedule", "explain", "2")
    #expect(explained.lines.last == "Reason: undeliverable")
    #expect(explained.text.contains("until the catalogue has another address"))
    // The catalogue is corrected.
    try desk.desk.edit("not an address", to: "bela@example.org")
    #expect(try await desk.run() == Outcome(0, errors: Self.unreachable))
    #expect(desk.tried == ["anna@example.org", "bela@example.org"])
  }

  @Test func `The library itself gets one message about all who cannot be written to`()
    async throws
  {
    let desk = try MailDesk(
      [Self.anna, Self.nobody, loan("Biblia", "Béla", "bela@example.org")],
      settings: "mail-fallback = \"Desk <help@example.org>\"\n")
    try desk.desk.folder.write("", to: "refused-bela@example.org")
    let first = try await desk.run()
    #expect(first.ending == .exited(0))
    #expect(
      first.errors.hasSuffix(
        "failed with exit status 67: no such user; correct the address of loan 3 in the "
          + "catalogue; the library gets the notice instead\n"))
    #expect(desk.tried == ["anna@example.org", "bela@example.org", "help@example.org"])
    let mail = try #require(try await desk.mails().last)
    #expect(mail.to == "Desk <help@example.org>")
    #expect(mail.subject == "Reminders for 2 borrowers without a usable address")
    let parts = [
      "Zoltán", "The catalogue has no e-mail address.", "“Toldi”", "Béla",
      "Nothing is sent to the address bela@example.org.", "“Biblia”",
    ]
    let places = parts.compactMap { mail.text.firstRange(of: $0)?.lowerBound }
    #expect(places.count == parts.count && places == places.sorted(), "\(mail.text)")
    #expect(!mail.text.contains("Abigél"))
    #expect(try await desk.run() == Outcome(0))
    #expect(desk.tried.count == 3, "nothing twice")
    for (number, words) in [("2", "the borrower has no usable address"), ("3", "")] {
      let explained = try await desk.desk.run("schedule", "explain", number).text
      #expect(explained.contains(", to the library: \(words)"), "\(explained)")
      #expect(explained.contains("no such user") == words.isEmpty)
    }
  }

  @Test func `One borrower without a usable address is one, however the address is written`()
    async throws
  {
    let desk = try MailDesk([
      loan("Biblia", "Béla", "bela@example.org"), loan("Toldi", "Béla", "Bela@Example.org"),
      Self.anna,
    ])
    try desk.desk.folder.write("", to: "refused-bela@example.org")
    try desk.desk.folder.write("", to: "refused-Bela@Example.org")
    _ = try await desk.run()
    #expect(try await desk.run().errors.contains(" 1 borrower has no usable address"))
    #expect(desk.tried.count == 2)
  }

  @Test func `A refused address is left alone until it is forgotten`() async throws {
    let desk = try MailDesk([Self.anna, loan("Toldi", "Béla", "bela@example.org")])
    try desk.desk.folder.write("", to: "refused-anna@example.org")
    let program = "\(desk.desk.folder.path)/.config/check-loans/send"
    #expect(
      try await desk.run()
        == Outcome(
          69,
          errors: "check-loans: mail: \(program) failed with exit status 67: no such user; correct "
            + "the address of loan 1 in the catalogue; 1 notice stays pending\n"))
    try desk.desk.folder.remove("refused-anna@example.org")
    #expect(try await desk.run() == Outcome(0, errors: Self.unreachable))
    #expect(desk.tried == ["anna@example.org", "bela@example.org"], "it is not tried again")
    #expect(try await desk.desk.run("schedule", "list", "--failed").lines.count == 1)
    let forgotten = try await desk.desk.run("schedule", "forget", "--address", "Anna@Example.org")
    #expect(
      forgotten.outcome
        == Outcome(0, output: "notices go to Anna@Example.org again\n"))
    #expect(try await desk.run() == Outcome(0))
    #expect(desk.tried == ["anna@example.org", "bela@example.org", "anna@example.org"])
    let unknown = try await desk.desk.run("schedule", "forget", "--address", "nobody@example.org")
    #expect(
      unknown.outcome
        == Outcome(
          64,
          errors: "check-loans: the address nobody@example.org was not refused\n"))
  }

  @Test func `A library that is refused as its reader is was not written to`() async throws {
    let desk = try MailDesk([Self.anna], settings: "mail-fallback = \"help@example.org\"\n")
    try desk.desk.folder.write(program: "#!/bin/sh\nexit 67\n", to: ".config/check-loans/send")
    let result = try await desk.run()
    #expect(result.ending == .exited(69))
    #expect(result.errors.split(separator: "1 notice stays pending").count == 2, "once")
  }

  @Test func `Libraries in several time zones send one message to a reader of both`() async throws {
    let desk = try MailDesk(
      [Self.anna],
      settings: """
        [[catalogue]]
        path = "~/books.xml"
        time-zone = "Europe/Budapest"
        [[catalogue]]
        path = "~/other.xml"
        time-zone = "Europe/Lisbon"

        """)
    try desk.desk.folder.write(
      MailDesk.catalogue([loan("Toldi", "Anna", "anna@example.org")]), to: "other.xml")
    #expect(try await desk.desk.run("check").outcome == Outcome(0))
    #expect(desk.tried == ["anna@example.org"])
    #expect(try await desk.mails().first?.books.count == 2)
    #expect(try await desk.desk.run("check").outcome == Outcome(0))
    #expect(desk.tried.count == 1)
  }

  @Test func `Monitoring counts who cannot be written to, and does not take it for a failure`()
    async throws
  {
    let desk = try MailDesk([
      Self.anna, Self.nobody, loan("Biblia", "Béla", "bela@example.org"),
    ])
    try desk.desk.folder.write("", to: "refused-anna@example.org")
    _ = try await desk.run()
    let status = try await desk.desk.run("status")
    #expect(status.status == 0)
    #expect(status.lines.last == "mail: 3 pending, 2 due, 0 failed, 2 undeliverable")
    let json = try JSON(parsing: await desk.desk.run("status", "--format", "json").text)
    #expect(json.channels[0].undeliverable.number == 2)
    for day in 22...25 { _ = try await desk.run("--now", "2026-11-\(day)T07:00") }
    let later = try await desk.desk.run("status", "--now", "2026-11-25T08:00")
    #expect(later.status == 0, "\(later.errorText)")
  }

  @Test func `A message of which the program has read nothing is whole though the run is killed`()
    async throws
  {
    let title = String(repeating: "ő", count: 300)
    let desk = try MailDesk((1...50).map { loan("\($0) \(title)", "Anna", "anna@example.org") })
    try desk.desk.folder.write(
      program: """
        #!/bin/sh
        kill -KILL $PPID
        sleep 0.2
        cat > ~/message
        mv ~/message ~/whole

        """, to: ".config/check-loans/send")
    #expect(try await desk.run().ending == .signaled(9))
    for _ in 0..<200 where !desk.desk.folder.contains("whole") {
      try await Task.sleep(for: .milliseconds(50))
    }
    let message = desk.desk.folder.contents(of: "whole")
    #expect(message.utf8.count > 2 * 65_536)
    #expect(message.hasSuffix("--\n"), "the end of its last part")
  }

  @Test func `Who was written to today gets the next message tomorrow`() async throws {
    let desk = try MailDesk([Self.anna])
    #expect(try await desk.run() == Outcome(0))
    try desk.desk.folder.write(
      MailDesk.catalogue([Self.anna, loan("Toldi", "Anna", "anna@EXAMPLE.org")]), to: "books.xml")
    let held =
      "check-loans: 1 notice through mail waits until tomorrow: an address gets one message a day\n"
    #expect(try await desk.run("--now", "2026-11-21T23:59") == Outcome(0, errors: held))
    #expect(try await desk.mails().count == 1)
    #expect(try await desk.run("--now", "2026-11-22T00:00") == Outcome(0))
    #expect(try await desk.mails().last?.books == ["- “Toldi” is due today, 22 November 2026"])
    #expect(try await desk.run("--now", "2026-11-22T00:01") == Outcome(0))
    #expect(try await desk.mails().count == 2)
  }

  @Test func `What is beyond the limit of a run waits for the next one`() async throws {
    let desk = try MailDesk(
      (1...5).map { loan("Book \($0)", "Reader \($0)", "reader\($0)@example.org") },
      settings: "mail-limit = 2\n")
    func left(_ count: String) -> Outcome {
      Outcome(
        0,
        errors: "check-loans: mail: \(count) for the next run, since a run sends no more than 2 "
          + "messages; raise mail-limit to send more\n")
    }
    #expect(try await desk.run("--dry-run").errors.contains("would send 2 messages with 2 notices"))
    #expect(try await desk.run() == left("3 notices wait"))
    #expect(try await desk.run() == left("1 notice waits"))
    #expect(try await desk.run() == Outcome(0))
    #expect(desk.tried == (1...5).map { "reader\($0)@example.org" })
  }

  @Test(arguments: ["mail-reply-to", "mail-bounce", "mail-fallback", "mail-redirect"])
  func `A mailbox of the library is in ASCII`(key: String) async throws {
    let desk = try MailDesk([Self.anna], settings: "\(key) = \"Példa <post@példa.hu>\"\n")
    let result = try await desk.run()
    let place = "\(desk.desk.folder.path)/\(Desk.settings):4"
    #expect(result.ending == .exited(78))
    #expect(result.errors.hasPrefix("check-loans: \(place): "))
    #expect(result.errors.hasSuffix(" has a domain beyond ASCII; write post@xn--plda-bpa.hu\n"))
    let sender = try await desk.desk.run("--mail-from", "rónai@example.org", "books.xml")
    #expect(sender.ends(64, saying: "contains \"ó\" before the @, which many mail systems refuse"))
    #expect(desk.tried == [])
  }

  @Test func `A reader whose address is not in ASCII is not written to`() async throws {
    let desk = try MailDesk([Self.anna, loan("Toldi", "Zoltán", "zoltan@példa.hu")])
    #expect(try await desk.run() == Outcome(0, errors: Self.unreachable))
    #expect(desk.tried == ["anna@example.org"])
  }

  // MARK: - Contents

  @Test(arguments: [
    ([], "\"A Pál utcai fiúk\"", "“A Pál utcai fiúk”"),
    (["--titles", "none"], "(untitled, barcode 17)", "Book 17"),
    (["--titles", "initials"], "\"A. P. U. F.\"", "“A. P. U. F.”"),
    (["--titles", "mail=initials"], "\"A Pál utcai fiúk\"", "“A. P. U. F.”"),
    (
      ["--titles", "none", "--titles", "mail=full"], "(untitled, barcode 17)",
      "“A Pál utcai fiúk”"
    ),
    (["--titles", "stdout=none"], "(untitled, barcode 17)", "“A Pál utcai fiúk”"),
  ])
  func `A channel gives away no more of titles than it may`(
    options: [String], line: String, book: String
  ) async throws {
    let desk = try MailDesk([
      loan(
        "A Pál utcai fiúk", "Anna", "anna@example.org", "2026.11.22",
        "<author>Molnár Ferenc</author><barcode>17</barcode>")
    ])
    let result = try await desk.desk.run(
      options + ["--notify", "stdout", "--notify", "mail", "books.xml"])
    #expect(result.status == 0, "\(result.errorText)")
    #expect(result.text.hasPrefix("\(line) expires tomorrow"), "\(result.text)")
    let mail = try #require(try await desk.mails().first)
    #expect(mail.books.first == "- \(book) is due tomorrow, 22 November 2026")
    for title in ["utcai", "Molnár"] {
      #expect(result.text.contains(title) == line.contains("utcai"))
      #expect((mail.text + mail.html + mail.subject).contains(title) == book.contains("utcai"))
    }
  }

  @Test func `Each reader is written to in a language of theirs`() async throws {
    let student = "<category>student</category>"
    let desk = try MailDesk(
      [
        loan("A", "A", "a@example.org", "2026.11.22", "<language>hu-HU</language>"),
        loan("B", "B", "b@example.org"),
        loan("C", "C", "c@example.org", "2026.11.22", student),
        loan("D", "D", "d@example.org", "2026.11.22", "<language>hu</language>\(student)"),
        loan("E", "E", "e@example.org", "2026.11.22", "<language>tlh</language>\(student)"),
      ],
      settings: """
        language = "de"
        [[rules]]
        category = ["student"]
        borrower-language = "cs"
        """)
    #expect(try await desk.run() == Outcome(0))
    let mails = try await desk.mails()
    #expect(mails.map(\.language) == ["hu", "de", "cs", "hu", "cs"])
    #expect(
      mails.map(\.subject) == [
        "1 visszahozandó könyv, határidő: 2026. november 22.",
        "1 Buch zurückzugeben, fällig am 22. November 2026",
        "1 kniha k vrácení, termín 22. listopadu 2026",
        "1 visszahozandó könyv, határidő: 2026. november 22.",
        "1 kniha k vrácení, termín 22. listopadu 2026",
      ])
  }

  @Test func `A library words its messages itself, for all languages or one`() async throws {
    let desk = try MailDesk(
      [
        loan("A", "Anna", "a@example.org", "2026.11.22", "<language>hu</language>"),
        loan("B", "Bob", "b@example.org"), loan("C", "Bob", "b@example.org"),
      ],
      settings: """
        [wording]
        mail-greeting = "Hello {borrower}, {sender} writes on {today} about {count}"
        mail-greeting-anyone = "Hello"
        mail-subject = ["a book", "{count} books"]
        [wording.hu]
        mail-greeting = "Szia {borrower}!"
        """)
    #expect(try await desk.run() == Outcome(0))
    let mails = try await desk.mails()
    #expect(mails.map(\.subject) == ["a book", "2 books"])
    #expect(mails.first?.text.hasPrefix("Szia Anna!\n") == true)
    #expect(
      mails.last?.text.hasPrefix("Hello Bob, Town Library writes on 21 November 2026 about 2\n")
        == true)
  }

  @Test(arguments: [
    (
      "[wording]\nmail-greting = \"x\"", 5,
      "unknown text \"mail-greting\"; did you mean \"mail-greeting\"?"
    ),
    (
      "[wording]\nmail-greeting = \"Dear {name},\"", 5,
      "\"mail-greeting\": {name} is unknown; this text has {borrower}, {count}, {library}, {sender}, "
        + "{today}"
    ),
    (
      "[wording]\nmail-greeting = \"Dear {borrower\"", 5,
      "\"mail-greeting\": a brace has no counterpart; write {{ or }} for a brace"
    ),
    (
      "[wording.hu]\nmail-subject = [\"a\", \"b\", \"c\"]", 5,
      "\"mail-subject\": expected one text, or the 2 plural forms of \"hu\", found 3"
    ),
    (
      "[wording.cs]\nmail-subject = [\"a\", \"b\"]", 5,
      "\"mail-subject\": expected one text, or the 3 plural forms of \"cs\", found 2"
    ),
    (
      "[wording]\nmail-greeting = [\"a\", \"b\"]", 5,
      "\"mail-greeting\": expected one text, found 2"
    ),
    (
      "[wording.zh]\nmail-subject = [\"a\", \"b\"]", 5,
      "\"mail-subject\": expected one text, found 2"
    ),
    ("[wording]\nmail-subject = []", 5, "\"mail-subject\": expected a text, found none"),
    (
      "[wording]\nmail-more = [\"a\", \" \\t\"]", 5,
      "\"mail-more\": expected a text, found only white space"
    ),
    (
      "[wording]\nmail-reason = \" \"", 5,
      "\"mail-reason\": expected a text, found only white space"
    ),
    (
      "[wording]\nmail-greeting = \"Hello,\\nhello\"", 5,
      "\"mail-greeting\": the text must be one line"
    ),
    (
      "[wording.xx]\nmail-greeting = \"x\"", 4,
      "the language \"xx\" is unknown; there are \(tags)"
    ),
    ("[[rules]]\nborrower-language = \"sk\"", 5, "this language is unknown; there are \(tags)"),
    ("wording = \"x\"", 4, advice),
    ("[[wording]]\nmail-greeting = \"x\"", 4, advice),
    ("[wordings]\nmail-greeting = \"x\"", 4, "unknown key \"wordings\"; \(advice)"),
    ("[wording]\nmail-more = \"x\"\n[wording.en.GB]\nmail-more = \"x\"", 6, advice),
    ("[wording.en]\nmail-more = \"x\"\nGB = { mail-more = \"x\" }", 6, advice),
    (
      "[wording.HU]\nmail-more = \"x\"\n[wording.\"hun\"]\nmail-more = \"x\"", 6,
      "another table is for this language, \"hu\"; put both into one"
    ),
    ("[wording]\nmail-more = \"x\"\nb = \"\"\na = \"\"", 6, "unknown text \"b\"; \(names)"),
  ])
  func `What is wrong with a wording is reported where it is`(
    settings: String, line: Int, words: String
  ) async throws {
    let desk = try MailDesk([Self.anna], settings: settings)
    let path = "\(desk.desk.folder.path)/\(Desk.settings)"
    #expect(
      try await desk.run() == Outcome(78, errors: "check-loans: \(path):\(line): \(words)\n"))
    #expect(!desk.desk.folder.contains("state"))
  }

  @Test func `The reason for a message has words of the library's own, or none`() async throws {
    let readers = [
      loan("A", "Anna", "a@example.org", "2026.11.22", "<language>hu</language>"),
      loan("B", "Bob", "b@example.org"),
    ]
    let desk = try MailDesk(
      readers,
      settings: """
        [wording]
        mail-reason = "Since you read at {library}."
        [wording.hu]
        mail-reason = ""
        """)
    #expect(try await desk.run() == Outcome(0))
    let mails = try await desk.mails()
    #expect(mails.first?.text.hasSuffix("\nTown Library\n") == true, "\(mails)")
    #expect(mails.last?.text.hasSuffix("\n\nSince you read at Town Library.\n") == true)
    #expect(mails.last?.html.contains("<p>Since you read at Town Library.</p>") == true)
  }

  // MARK: - Stopping the messages

  private static let stop = """
    mail-unsubscribe = ["mailto:stop@example.org?subject={token}", "https://example.org/?{token}"]

    """
  private static let key = "state/check-loans/mail.key"

  /// The links of the first message, whose token is `TOKEN`.
  private func links(of text: String) -> (token: String, links: [String]) {
    let links = text.matches(of: #/<((?:mailto|https):[^>]*)>/#).map { String($0.1) }
    let token = String(links.last?.split(separator: "?").last ?? "")
    return (token, links.map { $0.replacing(token, with: "TOKEN") })
  }

  @Test func `A reader gets a page and an address, with a token that only the library can make`()
    async throws
  {
    let desk = try MailDesk([Self.anna], settings: Self.stop)
    let folder = desk.desk.folder
    let dry = try await desk.desk.run("--dry-run", "books.xml")
    #expect(!folder.contains(Self.key), "a look makes no secret")
    #expect(try await desk.run() == Outcome(0))
    #expect(try folder.status(of: Self.key).mode == 0o600)
    let text = folder.contents(of: "box/new/001")
    let sent = links(of: text)
    #expect(sent.links == ["mailto:stop@example.org?subject=TOKEN", "https://example.org/?TOKEN"])
    #expect(text.contains("\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\n"))
    #expect(links(of: dry.text).token != sent.token)
    #expect(try await desk.mails().first?.defects == 0)
    // As the documentation has it.
    let script = """
      python3 -c 'import hmac, sys
      key = open("\(Self.key)", "rb").read()
      print(hmac.digest(key, sys.argv[1].lower().encode(), "sha256").hex()[:32])' Anna@example.org
      """
    #expect(try await desk.desk.shell(script).text == "\(sent.token)\n")
    // With the secret that there is now, a look has the same.
    try await desk.desk.run("schedule", "again", "1")
    let again = try await desk.desk.run("--dry-run", "--now", "2026-11-22T07:00", "books.xml")
    #expect(links(of: again.text).token == sent.token)
  }

  @Test func `A secret that others may know sends nothing`() async throws {
    let desk = try MailDesk([Self.anna], settings: Self.stop)
    _ = try await desk.desk.shell(
      "mkdir -p state/check-loans && printf %032d 0 > \(Self.key) && chmod 644 \(Self.key)")
    #expect(try await desk.run().ending == .exited(77))
    #expect(desk.tried == [])
  }

  @Test func `A link without a token needs no secret`() async throws {
    let desk = try MailDesk(
      [Self.anna], settings: "mail-unsubscribe = \"https://example.org/?{email}\"\n")
    #expect(try await desk.run() == Outcome(0))
    #expect(!desk.desk.folder.contains(Self.key))
  }

  @Test func `A second link of a kind is refused`() async throws {
    let words = "give no second link that begins with https: or with mailto:"
    for link in ["https://example.org", "mailto:stop@example.org"] {
      let desk = try MailDesk(
        [Self.anna], settings: "mail-unsubscribe = [\"\(link)\", \"\(link)\"]\n")
      let place = "\(desk.desk.folder.path)/\(Desk.settings):4"
      #expect(try await desk.run() == Outcome(78, errors: "check-loans: \(place): \(words)\n"))
    }
  }

  // MARK: - Languages

  private static let advice = "write texts below a line [wording], or [wording.hu] for one language"
  private static let tags =
    "en, hu, de, cs, ru, zh, and translation = \"FILE\" adds one from a PO file"
  private static let names = """
    there are desktop-digest, due-soon, due-today, due-tomorrow, mail-closed-note, mail-closing, \
    mail-count, mail-greeting, mail-greeting-anyone, mail-intro-overdue, mail-intro-soon, \
    mail-intro-today, mail-more, mail-reason, mail-reason-nameless, mail-subject, overdue
    """

  @Test(arguments: ["hun", "HU", "hu-HU", "'hu'"])
  func `Any name of a language begins its table`(name: String) async throws {
    let desk = try MailDesk(
      [loan("A", "Anna", "a@example.org", "2026.11.22", "<language>hu</language>")],
      settings: "[ wording . \(name) ] # ours\nmail-subject = \"a\"")
    #expect(try await desk.run() == Outcome(0))
    #expect(try await desk.mails().map(\.subject) == ["a"])
  }

  private static let translation = """
    msgid ""
    msgstr ""
    "Language: sk\\n"
    "Content-Type: text/plain; charset=UTF-8\\n"
    "Plural-Forms: nplurals=3; plural=(n==1) ? 0 : (n>=2 && n<=4) ? 1 : 2;\\n"
    """

  @Test func `A language from a file can be worded, and be that of borrowers`() async throws {
    let forms = ["[\"a\", \"b\", \"c\"]", "[\"a\", \"b\"]"]
    let desks = try forms.map { forms in
      try MailDesk(
        [Self.anna],
        settings: """
          language = "en"
          translation = "sk.po"
          [[rules]]
          borrower-language = "sk"
          [wording.sk]
          mail-subject = \(forms)
          """)
    }
    let settings = "\(desks[0].desk.folder.path)/.config/check-loans"
    #expect(
      try await desks[0].run()
        == Outcome(
          66,
          errors: "check-loans: \(settings)/config.toml:5: \(settings)/sk.po: cannot read the "
            + "translation: no such file\n"))
    for desk in desks {
      try desk.desk.folder.write(Self.translation, to: ".config/check-loans/sk.po")
    }
    #expect(try await desks[0].run() == Outcome(0))
    let mails = try await desks[0].mails()
    #expect(mails.map(\.subject) == ["a"])
    #expect(mails.map(\.language) == ["sk"])
    let words = "expected one text, or the 3 plural forms of \"sk\", found 2"
    #expect(
      try await desks[1].run()
        == Outcome(
          78,
          errors: "check-loans: \(desks[1].desk.folder.path)/\(Desk.settings):9: "
            + "\"mail-subject\": \(words)\n"))
  }

  @Test func `A style is found beside the settings, and may fetch nothing`() async throws {
    let desk = try MailDesk([Self.anna], settings: "mail-css = \"mail.css\"\n")
    let style = ".config/check-loans/mail.css"
    try desk.desk.folder.write("body { background: URL(https://example.org/x) }", to: style)
    let path = "\(desk.desk.folder.path)/\(style)"
    let place = "\(desk.desk.folder.path)/\(Desk.settings):4"
    #expect(
      try await desk.run()
        == Outcome(
          78,
          errors: "check-loans: \(place): \(path): contains url(, which could fetch or hide "
            + "something; a message has only rules of its own\n"))
    try desk.desk.folder.write("li { color: rebeccapurple }", to: style)
    #expect(try await desk.run() == Outcome(0))
    #expect(try await desk.mails().first?.html.contains("li { color: rebeccapurple }") == true)
  }

  @Test func `Line breaks in a title or a name add nothing to the header`() async throws {
    let attack = "&#13;&#10;Bcc: evil@example.org&#13;&#10;&#13;&#10;x"
    let desk = try MailDesk([
      loan("Toldi\(attack)", "Anna\(attack)", "anna@example.org"),
      loan("Biblia", "Béla", "bela@example.org&#10;evil@example.org"),
    ])
    let result = try await desk.run(
      "--titles", "full", "--mail-redirect", "trial@example.org")
    #expect(result.ending == .exited(0))
    #expect(result.errors.contains("1 borrower has no usable address"))
    #expect(try await desk.run() == Outcome(0, errors: Self.unreachable))
    #expect(desk.tried == ["trial@example.org", "anna@example.org"])
    for mail in try await desk.mails() {
      #expect(
        mail.names == [
          "Date", "From", "To", "Subject", "Message-ID", "Auto-Submitted",
          "X-Auto-Response-Suppress", "Content-Language", "MIME-Version", "Content-Type",
        ])
      #expect(mail.defects == 0)
      #expect(mail.text.contains("“Toldi Bcc: evil@example.org x” is due tomorrow"))
    }
  }

  // MARK: - Beginnings

  @Test func `A Maildir is the same one from wherever it is named`() async throws {
    let desk = try MailDesk([
      Self.anna, loan("Toldi", "Béla", "bela@example.org"),
      loan("Biblia", "Zoltán", "zoltan@example.org", "2026.11.20"),
    ])
    #expect(try await desk.run("--notify", "maildir:./out") == Outcome(0))
    #expect(try File.names(in: "\(desk.desk.folder.path)/out/new").count == 3)
    #expect(
      Set(try await desk.mails(in: "out").map(\.to)) == [
        "Anna <anna@example.org>", "Béla <bela@example.org>", "Zoltán <zoltan@example.org>",
      ])
    let list = try JSON(parsing: await desk.desk.run("schedule", "list", "--format", "json").text)
    let name = "maildir:\(desk.desk.folder.path)/out"
    #expect(list.reminders[0].deliveries[0].channel == .string(name))
    #expect(try await desk.run("--notify", name) == Outcome(0))
    #expect(try File.names(in: "\(desk.desk.folder.path)/out/new").count == 3, "nothing twice")
  }

  @Test func `A trial of mail leaves a Maildir as it is`() async throws {
    let desk = try MailDesk([Self.anna])
    let trial = ["--mail-redirect", "trial@example.org", "--notify", "maildir:out"]
    let rehearsed = try await desk.desk.run(trial + ["--dry-run", "books.xml"])
    #expect(rehearsed.text.contains("To: Anna <anna@example.org>\n"))
    #expect(try await desk.desk.run(trial + ["books.xml"]).outcome == Outcome(0))
    #expect(try await desk.mails(in: "out").map(\.to) == ["Anna <anna@example.org>"])
    let list = try JSON(parsing: await desk.desk.run("schedule", "list", "--format", "json").text)
    let channels = list.reminders[0].deliveries.elements.map(\.channel)
    #expect(channels == [.string("maildir:\(desk.desk.folder.path)/out")])
  }

  @Test func `A refused address of the trial is left alone by nobody`() async throws {
    let desk = try MailDesk([Self.anna])
    try desk.desk.folder.write("", to: "refused-trial@example.org")
    let trial = ["--mail-redirect", "trial@example.org", "books.xml"]
    for count in 1...2 {
      let result = try await desk.desk.run(trial)
      #expect(result.status == 69)
      #expect(result.errorText.contains("no such user; correct mail-redirect; "))
      #expect(desk.tried.count == count)
    }
  }

  @Test(arguments: [["books.xml"], ["deliver"], ["preview"], ["config"]])
  func `78 is less of the titles for a channel that there is not`(
    command: [String]
  ) async throws {
    let desk = try MailDesk([Self.anna], settings: "titles = [\"full\", \"mial=none\"]\n")
    let words = "unknown channel \"mial\"; did you mean \"mail\"?"
    let path = "\(desk.desk.folder.path)/\(Desk.settings)"
    #expect(
      try await desk.desk.run(command).ends(78, saying: "check-loans: \(path):4: \(words)"))
    let given = try await desk.desk.run(command + ["--titles", "mial=none"])
    #expect(given.ends(78, saying: "check-loans: \(words)"))
    #expect(desk.tried == [])
  }

  @Test func `A preview is addressed as the mail is`() async throws {
    let desk = try MailDesk([loan("Abigél", "Anna", "Anna@Example.org")])
    let preview = try await desk.desk.run("preview", "--format", "eml", "books.xml")
    #expect(preview.text.contains("To: Anna <Anna@Example.org>"), "\(preview)")
    #expect(try await desk.run() == Outcome(0))
    #expect(desk.tried == ["Anna@Example.org"])
  }

  @Test func `A mail program is found by a path from where the command runs`() async throws {
    let desk = try MailDesk([Self.anna])
    try desk.desk.folder.write(program: "#!/bin/sh\ncat > ~/told\n", to: "tell")
    #expect(try await desk.run("--mail-program", "./tell") == Outcome(0))
    #expect(desk.desk.folder.contents(of: "told").contains("To: Anna <anna@example.org>"))
    #expect(desk.tried == [])
  }

  @Test func `64 is a mail program without a name`() async throws {
    let desk = try MailDesk([Self.anna])
    let result = try await desk.desk.run("--mail-program", "", "books.xml")
    #expect(result.status == 64)
    #expect(
      result.errorText.contains("give a program, or an argument of it"), "\(result.errorText)")
  }

  /// Loans that have been expired for days, each of another reader, and one that expires tomorrow.
  private func backlog(_ count: Int) -> [String] {
    (1...count).map { number in
      let day = number % 7 + 10
      return loan("Old \(number)", "R\(number)", "r\(number)@example.org", "2026.11.\(day)")
    } + [Self.anna]
  }

  private static func question(_ reason: String, notices: Int = 51) -> String {
    """
    check-loans: mail: \(notices) notices fell due days ago and are not sent, because \(reason); run \
    once with --backlog send to send them, or with --backlog mark to mark them as delivered

    """
  }

  @Test func `A new channel sends what is expected, and asks before more than fifty old notices`()
    async throws
  {
    let desk = try MailDesk(backlog(51))
    let question = Self.question("the channel is new")
    let rehearsed = try await desk.desk.run("--dry-run", "books.xml")
    #expect(rehearsed.text.split(separator: "\n").filter { $0.hasPrefix("To: ") }.count == 1)
    #expect(rehearsed.errorText.hasPrefix(question))
    #expect(try await desk.run() == Outcome(78, errors: question))
    #expect(desk.tried == ["anna@example.org"])
    #expect(try await desk.run() == Outcome(78, errors: question), "as long as nobody decides")
    let status = try await desk.desk.run("status")
    #expect(status.outcome.ending == .exited(0), "nobody could expect them yet")
    #expect(status.lines.last == "mail: 1 pending, 51 due, 0 failed")
    #expect(try await desk.desk.run("schedule", "list", "--due").lines.count == 51)
    let explained = try await desk.desk.run("schedule", "explain", "Old 51")
    #expect(
      explained.lines.suffix(2) == [
        """
        Next: no run with --notify delivers the expired notice without --backlog: it and many \
        others are days late.
        """, "Reason: backlog",
      ])
    let trial = try await desk.run("--mail-redirect", "me@example.org")
    #expect(trial == Outcome(0), "it reaches nobody")
    try await desk.desk.run("schedule", "forget", "--channel", "mail-redirect")
    let marked = "51 old notices through mail as delivered; the others"
    let dry = try await desk.run("--backlog", "mark", "--dry-run")
    #expect(dry.errors.contains("check-loans: would mark \(marked) would be sent\n"))
    #expect(
      try await desk.run("--backlog", "mark")
        == Outcome(0, errors: "check-loans: marked \(marked) are sent\n"))
    #expect(try await desk.run() == Outcome(0))
    #expect(desk.tried.filter { $0 != "me@example.org" } == ["anna@example.org"])
  }

  @Test func `A new catalogue asks`() async throws {
    let desk = try MailDesk(backlog(51))
    #expect(try await desk.run("--backlog", "send") == Outcome(0))
    #expect(desk.tried.count == 52)
    let folder = desk.desk.folder
    let other = folder.contents(of: "books.xml").replacing("Old", with: "Very old")
    try folder.write(other, to: "moved.xml")
    let moved = ["--notify", "mail", "moved.xml", "--now", "2026-11-22T07:00"]
    let path = "\(folder.path)/moved.xml"
    let question = Self.question(
      """
      the catalogue \(path) is new; if it was moved, use check-loans schedule rename-catalogue OLD \
      \(path)
      """)
    // Anna's expires today, and so is expected.
    let refused = try await desk.desk.run(moved)
    #expect(refused.status == 78)
    #expect(refused.errorText.contains(question))
    #expect(desk.tried.count == 53)
  }

  @Test func `A part of a catalogue under another name asks, and is the old one if that is said`()
    async throws
  {
    let desk = try MailDesk(backlog(51))
    #expect(try await desk.run("--backlog", "send") == Outcome(0))
    let folder = desk.desk.folder
    let loans = folder.contents(of: "books.xml")
    let part = loans.split(separator: "\n", omittingEmptySubsequences: false)
      .filter { !$0.contains("Old 1") && !$0.contains("Old 2") && !$0.contains("Old 3") }
    try folder.write(part.joined(separator: "\n"), to: "part.xml")
    let run = ["--notify", "mail", "part.xml", "--now", "2026-11-22T07:00"]
    let refused = try await desk.desk.run(run)
    #expect(refused.status == 78)
    let (old, new) = ("\(folder.path)/books.xml", "\(folder.path)/part.xml")
    let held = """
      check-loans: \(new) has the loans of \(old), so the notices of both are held; if it replaces \
      that file, use check-loans schedule rename-catalogue \(old) \(new), and otherwise check-loans \
      schedule forget \(new)

      """
    #expect(refused.errorText.hasSuffix(held), "\(refused.errorText)")
    let renamed = try await desk.desk.run(
      "schedule", "rename-catalogue", "books.xml", "part.xml")
    #expect(renamed.status == 0)
    #expect(try await desk.desk.run(run).outcome.ending == .exited(0))
    #expect(desk.tried.count == 52)
  }

  @Test func `Of two catalogues that become one, the loans read last count`() async throws {
    let desk = try MailDesk(backlog(1))
    let folder = desk.desk.folder
    func book(_ id: String, _ name: String, _ expiration: String) -> String {
      """
      <book id="\(id)"><title>T\(id)</title><borrower>\(name)</borrower>\
      <email>\(name)@example.org</email><expiration>\(expiration)</expiration></book>
      """
    }
    let (anna, cili) = (book("1", "anna", "2026.11.22"), book("3", "cili", "2026.11.22"))
    let bela = book("2", "bela", "2026.11.22")
    try folder.write("<books>\(anna)\(bela)\(cili)</books>", to: "old.xml")
    let old = ["--notify", "mail", "old.xml", "--now", "2026-11-21T07:00"]
    #expect(try await desk.desk.run(old).status == 0)
    #expect(desk.tried.count == 3)
    // Anna has returned hers, Béla has renewed his, and Dóra's is new.
    let dora = book("4", "dora", "2026.11.24")
    let books = "<books>\(book("2", "bela", "2026.12.22"))\(cili)\(dora)</books>"
    try folder.write(books, to: "new.xml")
    let new = ["--notify", "mail", "new.xml", "--now", "2026-11-23T07:00"]
    #expect(try await desk.desk.run(new).status == 78)
    let renamed = try await desk.desk.run("schedule", "rename-catalogue", "old.xml", "new.xml")
    #expect(renamed.text == "old.xml is now new.xml, with 3 loans\n")
    let returned = try await desk.desk.run("schedule", "list", "--returned")
    #expect(returned.lines.count == 1)
    #expect(returned.text.contains("T1"))
    // Even if it cannot be read.
    try folder.write("<books>", to: "new.xml")
    #expect(try await desk.desk.run(new).status == 65)
    #expect(desk.tried.dropFirst(3).sorted() == ["cili@example.org", "dora@example.org"])
    try folder.write(books, to: "new.xml")
    #expect(try await desk.desk.run(new).status == 0)
    #expect(desk.tried.count == 5)
  }

  @Test func `Loans that got other ids are known again when two catalogues become one`()
    async throws
  {
    let desk = try MailDesk(backlog(12))
    #expect(try await desk.run() == Outcome(0))
    #expect(desk.tried.count == 13)
    let folder = desk.desk.folder
    var number = 0
    let books = folder.contents(of: "books.xml").split(separator: "<book>").enumerated().map {
      (index, part) -> String in
      number += 1
      let start = index == 0 ? "" : number > 10 ? "<book id=\"b\(number)\">" : "<book>"
      return start + part
    }.joined()
    try folder.write(books, to: "new.xml")
    let new = ["--notify", "mail", "new.xml", "--now", "2026-11-21T08:00"]
    #expect(try await desk.desk.run(new).status == 78)
    let renamed = try await desk.desk.run("schedule", "rename-catalogue", "books.xml", "new.xml")
    #expect(renamed.status == 0)
    #expect(try await desk.desk.run(new).outcome == Outcome(0))
    #expect(try await desk.desk.run("schedule", "list", "--returned").text == "")
    #expect(desk.tried.count == 13)
  }

  @Test func `That a book was returned holds when two catalogues become one`() async throws {
    let desk = try Desk(catalogue: catalogue(("Abigél", "2026.11.28")))
    _ = try await desk.shell("cp books.xml new.xml")
    let run = ["--notify", "stdout"]
    #expect(try await desk.run(run + ["books.xml", "--now", "2026-11-20"]).status == 0)
    let snooze = ["schedule", "snooze", "1", "--until", "2026-11-24", "--now", "2026-11-20T13:00"]
    #expect(try await desk.run(snooze).status == 0)
    #expect(try await desk.run(["new.xml", "--now", "2026-11-22"]).status == 0)
    let returned = try await desk.run("schedule", "returned", "2", "--now", "2026-11-22T10:00")
    #expect(returned.status == 0)
    let renamed = try await desk.run("schedule", "rename-catalogue", "books.xml", "new.xml")
    #expect(renamed.status == 0)
    #expect(try await desk.run("silence", "list").lines.count == 1)
    #expect(try await desk.run(run + ["new.xml", "--now", "2026-11-27"]).text == "")
  }

  @Test(arguments: ["books.xml", "new.xml"])
  func `What only one of two catalogues has left it, or stays`(last: String) async throws {
    let desk = try Desk(catalogue: catalogue(("Abigél", "2026.11.28"), ("Toldi", "2026.11.28")))
    try desk.folder.write(catalogue(("Toldi", "2026.11.28"), ("Ábel", "2026.11.29")), to: "new.xml")
    let files = ["new.xml", "books.xml"].sorted { first, _ in first != last }
    for (number, file) in files.enumerated() {
      #expect(try await desk.run(file, "--now", "2026-11-20T0\(number + 7):00").status == 0)
    }
    let renamed = try await desk.run("schedule", "rename-catalogue", "books.xml", "new.xml")
    #expect(renamed.text == "books.xml is now new.xml, with 2 loans\n")
    let (present, left) = last == "new.xml" ? ("Ábel", "Abigél") : ("Abigél", "Ábel")
    #expect(try await desk.run("schedule", "list").text.contains(present))
    let returned = try await desk.run("schedule", "list", "--returned")
    #expect(returned.lines.count == 1)
    #expect(returned.text.contains(left))
    let file = "\(desk.folder.path)/\(Desk.state)"
    let nameless = "SELECT count(*) FROM deliveries WHERE id IS NULL"
    #expect(try await desk.shell("sqlite3 '\(file)' '\(nameless)'").text == "0\n")
  }

  @Test func `A small catalogue that was moved tells nobody twice`() async throws {
    let desk = try MailDesk(backlog(3))
    #expect(try await desk.run() == Outcome(0))
    let folder = desk.desk.folder
    _ = try await desk.desk.shell("mv books.xml loans.xml")
    let (old, new) = ("\(folder.path)/books.xml", "\(folder.path)/loans.xml")
    let held = """
      check-loans: \(new) has the loans of \(old), which is gone, so the notices of both are held; if it was \
      moved, \
      use check-loans schedule rename-catalogue \(old) \(new), and otherwise check-loans schedule forget \
      \(old)

      """
    let moved = ["--notify", "mail", "loans.xml", "--now", "2026-11-22T07:00"]
    for command in [moved, moved, ["deliver", "--notify", "mail", "--now", "2026-11-21T08:00"]] {
      let result = try await desk.desk.run(command)
      #expect(result.status == 78)
      #expect(result.errorText.hasSuffix(held), "\(result.errorText)")
    }
    #expect(desk.tried.count == 4)
    let renamed = try await desk.desk.run("schedule", "rename-catalogue", "books.xml", "loans.xml")
    #expect(renamed.status == 0)
    #expect(try await desk.desk.run(moved).outcome.ending == .exited(0))
    #expect(desk.tried.count == 4)
  }

  @Test func `A catalogue that has the loans of another is sent once that is forgotten`()
    async throws
  {
    let desk = try MailDesk(backlog(3))
    #expect(try await desk.run() == Outcome(0))
    _ = try await desk.desk.shell("mv books.xml loans.xml")
    #expect(try await desk.desk.run("--notify", "mail", "loans.xml").status == 78)
    #expect(try await desk.desk.run("schedule", "forget", "books.xml").status == 0)
    let sent = ["--notify", "mail", "--now", "2026-11-22T07:00", "loans.xml"]
    #expect(try await desk.desk.run(sent).status == 0)
    #expect(desk.tried.count == 8)
  }

  @Test func `A sample that was tried and removed holds nothing`() async throws {
    let desk = try MailDesk(backlog(3))
    _ = try await desk.desk.shell("cp books.xml sample.xml")
    #expect(try await desk.desk.run("--notify", "none", "sample.xml").status == 0)
    _ = try await desk.desk.shell("rm sample.xml")
    #expect(try await desk.run() == Outcome(0))
    #expect(desk.tried.count == 4)
  }

  @Test func `What is decided about a backlog holds for what is sent later`() async throws {
    let desk = try MailDesk(backlog(51))
    _ = try await desk.run(
      "--backlog", "send", "--now", "2026-11-21T21:30", "--deliver-between", "08:00-20:00")
    #expect(desk.tried == [])
    #expect(try await desk.run("--now", "2026-11-22T08:00") == Outcome(0))
    #expect(desk.tried.count == 52)
  }

  @Test func `A catalogue can be given its new path before it is moved there`() async throws {
    let desk = try Desk(catalogue: catalogue(("Abigél", "2026.11.22")))
    #expect(try await desk.run("books.xml", "--notify", "stdout").lines.count == 1)
    let renamed = try await desk.run("schedule", "rename-catalogue", "books.xml", "town.xml")
    #expect(renamed.text == "books.xml is now town.xml, with 1 loan\n")
    _ = try await desk.shell("mv books.xml town.xml")
    #expect(try await desk.run("town.xml", "--notify", "stdout").outcome == Outcome(0))
  }

  @Test func `What was ordered of a backlog can still be marked`() async throws {
    let desk = try MailDesk(backlog(60))
    _ = try await desk.run("--backlog", "send", "--mail-limit", "5")
    #expect(desk.tried.count == 5)
    let explained = try await desk.desk.run("schedule", "explain", "1")
    #expect(!explained.text.contains("tries again"), "\(explained.text)")
    _ = try await desk.run("--backlog", "mark")
    #expect(desk.tried.count == 5)
    #expect(try await desk.run() == Outcome(0))
    #expect(desk.tried.count == 5)
  }

  @Test func `After a schedule was restored, all that is due can be counted as sent`() async throws
  {
    let desk = try MailDesk(backlog(3))
    let words = "4 notices through mail as delivered\n"
    let dry = try await desk.run("--backlog", "mark-all", "--dry-run")
    #expect(dry.errors.contains("check-loans: would mark \(words)"))
    #expect(
      try await desk.run("--backlog", "mark-all")
        == Outcome(0, errors: "check-loans: marked \(words)"))
    #expect(try await desk.run() == Outcome(0))
    #expect(desk.tried == [])
    // What becomes due later is sent as ever.
    _ = try await desk.run("--now", "2026-11-23T08:00")
    #expect(desk.tried == ["anna@example.org"])
  }

  @Test func `A look without a schedule sends nothing, whatever the settings say`() async throws {
    let desk = try MailDesk(backlog(3))
    let variables = [
      "CHECK_LOANS_NOTIFY": "mail", "CHECK_LOANS_MAIL_FROM": "desk@example.org",
    ]
    let look = try await desk.desk.run(["--state", "none", "books.xml"], variables: variables)
    #expect(look.status == 0)
    #expect(look.text.contains("nothing scheduled (--state none)"))
    #expect(desk.tried == [])
    let named = ["--state", "none", "--notify", "mail", "books.xml"]
    #expect(try await desk.desk.run(named, variables: variables).status == 0)
    #expect(desk.tried.count == 4)
  }

  @Test func `That all is marked is for one run, and not for a timer or a variable`() async throws {
    let desk = try MailDesk(backlog(3))
    let variables = ["CHECK_LOANS_BACKLOG": "mark-all"]
    let result = try await desk.desk.run(
      ["books.xml", "--notify", "stdout"], variables: variables)
    #expect(result.status == 78)
    #expect(result.errorText.contains("mark-all is for one run; give it on the command line"))
    for command in [["deliver"], ["watch", "books.xml"]] {
      let result = try await desk.desk.run(command + ["--notify", "stdout"], variables: variables)
      #expect(result.status == 78)
      #expect(result.text == "")
    }
    let watch = try await desk.desk.run("watch", "--backlog", "mark-all", "books.xml")
    #expect(watch.status == 64)
    #expect(watch.errorText.contains("first run check --backlog mark-all instead"))
    let timer = try await desk.desk.run(
      "timer", "--notify", "stdout", "--backlog", "mark", "books.xml")
    #expect(timer.status == 64)
    #expect(timer.errorText == "check-loans: --backlog is for one run; leave it out\n")
  }

  @Test(arguments: ["mark", "mark-all"])
  func `Nothing is sent where nothing can be marked`(choice: String) async throws {
    let desk = try MailDesk(backlog(3))
    for (option, words) in [
      (["--state", "none"], "there is none; leave out --state none"),
      (["--mail-redirect", "me@example.org"], "--backlog marks nothing in a trial"),
    ] {
      let result = try await desk.desk.run(
        ["--backlog", choice, "--notify", "mail", "books.xml"] + option)
      #expect(result.status == 64)
      #expect(result.errorText.contains(words), "\(result.errorText)")
    }
    #expect(desk.tried == [])
  }

  @Test(arguments: ["mark", "mark-all"])
  func `What is to be marked needs a channel`(choice: String) async throws {
    let desk = try Desk(catalogue: catalogue(("Abigél", "2026.11.22")))
    let result = try await desk.run("books.xml", "--backlog", choice)
    #expect(
      result.outcome
        == Outcome(
          64,
          errors: """
            check-loans: --backlog marks notices of a channel, and none is named; add --notify

            """))
  }

  @Test func `That a backlog is to be sent is said of no other`() async throws {
    let desk = try MailDesk(backlog(51))
    #expect(try await desk.run("--backlog", "send") == Outcome(0))
    let folder = desk.desk.folder
    let books = folder.contents(of: "books.xml").replacing("@example.org", with: "@example.com")
    try folder.write(books, to: "branch.xml")
    let branch = try await desk.desk.run("--notify", "mail", "branch.xml")
    #expect(branch.status == 78)
    #expect(branch.errorText.contains("51 notices fell due days ago"))
    #expect(desk.tried.count == 53)
  }

  @Test func `Books that are given ids are the same loans`() async throws {
    let desk = try MailDesk(backlog(3))
    #expect(try await desk.run() == Outcome(0))
    let text = desk.desk.folder.contents(of: "books.xml")
    var number = 0
    let parts = text.split(separator: "<book>", omittingEmptySubsequences: false).enumerated().map {
      index, part in
      number += 1
      return index == 0 ? String(part) : "<book id=\"n\(number)\">\(part)"
    }
    try desk.desk.folder.write(parts.joined(), to: "books.xml")
    #expect(try await desk.run() == Outcome(0))
    #expect(desk.tried.count == 4)
    #expect(try await desk.desk.run("schedule", "list", "--returned").lines == [])
  }

  @Test func `A notice is sent again that is asked for`() async throws {
    let desk = try MailDesk([Self.anna])
    #expect(try await desk.run() == Outcome(0))
    let again = try await desk.desk.run("schedule", "again", "1", "9")
    #expect(again.status == 64, "there is no loan 9")
    #expect(again.text.contains("the next run sends the reminder of loan 1"))
    #expect(try await desk.desk.run("schedule", "explain", "1").text.contains("was delivered"))
    _ = try await desk.run()
    #expect(desk.tried == ["anna@example.org"], "one message a day")
    #expect(try await desk.run("--now", "2026-11-22T07:00") == Outcome(0))
    #expect(desk.tried == ["anna@example.org", "anna@example.org"])
    #expect(try await desk.desk.run("schedule", "cancel", "--all").status == 0)
    let cancelled = try await desk.desk.run("schedule", "again", "1")
    #expect(cancelled.text.contains("the next run that reads the catalogue sends"))
  }

  @Test func `What was not sent is not sent again, and what is silenced waits`() async throws {
    let desk = try MailDesk([Self.anna, loan("Toldi", "Béla", "bela@example.org", "2026.12.24")])
    let again = ["schedule", "again", "1"]
    #expect(try await desk.desk.run("--notify", "none", "books.xml").status == 0)
    #expect(
      try await desk.desk.run(again + ["2"]).outcome
        == Outcome(
          0,
          errors: """
            check-loans: loan 1, "Abigél": its notice is still to be sent, so there is \
            nothing to send again
            check-loans: loan 2, "Toldi": no notice is due now, so there is nothing to send again

            """))
    #expect(try await desk.run() == Outcome(0))
    try await desk.desk.run("schedule", "snooze", "1")
    #expect(
      try await desk.desk.run(again).outcome
        == Outcome(
          0,
          output: """
            the reminder of loan 1 is sent again once the loan is no longer silenced: "Abigél"

            """))
  }

  @Test(arguments: [(51, ["--backlog", "send"]), (50, [])])
  func `Old notices are sent if that is wanted, or they are few`(count: Int, options: [String])
    async throws
  {
    let desk = try MailDesk(backlog(count))
    let result = try await desk.desk.run(options + ["--notify", "maildir:out", "books.xml"])
    #expect(result.outcome == Outcome(0))
    #expect(try File.names(in: "\(desk.desk.folder.path)/out/new").count == count + 1)
  }

  @Test func `A library that changes from a program to mail sends nothing twice`() async throws {
    let desk = try MailDesk([Self.anna])
    try desk.desk.folder.write(program: "#!/bin/sh\ncat > ~/told\n", to: "tell")
    #expect(try await desk.run("--notify", "exec:./tell") == Outcome(0))
    let rename = ["schedule", "rename-channel", "exec:./tell", "mail"]
    let old = "exec:\(desk.desk.folder.path)/tell"
    #expect(
      try await desk.desk.run(rename).outcome
        == Outcome(0, output: "\(old) is now mail, with 1 notice\n"))
    #expect(try await desk.run() == Outcome(0))
    #expect(desk.tried == [])
    #expect(
      try await desk.desk.run("schedule", "rename-channel", "exec:./other", "stdout").outcome
        == Outcome(
          64,
          errors: "check-loans: nothing was ever sent through the channel "
            + "exec:\(desk.desk.folder.path)/other\n"))
    #expect(try await desk.desk.run(rename).ends(64, saying: " \(old)"), "a second time")
  }
}
