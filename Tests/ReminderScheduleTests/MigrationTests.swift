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
