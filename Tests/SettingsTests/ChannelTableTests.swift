import TestSupport
import Testing

/// The programs that the settings file makes channels.
struct ChannelTableTests {
  /// A desk with a program beside the settings that keeps its arguments and its input.
  private func desk(_ settings: String) throws -> Desk {
    let desk = try Desk(catalogue: catalogue(("Abigél", "2026.11.22"), ("Toldi", "2026.11.20")))
    try desk.writeSettings(settings)
    try desk.folder.write(
      program: "#!/bin/sh\nprintf '<%s>\\n' \"$@\" >> ~/told\ncat >> ~/told\n",
      to: ".config/check-loans/tell")
    return desk
  }

  private func told(_ desk: Desk) -> [String] {
    desk.folder.contents(of: "told").split(separator: "\n").map(String.init)
  }

  @Test(arguments: ["./tell", "~/.config/check-loans/tell"])
  func `A channel by its name runs its program, once`(program: String) async throws {
    let desk = try desk(
      """
      notify = ["phone"]
      [[channel]]
      name = "phone"
      run = ["\(program)", "Title: {title}", "~/x", "{{"]
      """)
    #expect(try await desk.run("books.xml").outcome == Outcome(0))
    let all = [
      "<Title: 2 books to return: 1 overdue, 1 due soon>", "<\(desk.folder.path)/x>",
      "<{>",
      "“Toldi” is 1 day overdue (due 20 November 2026)",
      "“Abigél” is due tomorrow, 22 November 2026",
    ]
    #expect(told(desk) == all)
    #expect(try await desk.run("deliver", "--notify", "phone").outcome == Outcome(0))
    #expect(told(desk) == all, "nothing twice")
    let list = try JSON(parsing: await desk.run("schedule", "list", "--format", "json").text)
    #expect(list.reminders[0].deliveries[0].channel == "phone")
    #expect(
      try await desk.run("schedule", "forget", "--channel", "phone").text
        == "forgot the channel phone with 2 notices\n")
    #expect(
      try await desk.run("schedule", "forget", "--channel", "phone").ends(64, saying: " phone"))
  }

  @Test func `A run for each notice gets no input where none is wanted`() async throws {
    let desk = try desk(
      """
      [[channel]]
      name = "each-1"
      per = "notice"
      input = "none"
      run = ["./tell", "{text}"]
      """)
    #expect(try await desk.run("--notify", "each-1", "books.xml").outcome == Outcome(0))
    #expect(
      told(desk) == [
        "<“Toldi” is 1 day overdue (due 20 November 2026)>",
        "<“Abigél” is due tomorrow, 22 November 2026>",
      ])
  }

  @Test(arguments: [
    ("", "“Abigél”"), ("titles = \"initials\"", "“A.”"),
  ])
  func `A channel may be given less of the titles than others`(
    setting: String, title: String
  ) async throws {
    let desk = try desk(
      """
      [[channel]]
      name = "phone"
      per = "notice"
      \(setting)
      run = ["./tell"]
      """)
    let result = try await desk.run("--notify", "phone", "--notify", "stdout", "books.xml")
    #expect(told(desk).contains { $0.hasPrefix("\(title) ") }, "\(told(desk))")
    #expect(result.text.contains("\"Abigél\""))
  }

  @Test func `config shows each table, and where its keys are`() async throws {
    let desk = try desk(
      "[[channel]]\nname = \"phone\"\nrun = [\"./tell\", \"{title}\"]\ntimeout = 5\n")
    let path = "\(desk.folder.path)/\(Desk.settings)"
    let rows = try await desk.run("config").lines.filter { $0.hasPrefix("channel.") }.map {
      $0.split(separator: "  ").map { $0.drop { $0 == " " } }
    }
    #expect(
      rows == [
        ["channel.name", "phone", "\(path):2"], ["channel.run", "./tell, {title}", "\(path):3"],
        ["channel.timeout", "5", "\(path):4"],
      ])
    let json = try JSON(parsing: await desk.run("config", "--format", "json").text)
    #expect(json.channels[0].name == "phone")
    #expect(json.channels[0].run == .array(["./tell", "{title}"]))
    #expect(json.channels[0].timeout == 5)
  }

  @Test(arguments: [
    ["books.xml"], ["deliver"], ["config"], ["plan", "books.xml"], ["timer", "books.xml"],
    ["watch", "books.xml"],
  ])
  func `78 is a channel that nothing makes, with the nearest name`(
    command: [String]
  ) async throws {
    let desk = try desk("notify = [\n \"phon\"]\n[[channel]]\nname = \"phone\"\nrun = [\"x\"]\n")
    let words = """
      unknown channel "phon"; did you mean "phone"? To use a program as a channel, add a \
      [[channel]] table to the settings file, with name = "phon" and run = ["program"]

      """
    let path = "\(desk.folder.path)/\(Desk.settings)"
    let result = try await desk.run(command)
    #expect(result.outcome == Outcome(78, errors: "check-loans: \(path):1: \(words)"))
    let named = try await desk.run(command + ["--notify", "phon"])
    #expect(named.outcome == Outcome(78, errors: "check-loans: \(words)"))
  }

  @Test func `A silence for a channel needs one that there is`() async throws {
    let desk = try desk("[[channel]]\nname = \"phone\"\nrun = [\"x\"]\n")
    try await desk.run("books.xml")
    let silence = ["silence", "add", "--title", "*", "--until", "3d", "--reason", "x", "--channel"]
    #expect(try await desk.run(silence + ["phone"]).status == 0)
    let wrong = try await desk.run(silence + ["phono"])
    #expect(wrong.status == 78)
    #expect(wrong.errorText.contains("unknown channel \"phono\"; did you mean \"phone\"?"))
  }

  @Test func `A catalogue may have a name that a channel could have`() async throws {
    let desk = try desk("")
    try desk.folder.write(catalogue(("x", "2026.11.22")), to: "books")
    try await desk.run("books")
    let result = try await desk.run("schedule", "forget", "books")
    #expect(
      result.outcome == Outcome(0, output: "forgot books with 1 loan\n"))
  }

  @Test(arguments: ["2", "1"])
  func `The time of exec: is what is set`(seconds: String) async throws {
    let desk = try desk("exec-timeout = 1\n")
    try desk.folder.write(program: "#!/bin/sh\nexec sleep 10000\n", to: "hang")
    let option = seconds == "1" ? [] : ["--exec-timeout", seconds]
    let result = try await desk.run(["--notify", "exec:./hang", "books.xml"] + option)
    #expect(result.ends(69, saying: "did not finish within \(seconds) s and was stopped;"))
  }

  /// Lines of a table, and what is wrong with it.
  private static let faults = [
    ("nme = \"x\"", "2: unknown key \"nme\"; did you mean \"name\"?"),
    (
      "name = \"x\"\nrun = [\"a\"]\nelephants = 1",
      "4: unknown key \"elephants\"; known are name, run, per, input, titles, timeout, environment"
    ),
    ("run = [\"x\"]", "1: this channel has no name; add name = \"phone\""),
    ("name = \"x\"", "1: this channel has no run; add run = [\"/path/to/program\"]"),
    ("name = \"x\"\nrun = []", "1: this channel has no run; add run = [\"/path/to/program\"]"),
    ("name = \"\"", "2: \"name\" is empty; expected a string"),
    (
      "name = \"Phone\"",
      "2: \"name\" is \"Phone\"; give a name of lower-case letters a-z, "
        + "digits and hyphens"
    ),
    (
      "name = \"-x\"",
      "2: \"name\" is \"-x\"; give a name of lower-case letters a-z, "
        + "digits and hyphens"
    ),
    (
      "name = \"maildir\"",
      "2: \"name\" is \"maildir\"; this is a channel already; choose "
        + "another name"
    ),
    (
      "name = \"x\"\nrun = [\"a\", \"{titel}\"]",
      "3: \"run\": {titel} is none of {title} {text} {count} "
        + "{urgency} {priority} {borrower} {email}; write {{ for a brace"
    ),
    (
      "name = \"x\"\nrun = [\"a\", \"{title\"]",
      "3: \"run\": {title has no closing brace; write {{ for a "
        + "brace"
    ),
    (
      "name = \"x\"\nrun = [\"{title}\"]",
      "3: \"run\" is \"{title}\"; the first string is the program, which can have no placeholder"
    ),
    (
      "name = \"x\"\nrun = [\"a\"]\nper = \"day\"",
      "4: \"per\" is \"day\"; give one of run, borrower, notice"
    ),
    (
      "name = \"x\"\nrun = [\"a\"]\ninput = \"xml\"",
      "4: \"input\" is \"xml\"; give one of text, json, none"
    ),
    (
      "name = \"x\"\nrun = [\"a\"]\ntimeout = 0",
      "4: \"timeout\" is \"0\"; give a number from 1 to 3600"
    ),
    (
      "name = \"x\"\nrun = [\"a\"]\nenvironment = [\"TOKEN=x\"]",
      "4: \"environment\" is \"TOKEN=x\"; give the name of a "
        + "variable; its value is taken from the environment"
    ),
    (
      "name = \"x\"\nrun = [\"a\"]\nremind = 3",
      "4: \"remind\" is for all catalogues; put it before the first table"
    ),
    (
      "name = \"x\"\nrun = [\"a\"]\n[[channel]]\nrun = [\"b\"]\nname = \"x\"",
      "6: another table has this name; correct it, or remove the table"
    ),
  ]

  @Test(arguments: faults)
  func `78 is a mistake in a table, with its place`(lines: String, words: String) async throws {
    let desk = try desk("[[channel]]\n\(lines)\n")
    let path = "\(desk.folder.path)/\(Desk.settings)"
    #expect(
      try await desk.run("books.xml").outcome
        == Outcome(78, errors: "check-loans: \(path):\(words)\n"))
  }

  @Test(arguments: [
    ("[channel]\nname = \"x\"", "1: write each channel as a table of its own: [[channel]]"),
    (
      "run = [\"x\"]",
      "1: unknown key \"run\"; it belongs below a line [[channel]] or [[catalogue]]"
    ),
    (
      "[[chanel]]\nname = \"x\"",
      "1: unknown key \"chanel\"; a channel's table begins with [[channel]]"
    ),
  ])
  func `78 is a table that is none`(text: String, words: String) async throws {
    let desk = try desk(text)
    let path = "\(desk.folder.path)/\(Desk.settings)"
    #expect(
      try await desk.run("config").outcome
        == Outcome(78, errors: "check-loans: \(path):\(words)\n"))
  }

  @Test func `A watch takes a channel as it is now`() async throws {
    func settings(_ argument: String) -> String {
      """
      notify = ["phone"]
      [[channel]]
      name = "phone"
      run = ["sh", "-c", "cat > /dev/null; echo \(argument) >> ~/told"]

      """
    }
    let watcher = try Watcher([("Abigél", 1)]) { try $0.writeSettings(settings("one")) }
    try await watcher.wait { told(watcher.desk) == ["one"] }
    try watcher.desk.writeSettings(settings("two"))
    try watcher.write([("Abigél", 1), ("Toldi", 1)])
    try await watcher.wait { told(watcher.desk) == ["one", "two"] }
    try await watcher.end()
  }
}
