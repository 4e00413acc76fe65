import TestSupport
import Testing

@testable import CommandOutput
@testable import Runs
@testable import Settings

/// A large catalogue is read in chunks, by as many threads as are asked for.
struct JobsTests {
  private let desk: Desk

  init() throws {
    desk = try Desk()
    var text = "<books>\n"
    for number in 0..<40_000 {
      let id = number % 4_000 == 17 ? "7" : "\(number)"
      let date = number % 3_000 == 5 ? "2026.02.30" : "2026.1\(number % 3).1\(number % 7)"
      text += "<book id='\(id)'><title>A book of many &amp; more, \(number)</title>"
      text += "<author>Nobody in particular</author><barcode>\(1_000_000 - number)</barcode>"
      text += "<expiration>\(date)</expiration></book>\n"
      if number % 5_000 == 3 { text += "<!-- <book id='x'> --><expiration>2026.12.01</expiration>" }
    }
    try desk.folder.write(text + "</books>", to: "large.xml")
    try desk.folder.write(text + "</book></books>", to: "broken.xml")
  }

  @Test(arguments: ["large.xml", "broken.xml"])
  func `However many threads validate, they find the same`(name: String) async throws {
    let alone = try await desk.run("validate", "--jobs", "1", "--format", "json", name)
    #expect(alone.status == 1)
    // Standard input is read in one piece.
    let piped = try await desk.shell("cat \(name) | \"$0\" validate --format json -")
    #expect(piped.text.replacing("\"-\"", with: "\"\(name)\"") == alone.text)
    for jobs in ["2", "3", "16"] {
      let together = try await desk.run("validate", "--jobs", jobs, "--format", "json", name)
      #expect(together.outcome == alone.outcome)
    }
  }

  @Test(arguments: ["large.xml", "broken.xml"])
  func `However many threads check, they report the same`(name: String) async throws {
    let arguments = ["check", "--now", "2026-11-21", "--format", "json", "--all"]
    let alone = try await desk.run(arguments + ["--state", "none", "--jobs", "1", name])
    #expect(alone.status == 65)
    for jobs in ["2", "5"] {
      let together = try await desk.run(arguments + ["--state", "none", "--jobs", jobs, name])
      #expect(together.outcome == alone.outcome)
    }
  }

  @Test func `The variable says how many threads read, too`() async throws {
    let result = try await desk.run(
      "--state", "none", "large.xml", variables: ["CHECK_LOANS_JOBS": "0"])
    #expect(result.status == 78)
    #expect(result.errorText.contains("CHECK_LOANS_JOBS"))
  }
}

/// How far a run has come is told at a terminal only, and only if it takes longer than a second.
struct ProgressTests {
  @Test func `What is told has bytes, loans and the time left`() {
    let text = Progress.text(
      bytes: 60_000_000, total: 240_000_000, loans: 237_500, elapsed: .seconds(1), columns: 80)
    #expect(text == "60 of 240 MB, 237500 loans, 4 s left")
    let late = Progress.text(
      bytes: 1_000_000, total: 2_400_000_000, loans: 1, elapsed: .seconds(2), columns: 80)
    #expect(late == "1 of 2400 MB, 1 loan, 79 min left")
  }

  @Test func `Of standard input nobody knows how much there is`() {
    let text = Progress.text(
      bytes: 5_400_000, total: nil, loans: 3, elapsed: .seconds(9), columns: 80)
    #expect(text == "5 MB, 3 loans")
  }

  @Test func `It fits into the terminal's line`() {
    let text = Progress.text(
      bytes: 60_000_000, total: 240_000_000, loans: 237_500, elapsed: .seconds(1), columns: 14)
    #expect(text == "60 of 240 MB,")
  }

  @Test(
    .enabled(if: File.exists("/usr/bin/script"), "the Debian package bsdutils is not installed"),
    arguments: [
      ("validate -", "xterm", true), ("--state none -", "xterm", true),
      ("validate - 2>errors", "xterm", false), ("validate -", "dumb", false),
      ("--state none -q -", "xterm", false),
    ])
  func `It is shown at a terminal only, and gone at the end`(
    arguments: String, terminal: String, isShown: Bool
  ) async throws {
    let desk = try Desk(catalogue: catalogue(("T", "2099.12.01")))
    // What comes late is read when the second is over.
    var command = desk.command([
      "-qec",
      "{ printf '<books>'; sleep 3; printf '<book/></books>'; } "
        + "| '\(Command.checkLoans)' \(arguments)", "/dev/null",
    ])
    command.program = "/usr/bin/script"
    command.environment.merge(["TERM": terminal, "SHELL": "/bin/sh"]) { $1 }
    let shown = try await command.run().text
    #expect(shown.contains("0 MB, 0 loans") == isShown, "\(shown.debugDescription)")
    #expect(shown.ranges(of: "\r\u{1B}[K").count == (isShown ? 1 : 0))
  }
}
