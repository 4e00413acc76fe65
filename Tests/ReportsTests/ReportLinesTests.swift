@testable import CommandOutput
@testable import Reports
import Foundation
import Loans
import TestSupport
import Testing

@Suite struct `The lines of a report` {
  /// A line as a test says it.
  private struct Line: Equatable {
    var day: Int
    var text: String
  }

  private func lines(_ count: Int, days: Int, seed: UInt64) -> [Line] {
    var dice = Dice(state: seed)
    return (0..<count).map { number in
      let day = 730_000 + Int.random(in: 0..<days, using: &dice)
      let length = Int.random(in: 0..<30, using: &dice)
      return Line(day: day, text: "\(number) \(String(repeating: "é", count: length))")
    }
  }

  private func add(_ added: [Line], to lines: inout ReportLines) throws {
    for line in added {
      lines.add(ReportKey(day: line.day)) { $0.append(contentsOf: "\(line.text)\n".utf8) }
    }
  }

  private func text(of lines: ReportLines) throws -> String {
    var bytes: [UInt8] = []
    try lines.forEach { _, part throws(CommandError) in
      for index in part.indices { bytes.append(part[index]) }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private func expected(_ lines: [Line]) -> String {
    lines.enumerated().sorted { ($0.element.day, $0.offset) < ($1.element.day, $1.offset) }
      .map { $0.element.text + "\n" }.joined()
  }

  private func empty(limit: Int, directory: String = "/tmp") -> ReportLines {
    ReportLines(directory: directory, limit: limit)
  }

  @Test(arguments: [1, 40, 1_000, 100_000], [1, 7, 10_000, 2_000_000])
  func `They come by their days, however many are kept in memory`(limit: Int, days: Int) throws {
    // Nothing can be made in /proc/self, not even by root.
    for directory in ["/tmp", "/nowhere", "/proc/self"] {
      let some = lines(400, days: days, seed: UInt64(days))
      var lines = empty(limit: limit, directory: directory)
      try add(some, to: &lines)
      #expect(try text(of: lines) == expected(some))
    }
  }

  @Test func `None are none`() throws {
    #expect(try text(of: empty(limit: 10)).isEmpty)
  }

  @Test(arguments: [1, 40, 300, 100_000])
  func `Those of a catalogue that failed are forgotten, and no others`(limit: Int) throws {
    let some = lines(90, days: 9, seed: 4)
    for first in stride(from: 0, through: 60, by: 7) {
      for second in [0, 1, 13, 30] {
        var lines = empty(limit: limit)
        try add(Array(some[..<first]), to: &lines)
        let kept = lines
        try add(Array(some[first..<first + second]), to: &lines)
        lines = kept
        try add(Array(some[60...]), to: &lines)
        #expect(try text(of: lines) == expected(Array(some[..<first] + some[60...])))
      }
    }
  }
}
