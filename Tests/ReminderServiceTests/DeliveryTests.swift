import LoanCatalogue
import LoanRules
import Loans
import Notifiers
import ReminderSchedule
import ReminderService
import Synchronization
import Testing

@Suite struct DeliveryTests {
  private let library: Library
  private let center: ReminderCenter
  private let noon: CivilDateTime
  private let all = ["T1", "T2", "T3", "T4", "T5"]

  init() throws {
    library = try Library()
    center = ReminderCenter(schedule: try Schedule())
    noon = try moment("2026-11-20T12:00")
    try library.lend([
      "1": "2026.11.01", "2": "2026.11.19", "3": "2026.11.20", "4": "2026.11.21",
      "5": "2026.11.21", "6": "2026.11.22",
    ])
    try center.reload(library.catalogue, at: noon)
  }

  @Test(arguments: [1, 2, 5, 500])
  func `Each channel is told everything that is due, once`(messagesPerCommit: Int) async throws {
    let channels = ["a", "b"].map { Recorder($0, messagesPerCommit: messagesPerCommit) }
    for _ in 0..<2 {
      for channel in channels { try center.deliver(through: channel, at: noon) }
    }
    for channel in channels {
      #expect(channel.titles == all)
      #expect(channel.counts == [5])
    }
  }

  @Test func `A library's new name is in what is sent next; nothing is sent again`() async throws {
    let schedule = try #require(center.schedule)
    var catalogue = library.catalogue
    try center.deliver(through: Recorder("a"), at: noon)
    for name in ["the Old Library", "the New Library", nil] {
      catalogue.library = name
      let report = try center.reload(catalogue, at: noon)
      guard case .replaced(let summary) = report.outcome else { throw Unexpected() }
      #expect(summary.unchanged == 6)
      #expect(try schedule.reader.due(at: noon, channel: "a").isEmpty)
      let due = try schedule.reader.due(at: noon, channel: "b")
      #expect(due.map(\.notice.library) == [name, name, name, name, name])
      #expect(try schedule.reader.history(of: 1, at: noon)?.library == name)
      var entries = try schedule.reader.entries(in: [(noon, nil)])
      while let entry = try entries.next() { #expect(entry.library == name) }
    }
  }

  @Test(arguments: [1, 2, 3, 500])
  func `A message that is refused stays pending and keeps no other back`(
    messagesPerCommit: Int
  ) async throws {
    let first = Recorder(
      messagesPerCommit: messagesPerCommit, failures: ["T2": .failed, "T3": .failed, "T5": .failed])
    let report = try center.deliver(through: first, at: noon)
    #expect(first.titles == ["T1", "T4"])
    #expect(report.delivered == 2)
    #expect(report.failures.map(\.notices) == [3], "all for the same reason")
    let second = Recorder(messagesPerCommit: messagesPerCommit)
    try center.deliver(through: second, at: noon)
    #expect(second.titles == ["T2", "T3", "T5"])
  }

  @Test(arguments: [1, 2, 3, 500])
  func `A channel that is gone is not tried again in the same run`(
    messagesPerCommit: Int
  ) async throws {
    let first = Recorder(
      messagesPerCommit: messagesPerCommit, failures: ["T3": .unavailable, "T4": .failed])
    let report = try center.deliver(through: first, at: noon)
    #expect(first.titles == ["T1", "T2"])
    #expect(report.failures.map(\.notices) == [3])
    let second = Recorder(messagesPerCommit: messagesPerCommit)
    try center.deliver(through: second, at: noon)
    #expect(second.titles == ["T3", "T4", "T5"])
  }

  @Test(arguments: [1, 2, 500])
  func `A stop leaves the rest pending after the message in flight`(
    messagesPerCommit: Int
  ) async throws {
    let sent = Mutex(0)
    let first = Recorder(messagesPerCommit: messagesPerCommit) { sent.withLock { $0 += 1 } }
    let report = try center.deliver(
      through: first, at: noon, isStopRequested: { sent.withLock { $0 >= 3 } })
    #expect(first.titles == ["T1", "T2", "T3"])
    #expect(report.delivered == 3)
    #expect(report.leftByStop == 2)
    let second = Recorder(messagesPerCommit: messagesPerCommit)
    try center.deliver(through: second, at: noon)
    #expect(second.titles == ["T4", "T5"])
  }

  @Test func `What was never tried counts no attempt`() async throws {
    let broken = Recorder(messagesPerCommit: 500, failures: ["T2": .unavailable])
    try center.deliver(through: broken, at: noon)
    var entries = try #require(center.schedule).reader.entries(in: [(noon, nil)])
    var attempts: [String: Int] = [:]
    while let entry = try entries.next() {
      attempts[entry.loan.title ?? "", default: 0] +=
        entry.deliveries.reduce(0) { $0 + $1.attempts }
    }
    #expect(attempts == ["T1": 1, "T2": 1, "T3": 0, "T4": 0, "T5": 0, "T6": 0])
  }

  @Test(arguments: [1, 2, 500])
  func `All that was due through a channel that is gone is shown as failed`(
    messagesPerCommit: Int
  ) async throws {
    let failed = Mutex<[String]>([])
    let schedule = try #require(center.schedule)
    let center = ReminderCenter(
      schedule: schedule,
      onEvent: { event in
        guard case .failed(let due, _, "it is broken") = event else { return }
        failed.withLock { $0.append(due.notice.loan.title ?? "-") }
      })
    try center.deliver(
      through: Recorder(messagesPerCommit: messagesPerCommit, failures: ["T2": .unavailable]),
      at: noon)
    #expect(failed.withLock { $0 } == ["T2", "T3", "T4", "T5"])
    var entries = try schedule.reader.entries(in: [(noon, nil)])
    var states: [String: ScheduleEntry.State] = [:]
    while let entry = try entries.next() {
      states[entry.loan.title ?? "-"] = entry.state
      let errors = entry.deliveries.compactMap(\.error)
      #expect(errors == (entry.state == .failed ? ["it is broken"] : []))
    }
    #expect(
      states == [
        "T1": .delivered, "T2": .failed, "T3": .failed, "T4": .failed, "T5": .failed,
        "T6": .pending,
      ])
  }

  @Test
  func
    `An expired notice is repeated every so many days, counted from the first day after the expiration`()
    async throws
  {
    let channel = Recorder()
    let settings = ReloadSettings(policy: ReminderPolicy(Ladder(period: 4)))
    try center.reload(library.catalogue, at: noon, settings: settings)
    var told: [String: [String]] = [:]
    for day in 0..<13 {
      let now = CivilDateTime(noon.date.adding(days: day), noon.time)
      let before = channel.titles.count
      try center.deliver(through: channel, at: now)
      for title in channel.titles[before...] { told[title, default: []].append("\(now.date)") }
    }
    // It expired on 1 November, so its days are the 18th, the 22nd and so on.
    #expect(told["T1"] == ["2026-11-20", "2026-11-22", "2026-11-26", "2026-11-30"])
    #expect(told["T6"] == ["2026-11-21", "2026-11-23", "2026-11-27", "2026-12-01"])
  }

  @Test func `Without a schedule nothing is due`() async throws {
    let channel = Recorder()
    let center = ReminderCenter(schedule: nil)
    #expect(try center.reload(library.catalogue, at: noon).summary.loans == 6)
    #expect(try center.deliver(through: channel, at: noon).delivered == 0)
    #expect(channel.titles.isEmpty)
  }
}

/// Loans that nothing tells apart but their expirations.
@Suite struct SharedIdentityTests {
  private let library: Library
  private let center: ReminderCenter
  private let channel = Recorder()

  init() throws {
    library = try Library()
    center = ReminderCenter(schedule: try Schedule())
  }

  /// Lends copies of one book, and returns how many notices one more run delivers.
  private func run(_ expirations: [String], _ day: String) async throws -> Int {
    let books = expirations.map {
      "<book><title>Abigél</title><isbn>978</isbn><expiration>2026.11.\($0)</expiration></book>"
    }
    try library.write("<books>\(books.joined())</books>")
    let now = try moment("2026-11-\(day)T07:00")
    try center.reload(library.catalogue, at: now)
    return try center.deliver(through: channel, at: now).delivered
  }

  @Test func `The first copy is returned`() async throws {
    #expect(try await run(["18", "19"], "21") == 2)
    #expect(try await run(["19"], "22") == 0)
    #expect(try await run(["19"], "23") == 0)
    #expect(try await run(["17", "19"], "24") == 1, "another copy, never told")
    #expect(try await run(["19", "17"], "25") == 0)
  }

  @Test func `The copies change places`() async throws {
    #expect(try await run(["17", "18", "19"], "21") == 3)
    #expect(try await run(["19", "17", "18"], "22") == 0)
    #expect(try await run(["18", "19", "17"], "23") == 0)
    #expect(try await run(["19", "18"], "24") == 0)
    #expect(try await run(["18"], "25") == 0)
    #expect(try await run(["17", "18", "19"], "26") == 0, "all are back as they were")
  }

  @Test func `Copies of one expiration are told each`() async throws {
    #expect(try await run(["19"], "21") == 1)
    #expect(try await run(["19", "19"], "22") == 1)
    #expect(try await run(["19", "19", "19"], "23") == 1)
    #expect(try await run([], "23") == 0)
    #expect(try await run(["19", "19"], "24") == 0)
  }
}

/// What a test throws when something is not of the form it needs.
private struct Unexpected: Error {}
