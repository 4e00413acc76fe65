import ArgumentParser
import Testing

@testable import CheckLoans

@Suite struct `Plain command lines` {
  /// Words of which command lines are made, with some that are not plain.
  private static let words = [
    "check", "validate", "schedule", "help", "books.xml", "s.sqlite", "é.xml", "stdout", "none",
    "exec:tell", "-", "--", "", "-q", "--quiet", "-v", "-qv", "--state", "--state=s.sqlite",
    "--notify", "--dry-run", "--help", "--version",
  ]

  /// All command lines of at most so many words.
  private static func lines(of count: Int) -> [[String]] {
    if count == 0 { return [[]] }
    let shorter = lines(of: count - 1)
    let longest = shorter.filter { $0.count == count - 1 }
    return shorter + longest.flatMap { line in words.map { line + [$0] } }
  }

  private static func parsed(_ line: [String]) throws -> CheckRequest? {
    (try RootCommand.parseAsRoot(line) as? CheckCommand)?.options.request
  }

  @Test func `What is understood at once is understood so by the full parser`() throws {
    var understood = 0
    for line in Self.lines(of: 3) {
      guard let request = CheckRequest(plain: line[...]) else { continue }
      understood += 1
      #expect(try Self.parsed(line) == request, "\(line)")
    }
    #expect(understood > 300)
  }

  @Test(arguments: [
    "books.xml", "check books.xml", "-q a.xml b.xml -",
    "--notify stdout --state s.sqlite books.xml",
    "check a.xml --notify exec:/bin/tell b.xml --quiet --state s.sqlite c.xml",
    "--notify none --quiet --quiet books.xml",
  ])
  func `The usual lines are understood at once`(_ text: String) throws {
    let line = text.split(separator: " ").map(String.init)
    let request = try #require(CheckRequest(plain: line[...]))
    #expect(try Self.parsed(line) == request)
  }

  @Test(arguments: [
    "", "check", "-q", "--state s.sqlite", "--state a --state b books.xml", "--state -q books.xml",
    "--notify sms books.xml", "--notify stdout --notify none books.xml", "books.xml --all",
    "validate books.xml", "books.xml validate", "check help", "books.xml -- -q",
    "books.xml --state",
    "--state=s.sqlite books.xml", "-qv books.xml",
  ])
  func `Any other is left to the full parser`(_ text: String) {
    let line = text.split(separator: " ").map(String.init)
    #expect(CheckRequest(plain: line[...]) == nil)
  }
}
