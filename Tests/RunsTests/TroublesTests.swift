import Testing

@testable import CommandOutput
@testable import Runs
@testable import Settings

/// What `watch` tells of troubles that come back, without any catalogue.
struct TroublesTests {
  private func at(_ milliseconds: Int) -> Duration { .milliseconds(milliseconds) }

  @Test func `What was told the last time is not told again`() {
    var reporter = Reporter(Console())
    #expect(reporter.newLines(in: ["a", "b"], about: .clock("UTC")) == ["a", "b"])
    #expect(reporter.newLines(in: ["b", "c"], about: .clock("UTC")) == ["c"])
    #expect(reporter.newLines(in: ["b"], about: .channel("stdout")) == ["b"])
    #expect(reporter.newLines(in: [], about: .clock("UTC")) == [])
    #expect(reporter.newLines(in: ["b"], about: .clock("UTC")) == ["b"])
  }

  @Test func `A catalogue that is broken for a moment is not told`() {
    var troubles = WatchedCatalogue()
    #expect(troubles.note(["x"], isUsable: false, at: at(0)) == nil)
    #expect(troubles.note([], isUsable: true, at: at(1_000)) == [])
    #expect(troubles.note(["x"], isUsable: false, at: at(1_100)) == nil)
  }

  @Test func `A catalogue that stays broken is told once`() {
    var troubles = WatchedCatalogue()
    #expect(troubles.note(["x"], isUsable: false, at: at(0)) == nil)
    #expect(troubles.note(["x"], isUsable: false, at: at(400)) == nil)
    #expect(troubles.note(["x"], isUsable: false, at: at(1_000)) == ["x"])
    #expect(troubles.note(["x"], isUsable: false, at: at(9_000)) == ["x"])
    #expect(troubles.note([], isUsable: true, at: at(10_000))?.count == 1)
    #expect(troubles.note(["x"], isUsable: false, at: at(11_000)) == nil)
    #expect(troubles.note(["x"], isUsable: false, at: at(12_000)) == ["x"])
  }

  @Test func `A catalogue that is broken in another way each time is being written`() {
    var troubles = WatchedCatalogue()
    for time in 0..<20 {
      #expect(
        troubles.note(["line \(time)"], isUsable: false, at: at(time * 2_000))
          == nil)
    }
  }

  @Test func `What is wrong in a catalogue that can be used is told at once`() {
    var troubles = WatchedCatalogue()
    #expect(troubles.note(["x", "y"], isUsable: true, at: at(0)) == ["x", "y"])
    #expect(troubles.note(["y", "z"], isUsable: true, at: at(1)) == ["y", "z"])
  }

  @Test func `That a catalogue is well again is told once, if it was told that it was not`() {
    var troubles = WatchedCatalogue()
    for (time, isUsable, lines) in [
      (0, false, nil), (500, true, ["x"]), (1_000, false, nil), (2_000, false, ["x"]),
      (2_500, false, ["x"]), (3_000, true, ["x", "check-loans: /: reloaded, 0 loans"]),
      (4_000, true, ["x"]),
    ] {
      #expect(troubles.note(["x"], isUsable: isUsable, at: at(time)) == lines, "\(time)")
    }
  }

  @Test func `A catalogue that was usable with the same complaints is told when it is not`() {
    var troubles = WatchedCatalogue()
    #expect(troubles.note([], isUsable: true, at: at(0)) == [])
    #expect(troubles.note([], isUsable: false, at: at(1)) == nil)
  }

  @Test func `What fails is tried after a minute, then later, within five minutes`() {
    var pause = RetryPause()
    var moment = Duration.zero
    var minutes: [Int64] = []
    for _ in 0..<6 {
      let next = pause.noteFailure(at: moment)
      minutes.append((next - moment).components.seconds / 60)
      moment = next
    }
    #expect(minutes == [1, 2, 4, 5, 5, 5])
    pause = RetryPause()
    #expect(pause.noteFailure(at: moment) == moment + .seconds(60))
  }

  @Test func `What fails again before its time is not put off`() {
    var pause = RetryPause()
    #expect(pause.noteFailure(at: at(0)) == at(60_000))
    for time in stride(from: 1_000, to: 60_000, by: 1_000) {
      #expect(pause.noteFailure(at: at(time)) == at(60_000))
    }
    #expect(pause.noteFailure(at: at(60_001)) == at(180_001))
  }
}

extension WatchedCatalogue {
  /// The lines to report of a reading.
  fileprivate mutating func note(
    _ lines: [String], isUsable: Bool, at moment: Duration
  ) -> [String]? {
    var findings = CatalogueFindings()
    findings.isUsable = isUsable
    return note(findings, lines, path: "/", file: "/", at: moment).lines
  }
}
