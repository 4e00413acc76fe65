import Loans
import Notifiers
import ReminderSchedule
import ReminderService
import Testing

@Suite struct ExplanationTests {
  private let library: Library
  private let center: ReminderCenter

  init() throws {
    library = try Library()
    center = ReminderCenter(schedule: try Schedule())
    try library.write(
      """
      <books><book id="1"><title>Abigél</title><author>Szabó Magda</author>
      <borrower>Halmos\u{85} Benedek</borrower><expiration>2026.11.22</expiration></book></books>
      """)
    try center.reload(library.catalogue, at: try moment("2026-11-01"))
  }

  private func explain(_ now: String, repeatExpired: Int? = nil) throws -> [String] {
    let now = try moment(now)
    let schedule = try #require(center.schedule)
    let history = try #require(try schedule.reader.history(of: 1, at: now))
    return Explanation(history, now: now, repeatExpired: repeatExpired).sentences
  }

  @Test func `A loan whose reminder is still to come`() throws {
    #expect(
      try explain("2026-11-12T10:00") == [
        """
        Loan 1: "Abigél" by Szabó Magda, lent to Halmos\\u{85} Benedek, of the catalogue books.
        """,
        "It expires in 10 days: the last day to keep it is 2026-11-22.",
        "Its reminder will fire on 2026-11-21 at 00:00.",
        "Nothing about it was delivered or tried so far.",
        "Next: the reminder, on 2026-11-21 at 00:00.",
      ])
  }

  @Test func `A reminder that was delivered here and refused there`() async throws {
    try await center.deliver(through: Recorder("stdout"), at: try moment("2026-11-21T07:30"))
    for hour in 7...8 {
      try await center.deliver(
        through: Recorder("exec:/bin/tell", failures: ["Abigél": .failed]),
        at: try moment("2026-11-21T0\(hour):30"))
    }
    #expect(
      try explain("2026-11-22T10:00").dropFirst() == [
        "It expires today: the last day to keep it is 2026-11-22.",
        "Its reminder is due since 2026-11-21 at 00:00.",
        """
        The reminder was not delivered through exec:/bin/tell on 2026-11-21 at 08:30, after 2 \
        attempts: it is broken.
        """,
        "The reminder was delivered through stdout on 2026-11-21 at 07:30.",
        """
        Next: the next run tries to deliver the reminder through exec:/bin/tell; if the book is \
        neither returned nor renewed, it has expired on 2026-11-23.
        """,
      ])
  }

  @Test func `A loan that has expired and is told again`() async throws {
    try await center.deliver(through: Recorder("stdout"), at: try moment("2026-11-23T07:30"))
    let sentences = try explain("2026-11-24T07:00", repeatExpired: 7)
    #expect(
      sentences.dropFirst() == [
        "It expired 2 days ago: the last day to keep it was 2026-11-22.",
        "Its reminder was due from 2026-11-21 at 00:00 until it expired.",
        "The notice that it has expired was delivered through stdout on 2026-11-23 at 07:30.",
        """
        Next: the notice that it has expired was delivered through every channel that was tried, \
        and is not sent again through them; from 2026-11-30 on it is told again \
        (--repeat-expired 7).
        """,
      ])
  }

  @Test func `A loan that was cancelled`() throws {
    try center.cancel(ids: [1])
    #expect(
      try explain("2026-11-21").last == """
        Next: nothing, since it was cancelled; the next run that reads the catalogue schedules it \
        again.
        """)
  }

  @Test func `A loan that nobody knows`() throws {
    let schedule = try #require(center.schedule)
    #expect(try schedule.reader.history(of: 2, at: moment("2026-11-21")) == nil)
  }
}
