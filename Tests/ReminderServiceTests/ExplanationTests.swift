import LoanRules
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

  /// Has the loan's expired notice repeated.
  private func repeatExpired(at now: String) throws {
    let settings = ReloadSettings(policy: ReminderPolicy(Ladder(period: 7)))
    try center.reload(library.catalogue, at: try moment(now), settings: settings)
  }

  private func explain(_ now: String, hold: NoticeReason? = nil) throws -> [String] {
    let now = try moment(now)
    let schedule = try #require(center.schedule)
    let history = try #require(try schedule.reader.history(of: 1, at: now))
    return Explanation(history, now: now, hold: hold).sentences
  }

  @Test func `A loan whose reminder is still to come`() throws {
    #expect(
      try explain("2026-11-12T10:00") == [
        """
        Loan 1: "Abigél" by Szabó Magda, lent to Halmos\\u{85} Benedek, of the catalogue books.
        """,
        "It expires in 10 days: the last day to keep it is 2026-11-22.",
        "Its reminder will be due on 2026-11-21 at 00:00.",
        "Nothing has been sent about it yet.",
        "Next: the reminder, on 2026-11-21 at 00:00.",
      ])
  }

  @Test(arguments: [
    ("yes", "; it can be renewed."), ("0", "; it cannot be renewed again."), ("maybe", "."),
  ])
  func `A loan tells where to return it and whether it can be renewed`(
    renewable: String, end: String
  ) throws {
    try library.write(
      """
      <books><book id="1"><title>Abigél</title><library>the Branch</library>
      <renewable>\(renewable)</renewable><expiration>2026.11.22</expiration></book></books>
      """)
    var catalogue = library.catalogue
    catalogue.library = "the Library"
    try center.reload(catalogue, at: try moment("2026-11-01"))
    let sentences = try explain("2026-11-12T10:00")
    #expect(sentences[0] == "Loan 1: \"Abigél\", at the Branch, of the catalogue books.")
    #expect(
      sentences[1] == "It expires in 10 days: the last day to keep it is 2026-11-22\(end)")
  }

  @Test func `A loan's library is named`() throws {
    var catalogue = library.catalogue
    catalogue.library = "the \u{1B} Library"
    try center.reload(catalogue, at: try moment("2026-11-01"))
    #expect(
      try explain("2026-11-12").first == """
        Loan 1: "Abigél" by Szabó Magda, lent to Halmos\\u{85} Benedek, at the \\u{1b} Library, of \
        the catalogue books.
        """)
  }

  @Test func `A reminder that was delivered here and refused there`() async throws {
    try center.deliver(through: Recorder("stdout"), at: try moment("2026-11-21T07:30"))
    for hour in 7...8 {
      try center.deliver(
        through: Recorder("exec:/bin/tell", failures: ["Abigél": .failed]),
        at: try moment("2026-11-21T0\(hour):30"))
    }
    #expect(
      try explain("2026-11-22T10:00").dropFirst() == [
        "It expires today: the last day to keep it is 2026-11-22.",
        "Its reminder has been due since 2026-11-21 at 00:00.",
        """
        The reminder was not delivered through exec:/bin/tell on 2026-11-21 at 08:30 (UTC+00:00), after 2 \
        attempts: it is broken.
        """,
        "The reminder was delivered through stdout on 2026-11-21 at 07:30 (UTC+00:00).",
        """
        Next: the next run with --notify exec:/bin/tell tries again to deliver the reminder; if the \
        book is neither returned nor renewed, it counts as expired from 2026-11-23.
        """,
      ])
  }

  @Test func `A loan that has expired and is told again`() async throws {
    try center.deliver(through: Recorder("stdout"), at: try moment("2026-11-23T07:30"))
    #expect(
      try explain("2026-11-30T07:00").last == """
        Next: the expired notice was delivered through every channel that was tried, \
        and will not be sent again.
        """)
    try repeatExpired(at: "2026-11-24")
    let sentences = try explain("2026-11-24T07:00")
    #expect(
      sentences.dropFirst() == [
        "It expired 2 days ago: the last day to keep it was 2026-11-22.",
        "Its reminder was due from 2026-11-21 at 00:00 until it expired.",
        "The expired notice was delivered through stdout on 2026-11-23 at 07:30 (UTC+00:00).",
        """
        Next: the expired notice was delivered through every channel that was tried; then \
        the next one, on 2026-11-30 at 00:00.
        """,
      ])
    #expect(
      try explain("2026-11-30T07:00").last == """
        Next: the next run with --notify stdout delivers the expired notice; then the \
        next one, on 2026-12-07 at 00:00.
        """)
  }

  @Test func `A catalogue that is too old holds the expired notice, and no reminder`() throws {
    #expect(
      try explain("2026-11-23T10:00", hold: .staleCatalogue).last == """
        Next: no run with --notify delivers the expired notice until a newer file of the \
        catalogue is read.
        """)
    #expect(try explain("2026-11-21T10:00", hold: .staleCatalogue) == explain("2026-11-21T10:00"))
    try center.deliver(through: Recorder("stdout"), at: try moment("2026-11-23T07:30"))
    #expect(try explain("2026-11-23T10:00", hold: .staleCatalogue) == explain("2026-11-23T10:00"))
  }

  @Test func `A repetition that failed does not hide what was delivered`() async throws {
    try repeatExpired(at: "2026-11-01")
    try center.deliver(through: Recorder("stdout"), at: try moment("2026-11-23T07:30"))
    try center.deliver(
      through: Recorder("stdout", failures: ["Abigél": .failed]),
      at: try moment("2026-11-30T07:30"))
    #expect(
      try explain("2026-11-30T08:00").dropFirst(3) == [
        """
        The expired notice was delivered through stdout on 2026-11-23 at 07:30 (UTC+00:00); \
        sending it again failed on 2026-11-30 at 07:30 (UTC+00:00): it is broken.
        """,
        """
        Next: the next run with --notify stdout tries again to deliver the expired \
        notice; then the next one, on 2026-12-07 at 00:00.
        """,
      ])
  }

  @Test func `A channel that was gone before it was this loan's turn`() async throws {
    let schedule = try #require(center.schedule)
    let now = try moment("2026-11-21T07:30")
    try schedule.note(
      try schedule.reader.dueRungs(at: now, channel: "stdout").rungs, as: .failed,
      channel: "stdout", at: now, error: "it is gone")
    #expect(
      try explain("2026-11-21T08:00").dropFirst(3) == [
        "The reminder was not delivered through stdout on 2026-11-21 at 07:30: it is gone.",
        """
        Next: the next run with --notify stdout tries again to deliver the reminder; if the book \
        is neither returned nor renewed, it counts as expired from 2026-11-23.
        """,
      ])
    try center.deliver(through: Recorder("stdout"), at: try moment("2026-11-21T09:30"))
    #expect(
      try explain("2026-11-21T10:00")[3]
        == "The reminder was delivered through stdout on 2026-11-21 at 09:30 (UTC+00:00).")
  }

  @Test func `A reminder that was delivered at the third attempt`() async throws {
    for hour in 7...8 {
      try center.deliver(
        through: Recorder("stdout", failures: ["Abigél": .failed]),
        at: try moment("2026-11-21T0\(hour):30"))
    }
    try center.deliver(through: Recorder("stdout"), at: try moment("2026-11-21T09:30"))
    #expect(
      try explain("2026-11-21T10:00")[3]
        == "The reminder was delivered through stdout on 2026-11-21 at 09:30 (UTC+00:00), at attempt 3."
    )
  }

  @Test func `A reminder that was delivered is not to come when it is set for later`() throws {
    try center.deliver(through: Recorder("stdout"), at: try moment("2026-11-21T07:30"))
    let six = try moment("2026-11-21T18:00").time
    let settings = ReloadSettings(policy: ReminderPolicy(Ladder(time: six)))
    try center.reload(library.catalogue, at: try moment("2026-11-21T07:31"), settings: settings)
    #expect(
      try explain("2026-11-21T07:32").dropFirst(2) == [
        "Its reminder is for 2026-11-21 at 18:00.",
        "The reminder was delivered through stdout on 2026-11-21 at 07:30 (UTC+00:00).",
        """
        Next: the reminder was delivered through every channel that was tried, and will not be sent \
        again; if the book is neither returned nor renewed, it counts as expired from 2026-11-23.
        """,
      ])
  }

  @Test func `A loan that was renewed was reminded of for its former expiration`() async throws {
    try center.deliver(through: Recorder("stdout"), at: try moment("2026-11-21T07:30"))
    try library.write(
      """
      <books><book id="1"><title>Abigél</title><expiration>2026.12.22</expiration></book></books>
      """)
    try center.reload(library.catalogue, at: try moment("2026-11-22"))
    #expect(
      try explain("2026-11-23").dropFirst(2) == [
        "Its reminder will be due on 2026-12-21 at 00:00.",
        """
        The reminder for its former expiration 2026-11-22 was delivered through stdout \
        (Halmos\\u{85} Benedek) on 2026-11-21 at 07:30 (UTC+00:00).
        """,
        "Next: the reminder, on 2026-12-21 at 00:00.",
      ])
  }

  @Test func `What is being sent is told apart from what was sent and what was not begun`()
    async throws
  {
    try library.lend(["1": "2026.11.22", "2": "2026.11.22", "3": "2026.11.22"])
    let path = "\(library.path)/schedule.sqlite"
    let center = ReminderCenter(schedule: try Schedule(opening: path))
    try center.reload(library.catalogue, at: try moment("2026-11-01"))
    let now = try moment("2026-11-21T07:30")
    let schedule = try #require(center.schedule)
    let due = try schedule.reader.due(at: now, channel: "stdout")
    var sending = try schedule.beginSending(due.map { [$0] }, channel: "stdout", at: now)
    try sending.noteSent()
    let reader = try ScheduleReader(opening: path)
    let told = try (1...3).map { id in
      let history = try #require(try reader.history(of: id, at: now))
      return Explanation(history, now: now).sentences[3]
    }
    #expect(
      told == [
        "The reminder was delivered through stdout on 2026-11-21 at 07:30.",
        """
        The reminder was being sent through stdout on 2026-11-21 at 07:30, and no result is \
        recorded: a run is sending it now, or was interrupted, in which case it may or may not have \
        arrived.
        """,
        "Nothing has been sent about it yet.",
      ])
    try sending.finish()
  }

  @Test func `A loan that was cancelled`() throws {
    try center.schedule?.cancel(ids: [1])
    #expect(
      try explain("2026-11-20").dropFirst(2) == [
        "Its reminder would have been due on 2026-11-21 at 00:00.",
        "Nothing has been sent about it yet.",
        """
        Next: nothing, since it was cancelled; the next run that reads the catalogue schedules it \
        again.
        """,
      ])
    #expect(try explain("2026-11-21")[2] == "Its reminder was due from 2026-11-21 at 00:00.")
  }

  @Test func `A loan that nobody knows`() throws {
    let schedule = try #require(center.schedule)
    #expect(try schedule.reader.history(of: 2, at: moment("2026-11-21")) == nil)
  }
}
