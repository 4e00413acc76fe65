import LoanCatalogue
import LoanRules
import Loans
import Notifiers
import ReminderSchedule
import ReminderService
import TestSupport
import Testing

@Suite struct EventTests {
  private let library: Library
  private let noon: CivilDateTime

  init() throws {
    library = try Library()
    noon = try moment("2026-11-20T12:00")
  }

  @Test func `Several observers hear every event once and in order`() async throws {
    try library.lend(["1": "2026.11.21", "2": "2026.11.01", "3": "2026.12.24"])
    let center = ReminderCenter(schedule: try Schedule())
    let streams = [center.events.stream(), center.events.stream(), center.events.stream()]
    try center.reload(library.catalogue, at: noon)
    _ = try center.deliver(through: Recorder(failures: ["T2": .failed]), at: noon)
    try library.lend(["1": "2026.11.28", "4": "2026.12.24"])
    try center.reload(library.catalogue, at: noon)
    center.events.finish()
    for stream in streams {
      var heard: [String] = []
      for await event in stream { heard.append("\(event)") }
      #expect(
        heard == [
          "books: scheduled the notices of 3 loans; the next one fires at 2026-12-23T00:00",
          "books: reloaded: 2 scheduled; 3 new, 0 changed, 0 gone, 0 as before",
          "not delivered through recorder: expired notice of loan 2: it is broken",
          "delivered through recorder: reminder of loan 1",
          "books: cancelled the notices of 3 loans",
          "books: scheduled the notices of 2 loans; the next one fires at 2026-11-27T00:00",
          "books: reloaded: 2 scheduled; 1 new, 1 changed, 2 gone, 0 as before",
        ])
    }
  }

  @Test func `An observer that comes later or goes away misses only its own events`() async throws {
    try library.lend(["1": "2026.12.21"])
    let center = ReminderCenter(schedule: try Schedule())
    var early: AsyncStream<ScheduleEvent>? = center.events.stream()
    #expect(early != nil)
    try center.reload(library.catalogue, at: noon)
    early = nil
    let late = center.events.stream()
    try library.lend(["2": "2026.12.21"])
    try center.reload(library.catalogue, at: noon)
    center.events.finish()
    var heard: [ScheduleEvent] = []
    for await event in late { heard.append(event) }
    #expect(heard.first == .cancelled(catalogue: "books", loans: 1))
    var afterTheEnd = center.events.stream().makeAsyncIterator()
    #expect(await afterTheEnd.next() == nil)
  }

  @Test func `A reload that fails announces nothing`() async throws {
    let center = ReminderCenter(schedule: try Schedule())
    let stream = center.events.stream()
    #expect(throws: ReminderError.self) { try center.reload(library.catalogue, at: noon) }
    try library.write("<books><book>")
    #expect(try center.reload(library.catalogue, at: noon).outcome == .kept)
    center.events.finish()
    for await event in stream { Issue.record("\(event)") }
  }
}
