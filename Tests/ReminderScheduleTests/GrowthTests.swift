import Foundation
import Loans
import ReminderSchedule
import TestSupport
import Testing

/// Four in a hundred loans are returned each day, and others lent, for 400 days.
@Suite(
  .enabled(
    if: ProcessInfo.processInfo.environment["CHECK_LOANS_GROWTH"] == "1",
    "takes minutes; set CHECK_LOANS_GROWTH=1"))
struct `Growth over 400 days` {
  let scratch: Scratch

  init() throws {
    scratch = try Scratch()
  }

  /// Which loans are returned.
  enum Returning: CaseIterable {
    /// Those lent longest ago, some days after their expiration.
    case oldest
    /// Any.
    case any
    /// None, but as many are renewed.
    case renewed
  }

  @Test(arguments: Returning.allCases)
  func `The file stays within three times its first size, a run within its time`(
    returning: Returning
  ) throws {
    var dice = Dice(state: 1)
    var next = 0
    let start = day("2026-01-01")
    func lend(on day: CivilDate, for days: Int) -> Book {
      next += 1
      var book = Book(
        String(40_000_000 + next), day.adding(days: days),
        title: "A tale of \(next) cities and \(next % 7) villages")
      book.isComplete = true
      return book
    }
    let loans =
      Int(ProcessInfo.processInfo.environment["CHECK_LOANS_GROWTH_LOANS"] ?? "") ?? 100_000
    let turnover = loans / 25
    var books = (0..<loans).map { lend(on: start, for: $0 / turnover - 3) }
    var times: [Duration] = []
    var sizes: [Int] = []
    for number in 0...400 {
      let today = start.adding(days: number)
      if number > 0 {
        let replaced: [Int] =
          returning == .oldest
          ? Array(0..<turnover)
          : (0..<turnover).map { _ in Int.random(in: books.indices, using: &dice) }
        if returning == .renewed {
          for index in replaced {
            books[index].expiration = today.adding(days: Int.random(in: 0...2, using: &dice))
          }
        } else {
          for index in Set(replaced).sorted(by: >) { books.remove(at: index) }
          while books.count < loans { books.append(lend(on: today, for: 21)) }
        }
      }
      times.append(try run(books, on: today))
      sizes.append(try scratch.bytes(scratch.file).count)
    }
    let (first, last) = (sizes[0], sizes[400])
    let daily = times[1...5].sorted()[2]
    let final = times[396...400].sorted()[2]
    print(
      "\(returning): \(loans) loans, first \(first >> 10) KB, last \(last >> 10) KB, ratio "
        + "\(Double(last) / Double(first)); first run \(times[0]), next \(daily), last \(final)")
    #expect(last <= 3 * first)
    #expect(final <= times[0] * 1.5)
  }

  /// - Returns: the processor's time, which no other work of the machine makes longer.
  private func run(_ books: [Book], on today: CivilDate) throws -> Duration {
    try threadTime {
      let schedule = try Schedule(opening: scratch.file)
      let now = "\(today)T07:00"
      try schedule.load(books, at: now)
      let due = try schedule.due(at: moment(now), channel: "stdout")
      for start in stride(from: 0, to: due.count, by: 500) {
        let part = due[start..<min(start + 500, due.count)].map { [$0] }
        var sending = try schedule.beginSending(
          part.map { $0[...] }, channel: "stdout", at: moment(now))
        for _ in part { try sending.noteSent() }
        try sending.finish()
      }
    }
  }
}
