import TestSupport
import Testing

/// Whether `watch` needs no more memory and no more descriptors as time goes by.
struct WatchSoakTests {
  /// How long the long test takes, in seconds: 3600 is what it is made for.
  private static let seconds = testVariable("CHECK_LOANS_SOAK").flatMap { Int($0) }

  /// What a process has at one moment.
  private struct Sample {
    /// In KB.
    var memory: Int
    var descriptors: Int
    var threads: Int

    init(of process: Int32) throws {
      var values: [Substring: Int] = [:]
      for line in try File.text(of: "/proc/\(process)/status").split(separator: "\n") {
        let words = line.split(whereSeparator: \.isWhitespace)
        if words.count > 1, let value = Int(words[1]) { values[words[0]] = value }
      }
      memory = values["VmRSS:"] ?? 0
      threads = values["Threads:"] ?? 0
      descriptors = try File.names(in: "/proc/\(process)/fd").count
    }
  }

  private func expectNoGrowth(_ samples: [Sample], sourceLocation: Testing.SourceLocation) {
    // Until the caches are full, memory grows.
    let settled = samples.dropFirst(samples.count / 4)
    let early = settled.prefix(settled.count / 4)
    let late = settled.suffix(settled.count / 4)
    func median(_ samples: ArraySlice<Sample>, _ value: (Sample) -> Int) -> Int {
      samples.map(value).sorted()[samples.count / 2]
    }
    let report = samples.enumerated().filter { $0.offset % max(1, samples.count / 12) == 0 }.map {
      "\($0.element.memory) KB, \($0.element.descriptors) fds, \($0.element.threads) threads"
    }
    print("watch, from its beginning on: \(report.joined(separator: "; "))")
    // A thread that is started later than the others has memory of its own.
    let hasLaterThread = median(late, \.threads) > median(early, \.threads)
    #expect(
      median(late, \.memory) <= median(early, \.memory) + (hasLaterThread ? 1_536 : 512),
      sourceLocation: sourceLocation)
    // A sample may meet a catalogue that is being read; one left open each time would be hundreds.
    #expect(
      median(late, \.descriptors) <= median(early, \.descriptors) + 4,
      sourceLocation: sourceLocation)
    #expect(
      late.map(\.threads).max() ?? 0 <= 2 + (early.map(\.threads).max() ?? 0),
      sourceLocation: sourceLocation)
  }

  private func books(_ round: Int) -> [(title: String, days: Int)] {
    [("Abigél", 1)] + (0..<50).map { ("Book \($0), \(round % ($0 + 1))", 2 + $0) }
  }

  private func reloadQuickly(
    _ count: Int, sourceLocation: Testing.SourceLocation = #_sourceLocation
  ) async throws {
    let watcher = try Watcher([("Abigél", 1)], ["--verbose", "books.xml"])
    try await watcher.wait(for: ["Abigél"])
    var samples: [Sample] = []
    for round in 0..<count {
      let reloads = watcher.reloads(of: "books.xml")
      if round % 2 == 0 { try watcher.write(books(round), to: "new") }
      if round % 2 == 0 { try watcher.desk.folder.rename("new", to: "books.xml") }
      watcher.send(.hangUp)
      try await watcher.wait { watcher.reloads(of: "books.xml") > reloads }
      if round % 10 == 0 { samples.append(try Sample(of: watcher.identifier)) }
      // Else the test takes longer from time to time to read what was told.
      try watcher.desk.folder.setSize(of: "err", 0)
    }
    #expect(try await watcher.end().status == 0)
    #expect(watcher.titles == ["Abigél"])
    expectNoGrowth(samples, sourceLocation: sourceLocation)
  }

  @Test func `Three hundred reloads leave nothing behind`() async throws {
    try await reloadQuickly(300)
  }

  @Test(.enabled(if: seconds != nil, "set CHECK_LOANS_SOAK to a number of seconds"))
  func `Two thousand reloads leave nothing behind`() async throws {
    try await reloadQuickly(2_000)
  }

  @Test(.enabled(if: seconds != nil, "set CHECK_LOANS_SOAK to a number of seconds"))
  func `A reload every second for a long time leaves nothing behind`() async throws {
    let seconds = try #require(Self.seconds)
    let watcher = try Watcher([("Abigél", 1)], ["--verbose", "books.xml"])
    try await watcher.wait(for: ["Abigél"])
    var samples: [Sample] = []
    let start = ShownClock.now
    var reloads = 0
    for round in 0..<seconds {
      switch round % 4 {
      case 0: try watcher.write(books(round))
      case 1:
        try watcher.write(books(round), to: "new")
        try watcher.desk.folder.rename("new", to: "books.xml")
      case 2: try watcher.desk.folder.remove("books.xml")
      default: try watcher.write(books(round) + [("Book", 1)])
      }
      let rest = start + Double(round + 1) - ShownClock.now
      if rest > 0 { try await watcher.pass(seconds: rest) }
      samples.append(try Sample(of: watcher.identifier))
      reloads += watcher.reloads(of: "books.xml")
      try watcher.desk.folder.setSize(of: "err", 0)
    }
    // How far it has come depends on the machine's other work: it ends once the last change is told.
    try watcher.write([("Last", 1)])
    try await watcher.wait(for: ["Abigél", "Book", "Last"])
    #expect(try await watcher.end().status == 0, "\(watcher.errors)")
    #expect(watcher.titles == ["Abigél", "Book", "Last"])
    #expect(reloads >= seconds / 2)
    expectNoGrowth(samples, sourceLocation: #_sourceLocation)
  }
}
