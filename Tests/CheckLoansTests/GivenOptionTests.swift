import ArgumentParser
import TestSupport
import Testing

@testable import CheckLoans

/// The options that count as given on the command line, where they win over all that is set elsewhere.
struct GivenOptionTests {
  @Test(arguments: [
    (["--mail-program", "sendmail", "--mail-program", "-odb"], ["mail-program"]),
    (["--mail-program", "--dry-run", "--mail-program", "--state"], ["mail-program"]),
    (["--mail-program=--all", "books.xml"], ["mail-program"]),
    (["-qv", "--dry-run", "-"], ["dry-run", "quiet", "verbose"]),
    (["--color=auto", "--remind", "1"], ["color", "remind"]),
    (["--state", "x", "--", "--all", "-q"], ["state"]),
    (["books.xml"], []),
  ])
  func `A word that is a value, or after --, gives no option`(
    line: [String], names: [String]
  ) throws {
    let command = try #require(CheckCommand.parseAsRoot(line) as? CheckCommand)
    #expect(command.settings.given(by: line).map(\.name).sorted() == names)
  }

  /// `d` is the first letter of `dry-run`.
  @Test(arguments: [["--mail-program", "-odb"], ["--mail-program", "--dry-run"]])
  func `A dry run that a variable asks for sends no mail, whatever the mail program is given`(
    arguments: [String]
  ) async throws {
    let desk = try MailDesk([loan("Abigél", "Anna", "anna@example.org")])
    let program = "\(desk.desk.folder.path)/.config/check-loans/send"
    let line = ["check", "--mail-program", program] + arguments + ["books.xml"]
    let rehearsal = try await desk.desk.run(line, variables: ["CHECK_LOANS_DRY_RUN": "1"])
    #expect(rehearsal.status == 0)
    #expect(desk.tried == [])
    try await desk.desk.run(line)
    #expect(desk.tried.count == 1, "without the variable, it is sent")
  }
}
