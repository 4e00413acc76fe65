import Foundation
import Loans
import ReminderSchedule
import Testing

@Suite struct `A schedule of version 1` {
  let scratch: Scratch

  init() throws {
    scratch = try Scratch()
    try scratch.write(Version1.bytes(), to: scratch.file)
  }

  private let words = [
    "2026-11-21T00:00 reminder bk1 failed", "2026-11-21T00:00 reminder bk2 pending",
    "2026-12-23T00:00 reminder bk4 cancelled",
  ]

  @Test func `It is brought up to date with all it holds`() throws {
    let schedule = try Schedule(opening: scratch.file)
    let list = try schedule.list(at: "2026-11-21")
    #expect(list.map(\.words) == words)
    let at = moment("2026-11-21T07:00")
    #expect(
      list[0].deliveries == [
        Delivery(channel: "notify-send", state: .failed, at: at, attempts: 3, error: "no bus"),
        Delivery(channel: "stdout", state: .delivered, at: at, attempts: 1, deliveredAt: at),
      ])
    #expect(try schedule.told(at: "2026-11-21") == ["reminder bk2 2026-11-22"])
    #expect(Array(try scratch.bytes(scratch.file)[60..<64]) == [0, 0, 0, 4])
    let books = (1...3).map { Book("bk\($0)", "2026-11-22") }
    let summary = try #require(try schedule.summary(of: books, at: "2026-11-21"))
    #expect(summary.unchanged == 2)
    #expect(summary.added == 1)
    #expect(try schedule.told(at: "2026-11-22") == ["reminder bk2 2026-11-22"])
  }

  @Test func `It is read and rehearsed as it is, and left as it is`() throws {
    let before = try scratch.bytes(scratch.file)
    #expect(try ScheduleReader(opening: scratch.file).list(at: "2026-11-21").map(\.words) == words)
    let rehearsal = try Schedule(rehearsing: scratch.file)
    #expect(try rehearsal.told(at: "2026-11-21") == ["reminder bk2 2026-11-22"])
    #expect(try scratch.bytes(scratch.file) == before)
    #expect(try scratch.names() == ["schedule.sqlite"])
  }
}

/// One of 160 loans that a run of version 3 left behind when it was killed while it sent 51 notices
/// in one message: three books had been returned, five reminders cancelled, 52 notices delivered.
@Suite struct `A schedule of version 3` {
  private static let directory =
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/Version3"
  private static let program = "exec:/tmp/v3/kill.sh"

  let scratch: Scratch

  init() throws {
    scratch = try Scratch()
    for end in ["", ".lock"] {
      try scratch.copy("\(Self.directory)/schedule.sqlite\(end)", to: scratch.file + end)
      try scratch.setMode(0o600, of: scratch.file + end)
    }
  }

  /// How many entries there are of each kind and state.
  private func counts(_ list: [ScheduleEntry]) -> [String: Int] {
    list.reduce(into: [:]) { $0["\($1.kind) \($1.state)", default: 0] += 1 }
  }

  private let expected = [
    "reminder pending": 105, "expired delivered": 41, "reminder delivered": 8,
    "expired pending": 4, "reminder cancelled": 3,
  ]

  @Test func `It is brought up to date with all it holds`() throws {
    let schedule = try Schedule(opening: scratch.file)
    let list = try schedule.list(at: "2026-11-22T09:00")
    #expect(counts(list) == expected)
    #expect(Array(try scratch.bytes(scratch.file)[60..<64]) == [0, 0, 0, 4])
    for entry in list {
      let number = entry.id
      #expect(
        entry.loan
          == Loan(
            id: "b\(number)", title: "The \(number)",
            author: number % 5 == 0 ? "Szabó Magda" : nil, borrower: "Kovács Anna",
            expiration: day("2026-11-10").adding(days: number % 40)))
    }
    #expect(try schedule.told(at: "2026-11-23T07:00").count == 16)
    #expect(try schedule.told(at: "2026-12-31").count == 113)
    let due = try schedule.due(at: moment("2026-11-22T09:00"), channel: Self.program)
    #expect(due.count == 51)
    // The message in flight may have been sent.
    let attempt = try #require(try schedule.history(of: 40, at: moment("2026-11-22T09:00")))
    #expect(
      attempt.notices.last?.deliveries.first
        == Delivery(
          channel: Self.program, state: .sending, at: moment("2026-11-22T08:00"), attempts: 1))
    #expect(try schedule.history(of: 1, at: moment("2026-11-22"))?.leftOn == day("2026-11-22"))
    #expect(try schedule.cancelAll() == 152)
  }

  @Test func `It is read and rehearsed as it is, and left as it is`() throws {
    let before = try scratch.bytes(scratch.file)
    let reader = try ScheduleReader(opening: scratch.file)
    #expect(counts(try reader.list(at: "2026-11-22T09:00")) == expected)
    let rehearsal = try Schedule(rehearsing: scratch.file)
    #expect(try rehearsal.told(at: "2026-12-31").count == 113)
    #expect(try scratch.bytes(scratch.file) == before)
  }
}
