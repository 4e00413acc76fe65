import Foundation
import Loans
@testable import ReminderSchedule
import Synchronization
import Testing

@Suite struct `The file of a schedule` {
  let scratch: Scratch

  init() throws {
    scratch = try Scratch()
  }

  /// What opening refuses with.
  private func refusal(_ path: String) -> ScheduleError? {
    do throws(ScheduleError) {
      _ = try Schedule(opening: path)
      return nil
    } catch {
      return error
    }
  }

  private func makeSchedule() throws {
    try Schedule(opening: scratch.file).load([Book("bk1", "2026-11-22")])
  }

  @Test func `File, lock and missing directories are made for us alone`() throws {
    let previous = umask(0)
    defer { umask(previous) }
    let path = scratch.path("state/check-loans/schedule.sqlite")
    try Schedule(opening: path).load([Book("bk1", "2026-11-22")])
    #expect(try scratch.mode(path) == 0o600)
    #expect(try scratch.mode(path + ".lock") == 0o600)
    #expect(try scratch.mode(scratch.path("state/check-loans")) == 0o700)
    #expect(try scratch.mode(scratch.path("state")) == 0o700)
  }

  @Test func `A schedule is there again when it is opened again`() throws {
    try makeSchedule()
    let schedule = try Schedule(opening: scratch.file)
    #expect(try schedule.told(at: "2026-11-21") == ["reminder bk1 2026-11-22"])
    #expect(try schedule.summary(of: [Book("bk1", "2026-11-22")])?.unchanged == 1)
  }

  @Test func `The file is marked as ours, version 1`() throws {
    try makeSchedule()
    let bytes = try scratch.bytes(scratch.file)
    #expect(Array(bytes[68..<72]) == Array("LOAN".utf8))
    #expect(Array(bytes[60..<64]) == [0, 0, 0, 1])
  }

  @Test func `Tables of another text have another version`() {
    let digest = SHA256.hexadecimal(Schema.tables.joined(separator: "\n").utf8)
    #expect(
      [Schema.version: digest] == [
        1: "35a82088049fdc0dd5d3edac062495536602595b57c5a7c9080a37c18c92d752"
      ],
      "raise the version, and let Schema.check bring files of the one before up to date")
  }

  @Test func `The states of deliveries are stored as numbers that never change`() {
    let states = [Delivery.State.sending, .delivered, .failed, .undeliverable]
    #expect(states.map(\.stored) == [0, 1, 2, 3])
    #expect((0...3).map(Delivery.State.init(stored:)) == states)
    #expect([-1, 4].map(Delivery.State.init(stored:)) == [.sending, .sending])
  }

  @Test func `Other views cost no notice, and become ours when the file is opened for writing`()
    throws
  {
    try makeSchedule()
    let views = "SELECT name, sql FROM sqlite_master WHERE type = 'view' ORDER BY name"
    func found() throws -> [[String?]] {
      try Database(scratch.file).rows(views) { [$0.text(0), $0.text(1)] }
    }
    let ours = try found()
    #expect(ours.map(\.first) == ["deliveries", "reminders", "silences"])
    try Schedule(opening: scratch.file).deliver(at: "2026-11-21")
    try Database(scratch.file).execute(
      """
      DROP VIEW deliveries; DROP VIEW silences;
      CREATE VIEW silences AS SELECT reason FROM silence
      """)
    let others = try found()
    let reader = try ScheduleReader(opening: scratch.file)
    #expect(try reader.due(at: moment("2026-11-21"), channel: "stdout").isEmpty)
    #expect(try Schedule(rehearsing: scratch.file).told(at: "2026-11-21") == [])
    #expect(try found() == others)
    #expect(try Schedule(opening: scratch.file).told(at: "2026-11-21") == [])
    #expect(try found() == ours)
    #expect(try scratch.names() == ["schedule.sqlite", "schedule.sqlite.lock"])
  }

  @Test func `A table in the place of a view is damage`() throws {
    try makeSchedule()
    try Database(scratch.file).execute("DROP VIEW reminders; CREATE TABLE reminders (a)")
    #expect(refusal(scratch.file)?.code == .damaged)
  }

  @Test func `Damage to the list of free pages is seen beside views made anew`() throws {
    do {
      let schedule = try Schedule(opening: scratch.file)
      try schedule.load((0..<2_000).map { Book("bk\($0)", "2026-11-22") })
      #expect(try schedule.forget(catalogue: "books.xml") == 2_000)
    }
    try Database(scratch.file).execute("DROP VIEW deliveries")
    _ = try Schedule(opening: scratch.file)
    let page = try Int(scratch.bytes(scratch.file)[32..<36].reduce(0) { $0 << 8 | UInt32($1) })
    // How many pages the first page of the list names.
    try scratch.patch(scratch.file, at: (page - 1) * 4_096 + 4, with: 1 << 22)
    #expect(refusal(scratch.file)?.code == .damaged)
  }

  @Test func `A file that others may read becomes ours alone`() throws {
    try makeSchedule()
    try scratch.setMode(0o644, of: scratch.file)
    try makeSchedule()
    #expect(try scratch.mode(scratch.file) == 0o600)
  }

  @Test func `A refused path gets no lock beside it`() throws {
    try makeSchedule()
    try scratch.link(scratch.path("link.sqlite"), to: scratch.file)
    try scratch.write(Data("text".utf8), to: scratch.path("text"))
    let others = scratch.path("others.sqlite")
    try scratch.copy(scratch.file, to: others)
    try scratch.patch(others, at: 68, with: 1)
    for name in ["link.sqlite", "text", "others.sqlite"] {
      #expect(refusal(scratch.path(name)) != nil)
      #expect(try !scratch.names().contains(name + ".lock"))
    }
  }

  @Test func `A file that is removed or replaced while in use is an error`() throws {
    let schedule = try Schedule(opening: scratch.file)
    try schedule.load([Book("bk1", "2026-11-22")])
    try scratch.copy(scratch.file, to: scratch.path("copy"))
    try scratch.remove(scratch.file)
    let words = "the schedule \"\(scratch.file)\" was removed or replaced while in use; run again"
    for isReplaced in [false, true] {
      if isReplaced { try scratch.copy(scratch.path("copy"), to: scratch.file) }
      let error = #expect(throws: ScheduleError.self) { try schedule.cancelAll() }
      #expect(error?.code == .inputOutput)
      #expect(error?.message == words)
      #expect(throws: ScheduleError.self) { try schedule.load([Book("bk1", "2026-11-22")]) }
    }
    #expect(try ScheduleReader(opening: scratch.file).list(at: "2026-11-01").count == 1)
  }

  @Test func `A schedule is told by its number from one that takes its place`() throws {
    let number = try Schedule(opening: scratch.file).identity
    #expect(try Schedule(opening: scratch.file).identity == number)
    #expect(try Schedule(rehearsing: scratch.file).identity == number)
    try scratch.remove(scratch.file)
    #expect(try Schedule(opening: scratch.file).identity != number)
    #expect(try Schedule().identity != Schedule().identity)
  }

  @Test func `After a reload that could not begin, the next one can`() throws {
    let schedule = try Schedule(opening: scratch.file)
    let other = try Database(scratch.file)
    try other.execute("BEGIN IMMEDIATE")
    let error = #expect(throws: ScheduleError.self) {
      _ = try schedule.beginReload(of: "books.xml", at: moment("2026-11-01"))
    }
    #expect(error?.code == .locked)
    try other.execute("ROLLBACK")
    _ = try schedule.reload([Book("bk1", "2026-11-22")]).commit(records: 1)
    #expect(try schedule.reader.pending(after: moment("2026-11-01")).count == 1)
  }

  @Test func `A symbolic link is refused`() throws {
    try makeSchedule()
    try scratch.link(scratch.path("link.sqlite"), to: scratch.file)
    let error = refusal(scratch.path("link.sqlite"))
    #expect(error?.code == .notPermitted)
    #expect(
      error?.description
        == "the schedule \"\(scratch.path("link.sqlite"))\" is a symbolic link; "
        + "name another file with --state")
  }

  @Test func `A symbolic link to nothing is refused and not followed`() throws {
    try scratch.link(scratch.path("link.sqlite"), to: scratch.path("target"))
    #expect(refusal(scratch.path("link.sqlite"))?.code == .notPermitted)
    #expect(throws: ScheduleError.self) {
      try ScheduleReader(opening: scratch.path("link.sqlite"))
    }
    #expect(try !scratch.names().contains("target"))
  }

  @Test func `A file with a second name is refused`() throws {
    try makeSchedule()
    try scratch.hardLink(scratch.path("second.sqlite"), to: scratch.file)
    #expect(refusal(scratch.file)?.code == .notPermitted)
  }

  @Test func `What is no regular file is refused`() throws {
    try scratch.makeDirectory(scratch.path("d"), mode: 0o700)
    #expect(refusal(scratch.path("d"))?.code == .notPermitted)
    try scratch.makeFIFO(scratch.path("fifo"))
    #expect(refusal(scratch.path("fifo"))?.code == .notPermitted)
  }

  @Test(arguments: [(0o777, true), (0o770, true), (0o1777, true), (0o755, false)])
  func `A directory that others can write is refused, sticky or not`(
    mode: Int, isRefused: Bool
  ) throws {
    let directory = scratch.path("d")
    try scratch.makeDirectory(directory, mode: mode)
    let error = refusal(directory + "/schedule.sqlite")
    #expect(error?.code == (isRefused ? .notPermitted : nil))
    #expect(isRefused == (error?.path == directory))
  }

  @Test(.enabled(if: geteuid() == 0, "only root can give files away"))
  func `A file or directory of another user is refused`() throws {
    try makeSchedule()
    try scratch.giveAway(scratch.file)
    let error = refusal(scratch.file)
    #expect(error?.code == .notPermitted)
    #expect(
      error?.message
        == "the schedule \"\(scratch.file)\" belongs to the user nobody; run sudo -u nobody check-loans …; "
        + "another file named with --state is another schedule, and sends everything again")
    try scratch.makeDirectory(scratch.path("d"), mode: 0o755)
    try scratch.giveAway(scratch.path("d"))
    let path = scratch.path("d/schedule.sqlite")
    #expect(refusal(path)?.code == .notPermitted)
    #expect(
      refusal(path)?.message.hasSuffix(", or name a file in a directory of your own with --state")
        == true)
    try scratch.write(Data(), to: path)
    #expect(refusal(path)?.message.hasSuffix("and sends everything again") == true)
  }

  @Test func `A directory that cannot be made is said`() throws {
    try scratch.write(Data(), to: scratch.path("file"))
    #expect(refusal(scratch.path("file/schedule.sqlite"))?.code == .cannotCreate)
    #expect(refusal(scratch.path("file/deeper/schedule.sqlite"))?.code == .cannotCreate)
    #expect(refusal("/proc/none/schedule.sqlite")?.code == .cannotCreate)
  }

  @Test(arguments: ["garbage", String(repeating: "garbage ", count: 2_000)])
  func `A file that is no database is refused and left untouched`(text: String) throws {
    try scratch.write(Data(text.utf8), to: scratch.file)
    let error = refusal(scratch.file)
    #expect(error?.code == .notASchedule)
    #expect(
      error?.message
        == "\"\(scratch.file)\" is not a database; "
        + "move it away or name another file with --state")
    #expect(try scratch.bytes(scratch.file) == Data(text.utf8))
    #expect(throws: ScheduleError.self) { try ScheduleReader(opening: scratch.file) }
    #expect(try scratch.names() == ["schedule.sqlite"])
  }

  @Test(arguments: [
    (68, UInt32(0x4746_5347), "belongs to another program"),
    (68, UInt32(0), "belongs to another program"),
    (60, UInt32(5), "was written by a newer version of check-loans"),
  ])
  func `Another program's or a newer version's file is refused and left untouched`(
    offset: Int, number: UInt32, what: String
  ) throws {
    try makeSchedule()
    try scratch.patch(scratch.file, at: offset, with: number)
    let before = try scratch.bytes(scratch.file)
    let error = refusal(scratch.file)
    #expect(error?.code == .notASchedule)
    #expect(error?.message.contains(what) == true)
    #expect(try scratch.bytes(scratch.file) == before)
    #expect(throws: ScheduleError.self) { try ScheduleReader(opening: scratch.file) }
    #expect(throws: ScheduleError.self) { try Schedule(rehearsing: scratch.file) }
  }

  @Test func `An empty file is a new schedule`() throws {
    try scratch.write(Data(), to: scratch.file)
    #expect(try ScheduleReader(opening: scratch.file).list(at: "2026-11-01") == [])
    #expect(try scratch.bytes(scratch.file).isEmpty)
    try makeSchedule()
    #expect(try ScheduleReader(opening: scratch.file).list(at: "2026-11-01").count == 1)
  }

  @Test(arguments: [":memory:", "file:x?mode=memory", "with space\nand line"])
  func `A name is only ever a name`(name: String) throws {
    try Schedule(opening: scratch.path(name)).load([Book("bk1", "2026-11-22")])
    #expect(try scratch.names() == [name, name + ".lock"])
  }

  @Test func `Names in messages are harmless on a terminal`() throws {
    let path = scratch.path("\u{1b}[2J")
    try scratch.makeDirectory(path, mode: 0o700)
    #expect(refusal(path)?.description.contains("\u{1b}") == false)
  }
}

@Suite struct `The lock of a schedule` {
  let scratch: Scratch

  init() throws {
    scratch = try Scratch()
  }

  @Test func `A second run is refused at once, or when its time is over`() throws {
    let first = try Schedule(opening: scratch.file)
    let start = ContinuousClock.now
    let error = #expect(throws: ScheduleError.self) {
      try Schedule(opening: scratch.file, timeout: .milliseconds(120))
    }
    #expect(error?.code == .locked)
    #expect(
      error?.message == "another run holds the lock \"\(scratch.file).lock\"; try again")
    #expect(ContinuousClock.now - start >= .milliseconds(120))
    try first.load([])
  }

  @Test func `A lock that is another file's second name is refused, and not written`() throws {
    let path = scratch.path("foreign")
    #expect(FileManager.default.createFile(atPath: path, contents: Data([1, 2, 3])))
    try FileManager.default.linkItem(atPath: path, toPath: scratch.file + ".lock")
    let error = #expect(throws: ScheduleError.self) { try Schedule(opening: scratch.file) }
    #expect(error?.code == .notPermitted)
    #expect(FileManager.default.contents(atPath: path) == Data([1, 2, 3]))
  }

  @Test func `The lock is free when its holder goes, and its file stays`() throws {
    do { _ = try Schedule(opening: scratch.file) }
    _ = try Schedule(opening: scratch.file)
    #expect(try scratch.names() == ["schedule.sqlite", "schedule.sqlite.lock"])
  }

  @Test func `A run that waits gets the lock when it is free`() throws {
    let file = scratch.file
    let descriptor = try scratch.open(file + ".lock")
    #expect(flock(descriptor, LOCK_EX) == 0)
    // Who lets go of the lock must not need the thread that waits for it, of which there are few.
    Thread.detachNewThread {
      Thread.sleep(forTimeInterval: 0.1)
      close(descriptor)
    }
    let schedule = try Schedule(opening: file, timeout: .seconds(300))
    #expect(try schedule.told(at: "2026-11-21") == [])
  }

  @Test func `A refused schedule lets go of the lock`() throws {
    try scratch.write(Data("garbage".utf8), to: scratch.file)
    #expect(throws: ScheduleError.self) { try Schedule(opening: scratch.file) }
    // Once the file is ours, its opening would wait for the lock, and be refused.
    try FileManager.default.removeItem(atPath: scratch.file)
    _ = try Schedule(opening: scratch.file)
  }

  @Test(arguments: ["[[package]]", "1", "1Sender"])
  func `Another program's file in the place of the lock is refused and left`(text: String) throws {
    try scratch.write(Data(text.utf8), to: scratch.file + ".lock")
    let error = #expect(throws: ScheduleError.self) { try Schedule(opening: scratch.file) }
    #expect(error?.code == .notPermitted)
    #expect(
      error?.message == "\"\(scratch.file).lock\" is not a lock of check-loans; name another file "
        + "with --state")
    #expect(try scratch.bytes(scratch.file + ".lock") == Data(text.utf8))
    #expect(try scratch.names() == ["schedule.sqlite.lock"])
  }

  @Test func `A lock of zeros, or one that counted, is ours without a schedule too`() throws {
    try scratch.write(Data(repeating: 0, count: 64), to: scratch.file + ".lock")
    do {
      let schedule = try Schedule(opening: scratch.file)
      try schedule.load([Book("bk1", "2026-11-22")])
      try schedule.deliver(at: "2026-11-21")
    }
    try scratch.remove(scratch.file)
    _ = try Schedule(opening: scratch.file)
  }

  @Test func `A lock that is a symbolic link is refused`() throws {
    try scratch.link(scratch.file + ".lock", to: scratch.path("target"))
    let error = #expect(throws: ScheduleError.self) {
      try Schedule(opening: scratch.file)
    }
    #expect(error?.code == .notPermitted)
    #expect(
      error?.message
        == "the lock \"\(scratch.file).lock\" is a symbolic link; remove it")
    #expect(try scratch.names() == ["schedule.sqlite.lock"])
  }

  @Test(.enabled(if: geteuid() != 0, "root may open everything"))
  func `A lock that may not be opened is not to be removed`() throws {
    try scratch.write(Data(), to: scratch.file + ".lock")
    try FileManager.default.setAttributes(
      [.posixPermissions: 0], ofItemAtPath: scratch.file + ".lock")
    let error = #expect(throws: ScheduleError.self) { try Schedule(opening: scratch.file) }
    #expect(error?.code == .notPermitted)
    #expect(
      error?.message
        == "no permission to use the lock \"\(scratch.file).lock\"; name another schedule with --state"
    )
  }

  @Test func `Children do not inherit the lock or the file`() throws {
    let schedule = try Schedule(opening: scratch.file)
    let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
      .compactMap { Int32($0) }
    let ours = descriptors.filter { descriptor in
      let target = try? FileManager.default
        .destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)")
      return target?.hasPrefix(scratch.directory) ?? false
    }
    #expect(ours.count >= 2)
    for descriptor in ours { #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0) }
    try schedule.load([])
  }
}

@Suite struct `Reading a schedule` {
  let scratch: Scratch

  init() throws {
    scratch = try Scratch()
  }

  @Test func `A schedule that is not there is empty, and stays so`() throws {
    let reader = try ScheduleReader(opening: scratch.path("none/schedule.sqlite"))
    #expect(try reader.list(at: "2026-11-01") == [])
    #expect(try reader.due(at: moment("2026-11-01"), channel: "stdout", catalogues: nil) == [])
    #expect(try reader.pending(after: moment("2026-11-01")).nextFireAt == nil)
    #expect(try reader.pending(after: moment("2026-11-01")).count == 0)
    #expect(try scratch.names() == [])
  }

  @Test func `It needs no lock, and sees the old state while a reload is under way`() throws {
    let schedule = try Schedule(opening: scratch.file)
    try schedule.load([Book("bk1", "2026-11-22")])
    var seen: [String] = []
    let reload = try schedule.reload([Book("x", "2027-01-01")])
    seen = try ScheduleReader(opening: scratch.file).list(at: "2026-11-01").map(\.words)
    _ = try reload.commit(records: 1)
    #expect(seen == ["2026-11-21T00:00 reminder bk1 pending"])
    let after = try ScheduleReader(opening: scratch.file).list(at: "2026-11-01").map(\.words)
    #expect(after == ["2026-12-31T00:00 reminder x pending"])
  }

  @Test func `It writes nothing, not even a journal`() throws {
    try Schedule(opening: scratch.file).load([Book("bk1", "2026-11-22")])
    let before = (try scratch.modified(scratch.file), try scratch.modified(scratch.directory))
    #expect(try ScheduleReader(opening: scratch.file).list(at: "2026-11-01").count == 1)
    #expect(try scratch.modified(scratch.file) == before.0)
    #expect(try scratch.modified(scratch.directory) == before.1)
  }

  @Test func `What a killed run left half done is undone before it is read`() throws {
    let schedule = try Schedule(opening: scratch.file)
    try schedule.load((0..<60_000).map { Book("bk\($0)", "2026-11-22") })
    let (half, journal) = (scratch.path("half.sqlite"), scratch.path("half.sqlite-journal"))
    do {
      let reload = try schedule.reload(
        (0..<60_000).map {
          Book("bk\($0)", "2026-12-22", title: String(repeating: "long ", count: 80))
        })
      try scratch.copy(scratch.file, to: half)
      try scratch.copy(scratch.file + "-journal", to: journal)
      _ = consume reload
    }
    #expect(try scratch.bytes(half) != scratch.bytes(scratch.file))
    #expect(try scratch.bytes(journal).count > 4_096)
    let reader = try ScheduleReader(opening: half)
    let count = try reader.pending(after: moment("2026-11-01")).count
    #expect(count == 60_000)
    #expect(
      try reader.pending(after: moment("2026-11-01")).nextFireAt == moment("2026-11-21"))
    #expect(try !scratch.names().contains("half.sqlite-journal"))
  }
}

@Suite(.enabled(if: geteuid() != 0, "root may write everywhere"))
struct `A schedule without permission` {
  @Test func `It is said to be a matter of permission`() throws {
    let scratch = try Scratch()
    try Schedule(opening: scratch.file).load([Book("bk1", "2026-11-22")])
    try scratch.setMode(0o000, of: scratch.file)
    let reading = #expect(throws: ScheduleError.self) { try ScheduleReader(opening: scratch.file) }
    #expect(reading?.code == .notPermitted)
    let writing = #expect(throws: ScheduleError.self) {
      try Schedule(opening: scratch.file)
    }
    #expect(writing?.code == .notPermitted)
    for mode in [0o000, 0o200, 0o400] {
      for hasLock in [true, false] {
        try scratch.setMode(mode, of: scratch.file)
        if !hasLock { try? scratch.remove(scratch.file + ".lock") }
        let error = #expect(throws: ScheduleError.self) {
          // One that can be read is refused as soon as something is to be written.
          try Schedule(opening: scratch.file).cancelAll()
        }
        #expect(error?.code == .notPermitted)
        #expect(error?.description.contains("Failure") == false)
      }
    }
  }
}
