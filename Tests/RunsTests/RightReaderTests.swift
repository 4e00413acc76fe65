import TestSupport
import Testing

/// Whether the right reader is told, once, where catalogues, ids and silences change.
@Suite struct RightReaderTests {
  /// A book of a catalogue: its id, its title, its reader and its last day.
  private typealias Lent = (id: String, title: String, reader: String, day: String)

  private func document(_ books: [Lent]) -> String {
    let books = books.map { book in
      """
      <book id="\(book.id)"><title>\(book.title)</title><borrower>\(book.reader)</borrower>\
      <expiration>\(book.day)</expiration></book>
      """
    }
    return "<books>\n\(books.joined(separator: "\n"))\n</books>\n"
  }

  private func old(_ count: Int) -> [Lent] {
    (1...count).map { ("k\($0)", "Title \($0)", "Reader \($0)", "2026.11.10") }
  }

  /// Reads other books, and sends what is due.
  private func check(
    _ desk: Desk, _ books: [Lent]? = nil, at now: String, _ arguments: String...
  ) async throws -> CommandResult {
    if let books { try desk.folder.write(document(books), to: "books.xml") }
    return try await desk.run(["--notify", "stdout", "books.xml", "--now", now] + arguments)
  }

  @Test(arguments: ["22/11/2026", "2026.13.22", ""])
  func `A loan whose date can no longer be read is told as it was known`(date: String)
    async throws
  {
    let books: [Lent] = [
      ("1", "Abigél", "Anna", "2026.11.22"), ("2", "Toldi", "Béla", "2026.11.22"),
    ]
    let desk = try Desk(catalogue: document(books))
    try await desk.run("--notify", "stdout", "books.xml", "--now", "2026-11-20T07:00")
    let broken = books.map { ($0.id, $0.title, $0.reader, date) }
    let result = try await check(desk, broken, at: "2026-11-21T07:00")
    #expect(result.status == 65)
    #expect(result.lines.count == 2)
    #expect(!result.errorText.contains("are gone"), "\(result.errorText)")
    #expect(
      try await desk.schedule(at: "2026-11-21T08:00").map(\.state) == ["delivered", "delivered"])
    let other: [Lent] = [("1", "Egri csillagok", "Cili", date), broken[1]]
    _ = try await check(desk, other, at: "2026-11-21T09:00")
    #expect(try await desk.schedule(at: "2026-11-21T09:00").map(\.title) == ["Toldi"])
  }

  @Test func `A return holds for a week without the loan, and not for the next lending`()
    async throws
  {
    let (abigel, toldi): (Lent, Lent) = (
      ("1", "Abigél", "Anna", "2026.12.15"), ("2", "Toldi", "Béla", "2026.12.15")
    )
    let desk = try Desk(catalogue: document([abigel, toldi]))
    try await desk.run("--notify", "stdout", "books.xml", "--now", "2026-11-21T07:00")
    try await desk.run("schedule", "returned", "1", "--now", "2026-11-21T08:00")
    _ = try await check(desk, [toldi], at: "2026-11-22T07:00")
    _ = try await check(desk, [abigel, toldi], at: "2026-11-23T07:00")
    let listed = try await desk.run("silence", "list", "--now", "2026-11-23T08:00")
    #expect(listed.lines.count == 1, "one day is none")
    _ = try await check(desk, [toldi], at: "2026-11-24T07:00")
    _ = try await check(desk, [abigel, toldi], at: "2026-12-03T07:00")
    let sent = try await check(desk, at: "2026-12-14T07:00")
    #expect(sent.lines.count == 2, "\(sent.text)")
  }

  @Test(arguments: ["1", "3", "7"])
  func `The repetitions of what was never expected are asked about`(period: String) async throws {
    let desk = try Desk(catalogue: document(old(60)))
    let first = try await check(desk, at: "2026-11-21T07:00", "--repeat-expired", period)
    #expect(first.status == 78)
    #expect(first.text == "")
    #expect(try await check(desk, at: "2026-11-21T07:00", "--backlog", "mark").status == 0)
    let next = try await check(desk, at: "2026-11-22T07:00", "--repeat-expired", period)
    #expect(next.status == 78)
    #expect(next.text == "")
    let marked = try await check(
      desk, at: "2026-11-22T07:00", "--repeat-expired", period, "--backlog", "mark")
    #expect(marked.status == 0)
    // From then on somebody expects them.
    let later = try await check(desk, at: "2026-11-29T07:00", "--repeat-expired", period)
    #expect(later.status == 0)
    #expect(later.lines.count == 60)
  }

  @Test func `A loan is known when it is back, though another one had its place`() async throws {
    let (anna, bela): (Lent, Lent) = (
      ("1", "Abigél", "Anna", "2026.11.22"), ("1", "Abigél", "Béla", "2026.11.22")
    )
    let desk = try Desk(catalogue: document([anna, bela]))
    let first = try await check(desk, at: "2026-11-21T07:00")
    #expect(first.lines.count == 2)
    #expect(try await check(desk, [bela], at: "2026-11-21T08:00").text == "")
    #expect(try await check(desk, [bela, anna], at: "2026-11-21T09:00").text == "")
  }

  @Test func `What is marked is marked though its catalogue is too old`() async throws {
    let desk = try Desk(catalogue: document(old(60)))
    _ = try await desk.shell("touch -d 2026-11-01 books.xml")
    let marked = try await check(
      desk, at: "2026-11-21T07:00", "--backlog", "mark", "--stale-after", "2d")
    #expect(marked.status == 65)
    #expect(marked.errorText.contains("marked 60 old notices"))
    let next = try await check(desk, at: "2026-11-22T07:00")
    #expect(next.outcome == Outcome(0))
  }

  @Test func `The end of a silence is no reason to ask`() async throws {
    let books: [Lent] = (1...60).map { ("k\($0)", "Title \($0)", "Reader", "2026.11.10") }
    let desk = try Desk(catalogue: document(books))
    #expect(try await check(desk, at: "2026-11-01T07:00").text == "")
    try await desk.run(
      "silence", "add", "--borrower-is", "Reader", "--until", "2026-11-21", "--reason", "away",
      "--now",
      "2026-11-01T08:00")
    #expect(try await check(desk, at: "2026-11-11T07:00").text == "")
    let sent = try await check(desk, at: "2026-11-21T07:00")
    #expect(sent.status == 0)
    #expect(sent.lines.count == 60)
  }

  @Test func `What fails when it is sent again has failed, with its reason`() async throws {
    let desk = try Desk(catalogue: document([("1", "Abigél", "Anna", "2026.11.22")]))
    try desk.folder.write(program: "#!/bin/sh\n[ ! -e broken ]\n", to: "tell")
    let run = ["--notify", "exec:./tell", "books.xml", "--now", "2026-11-21T07:00"]
    #expect(try await desk.run(run).status == 0)
    try await desk.run("schedule", "again", "1")
    try desk.folder.write("", to: "broken")
    #expect(try await desk.run(run).status == 69)
    let listed = try await desk.run("schedule", "list", "--failed")
    #expect(listed.lines.count == 1)
    #expect(listed.text.contains("status 1"), "\(listed.text)")
    let explained = try await desk.run("schedule", "explain", "1")
    #expect(explained.lines.last == "Reason: failed")
  }

  @Test func `Who was told of a copy finds it, though the next reader has it`() async throws {
    let desk = try Desk(catalogue: document([("1", "Abigél", "Anna", "2026.11.22")]))
    _ = try await check(desk, at: "2026-11-21T07:00")
    _ = try await check(desk, [("1", "Abigél", "Béla", "2026.12.22")], at: "2026-11-22T07:00")
    let explained = try await desk.run(
      "schedule", "explain", "--borrower", "anna", "--now", "2026-11-22T08:00")
    #expect(explained.status == 0)
    #expect(explained.lines.count { $0.contains("(Anna)") } == 1, "\(explained.text)")
    let unknown = try await desk.run("schedule", "explain", "--borrower", "Cili")
    #expect(unknown.status == 64)
  }

  @Test func `A damaged text of a loan is damage`() async throws {
    let desk = try Desk(catalogue: document([("1", "Abigél", "Anna", "2026.11.22")]))
    try await desk.run("books.xml")
    _ = try await desk.shell("sqlite3 '\(Desk.state)' \"UPDATE loan SET fields = '[1'\"")
    let result = try await desk.run(
      "silence", "add", "--borrower-is", "Anna", "--until", "2d", "--reason", "away")
    #expect(result.status == 74)
    #expect(result.errorText.contains(" is damaged; "), "\(result.errorText)")
  }
}
