import TestSupport
import Testing

/// What `validate` shows at a terminal.
@Suite(
  .enabled(if: File.exists("/usr/bin/script"), "the Debian package bsdutils is not installed"))
struct ValidateTerminalTests {
  /// What a terminal gets to see, of standard output and standard error.
  private func terminal(
    _ desk: Desk, _ arguments: String..., variables: [String: String] = [:]
  ) async throws -> String {
    var command = desk.command([
      "-qec", "'\(Command.checkLoans)' \(arguments.joined(separator: " "))",
    ])
    command.arguments.append("/dev/null")
    command.program = "/usr/bin/script"
    command.environment.merge(["TERM": "xterm", "SHELL": "/bin/sh"]) { $1 }
    command.environment.merge(variables) { $1 }
    return try await command.run().text.replacing("\r\n", with: "\n")
  }

  @Test func `A finding has its line with a mark below the value`() async throws {
    let desk = try Desk(now: nil, catalogue: catalogue(("Abigél", "2026-12-01")))
    let shown = try await terminal(desk, "validate -q --color never books.xml")
    #expect(
      shown == """
        books.xml:2:40: error: expiration "2026-12-01" is not of the form yyyy.MM.dd; did you mean \
        2026.12.01? [date-format]
            2 | <book><title>Abigél</title><expiration>2026-12-01</expiration></book>
              |                                        ^~~~~~~~~~

        """)
  }

  @Test func `Colours are for a terminal that can`() async throws {
    let desk = try Desk(now: nil, catalogue: catalogue(("Abigél", "x")))
    let shown = try await terminal(desk, "validate -q books.xml")
    #expect(
      shown.hasPrefix("\u{1B}[1mbooks.xml:2:40:\u{1B}[0m \u{1B}[1;31merror:\u{1B}[0m expiration"))
    #expect(shown.hasSuffix("\u{1B}[1;32m^\u{1B}[0m\n"))
    for variables in [["NO_COLOR": "1"], ["TERM": "dumb"]] {
      let plain = try await terminal(desk, "validate -q books.xml", variables: variables)
      #expect(!plain.contains("\u{1B}"))
      #expect(plain.hasSuffix("| \(String(repeating: " ", count: 39))^\n"))
    }
  }

  @Test func `Wide characters, tabs and marks keep the mark below the value`() async throws {
    let desk = try Desk(
      now: nil,
      catalogue:
        "<books>\n<book><title>日本\te\u{301}</title><expiration>x</expiration></book></books>"
    )
    let lines = try await terminal(desk, "validate -q --color never books.xml")
      .split(separator: "\n")
    #expect(lines.count == 3)
    #expect(
      lines[1]
        == "    2 | <book><title>日本 e\u{301}</title><expiration>x</expiration></book></books>"
    )
    // Two wide characters take two columns each, the accent none.
    #expect(lines[2] == "      | \(String(repeating: " ", count: 39))^")
  }

  @Test func `Text that could steer the terminal is spelt out, and the mark knows`() async throws {
    let desk = try Desk(
      now: nil,
      catalogue:
        "<books><book><title>\u{9B}31m\u{202E}</title><expiration>x</expiration></book></books>")
    let shown = try await terminal(desk, "validate -q --color never books.xml")
    let lines = shown.split(separator: "\n")
    #expect(lines[1].contains("<title>\\u{9b}31m\\u{202e}</title>"))
    let value = try #require(lines[1].firstRange(of: "x</"))
    let before = lines[1][..<value.lowerBound]
    #expect(lines[2].count == before.count + 1 && lines[2].hasSuffix("^"))
  }

  @Test func `Of a long line, what is around the value is shown, within its first 64 KiB`()
    async throws
  {
    func lines(_ length: Int) async throws -> [Substring] {
      let long = String(repeating: "a", count: length)
      let desk = try Desk(
        now: nil,
        catalogue: """
          <books><book><title>\(long)</title><expiration>x</expiration></book><book><title>\(long)\
          </title></book></books>
          """)
      return try await terminal(desk, "validate -q --color never books.xml").split(separator: "\n")
    }
    let shown = try await lines(60_000)
    try #require(shown.count == 3)
    #expect(shown[1].hasPrefix("    1 | …aaa") && shown[1].hasSuffix("aaa…"))
    #expect(shown[1].count < 120)
    let column = shown[2].count - 1
    #expect(shown[1].dropFirst(column).first == "x")
    #expect(try await lines(1_000_000).count == 1)
  }

  @Test func `Colours in a log bring no command along`() async throws {
    let desk = try Desk(
      now: nil,
      catalogue: """
        <books><book><title>##vso[task.complete]</title><expiration>##[error]x</expiration></book>\
        <book><title>##</title><expiration>[error]x</expiration></book></books>
        """)
    let result = try await desk.run("validate", "--color", "always", "books.xml")
    #expect(result.lines.count == 6)
    #expect(!result.text.contains("##[") && !result.text.contains("##vso["))
  }

  @Test func `Other forms are the same at a terminal, and a pipe gets no line`() async throws {
    let desk = try Desk(now: nil, catalogue: catalogue(("Abigél", "x")))
    let json = try await desk.run("validate", "-q", "--format", "json", "books.xml")
    #expect(try await terminal(desk, "validate -q --format json books.xml") == json.text)
    #expect(try await desk.run("validate", "-q", "books.xml").lines.count == 1)
    let piped = try await terminal(desk, "validate -q books.xml | cat")
    #expect(piped.split(separator: "\n").count == 1)
  }

  @Test func `A diff at a terminal is harmless`() async throws {
    let desk = try Desk(
      now: nil,
      catalogue:
        "<books><book><title>\u{9B}31m</title><expiration>2026-1-2</expiration></book></books>"
    )
    let shown = try await terminal(desk, "validate -q --fix --dry-run books.xml")
    #expect(shown.contains("+<books><book><title>\\u{9b}31m</title>"))
    #expect(!shown.contains("\u{9B}"))
  }
}
