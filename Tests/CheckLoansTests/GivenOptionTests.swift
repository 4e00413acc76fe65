import ArgumentParser
import TestSupport
import Testing

@testable import CheckLoans
@testable import CommandOutput
@testable import Settings

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
    #expect([Setting](givenBy: line, CheckCommand.facts).map(\.name).sorted() == names)
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

  private static let commands: [any Subcommand.Type] = {
    let groups = RootCommand.configuration.subcommands.flatMap { command in
      command.configuration.subcommands.isEmpty ? [command] : command.configuration.subcommands
    }
    return groups.compactMap { $0 as? any Subcommand.Type }
  }()

  @Test func `What is known of each command's options is what it declares`() {
    #expect(Self.commands.count > 20)
    for command in Self.commands {
      let declared = command.declaredOptions.filter { $0.kind != nil }
      let facts = command.facts
      #expect(Set(facts.names) == Set(declared.map(\.name)), "\(command)")
      #expect(Set(facts.names).count == facts.count, "\(command)")
      for option in declared { #expect(facts[option.name]?.kind == option.kind, "\(option.name)") }
      let letters = facts.compactMap { fact in fact.short.map { (fact.name, $0) } }
      for (name, letter) in letters {
        #expect(
          command.helpMessage(includeHidden: true, columns: 80).contains("-\(letter), --\(name)"),
          "\(command)")
      }
      #expect(
        command.helpMessage(includeHidden: true, columns: 80).matches(of: #/  -[a-zA-Z], --/#).count
          == letters.count + 1, "\(command): the letters, and -h")
    }
  }
}
