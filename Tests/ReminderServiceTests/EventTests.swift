import LoanCatalogue
import LoanRules
import Loans
import Notifiers
import ReminderSchedule
import ReminderService
import Synchronization
import TestSupport
import Testing

@Suite struct EventTests {
  private let library: Library
  private let noon: CivilDateTime

  init() throws {
    library = try Library()
    noon = try moment("2026-11-20T12:00")
  }

  @Test func `Every event is heard once and in order`() throws {
    try library.lend(["1": "2026.11.21", "2": "2026.11.01", "3": "2026.12.24"])
    let heard = Mutex<[String]>([])
    let center = ReminderCenter(
      schedule: try Schedule(), onEvent: { event in heard.withLock { $0.append("\(event)") } })
    try center.reload(library.catalogue, at: noon)
    _ = try center.deliver(through: Recorder(failures: ["T2": .failed]), at: noon)
    try library.lend(["1": "2026.11.28", "4": "2026.12.24"])
    try center.reload(library.catalogue, at: noon)
    #expect(
      heard.withLock { $0 } == [
        "books: scheduled the notices of 3 loans; the next one is due at 2026-12-23T00:00",
        "books: reloaded: 2 scheduled; 3 new, 0 changed, 0 gone, 0 as before",
        "not delivered through recorder: expired notice of loan 2: it is broken",
        "delivered through recorder: reminder of loan 1",
        "books: cancelled the prior notices of 3 loans",
        "books: scheduled the notices of 2 loans; the next one is due at 2026-11-27T00:00",
        "books: reloaded: 2 scheduled; 1 new, 1 changed, 2 gone, 0 as before",
      ])
  }

  @Test func `A reload that fails announces nothing`() throws {
    let center = ReminderCenter(
      schedule: try Schedule(), onEvent: { event in Issue.record("\(event)") })
    #expect(throws: ReminderError.self) { try center.reload(library.catalogue, at: noon) }
    try library.write("<books><book>")
    #expect(try center.reload(library.catalogue, at: noon).outcome == .kept)
  }
}
