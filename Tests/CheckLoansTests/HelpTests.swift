import ArgumentParser
import SystemPackage
import TestSupport
import Testing

@testable import CheckLoans
@testable import CommandOutput
@testable import Settings

/// What the command says about itself.
struct HelpTests {
  /// The help of a command, and the words that are typed for the command.
  private typealias Help = (words: [String], text: String)

  /// The help of each command, as it is on a screen of 80 columns.
  private static let helps = helps(of: RootCommand.self, [])

  private static func helps(of command: any ParsableCommand.Type, _ words: [String]) -> [Help] {
    let text = RootCommand.helpMessage(for: command, columns: 80) + "\n"
    return [(words, text)]
      + command.configuration.subcommands.flatMap {
        helps(of: $0, words + [$0.configuration.commandName ?? ""])
      }
  }

  /// The lines of the examples, which begin with two blanks each.
  private static func examples(in help: Help) -> [Substring] {
    help.text.split(separator: "\n", omittingEmptySubsequences: false)
      .drop { $0 != "Example:" && $0 != "Examples:" }.dropFirst().prefix { $0 != "" }
  }

  @Test func `The help is as in help.txt`() throws {
    let path = "\(projectDirectory)/Tests/CheckLoansTests/help.txt"
    let help = Self.helps.map {
      "$ \((["check-loans"] + $0.words).joined(separator: " ")) --help\n\n\($0.text)"
    }.joined(separator: "\n")
    if testVariable("CHECK_LOANS_RENEW_HELP") != nil {
      let file = try FileDescriptor.open(FilePath(path), .writeOnly, options: .truncate)
      try file.closeAfter { _ = try file.writeAll(help.utf8) }
    }
    let lines = help.split(separator: "\n", omittingEmptySubsequences: false)
    let pinned = try File.text(of: path).split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines == pinned, "CHECK_LOANS_RENEW_HELP=1 writes help.txt anew")
  }

  @Test(arguments: [[], ["check"], ["validate"], ["schedule"], ["schedule", "list"]])
  func `Each way to ask for the help prints it`(words: [String]) async throws {
    let desk = try Desk()
    let help = try #require(Self.helps.first { $0.words == words })
    for arguments in [words + ["--help"], words + ["-h"], ["help"] + words] {
      #expect(try await desk.run(arguments).outcome == Outcome(0, output: help.text))
    }
    #expect(try File.names(in: desk.folder.path) == ["books.xml"])
  }

  @Test func `Every help has an example, which is of its command`() {
    for help in Self.helps {
      let words = help.words == ["check"] ? [] : help.words
      let start = (["  check-loans"] + words).joined(separator: " ")
      #expect(Self.examples(in: help).first?.hasPrefix(start) == true, "\(help.words)")
    }
  }

  @Test func `No example is broken in two`() {
    for help in Self.helps {
      #expect(Self.examples(in: help).allSatisfy { $0.hasPrefix("  ") }, "\(help.words)")
    }
  }

  @Test(arguments: [["--help"], ["--version"], ["help", "check"], ["schedule", "list", "-h"]])
  func `It is told even if nothing else works`(arguments: [String]) async throws {
    let desk = try Desk()
    let variables = [
      "XDG_STATE_HOME": "/proc/nonexistent", "HOME": "/nonexistent", "TZ": "nowhere",
      "CHECK_LOANS_REMIND": "often", "CHECK_LOANS_STATE": "/dev/null/x", "LC_ALL": "nonsense",
    ]
    let result = try await desk.run(
      arguments, variables: variables, input: .closed, errors: .closed)
    #expect(result.status == 0)
    #expect(result.text == (try await desk.run(arguments).text))
    #expect(!result.text.isEmpty)
  }

  @Test(arguments: [["--version"], ["check", "--version"], ["books.xml", "--version"]])
  func `The version has the name before it`(arguments: [String]) async throws {
    let result = try await Desk().run(arguments)
    #expect(result.status == 0)
    #expect(result.text.wholeMatch(of: /check-loans \d+\.\d+\.\d+\n/) != nil)
  }

  @Test(arguments: [
    ("bash", "complete -o filenames -F"), ("zsh", "#compdef check-loans"),
    ("fish", "complete -c 'check-loans'"),
  ])
  func `There is a completion script for each shell`(
    shell: String, words: String
  ) async throws {
    let result = try await Desk().run("--generate-completion-script", shell)
    #expect(result.status == 0)
    #expect(result.text.contains(words))
    for option in ["require-expiration", "time-zone", "dry-run"] {
      #expect(result.text.contains(option))
    }
  }

  @Test(arguments: [
    (["help", "nosuch"], "there is no command \"nosuch\"; see check-loans --help"),
    (
      ["help", "validte"],
      "there is no command \"validte\"; did you mean check-loans help validate?"
    ),
    (
      ["help", "list"], "there is no command \"list\"; did you mean check-loans help schedule list?"
    ),
    (["--state=", "books.xml"], "--state needs a value"),
    (["books.xml", "--notify="], "--notify needs a value"),
    (["check", "books.xml", ""], "a catalogue's name is empty; is a shell variable unset?"),
    (["watch", ""], "a catalogue's name is empty; is a shell variable unset?"),
    (["validate", ""], "a catalogue's name is empty; is a shell variable unset?"),
    (["timer", ""], "a catalogue's name is empty; is a shell variable unset?"),
    (["schedule", "forget", ""], "a catalogue's name is empty; is a shell variable unset?"),
    (
      ["plan", "--notify", "stdout", "--backlog", "mark"],
      "--backlog is for a run that delivers; leave it out"
    ),
  ])
  func `64 is what makes no sense to the command`(
    arguments: [String], words: String
  ) async throws {
    let desk = try Desk()
    #expect(
      try await desk.run(arguments).outcome == Outcome(64, errors: "check-loans: \(words)\n"))
    #expect(!desk.folder.contains("state"))
  }

  @Test(arguments: [
    (["--json", "books.xml"], "unknown option '--json'; did you mean --format json?"),
    (["--verson"], "unknown option '--verson'; did you mean --version?"),
    (
      ["validate", "--no-strict", "x.xml"],
      "unknown option '--no-strict'; see check-loans validate --help"
    ),
    (["--colour", "x"], "unknown option '--colour'; did you mean --color?"),
    (
      ["sched", "list"],
      "there is no command or file \"sched\"; did you mean check-loans schedule list?"
    ),
    (
      ["silence", "add", "--loan", "1", "--until", "2w", "--reason", "x", "--borrower", "y"],
      "unknown option '--borrower'; did you mean --borrower-is?"
    ),
    (["schedule", "lst"], "unexpected argument 'lst'; did you mean check-loans schedule list?"),
    (
      ["schedule", "snoze", "3"],
      "2 unexpected arguments: 'snoze', '3'; did you mean check-loans schedule snooze?"
    ),
    (["silence", "drop", "3"], "2 unexpected arguments: 'drop', '3'; silence has list, add, end"),
    (
      ["silence", "ad", "--borrower-is", "x"],
      "unknown option '--borrower-is'; did you mean check-loans silence add?"
    ),
    (["--fix", "books.xml"], "unknown option '--fix'; it belongs to check-loans validate"),
    (["--max-days", "3"], "unknown option '--max-days'; it belongs to check-loans validate"),
    (
      ["validate", "--notify", "x"],
      "unknown option '--notify'; it belongs to check-loans check, deliver, watch and others"
    ),
    (["help", "validate", "--foo"], "unknown option '--foo'; see check-loans --help"),
    (
      ["calendar", "--alarm", "8", "books.xml"],
      "the value '8' is invalid for '--alarm <hours|none>': write hours, as in 16h, or none"
    ),
    (["schedule", "list", "x"], "unexpected argument 'x'; see check-loans schedule list --help"),
    (
      ["schedule", "list", "x", "y"],
      "2 unexpected arguments: 'x', 'y'; see check-loans schedule list --help"
    ),
    (["--xyz", "x"], "unknown option '--xyz'; see check-loans check --help"),
    (["--format"], "missing value for '--format <format>'; see check-loans check --help"),
    (
      ["schedule", "cancel", "bk102"],
      "the value 'bk102' is invalid for '<id>': give the number of a loan, as \"schedule list\" shows it, "
        + "not an id or a title"
    ),
    (
      ["schedule", "cancel", "1", "--now", "2026-12-11T09:00"],
      "unknown option '--now'; it belongs to check-loans check, validate, schedule list and others"
    ),
    (
      ["schedule", "snooze", "1", "--format=json", "soon"],
      "unknown option '--format'; it belongs to check-loans check, validate, schedule list and others"
    ),
    (
      ["schedule", "snooze", "1", "soon"],
      "the value 'soon' is invalid for '<id>': give the number of a loan, as \"schedule list\" shows it, not "
        + "an id or a title"
    ),
    (
      ["--remind", "-1", "books.xml"],
      "the value '-1' is invalid for '--remind <days>': give numbers from 0 to 3650, as in 7,3,1, or none"
    ),
    (
      ["--now", "2026-02-30", "books.xml"],
      "the value '2026-02-30' is invalid for '--now': there is no such day or time"
    ),
  ])
  func `A wrong argument is named with the reason`(
    arguments: [String], words: String
  ) async throws {
    let result = try await Desk().run(arguments)
    #expect(result.status == 64)
    #expect(result.errorText == "check-loans: \(words)\n")
  }

  @Test(arguments: ["--help", "-h"])
  func `The help of the program is that, whatever comes after it`(option: String) async throws {
    let help = try await Desk().run(option).outcome
    #expect(try await Desk().run(option, "books.xml", "--due-in", "3").outcome == help)
  }

  @Test func `-V is the version`() async throws {
    let version = try await Desk().run("--version")
    #expect(try await Desk().run("-V").outcome == version.outcome)
  }

  @Test func `An unknown shell is wrong usage`() async throws {
    #expect(try await Desk().run("--generate-completion-script", "csh").status == 64)
  }
}

/// How files may be called.
struct CommandLineTests {
  @Test(arguments: ["-x.xml", "--help", "validate", "check"])
  func `After -- every argument is a file`(name: String) async throws {
    let desk = try Desk()
    try desk.folder.write(catalogue(("Abigél", "2026.11.22")), to: name)
    let line = "\"Abigél\" expires tomorrow (2026.11.22)\n"
    #expect(
      try await desk.run("check", "-q", "--", name).outcome == Outcome(0, output: line))
    #expect(
      try await desk.run("validate", "--", name).outcome
        == Outcome(0, errors: "check-loans: 1 file, 1 loan: no problems\n"))
  }

  @Test(arguments: [
    "two words.xml", " ", "a\nb.xml", "Jókai.xml", "$(touch x).xml", "a'b\"c.xml", "e\u{301}.xml",
    "file:books.xml", "%41.xml", "https:x.xml",
  ])
  func `A file may have any name`(name: String) async throws {
    let desk = try Desk()
    try desk.folder.write(catalogue(("Abigél", "2026.11.22"), ("Az ajtó", "x")), to: name)
    let result = try await desk.run("-q", name)
    #expect(result.status == 65)
    #expect(result.text == "\"Abigél\" expires tomorrow (2026.11.22)\n")
    #expect(result.errorLines.count == 1)
    // No line begins with a blank, behind which could stand what a CI system takes for a command.
    let shown = name == " " ? "./ " : name == "a\nb.xml" ? #"a\u{a}b.xml"# : name
    #expect(result.errorText.hasPrefix("\(shown):3:41: error: "))
    let list = try JSON(parsing: await desk.run("schedule", "--format", "json").text)
    #expect(list.reminders[0].catalogue == .string("\(desk.folder.path)/\(name)"))
  }

  @Test(arguments: ["two words/s.sqlite", "file:s.sqlite", ":memory:", "s%41?mode=memory", "-s"])
  func `A schedule may have any name`(name: String) async throws {
    let desk = try Desk(catalogue: catalogue(("Abigél", "2026.11.22")))
    try desk.list()
    if name.contains("/") { try desk.folder.makeDirectory("two words") }
    #expect(try await desk.run("books.xml", "-q", "--state=\(name)").status == 0)
    #expect(desk.folder.contains(name))
    #expect(try await desk.run("deliver", "--state=\(name)").lines.count == 1)
    #expect(try await desk.run("deliver", "--state=\(name)").lines.count == 0)
  }

  @Test func `A file name that is not UTF-8 is read, or at least understood`() async throws {
    let desk = try Desk()
    let result = try await desk.shell(
      """
      name=$(printf 'b\\377.xml'); cp books.xml "$name"; "$0" validate -q "$name"
      """)
    #expect(result.status == 0 || result.errorText.contains("UTF-8"))
  }

  @Test func `A schedule's name that is not UTF-8 never becomes another name`() async throws {
    let desk = try Desk()
    _ = try await desk.shell(
      """
      "$0" books.xml --state "$(printf 's\\377')"
      """)
    let names = try File.names(in: desk.folder.path)
    // A name with the byte FF is listed with U+FFFD too, but nothing is found by that name.
    #expect(!names.contains { $0.hasPrefix("s") && desk.folder.contains($0) })
  }
}
