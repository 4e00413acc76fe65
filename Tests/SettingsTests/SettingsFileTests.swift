import TestSupport
import Testing

@testable import CommandOutput
@testable import Settings

extension Desk {
  /// The outcome without the folder's path, which differs from desk to desk.
  fileprivate func pathless(_ outcome: Outcome) -> Outcome {
    var outcome = outcome
    outcome.output.replace(folder.path, with: "FOLDER")
    outcome.errors.replace(folder.path, with: "FOLDER")
    return outcome
  }
}

/// What a settings file does.
struct SettingsFileTests {
  @Test func `Only what ends a line for TOML ends one`() async throws {
    let desk = try Desk()
    try desk.writeSettings("# see \u{2028}remind = 9\r\n# and \u{85}remind = 8\nat = \"07:00\"\n")
    let settings = try await desk.inForce()
    #expect(settings["remind"]?.source == "default")
    #expect(settings["at"]?.value == "07:00")
  }

  @Test func `Thousands of keys or texts are refused at once, and long ones`() async throws {
    let desk = try Desk()
    let texts = String(repeating: "\"stdout\",\n", count: 2_000)
    let long = String(repeating: "x\n", count: 9_000)
    let name = String(repeating: "x", count: 201)
    for (text, words) in [
      ((0..<20_000).map { "k\($0) = 1\n" }.joined(), ":1: unknown key \"k0\""),
      ("notify = [\(texts)]", ":1: \"notify\" has more than 1000 strings"),
      ("at = \"\"\"\(long)\"\"\"", ":1: \"at\" is longer than 16384 bytes"),
      (
        "[[catalogue]]\npath = \"a\"\nname = \"\(name)\"",
        ":3: \"name\" is longer than 200 characters"
      ),
    ] {
      try desk.writeSettings(text)
      let result = try await desk.run("config")
      #expect(result.status == 78)
      #expect(result.errorText.contains(words))
    }
  }

  @Test func `A long file is read in no time`() async throws {
    let desk = try Desk()
    try desk.writeSettings("#\n".repeated(500_000))
    #expect(try await desk.shell("ulimit -t 6; exec \"$0\" config").status == 0)
  }

  @Test func `With a settings file, no argument is needed`() async throws {
    let desk = try Desk()
    try desk.writeSettings(
      """
      catalogues = ["../../books.xml"]
      notify = ["stdout"]
      remind = 2
      """)
    let first = try await desk.run()
    #expect(first.status == 0)
    #expect(first.errorText == "")
    #expect(first.lines.last?.hasPrefix("\"Édes Anna\" expires in 2 days") == true)
    #expect(try await desk.run().outcome == Outcome(0), "all was delivered")
    #expect(try await desk.run("deliver").outcome == Outcome(0))
  }

  @Test(arguments: [
    ("notify = [\"stdout\"]", ["--notify", "stdout"]), ("remind = 7", ["--remind", "7"]),
    ("at = \"18:30\"", ["--at", "18:30"]),
    ("time-zone = \"Asia/Tokyo\"\nverbose = true", ["--time-zone", "Asia/Tokyo", "-v"]),
    ("state = \"none\"", ["--state", "none"]),
    ("format = \"json\"", ["--format", "json"]), ("all = true", ["--all"]),
    ("quiet = true", ["--quiet"]), ("color = \"always\"", ["--color", "always"]),
    ("exit-code = true", ["--exit-code"]),
    ("require-expiration = true", ["--require-expiration"]),
    ("state = \"../../other/x.sqlite\"", ["--state", "other/x.sqlite"]),
  ])
  func `A line of the file does what the option does`(
    line: String, option: [String]
  ) async throws {
    let plain = try Desk(now: nil)
    let withFile = try Desk(now: nil)
    let withOption = try Desk(now: nil)
    for desk in [plain, withFile, withOption] { try desk.folder.makeDirectory("other") }
    try withFile.writeSettings(line)
    let now = line.hasPrefix("now") ? [:] : ["CHECK_LOANS_NOW": "2026-11-21T07:00"]
    let file = try await withFile.run(["books.xml"], variables: now)
    let flag = try await withOption.run(["books.xml"] + option, variables: now)
    #expect(withFile.pathless(file.outcome) == withOption.pathless(flag.outcome))
    #expect(
      try File.names(in: withFile.folder.path).filter { $0 != ".config" }
        == File.names(in: withOption.folder.path))
    if !["at", "state"].contains(where: line.hasPrefix) {
      let without = try await plain.run(["books.xml"], variables: now)
      #expect(
        plain.pathless(without.outcome) != withFile.pathless(file.outcome),
        "the line does something")
    }
  }

  @Test func `A flag wins over a variable, and a variable over the file`() async throws {
    let desk = try Desk()
    try desk.writeSettings("remind = 3\nnotify = [\"stdout\"]\nverbose = true\n")
    func remind(_ arguments: String..., variables: [String: String] = [:]) async throws -> [JSON] {
      let arguments = ["config", "--format", "json"] + arguments
      let json = try JSON(parsing: await desk.run(arguments, variables: variables).text)
      let found = json.settings.elements.first { $0.name.text == "remind" }
      return [try #require(found).value, try #require(found).source, try #require(found).place]
    }
    let path = "\(desk.folder.path)/\(Desk.settings)"
    #expect(try await remind() == [.array([.int(3)]), .string("file"), .string("\(path):1")])
    let variable = ["CHECK_LOANS_REMIND": "4"]
    #expect(
      try await remind(variables: variable)
        == [.array([.int(4)]), .string("variable"), .string("CHECK_LOANS_REMIND")])
    #expect(
      try await remind("--remind", "5", variables: variable)
        == [.array([.int(5)]), .string("flag"), .string("--remind")])
  }

  @Test func `Where standard output is needed twice, the message says what set the channel`()
    async throws
  {
    let desk = try Desk()
    try desk.writeSettings("# mine\nnotify = [\"stdout\"]")
    let need =
      "--notify stdout and --format json both need standard output; choose one, perhaps with --notify "
      + "none or --output"
    let path = "\(desk.folder.path)/\(Desk.settings)"
    #expect(
      try await desk.run("--format", "json", "books.xml").outcome
        == Outcome(64, errors: "check-loans: \(path):2: \(need)\n"))
    let result = try await desk.run("--format", "json", "--notify", "none", "books.xml")
    #expect(try JSON(parsing: result.text).loans.elements.count == 6)
    #expect(
      try await desk.run(
        ["--format", "json", "books.xml"], variables: ["CHECK_LOANS_NOTIFY": "stdout"]
      ).errorText == "check-loans: CHECK_LOANS_NOTIFY: \(need)\n")
  }

  @Test(arguments: [
    ["schedule", "list"], ["schedule", "explain", "bk102"],
    ["status"], ["silence", "list"], ["closed"], ["plan"], ["lists", "call"], ["calendar"],
    ["preview"], ["deliver", "--dry-run"],
  ])
  func `Settings for the report of check are no others'`(command: [String]) async throws {
    let desk = try Desk()
    try await desk.run("books.xml")
    let general = "catalogues = [\"books.xml\"]\nmail-from = \"Desk <desk@example.org>\"\n"
    try desk.folder.write(general, to: "general.toml")
    try desk.folder.write(
      general
        + """
        format = "csv"
        borrower = "nobody of this name"
        sort = "title"
        group-by = "visit"
        all = true
        """, to: "report.toml")
    let plain = try await desk.run(command + ["--config", "general.toml"])
    #expect(plain.status == 0, "\(plain.errorText)")
    let other = try await desk.run(command + ["--config", "report.toml"])
    #expect(other.outcome == plain.outcome)
  }

  @Test func `What wins the channel for standard output decides about the format`() async throws {
    let desk = try Desk()
    try desk.writeSettings("notify = [\"stdout\"]\nformat = \"json\"")
    #expect(try await desk.run("books.xml").lines.first?.hasPrefix("\"") == true, "notices")
    let variable = try await desk.run(
      ["--notify", "none", "books.xml"], variables: ["CHECK_LOANS_FORMAT": "json"])
    #expect(variable.text.hasPrefix("{"))
    #expect(
      try await desk.run(["books.xml"], variables: ["CHECK_LOANS_FORMAT": "json"]).status == 78,
      "neither is ignored")
  }

  @Test func `The setting that is wrong is blamed, whatever the command needs`() async throws {
    let desk = try Desk()
    try desk.writeSettings("time-zone = \"UTC\"\nrepeat-expired = 0")
    let result = try await desk.run("schedule", "explain", "1")
    #expect(result.errorText.contains("\(Desk.settings):2: \"repeat-expired\" is \"0\"; "))
  }

  @Test func `Short switches are shown as given`() async throws {
    let settings = try await Desk().inForce("-qv")
    #expect(settings["quiet"]?.source == "flag")
    #expect(settings["verbose"]?.source == "flag")
  }

  @Test func `A schedule may be called -`() async throws {
    let desk = try Desk()
    try desk.writeSettings("state = \"-\"")
    try await desk.run("books.xml")
    #expect(desk.folder.contains(".config/check-loans/-"))
  }

  @Test func `A flag that is a list replaces the list`() async throws {
    let desk = try Desk()
    try desk.writeSettings("notify = [\"stdout\", \"exec:tell\"]")
    #expect(
      try await desk.inForce("--notify", "notify-send")["notify"]?.value
        == .array([.string("notify-send")]))
    #expect(try await desk.inForce("--notify", "none")["notify"]?.value == .array([]))
    let report = try await desk.run("books.xml", "--notify", "none")
    #expect(report.lines.count == 7, "the report with its summary")
  }

  @Test func `A variable that is 0 switches off what the file switches on`() async throws {
    let desk = try Desk()
    try desk.writeSettings("quiet = true")
    #expect(try await desk.run("books.xml").lines.count == 6)
    #expect(
      try await desk.run("books.xml", variables: ["CHECK_LOANS_QUIET": "0"]).lines.count == 7)
    #expect(
      try await desk.run("books.xml", variables: ["CHECK_LOANS_QUIET": ""]).lines.count == 6,
      "an empty variable is none")
  }

  @Test func `A schedule named by a flag is kept although the file says none`() async throws {
    let desk = try Desk()
    try desk.writeSettings("state = \"none\"")
    try await desk.run("books.xml")
    #expect(!desk.folder.contains("state"))
    try await desk.run("books.xml", "--state", "named.sqlite")
    #expect(desk.folder.contains("named.sqlite"))
  }

  @Test func `No schedule is kept although the file or a variable names one`() async throws {
    let desk = try Desk()
    try desk.writeSettings("state = \"../../file.sqlite\"")
    for variables in [[:], ["CHECK_LOANS_STATE": "variable.sqlite"]] {
      #expect(
        try await desk.run(["--state", "none", "books.xml"], variables: variables).lines.last?
          .contains("(--state none)") == true)
    }
    let variables = ["CHECK_LOANS_STATE": "none"]
    #expect(try await desk.run(["books.xml"], variables: variables).status == 0)
    #expect(!desk.folder.contains("file.sqlite"))
    #expect(try await desk.run("books.xml").status == 0)
    #expect(desk.folder.contains("file.sqlite"))
  }

  @Test func `An action is shown as it was given`() async throws {
    let action = "View=xdg-open 'https://example.org/my loans'"
    let result = try await Desk().run(["config"], variables: ["CHECK_LOANS_ACTION": action])
    #expect(result.lines.contains { $0.hasPrefix("action ") && $0.contains(" \(action) ") })
  }

  @Test(arguments: [["deliver"], ["schedule", "list"], ["watch", "books.xml"], ["status"]])
  func `What needs a schedule says so where none is kept`(line: [String]) async throws {
    let desk = try Desk()
    let words = "this needs a schedule, and --state none keeps none; leave it out\n"
    #expect(
      try await desk.run(line + ["--state", "none"]).outcome
        == Outcome(64, errors: "check-loans: \(words)"))
    try desk.writeSettings("state = \"none\"")
    let result = try await desk.run(line)
    #expect(
      result.outcome
        == Outcome(78, errors: "check-loans: \(desk.folder.path)/\(Desk.settings):1: \(words)"))
  }

  @Test(arguments: [["books.xml"], ["watch", "books.xml"]])
  func `A list without catalogues is reported, unless one is named`(line: [String]) async throws {
    let desk = try Desk()
    try desk.writeSettings("remind = 2\ncatalogues = []")
    let example = (["check-loans"] + line).joined(separator: " ")
    let words = "\"catalogues\" is empty; add a catalogue, or name one, as in \(example)"
    let errors = "check-loans: \(desk.folder.path)/\(Desk.settings):2: \(words)\n"
    #expect(try await desk.run(line.dropLast()).outcome == Outcome(66, errors: errors))
    #expect(try await desk.run("books.xml").status == 0)
    try desk.writeSettings("catalogues = []\n[[catalogue]]\npath = \"../../books.xml\"")
    #expect(try await desk.run().status == 0)
  }

  @Test func `Catalogues of the command line replace those of the file`() async throws {
    let desk = try Desk()
    try desk.writeSettings("catalogues = [\"missing.xml\"]")
    #expect(try await desk.run("books.xml").status == 0)
    #expect(try await desk.run().status == 66)
  }

  @Test func `Paths in the file are relative to its directory, and ~ is the home`() async throws {
    let desk = try Desk()
    try desk.writeSettings(
      """
      catalogues = ["a.xml", "~/b.xml", "/c.xml", "./d/../e.xml"]
      state = "s.sqlite"
      notify = ["exec:bin/tell", "exec:~/tell", "exec:tell", "exec:/bin/tell"]
      """)
    let home = desk.folder.path
    let settings = try await desk.inForce()
    let directory = "\(home)/.config/check-loans"
    #expect(
      settings["catalogues"]?.value.elements.map(\.text)
        == ["\(directory)/a.xml", "\(home)/b.xml", "/c.xml", "\(directory)/e.xml"]
        || settings["catalogues"]?.value.elements.last?.text?.hasSuffix("e.xml") == true)
    #expect(settings["state"]?.value.text == "\(directory)/s.sqlite")
    #expect(
      settings["notify"]?.value.elements.map(\.text)
        == [
          "exec:\(directory)/bin/tell", "exec:\(home)/tell", "exec:tell", "exec:/bin/tell",
        ])
  }

  @Test func `A settings file may be called -, and paths in it are relative to its directory`()
    async throws
  {
    let desk = try Desk()
    try desk.folder.write("catalogues = [\"books.xml\"]", to: "-")
    let settings = try await desk.inForce("--config", "-")
    #expect(settings["catalogues"]?.value.elements.map(\.text) == ["\(desk.folder.path)/books.xml"])
    #expect(settings["catalogues"]?.place.text == "\(desk.folder.path)/-:1")
  }

  @Test func `The file is found by --config, by its variable, then in its standard places`()
    async throws
  {
    let desk = try Desk()
    try desk.folder.write("remind = 2", to: "flag.toml")
    try desk.folder.write("remind = 3", to: "variable.toml")
    try desk.folder.makeDirectory("xdg")
    try desk.folder.makeDirectory("xdg/check-loans")
    try desk.folder.write("remind = 4", to: "xdg/check-loans/config.toml")
    try desk.writeSettings("remind = 5")
    let xdg = ["XDG_CONFIG_HOME": "\(desk.folder.path)/xdg"]
    let both = xdg.merging(["CHECK_LOANS_CONFIG": "variable.toml"]) { $1 }
    #expect(
      try await desk.inForce("--config", "flag.toml", variables: both)["remind"]?.value
        == .array([.int(2)]))
    #expect(try await desk.inForce(variables: both)["remind"]?.value == .array([.int(3)]))
    #expect(try await desk.inForce(variables: xdg)["remind"]?.value == .array([.int(4)]))
    for directory in ["relative", ""] {
      let variables = ["XDG_CONFIG_HOME": directory]
      #expect(try await desk.inForce(variables: variables)["remind"]?.value == .array([.int(5)]))
    }
    #expect(
      try await desk.inForce("--config", "none", variables: both)["remind"]?.value
        == .array([.int(1)]))
  }

  @Test(arguments: [["deliver"], ["schedule", "list"], ["schedule", "cancel", "--all"]])
  func `The other commands read it too`(command: [String]) async throws {
    let desk = try Desk()
    let catalogue = "\"\(desk.folder.path)/books.xml\""
    try desk.folder.write(
      "state = \"other.sqlite\"\ncatalogues = [\(catalogue)]", to: "other.toml")
    try await desk.run("books.xml", "--config", "other.toml")
    #expect(desk.folder.contains("other.sqlite"))
    let result = try await desk.run(command + ["--config", "other.toml"])
    #expect(result.status == 0)
    #expect(!result.lines.isEmpty)
    try desk.folder.write("remnd = 1", to: "other.toml")
    #expect(try await desk.run(command + ["--config", "other.toml"]).status == 78)
  }

  @Test func `validate reads none of a user's settings`() async throws {
    let desk = try Desk()
    try desk.writeSettings("this is no TOML")
    #expect(try await desk.run("validate", "-q", "books.xml").outcome == Outcome(0))
    #expect(try await desk.run("validate", "-q", "--format", "text", "books.xml").status == 0)
    #expect(try await desk.run("validate", "--config", "x", "books.xml").status == 78)
  }

  @Test(arguments: [["--help"], ["--version"], ["config", "--example"]])
  func `A broken settings file keeps nobody from help`(arguments: [String]) async throws {
    let desk = try Desk()
    try desk.writeSettings("this is no TOML")
    #expect(try await desk.run(arguments).status == 0)
  }

  @Test func `Without any catalogue, the message says how to name one`() async throws {
    let desk = try Desk()
    let result = try await desk.run()
    #expect(
      result.outcome
        == Outcome(
          64,
          errors: """
            check-loans: no catalogue is named; name one, as in check-loans books.xml, or write \
            catalogues = ["/path/to/books.xml"] into \(desk.folder.path)/\(Desk.settings)

            """))
    for command in ["timer", "watch", "calendar"] {
      let words = "as in check-loans \(command) books.xml,"
      #expect(try await desk.run(command).ends(64, saying: words))
    }
  }
}

/// What is wrong with a settings file, and where.
struct SettingsFaultTests {
  private static let all =
    "the keys are the long names of options, see check-loans config --example"

  private static let mistakes: [(String, String)] = [
    ("remnd = 1", "1: unknown key \"remnd\"; did you mean \"remind\"?"),
    ("# x\n\n  remnd = 1", "3: unknown key \"remnd\"; did you mean \"remind\"?"),
    ("time_zone = \"UTC\"", "1: unknown key \"time_zone\"; did you mean \"time-zone\"?"),
    ("timeZone = \"UTC\"", "1: unknown key \"timeZone\"; did you mean \"time-zone\"?"),
    ("catalogs = []", "1: unknown key \"catalogs\"; did you mean \"catalogues\"?"),
    ("elephants = 1", "1: unknown key \"elephants\"; \(all)"),
    ("\"elé phants\" = 1", "1: unknown key \"elé phants\"; \(all)"),
    ("'remind ' = 1", "1: unknown key \"remind \"; did you mean \"remind\"?"),
    ("\"re\\u006dnd\" = 1", "1: unknown key \"remnd\"; did you mean \"remind\"?"),
    ("\"\\U000E0041\" = 1\n# x", "1: unknown key \"\\u{e0041}\"; \(all)"),
    ("# x\n\"\u{E0041}\" = 1\n", "2: unknown key \"\\u{e0041}\"; \(all)"),
    (
      "[[catalogue]]\npath = \"x\"\n\"\u{E0041}\" = 1\n",
      "3: unknown key \"\\u{e0041}\"; \(all)"
    ),
    ("time-zone.x = 1", "1: \"time-zone\" is a table; expected a string"),
    ("\u{FEFF}remnd = 1", "1: unknown key \"remnd\"; did you mean \"remind\"?"),
    (
      "catalogues = [ # ]\n \"a]\\\"\", 'b#', [\"c\"], # x\n]\r\nremind = 2\n",
      "1: \"catalogues\" contains a list; expected a list of strings, or tables that begin with "
        + "[[catalogue]]"
    ),
    (
      "catalogues = [ # ]\n \"a]\\\"\", 'b#', # x\n]\r\nremnd = 2\n",
      "4: unknown key \"remnd\"; did you mean \"remind\"?"
    ),
    (
      "remind = 1.0",
      "1: \"remind\" is \"1.0\"; give numbers from 0 to 3650, as in 7,3,1, or none"
    ),
    (
      "\nremind = 3651",
      "2: \"remind\" is \"3651\"; give numbers from 0 to 3650, as in 7,3,1, or none"
    ),
    (
      "repeat-expired = 0",
      "1: \"repeat-expired\" is \"0\"; give a number from 1 to 3650"
    ),
    (
      "at = 07:30:00", "1: \"at\" is a time without quotation marks; expected a string"
    ),
    (
      "at = \"7:30\"", "1: \"at\" is \"7:30\"; write it as HH:MM: 07:30"
    ),
    (
      "at = \"24:00\"",
      "1: \"at\" is \"24:00\"; give a time of day from 00:00 to 23:59"
    ),
    (
      "time-zone = 2026-11-21 07:00:00",
      "1: \"time-zone\" is a date and time without quotation marks; expected a string"
    ),
    ("now = \"2026-11-21\"", "1: \"now\" would hold for every run; use --now instead"),
    (
      "remind = 1\ndry-run = true",
      "2: \"dry-run\" would hold for every run; use --dry-run instead"
    ),
    (
      "time-zone = Europe/Budapest # mine",
      "1: a string needs quotation marks: time-zone = \"Europe/Budapest\""
    ),
    ("state = /srv/x", "1: a string needs quotation marks: state = \"/srv/x\""),
    (
      "remind = one ",
      "1: \"remind\" is \"one\"; expected numbers, remind = [7, 3], or \"none\""
    ),
    (
      "remind = 7,3",
      "1: \"remind\" is \"7,3\"; expected numbers, remind = [7, 3], or \"none\""
    ),
    ("at = 08:00", "1: a string needs quotation marks: at = \"08:00\""),
    ("at = 8:05 # early", "1: a string needs quotation marks: at = \"8:05\""),
    (
      "action = \"View='x\"",
      "1: \"action\" is \"View='x\"; expected LABEL=COMMAND, for example "
        + "View=xdg-open: \"View='x\" lacks a closing '"
    ),
    ("verbose = \"yes\"", "1: \"verbose\" is a string; expected true or false"),
    (
      "format = \"xml\"",
      "1: \"format\" is \"xml\"; give one of text, table, json, csv, html, letters"
    ),
    (
      "notify = [\"stdout\",\n  \"é\", \"pigeon\"]",
      "1: \"notify\" is \"é\"; give one of "
        + "stdout, notify-send, mail, maildir:DIR, exec:PROGRAM, NAME, none"
    ),
    ("notify = [{a = 1}]", "1: \"notify\" contains a table; expected a list of strings"),
    (
      "time-zone = \"Europe/Nowhere\"",
      "1: the time zone \"Europe/Nowhere\" is unknown; give one of /usr/share/zoneinfo such as "
        + "Europe/Budapest (Debian: apt install tzdata)"
    ),
    (
      "time-zone = \"europe/budapest\"",
      "1: the time zone \"europe/budapest\" is unknown; did you mean Europe/Budapest?"
    ),
    (
      "action = \"View\"",
      "1: \"action\" is \"View\"; expected LABEL=COMMAND, for example "
        + "View=xdg-open: \"View\" has no ="
    ),
    (
      "remind = 1\n[table]",
      "2: unknown key \"table\"; a catalogue's table begins with [[catalogue]]"
    ),
    ("state = \"\"", "1: \"state\" is empty; expected a string"),
    (
      "[mail]\nfrom = \"x\"",
      "2: \"mail-from\" is \"x\"; \"x\" has no @"
    ),
    ("notify = [\"\"]", "1: \"notify\" is empty; expected a list of strings"),
    (
      "state = \"a\\u0000b\"",
      "1: \"state\" has the character NUL in it"
    ),
    (
      "remind = 1\nremind = 2",
      "2:10: error while parsing key-value pair: cannot redefine existing integer 'remind'"
    ),
    (
      "notify = b\(String(repeating: " ", count: 16_000))\"",
      "1:10: error while parsing value: could not determine value type; a string needs quotation marks"
    ),
    (
      "at = \"07:00",
      "1: a string needs a quotation mark at its end too: at = \"07:00\""
    ),
    (
      "catalogues = [/srv/a.xml]",
      "1:15: error while parsing value: could not determine value type; a string needs quotation marks"
    ),
    ("all = True", "1: \"all\" is \"True\"; expected true or false"),
    (
      "// mine",
      "1:1: error while parsing root table: expected keys, tables, whitespace or comments, saw '/'"
    ),
    (
      "[[catalogue]\npath = \"x\"",
      "1:13: error while parsing table header: expected ']', saw '\\n'"
    ),
    (
      "[[catalogue]]\nname = \"x\"",
      "1: this catalogue has no path; add path = \"/srv/library/books.xml\""
    ),
    ("[catalogue]\npath = \"x\"", "1: write each catalogue as a table of its own: [[catalogue]]"),
    (
      "[closed]\n[closed]",
      "2:1: error while parsing table header: cannot redefine existing table 'closed'"
    ),
    (
      "[[catalogues]]\npath = \"x\"",
      "1: \"catalogues\" contains a table; expected a list of strings, or tables that begin with "
        + "[[catalogue]]"
    ),
    (
      "[[catalog]]\npath = \"x\"",
      "1: unknown key \"catalog\"; a catalogue's table begins with [[catalogue]]"
    ),
    ("path = \"x\"", "1: unknown key \"path\"; it belongs below a line [[catalogue]]"),
    (
      "[[catalogue]]\npath = \"x\"\n[[catalogue]]\nname = \"y\"\npath = \"x\"",
      "5: another table has this path; correct it, or remove the table"
    ),
    (
      "[[catalogue]]\npath = \"x\"\nreminder = 3",
      "3: unknown key \"reminder\"; did you mean \"remind\"?"
    ),
    (
      "[[catalogue]]\npath = \"x\"\nstate = \"y\"",
      "3: \"state\" is for all catalogues; put it before the first table"
    ),
    (
      "remind = 2\n[[catalogue]]\npath = \"x\"\n[[catalogue]] # two\npath = \"y\"\nremind = -2",
      "6: \"remind\" is \"-2\"; give numbers from 0 to 3650, as in 7,3,1, or none"
    ),
    (
      "action = \"\"\"View=x\nremnd = 1\n\"\"\"\nremnd = 2",
      "4: unknown key \"remnd\"; did you mean \"remind\"?"
    ),
    (
      "catalogues = [\n\"a\",\n\"remnd\"\n]\nremnd = 1",
      "5: unknown key \"remnd\"; did you mean \"remind\"?"
    ),
    ("[[catalogue]]\npath = \"x\"\n[catalogue.sub]\na = 1", "3: unknown key \"sub\"; \(all)"),
    (
      "[[catalogue]]\npath = \"x\"\ntime-zone = \"europe/prague\"",
      "3: the time zone \"europe/prague\" is unknown; did you mean Europe/Prague?"
    ),
    (
      "[[catalogue]]\npath = \"x\"\nprofile = \"koha\"",
      "3: \"profile\" is \"koha\"; the profile \"koha\" is unknown; did you mean koha-ilsdi? check-loans profiles lists them, and the name of a file ends with .xml or has a / in it"
    ),
  ]

  @Test(arguments: mistakes)
  func `78 is a mistake in the file, with its place`(
    text: String, words: String
  ) async throws {
    let desk = try Desk()
    try desk.writeSettings(text)
    let outcome = Outcome(
      78, errors: "check-loans: \(desk.folder.path)/\(Desk.settings):\(words)\n")
    #expect(try await desk.run("books.xml").outcome == outcome)
    #expect(!desk.folder.contains("state"), "nothing was done")
  }

  /// Mistakes of every kind, each in a line.
  private static let lines = [
    "remind = 9999", "elephants = 1", "all = 1", "at = \"25:00\"", "aardvarks = 1", "quiet = 2",
    "notify = [\"Pigeon\"]",
  ]

  @Test(arguments: lines.indices)
  func `Of several mistakes, the first in the file is reported`(index: Int) async throws {
    let desk = try Desk()
    let lines = Self.lines[index...] + Self.lines[..<index]
    for (head, line) in [("# mine\n", 2), ("[[catalogue]]\npath = \"x\"\n", 3)] {
      try desk.writeSettings(head + lines.joined(separator: "\n"))
      let result = try await desk.run("books.xml")
      #expect(result.status == 78)
      let place = "check-loans: \(desk.folder.path)/\(Desk.settings):\(line): "
      #expect(result.errorText.hasPrefix(place))
      let key = try #require(lines.first?.prefix { $0 != " " })
      #expect(result.errorText.contains(key))
    }
  }

  @Test func `A mistake before the catalogues comes before one of theirs`() async throws {
    let desk = try Desk()
    try desk.writeSettings("remind = -1\n[[catalogue]]\npath = \"x\"\nelephants = 1\n")
    #expect(try await desk.run("books.xml").errorText.contains("\(Desk.settings):1: "))
    try desk.writeSettings("remind = -1\n[catalogue]\npath = \"x\"\n")
    #expect(try await desk.run("books.xml").errorText.contains("\(Desk.settings):1: "))
  }

  @Test func `What is shown of the file cannot steer a terminal`() async throws {
    let desk = try Desk()
    try desk.writeSettings("\"\\u001b[31mremnd\" = 1")
    let result = try await desk.run("books.xml")
    #expect(result.status == 78)
    #expect(!result.errors.contains(0x1B))
  }

  @Test(arguments: [
    ("missing", "cannot read the settings file: no such file"),
    ("directory", "this is a directory, not a settings file"),
    ("pipe", "this is a named pipe, not a settings file"),
    ("/dev/zero", "this is a device, not a settings file"),
    ("huge", "the settings file is longer than 1048576 bytes"),
    (
      "open",
      "the settings file is writable by everyone, and could run programs; use chmod o-w"
    ),
  ])
  func `78 is a file that cannot be read`(name: String, words: String) async throws {
    let desk = try Desk()
    try desk.folder.makeDirectory("directory")
    try desk.folder.makeNamedPipe("pipe")
    try desk.folder.write("#".repeated(1_048_577), to: "huge")
    try desk.folder.write("", to: "open")
    try desk.folder.setPermissions(of: "open", 0o666)
    let result = try await desk.run("books.xml", "--config", name)
    #expect(result.outcome == Outcome(78, errors: "check-loans: \(name): \(words)\n"))
    #expect(!desk.folder.contains("state"))
  }

  @Test(.disabled(if: isRoot, "root may read everything"))
  func `78 is also a file that may not be read`() async throws {
    let desk = try Desk()
    try desk.folder.write("", to: "secret")
    try desk.folder.setPermissions(of: "secret", 0)
    let result = try await desk.run("books.xml", "--config", "secret")
    #expect(result.status == 78)
    #expect(result.errorText.contains("permission denied"))
  }

  @Test(arguments: [
    (
      Array("remind = 1\nat = \"".utf8) + [0xFF, 0x22],
      ": this is not text in UTF-8; save the file as UTF-8"
    )
  ])
  func `78 is also a file that is not text`(bytes: [UInt8], words: String) async throws {
    let desk = try Desk()
    try desk.folder.write(bytes: bytes, to: "x.toml")
    let result = try await desk.run("books.xml", "--config", "x.toml")
    #expect(
      result.outcome == Outcome(78, errors: "check-loans: \(desk.folder.path)/x.toml\(words)\n"))
  }

  private static let hostile: [String] = [
    "notify = \("[".repeated(500_000))",
    "\("a.".repeated(250_000))a = 1",
    "notify = [{\("a.".repeated(200_000))a = 1}]",
    "\"".repeated(100_001),
    "catalogues = [\("\"a\",".repeated(20_000))1]",
    "'''''''''", "remind = \"\\", "\"", "=", "[", "[[a", "remind", "remind =[",
    "[\n", "[[ \n", "[/srv/books.xml]\n", "[[[a]]]\n", "[é]\n", "x = 1\n\t[\u{301}a]\n", "[=",
    "[ [a]]",
    "[\"", "['\n", "notify = {=1}", "notify = {,}", "notify = {a.=1}", "a.[b]",
  ]

  @Test(arguments: hostile.indices)
  func `No file brings the program down`(index: Int) async throws {
    let text = Self.hostile[index]
    let desk = try Desk()
    try desk.writeSettings(text)
    let result = try await desk.run("books.xml")
    #expect(result.status == 78)
    #expect(result.errorLines.count == 1)
  }
}

/// Names that are nearly right.
struct MistypedNameTests {
  @Test func `An unknown variable is reported, once`() async throws {
    let desk = try Desk(catalogue: catalogue(("Abigél", "2027.11.22")))
    let variables = [
      "CHECK_LOANS_REMNID": "3", "CHECK_LOANS_ELEPHANTS": "x", "CHECK_LOANS_TITLE": "x",
    ]
    let result = try await desk.run("-q", "books.xml", variables: variables)
    #expect(
      result.outcome
        == Outcome(
          0,
          errors: """
            check-loans: the environment variable CHECK_LOANS_ELEPHANTS is unknown
            check-loans: the environment variable CHECK_LOANS_REMNID is unknown; did you mean \
            CHECK_LOANS_REMIND?

            """))
    #expect(
      try await desk.run("validate", "-q", "books.xml", variables: variables).outcome == Outcome(0))
  }

  @Test(arguments: [
    (["validte", "a b.xml"], "check-loans validate 'a b.xml'"),
    (["shedule"], "check-loans schedule"), (["delivr"], "check-loans deliver"),
    (["chek", "books.xml", "-q"], "check-loans check books.xml -q"),
    (["config2", "x"], "check-loans config x"), (["booksxml"], nil), (["overdue"], nil),
    (["./validte"], nil), (["validte.xml"], nil),
    (["check", "validte"], nil),
  ])
  func `A mistyped subcommand is reported`(arguments: [String], line: String?) async throws {
    let desk = try Desk()
    let result = try await desk.run(arguments)
    #expect(result.status == (arguments[0].contains(".") || arguments[0] == "check" ? 66 : 64))
    #expect(result.errorText.contains("did you mean") == (line != nil))
    if let line {
      #expect(
        result.outcome
          == Outcome(
            64,
            errors:
              "check-loans: there is no command or file \"\(arguments[0])\"; did you mean \(line)?\n"
          ))
      #expect(!desk.folder.contains("state"), "nothing was done")
    }
  }

  private static let misplaced: [([String], String, String)] = [
    (["--time-zone", "CET", "schedule", "list"], "schedule", "schedule list --time-zone CET"),
    (["--state", "x", "deliver"], "deliver", "deliver --state x"),
    (["-v", "watch", "books.xml"], "watch", "watch -v books.xml"),
    (["-q", "check", "books.xml"], "check", "check -q books.xml"),
    (["--all", "schedule", "cancel"], "schedule", "schedule cancel --all"),
    (["-q", "schedule", "two words"], "schedule", "schedule -q 'two words'"),
    (["books.xml", "validate"], "validate", "validate books.xml"),
  ]

  @Test(arguments: misplaced)
  func `A subcommand after options or files is wrong usage, even if there is such a file`(
    arguments: [String], word: String, line: String
  ) async throws {
    let desk = try Desk()
    for name in ["schedule", "list", "deliver", "watch", "check", "cancel", "validate"] {
      try desk.folder.write(catalogue(("Abigél", "2026.11.22")), to: name)
    }
    let message = "check-loans: \(word) is a command and comes first: check-loans \(line)\n"
    #expect(try await desk.run(arguments).outcome == Outcome(64, errors: message))
    #expect(!desk.folder.contains("state"), "nothing was done")
    #expect(try await desk.run("-q", "./\(word)").lines.count == 1)
    #expect(try await desk.run("-q", "--", word).lines.count == 1)
  }

  @Test(arguments: [
    (["list"], "schedule list"), (["explain", "3"], "schedule explain 3"),
    (["cancel", "--all"], "schedule cancel --all"),
    (["--time-zone", "CET", "list"], "schedule list --time-zone CET"),
  ])
  func `What belongs after schedule is reported`(arguments: [String], line: String) async throws {
    let desk = try Desk()
    let word = try #require(arguments.first { ["list", "explain", "cancel"].contains($0) })
    let result = try await desk.run(arguments)
    #expect(result.ends(64, saying: "\"\(word)\"; did you mean check-loans \(line)?"))
    #expect(!desk.folder.contains("state"), "nothing was done")
    try desk.folder.write(catalogue(("Abigél", "2026.11.22")), to: "list")
    #expect(try await desk.run("-q", "list").lines.count == 1, "a real file is read")
  }

  @Test(arguments: [
    ("book.xml", "books.xml"), ("sub/lown.xml", "sub/loan.xml"), ("books.xlm", nil),
    ("patron-12.xml", nil), ("nothing.xml", nil), ("no/books.xml", nil),
  ])
  func `A file that is called nearly like a missing one is offered`(
    name: String, near: String?
  ) async throws {
    let desk = try Desk()
    try desk.folder.makeDirectory("sub")
    try desk.folder.write("", to: "sub/loan.xml")
    try desk.folder.write("", to: "patron-13.xml")
    for command in ["check", "validate"] {
      let result = try await desk.run(command, name)
      let advice = near.map { "; did you mean \($0)?" } ?? ""
      #expect(result.status == 66)
      #expect(result.errorText.contains("no such file or directory\(advice)\n"))
    }
  }

  @Test(arguments: [
    ("smtp", "mail"), ("email", "mail"), ("e-mail", "mail"), ("desktop", "notify-send"),
  ])
  func `A channel by another name is offered by its own`(name: String, channel: String) async throws
  {
    let result = try await Desk().run("--notify", name, "books.xml")
    #expect(result.status == 78)
    #expect(result.errorText.contains("did you mean \"\(channel)\"?"))
  }

  @Test func `A catalogue may be called nearly like a subcommand`() async throws {
    let desk = try Desk()
    try desk.folder.write(catalogue(("Abigél", "2026.11.22")), to: "validte")
    #expect(try await desk.run("validte", "-q").lines.count == 1)
  }
}

/// `check-loans config`.
struct ConfigTests {
  @Test func `It shows each option with its value and where that comes from`() async throws {
    let desk = try Desk()
    try desk.writeSettings("# mine\nremind = 3\nnotify = [\"stdout\", \"exec:/bin/tell\"]\n")
    let result = try await desk.run(
      "config", "--at", "08:00", "books.xml", variables: ["CHECK_LOANS_VERBOSE": "1"])
    let path = "\(desk.folder.path)/\(Desk.settings)"
    #expect(result.status == 0)
    let rows = result.lines.map { $0.split(separator: " ", omittingEmptySubsequences: true) }
    func row(_ name: String) -> [String] {
      rows.first { $0.first == name[...] }?.map(String.init) ?? []
    }
    #expect(row("config") == ["config", path, "default"])
    #expect(row("catalogues") == ["catalogues", "books.xml", "<catalogues>"])
    #expect(row("notify") == ["notify", "stdout,", "exec:/bin/tell", "\(path):3"])
    #expect(row("remind") == ["remind", "3", "\(path):2"])
    #expect(row("at") == ["at", "08:00", "--at"])
    #expect(row("verbose") == ["verbose", "true", "CHECK_LOANS_VERBOSE"])
    #expect(row("time-zone") == ["time-zone", "UTC", "TZ"])
    #expect(row("quiet") == ["quiet", "false", "default"])
    #expect(row("state") == ["state", "\(desk.folder.path)/\(Desk.state)", "default"])
    let columns = Set(
      result.lines.map { line in
        line.count - (line.split(separator: " ").last?.count ?? 0)
      })
    #expect(columns.count == 1, "the columns are aligned")
    #expect(!desk.folder.contains("state"), "nothing was done")
  }

  @Test func `In JSON a catalogue's own values are of their kinds`() async throws {
    let desk = try Desk()
    try desk.writeSettings(
      """
      [[catalogue]]
      path = "/srv/books.xml"
      name = "the 2nd Library"
      remind = 3
      loan-days = "28"
      at = "08:00"
      allow-empty = true
      require-expiration = false

      """)
    let result = try await desk.run("config", "--format", "json")
    #expect(
      result.text.contains(
        """
        "catalogues":[{"path":"/srv/books.xml","name":"the 2nd Library","remind":[3],"loan-days":28,\
        "at":"08:00","allow-empty":true,"require-expiration":false}]
        """), "\(result.text)")
  }

  @Test func `Rules and texts of the library's own are in it, with their places`() async throws {
    let desk = try Desk()
    try desk.writeSettings(
      """
      [[rules]]
      category = ["child", "youth"]
      remind = [7, 1]
      [wording]
      mail-greeting = "Dear {borrower},"
      [wording.hu]
      mail-greeting = "Kedves {borrower}!"
      """)
    let file = "\(desk.folder.path)/\(Desk.settings)"
    let lines = try await desk.run("config").lines.suffix(4).map { line in
      line.split(separator: "  ").map { $0.trimmingPrefix(" ") }
    }
    #expect(
      lines == [
        ["rules.category", "child, youth", "\(file):2"], ["rules.remind", "7, 1", "\(file):3"],
        ["wording.mail-greeting", "Dear {borrower},", "\(file):5"],
        ["wording.hu.mail-greeting", "Kedves {borrower}!", "\(file):7"],
      ])
    let given = try await desk.run("config", "--remind", "2").text
    #expect(!given.contains("rules.remind"), "the command line wins over it")
    let json = try JSON(parsing: await desk.run("config", "--format", "json").text)
    #expect(json.rules.elements.map { $0.category.elements.map(\.text) } == [["child", "youth"]])
    #expect(json.wordings.elements.map(\.language.text) == [nil, "hu"])
    #expect(
      json.wordings.elements.map { $0.texts["mail-greeting"].elements.map(\.text) }
        == [["Dear {borrower},"], ["Kedves {borrower}!"]])
  }

  @Test func `Every option of check is in it`() async throws {
    let help = try await Desk().run("check", "--help-hidden").text
    let options = Set(help.matches(of: /--([a-z-]+)/).map { String($0.output.1) })
      .subtracting(["help", "help-hidden", "version", "config", "name"])
    let names = try await Set(Desk().inForce().keys)
    #expect(
      names
        == options.union(
          ["catalogues", "action", "buttons"] + MailOptions.facts.names))
  }

  @Test(arguments: [false, true])
  func `The example is a settings file, as it is and uncommented`(
    isUncommented: Bool
  ) async throws {
    let desk = try Desk(now: nil)
    var text = try await desk.run("config", "--example").text
    #expect(!text.contains("\n#now") && !text.contains("\n#dry-run"))
    if isUncommented { text.replace(/(?m)^#([a-z-]+ = |\[)/) { String($0.output.1) } }
    try desk.writeSettings(text)
    try desk.folder.write(LanguageOptionTests.dutch, to: ".config/check-loans/sk.po")
    let settings = try await desk.inForce()
    let fromFile = settings.values.filter { $0.source.text == "file" }.count
    #expect(
      fromFile == (isUncommented ? settings.count - 7 : 0),
      """
      format is a flag here; now, dry-run, backlog, output, refresh and screen are for \
      one run
      """)
  }

  @Test func `A wrong variable is wrong here too`() async throws {
    let result = try await Desk().run("config", variables: ["CHECK_LOANS_REMIND": "often"])
    #expect(result.status == 78)
    #expect(result.errorText.contains("CHECK_LOANS_REMIND"))
  }
}

/// Too few descriptors or threads.
struct SystemLimitTests {
  @Test(arguments: [5, 10, 23])
  func `71 is too few descriptors, told before anything is done`(limit: Int) async throws {
    let desk = try Desk()
    let result = try await desk.shell("ulimit -n \(limit); exec \"$0\" books.xml")
    #expect(
      result.outcome
        == Outcome(
          71,
          errors: """
            check-loans: only \(limit) open files are allowed, and 24 are needed; raise the limit \
            with ulimit -n, or LimitNOFILE= in a systemd unit

            """))
    #expect(!desk.folder.contains("state"))
  }

  @Test(arguments: ["ulimit -S -n 10", "ulimit -n 24"])
  func `A few descriptors are enough`(limit: String) async throws {
    let desk = try Desk()
    let result = try await desk.shell("\(limit); exec \"$0\" --notify stdout books.xml")
    #expect(result.lines.count == 6)
  }

  /// Runs the program with few threads, for which the user must not be root.
  private func run(
    _ arguments: String, threads: Int, in desk: Desk
  ) async throws -> CommandResult {
    // The limit counts all processes of a user.
    try desk.folder.setPermissions(of: ".", 0o777)
    try desk.folder.setPermissions(of: "books.xml", 0o644)
    let result = try await desk.shell(
      """
      set -- prlimit --nproc=\(threads) "$0" \(arguments)
      test "$(id -u)" -ne 0 || set -- setpriv --reuid 65533 --regid 65533 --clear-groups "$@"
      exec "$@"
      """)
    try #require(!result.errorText.contains("Permission denied"), "the binary must be readable")
    return result
  }

  @Test(arguments: [
    "--state none books.xml", "--state none --format json books.xml", "--notify stdout books.xml",
    "--state none --jobs 4 books.xml", "validate books.xml books.xml books.xml",
  ])
  func `Where no thread can be had, all is done by one`(arguments: String) async throws {
    let desk = try Desk()
    let result = try await run(arguments, threads: 1, in: desk)
    #expect(result.status == 0)
    #expect(!result.errorText.contains("thread"))
  }

  @Test func `71 is an action for which no thread can be had`() async throws {
    let desk = try Desk()
    let result = try await run("watch --action View=true books.xml", threads: 1, in: desk)
    #expect(result.status == 71)
    #expect(result.errorText.contains("the system allows no more threads ("))
    #expect(!desk.folder.contains("state"))
  }

  @Test func `71 is a program that cannot be started for want of processes`() async throws {
    let desk = try Desk()
    let result = try await run("--notify exec:/bin/cat books.xml", threads: 1, in: desk)
    #expect(result.status == 71)
    #expect(
      result.errorText.contains(
        "could not be run, because too many programs are running; end some, or raise ulimit -u"))
  }
}
