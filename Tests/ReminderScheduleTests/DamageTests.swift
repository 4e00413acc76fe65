import Foundation
import Loans
import ReminderSchedule
import TestSupport
import Testing

@Suite struct `A damaged schedule` {
  let scratch: Scratch
  let books = (1...6).map { Book("bk\($0)", "2026-11-2\($0)") }

  init() throws {
    scratch = try Scratch()
    let schedule = try Schedule(opening: scratch.file)
    try schedule.load(books)
    try schedule.deliver(at: "2026-11-21")
  }

  private func error() -> ScheduleError? {
    do throws(ScheduleError) {
      _ = try Schedule(opening: scratch.file)
      return nil
    } catch {
      return error
    }
  }

  @Test func `It is reported and left as it is, by a writer and by a reader`() throws {
    var bytes = try scratch.bytes(scratch.file)
    for index in 4_096..<bytes.count { bytes[index] = 0xA5 }
    try scratch.write(bytes, to: scratch.file)
    let errors = [
      error(),
      #expect(throws: ScheduleError.self) {
        try ScheduleReader(opening: scratch.file).list(at: "2026-11-21")
      },
    ]
    for error in errors {
      #expect(error?.code == .damaged)
      #expect(
        error?.message
          == "the schedule \"\(scratch.file)\" is damaged; restore it from a backup, or move it away "
          + "with its journal: the next run then makes a new one, without a record of what was "
          + "delivered")
    }
    #expect(try scratch.bytes(scratch.file) == bytes)
    #expect(try scratch.names() == ["schedule.sqlite", "schedule.sqlite.lock"])
  }

  @Test func `What is no journal, where there is no schedule, is left`() throws {
    try scratch.remove(scratch.file)
    try scratch.write(Data("Dear diary".utf8), to: scratch.file + "-journal")
    #expect(error()?.code == .notPermitted)
    #expect(try scratch.bytes(scratch.file + "-journal") == Data("Dear diary".utf8))
  }

  @Test(arguments: [true, false])
  func `What is no database where a schedule was is left`(hasLock: Bool) throws {
    if !hasLock { try scratch.remove(scratch.file + ".lock") }
    for bytes in [
      Data((0..<9_000).map { UInt8($0 * 7 % 256) }), Data("a text, where a schedule was".utf8),
    ] {
      try scratch.write(bytes, to: scratch.file)
      #expect(error()?.code == .notASchedule)
      #expect(try scratch.bytes(scratch.file) == bytes)
    }
  }

  @Test func `Damage that shows only while it is used is reported too`() throws {
    try scratch.remove(scratch.file)
    do {
      let many = (0..<60_000).map { Book("bk\($0)", "2026-11-22") }
      try Schedule(opening: scratch.file).load(many)
    }
    var bytes = try scratch.bytes(scratch.file)
    #expect(bytes.count > 4 << 20)
    for index in bytes.count / 2..<bytes.count { bytes[index] = 0xA5 }
    try scratch.write(bytes, to: scratch.file)
    let schedule = try Schedule(opening: scratch.file)
    let error = #expect(throws: ScheduleError.self) { try schedule.load(books) }
    #expect(error?.code == .damaged)
    #expect(try scratch.bytes(scratch.file) == bytes)
    #expect(throws: ScheduleError.self) { try schedule.cancelAll() }
  }

  @Test func `Damage to the list of free pages, perhaps seen only when writing, is reported too`()
    throws
  {
    let many = (0..<2_000).map { Book("bk\($0)", "2026-11-22") }
    do {
      let schedule = try Schedule(opening: scratch.file)
      try schedule.load(many)
      #expect(try schedule.forget(catalogue: "books.xml") == 2_000)
    }
    var bytes = try scratch.bytes(scratch.file)
    let page = bytes[32..<36].reduce(0) { $0 << 8 | Int($1) }
    #expect(page > 0)
    // How many pages the first page of the list names.
    bytes[(page - 1) * 4_096 + 5] ^= 1 << 6
    try scratch.write(bytes, to: scratch.file)
    let error = #expect(throws: ScheduleError.self) {
      try Schedule(opening: scratch.file).load(many)
    }
    #expect(error?.code == .damaged)
    #expect(try scratch.bytes(scratch.file) == bytes)
  }

  @Test func `Damage that shows only while a catalogue is read is reported too`() throws {
    try scratch.remove(scratch.file)
    let many = (0..<60_000).map { Book("bk\($0)", "2026-11-22") }
    try Schedule(opening: scratch.file).load(many)
    var bytes = try scratch.bytes(scratch.file)
    let middle = bytes.count / 4_096 / 2 * 4_096
    for index in middle..<middle + 200 * 4_096 { bytes[index] = 0xA5 }
    try scratch.write(bytes, to: scratch.file)
    let schedule = try Schedule(opening: scratch.file)
    let error = #expect(throws: ScheduleError.self) {
      _ = try schedule.reload(many, at: "2026-11-21")
    }
    #expect(error?.code == .damaged)
    #expect(try scratch.bytes(scratch.file) == bytes)
  }

  /// What a run would do: reload, then deliver what is due.
  private func run() throws -> [String] {
    // Programs that other tests start hold a copy of the lock for a moment.
    let schedule = try Schedule(opening: scratch.file)
    try schedule.load(books, at: "2026-11-23")
    let told = try schedule.told(at: "2026-11-23")
    try schedule.deliver(at: "2026-11-23")
    return told
  }

  /// Runs on a file with a bit turned over, and without it if that is damage.
  private func run(flipping bit: Int, in whole: Data) throws -> (told: [String], isSeen: Bool)? {
    var bytes = whole
    bytes[bit / 8] ^= 1 << UInt8(bit % 8)
    try scratch.write(bytes, to: scratch.file)
    do {
      return (try run(), false)
    } catch {
      let cause = error as? ScheduleError
      if cause?.code == .notASchedule { return nil }
      #expect(cause?.code == .damaged, "bit \(bit): \(error)")
      try scratch.remove(scratch.file)
      return (try run(), true)
    }
  }

  @Test func `A bit turned over anywhere loses no notice that can be known`() throws {
    let whole = try scratch.bytes(scratch.file)
    let expected = Set(try run())
    var dice = Dice(state: 7)
    var (same, seen, refused, again) = (0, 0, 0, 0)
    let offsets = Self.usedOffsets(of: whole)
    for _ in 0..<Self.flips {
      let offset = offsets.randomElement(using: &dice) ?? 0
      let bit = offset * 8 + Int.random(in: 0..<8, using: &dice)
      guard let (told, isSeen) = try run(flipping: bit, in: whole) else {
        // Only the header says whose the file is, and of which version.
        #expect((60..<64).contains(offset) || (68..<72).contains(offset))
        refused += 1
        continue
      }
      if isSeen {
        seen += 1
      } else if told.count == expected.count {
        same += 1
      } else {
        again += 1
      }
      // The ledger has no second copy of its own, so only loans never told of must be told now.
      #expect(
        told.contains { $0.hasPrefix("reminder") && $0.hasSuffix("bk4 2026-11-24") },
        "bit \(bit): \(told)")
    }
    print(
      "bit flips: \(same) as before, \(again) told more or less, \(seen) seen, "
        + "\(refused) refused")
    #expect(seen > Self.flips / 10)
    #expect(same > Self.flips / 10)
  }

  /// All that can be asked of a schedule that is opened for reading, which does not look for damage
  /// beforehand.
  private func readAll() throws {
    let now = moment("2026-11-23")
    let reader = try ScheduleReader(opening: scratch.file)
    _ = try reader.due(at: now, channel: "stdout")
    _ = try reader.openCount(at: now)
    _ = try reader.pending(after: now)
    _ = try reader.returned(at: "2026-11-23")
    for entry in try reader.list(at: "2026-11-23") {
      _ = try reader.history(of: entry.id, at: now)
    }
    let rehearsal = try Schedule(rehearsing: scratch.file)
    _ = try rehearsal.daysSetBack(at: now)
    try rehearsal.load(books, at: "2026-11-24")
    try rehearsal.deliver(at: "2026-11-24")
  }

  @Test func `A file that is damaged anywhere is read on or refused, never a crash`() throws {
    do {
      // Loans that have left, and a sending that has no end.
      let schedule = try Schedule(opening: scratch.file)
      for last in ["2026-11-01", "2026-11-21", "2026-12-30"] {
        try schedule.load(
          [Book("gone", "2026-11-02"), Book("b", "2027-01-01")], from: "b", at: last)
        try schedule.deliver(at: "2026-11-02")
        try schedule.load([Book("b", "2027-01-01")], from: "b", at: last)
      }
      let now = moment("2026-11-22")
      let due = try schedule.due(at: now, channel: "stdout")
      #expect(!due.isEmpty)
      try schedule.send(due, through: "stdout", at: now, end: .none)
    }
    let whole = try scratch.bytes(scratch.file)
    let offsets = Self.usedOffsets(of: whole)
    var dice = Dice(state: 11)
    for _ in 0..<Self.flips * 5 {
      var bytes = whole
      let offset = offsets.randomElement(using: &dice) ?? 0
      bytes[offset] = UInt8.random(in: 0...255, using: &dice)
      try scratch.write(bytes, to: scratch.file)
      do {
        try readAll()
      } catch {
        let cause = error as? ScheduleError
        let isKnown = cause.map { $0.underlying?.contains("Error(") != true } ?? false
        #expect(isKnown, "byte \(offset) as \(bytes[offset]): \(error)")
      }
    }
  }

  /// How many bits are tried: 100, or more where the environment says so.
  private static var flips: Int {
    ProcessInfo.processInfo.environment["CHECK_LOANS_BIT_FLIPS"].flatMap { Int($0) } ?? 100
  }

  /// Where something is stored: all bytes but the zeros between a page's list and its content.
  private static func usedOffsets(of bytes: Data) -> [Int] {
    bytes.indices.filter { bytes[$0] != 0 || $0 % 4_096 < 120 }
  }
}
