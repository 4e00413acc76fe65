import SystemPackage
import TestSupport
import Testing

@testable import CommandOutput
@testable import Runs
@testable import Settings

/// Whether every way to change a file is seen, and nothing else.
struct FileWatchTests {
  private let folder: ScratchFolder
  private let books = WatchEvent.catalogue(0)

  init() async throws {
    folder = try ScratchFolder()
    // Not by this process: a child that a parallel test starts would for a moment have the file open
    // too, and close it again while it is watched.
    try await shell("printf one > books.xml")
  }

  private func shell(_ line: String) async throws {
    let command = Command(
      "/bin/sh", ["-ec", line], environment: ["PATH": "/usr/bin:/bin"], directory: folder.path)
    let result = try await command.run()
    #expect(result.status == 0, "\(line): \(result.errorText)")
  }

  private func watch(_ name: String = "books.xml") throws -> FileWatch {
    try FileWatch([books: ["\(folder.path)/\(name)"]])
  }

  @Test(arguments: [
    "echo two > books.xml", "echo two >> books.xml", "cp /dev/null books.xml",
    "echo two > new; mv new books.xml", "sed -i s/one/two/ books.xml",
    "mv books.xml books.xml~; echo two > books.xml; rm books.xml~", "rm books.xml",
    "mv books.xml away", "rm books.xml; echo two > books.xml", "chmod 400 books.xml",
    "touch books.xml", "echo two > new; ln -f new books.xml",
    "echo two > new; ln -sf new books.xml",
    "truncate -s 0 books.xml; (sleep 0.05; echo two) >> books.xml",
  ])
  func `A change of the file is seen, and the next one too`(line: String) async throws {
    var watch = try watch()
    #expect(watch.read() == FileChanges())
    try await shell(line)
    #expect(watch.read().changed == [books])
    try await shell("rm -rf books.xml; echo three > books.xml")
    #expect(watch.read().changed == [books])
    try await shell("echo four > books.xml")
    #expect(watch.read().changed == [books])
    #expect(watch.read() == FileChanges())
  }

  @Test(arguments: [
    "cat books.xml", "echo x > other; rm other", "ls -l . books.xml", "mkdir d; touch d/books.xml",
    "cp books.xml copy; mv copy copy2", "stat books.xml; : < books.xml",
  ])
  func `Reading the file, or changing another, is not a change`(line: String) async throws {
    var watch = try watch()
    try await shell(line)
    #expect(watch.read() == FileChanges())
  }

  @Test(.timeLimit(.minutes(10)))
  func `A file that somebody writes to and does not close is told apart`() async throws {
    var watch = try watch()
    let writer = Task { [self] in
      try await shell("exec 3>>books.xml; echo x >&3; until test -e done; do sleep 0.05; done")
    }
    var changes = FileChanges()
    while changes == FileChanges() {
      try await Task.sleep(for: .milliseconds(10))
      changes = watch.read()
    }
    #expect(changes == FileChanges(written: [books]))
    try folder.write("", to: "done")
    try await writer.value
    #expect(watch.read() == FileChanges(changed: [books]))
  }

  @Test func `Another version of a directory, put there by a link, is seen`() async throws {
    try await shell(
      "mkdir v1 v2; echo a > v1/l.xml; echo b > v2/l.xml; ln -s v1 data; ln -s data/l.xml l.xml")
    var watch = try watch("l.xml")
    try await shell("echo c > v1/l.xml")
    #expect(watch.read().changed == [books])
    try await shell("ln -s v2 data_new; mv -T data_new data")
    #expect(watch.read().changed == [books])
    try await shell("echo c > v1/l.xml; rm -r v1")
    #expect(watch.read() == FileChanges(), "it is nowhere on the way any more")
    try await shell("echo d > v2/l.xml")
    #expect(watch.read().changed == [books])
  }

  @Test func `A directory that is replaced, is not there, or comes back is seen`() async throws {
    var watch = try watch("a/b/books.xml")
    try await shell("mkdir a")
    #expect(watch.read().changed == [books])
    try await shell("mkdir a/b")
    #expect(watch.read().changed == [books])
    try await shell("echo one > a/b/books.xml")
    #expect(watch.read().changed == [books])
    try await shell("mv a away; mkdir -p a/b; echo two > a/b/books.xml")
    #expect(watch.read().changed == [books])
    try await shell("echo three > away/b/books.xml")
    #expect(watch.read() == FileChanges())
    try await shell("rm -r a")
    #expect(watch.read().changed == [books])
    try await shell("mv away a")
    #expect(watch.read().changed == [books])
    try await shell("echo four > a/b/books.xml")
    #expect(watch.read().changed == [books])
  }

  @Test func `What is made at once with its directories is not missed`() async throws {
    for round in 0..<20 {
      var watch = try watch("r\(round)/s/t/books.xml")
      try await shell("mkdir -p r\(round)/s/t; echo x > r\(round)/s/t/books.xml")
      #expect(watch.read().changed == [books])
      try await shell("echo y > r\(round)/s/t/books.xml")
      #expect(watch.read().changed == [books])
    }
  }

  @Test func `Links that lead to each other, or upwards, do no harm`() async throws {
    try await shell("ln -s loop2 loop1; ln -s loop1 loop2; mkdir d; ln -s ../books.xml d/up.xml")
    var watch = try FileWatch([
      .catalogue(1): ["\(folder.path)/loop1"], .catalogue(2): ["\(folder.path)/./d/up.xml"],
    ])
    try await shell("echo two > books.xml")
    #expect(watch.read().changed == [.catalogue(2)])
    try await shell("rm loop1; echo x > loop1")
    #expect(watch.read().changed == [.catalogue(1)])
  }

  @Test func `Two files of one directory are told apart, one file of two names is not`()
    async throws
  {
    try await shell("echo x > other; ln -s books.xml link")
    var watch = try FileWatch([
      .catalogue(0): ["\(folder.path)/books.xml"], .catalogue(1): ["\(folder.path)/other"],
      .settings: ["\(folder.path)/link"],
    ])
    try await shell("echo two > books.xml")
    #expect(watch.read().changed == [.catalogue(0), .settings])
    try await shell("echo two > other")
    #expect(watch.read().changed == [.catalogue(1)])
  }

  @Test func `More changes than the system remembers count as changes of everything`()
    async throws
  {
    let limit = try #require(
      Int(
        try File.text(of: "/proc/sys/fs/inotify/max_queued_events")
          .split(separator: "\n").first ?? ""))
    var watch = try FileWatch([
      books: ["\(folder.path)/books.xml"], .catalogue(1): ["\(folder.path)/other"],
    ])
    // Two names in turn, because equal events are counted as one.
    try await shell(
      """
      i=0; while [ $i -lt \(limit / 2 + 100) ]; do : > x; : > y; i=$((i+1)); done
      """)
    var changed: Set<WatchEvent> = []
    for _ in 0..<10 { changed.formUnion(watch.read().changed) }
    #expect(changed == [books, .catalogue(1)])
    try await shell("echo two > books.xml")
    #expect(watch.read().changed == [books])
  }

  @Test func `Where the system gives out, the old watches stay, and it is tried again`()
    async throws
  {
    var watch = try watch()
    // Links whose way is longer than any path may be.
    let name = String(repeating: "d", count: 200)
    let step = "\(name)/".repeated(12)
    try await shell(
      """
      for round in 1 2; do
        for i in 1 2 3 4 5 6 7 8 9 10 11 12; do mkdir \(name); cd -P ./\(name); done
        if [ $round = 1 ]; then ln -s \(step)books.xml next; fi
      done
      echo deep > books.xml
      """)
    try await shell("ln -s \(step)next new; mv -T new books.xml")
    #expect(watch.read().changed == [books])
    #expect(watch.failure?.rawValue == 36, "ENAMETOOLONG")
    try await shell("rm books.xml; echo two > books.xml")
    #expect(watch.read().changed == [books])
    #expect(watch.failure == nil)
    try await shell("echo three > books.xml")
    #expect(watch.read().changed == [books])
    try folder.makeLink("long", to: "\(folder.path)/\(step)next")
    #expect(throws: (any Error).self) { _ = try self.watch("long") }
  }

  @Test func `However often files and directories are replaced, nothing is left behind`()
    async throws
  {
    var watch = try watch("a/books.xml")
    for round in 0..<20 {
      try await shell("rm -rf a b; mkdir b; echo \(round) > b/books.xml; ln -sfn b a")
      #expect(watch.read().changed == [books])
    }
    let inotify = try File.text(of: "/proc/self/fdinfo/\(watch.descriptor)")
    let watches = inotify.split(separator: "\n").count { $0.hasPrefix("inotify wd") }
    let depth = "\(folder.path)".split(separator: "/").count
    #expect(watches == depth + 2, "the directories from the root to the folder, and b")
  }
}
