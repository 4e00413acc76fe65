import Loans
import TestSupport
import Testing

/// What a settings file has for single catalogues.
struct CatalogueTableTests {
  private static let koha = """
    <GetPatronInfo><loans><loan><itemnumber>7</itemnumber><title>Abigél</title>
    <date_due>2026-11-24 23:59:00</date_due></loan></loans></GetPatronInfo>
    """

  /// A desk with two folders of catalogues.
  private func desk(_ settings: String) throws -> Desk {
    let desk = try Desk(catalogue: catalogue(("Az ajtó", "2026.11.23")))
    try desk.folder.makeDirectory("patrons")
    try desk.folder.write(Self.koha, to: "patrons/7.xml")
    try desk.folder.write(
      Self.koha.replacing("<itemnumber>7", with: "<itemnumber>8"), to: "patrons/8.xml")
    try desk.folder.write("no catalogue", to: "patrons/notes.txt")
    try desk.writeSettings(settings)
    return desk
  }

  @Test(arguments: ["../../patrons", "~/patrons/*.xml", "../../patrons/?.xml"])
  func `A folder or a pattern stands for the files that are there now`(path: String) async throws {
    let desk = try desk("[[catalogue]]\npath = \"\(path)\"\nremind = 3\n")
    #expect(try await desk.run("-q").lines.count == 2)
    try desk.folder.write(
      Self.koha.replacing("<itemnumber>7", with: "<itemnumber>9"), to: "patrons/9.xml")
    #expect(try await desk.run("-q").lines.count == 3)
  }

  @Test func `A link to another file of a folder does not schedule its loans again`() async throws {
    let desk = try desk("[[catalogue]]\npath = \"../../patrons\"\nremind = 3\n")
    try desk.folder.makeLink("patrons/1.xml", to: "7.xml")
    #expect(try await desk.run("-q").lines.count == 2)
    #expect(try await desk.schedule().count == 2)
    try desk.folder.makeLink("patrons/2.xml", to: "../books.xml")
    #expect(try await desk.run("-q").lines.count == 3, "which is not in the folder")
  }

  @Test func `Each catalogue has its own lead, others that of the file`() async throws {
    let desk = try desk(
      """
      catalogues = ["../../books.xml"]
      remind = 2
      [[catalogue]]
      path = "../../patrons/7.xml"
      remind = 5
      [[catalogue]]
      path = "../../patrons/8.xml"
      """)
    try await desk.run("-q")
    let fires = try await desk.schedule().map(\.fireAt)
    #expect(fires == ["2026-11-19T00:00", "2026-11-21T00:00", "2026-11-22T00:00"])
    try await desk.run("-q", "--remind", "1")
    #expect(
      try await desk.schedule().map(\.fireAt)
        == ["2026-11-22T00:00", "2026-11-23T00:00", "2026-11-23T00:00"],
      "the command line wins over all")
  }

  @Test func `A file of the command line takes what its table has, and no other is read`()
    async throws
  {
    let desk = try desk("[[catalogue]]\npath = \"../../patrons\"\nremind = 3\n")
    #expect(try await desk.run("-q", "patrons/7.xml").lines.count == 1)
    #expect(try await desk.run("-q", "books.xml").lines.count == 0, "two days ahead")
  }

  @Test func `A catalogue has its own time zone`() async throws {
    let desk = try desk(
      """
      [[catalogue]]
      path = "../../patrons/7.xml"
      time-zone = "Europe/Prague"
      [[catalogue]]
      path = "../../patrons/8.xml"
      """)
    let ncip = ForeignSystem.all[0].document(due: "2026-11-21T23:00:00Z")
    for name in ["7", "8"] { try desk.folder.write(ncip, to: "patrons/\(name).xml") }
    let lines = try await desk.run("-q").lines
    #expect(lines.first?.contains("expires today (2026.11.21 23:00)") == true)
    #expect(lines.last?.contains("expires tomorrow (2026.11.22)") == true)
  }

  @Test func `A variable that replaces the time zone of a table is reported`() async throws {
    let desk = try desk(
      "[[catalogue]]\npath = \"../../books.xml\"\ntime-zone = \"Pacific/Kiritimati\"\n")
    let words = "CHECK_LOANS_TIME_ZONE is stronger than the time-zone of a catalogue's table"
    let place = "\(desk.folder.path)/\(Desk.settings):3"
    for (zone, errors) in [
      ("UTC", "check-loans: \(words) (\(place)); unset it\n"), ("Pacific/Kiritimati", ""),
    ] {
      let result = try await desk.run(variables: ["CHECK_LOANS_TIME_ZONE": zone])
      #expect(result.errorText == errors)
    }
    #expect(try await desk.run("--time-zone", "UTC").errorText == "")
  }

  @Test func `What is shown of a schedule is by the time of each catalogue`() async throws {
    // It is always another day in these two zones.
    let west = try #require(ShownClock.today(hoursEast: -12))
    var desk = try Desk(now: nil)
    desk.environment["TZ"] = "Etc/GMT+12"
    for name in ["east", "west"] {
      try desk.folder.write(catalogue((name, west.dotted)), to: "\(name).xml")
    }
    try desk.writeSettings(
      """
      catalogues = ["../../west.xml"]
      [[catalogue]]
      path = "../../east.xml"
      time-zone = "Etc/GMT-14"
      """)
    try await desk.run("-q")
    let list = try await desk.run("schedule", "list").lines
    #expect(list.map { $0.contains("expired   \"east\" expired") } == [false, true])
    #expect(list.first?.contains("reminder  \"west\" expires") == true)
    let badge = try await desk.run("schedule", "list", "--format", "i3blocks").lines
    #expect(badge.first == "2 loans, 1 expired")
    let numbers = try #require(list.last).prefix(6).filter(\.isNumber)
    let sentences = try await desk.run("schedule", "explain", "\(numbers)").lines
    #expect(sentences[1].hasPrefix("It expired"))
  }

  @Test(arguments: [[], ["deliver"]])
  func `A dry run says once that nothing is due, however many time zones there are`(
    command: [String]
  ) async throws {
    let desk = try desk(
      """
      [[catalogue]]
      path = "../../patrons/7.xml"
      time-zone = "Europe/Prague"
      [[catalogue]]
      path = "../../patrons/8.xml"
      """)
    try await desk.run("-q")
    let result = try await desk.run(command + ["--dry-run", "--notify", "stdout"])
    #expect(result.errorLines == ["check-loans: nothing is due through stdout"])
  }

  @Test func `What matches nothing is missing, unless it may be empty`() async throws {
    let desk = try desk("[[catalogue]]\npath = \"../../none/*.xml\"\n")
    let result = try await desk.run("-q")
    #expect(result.status == 66)
    #expect(result.errorText.hasSuffix("; no file matches this pattern\n"))
    let quoted = try await desk.run("validate", "patrons/*.xml")
    #expect(quoted.status == 66)
    #expect(quoted.errorText.contains("; remove the quotation marks, and the shell expands"))
    try desk.writeSettings(
      """
      catalogues = ["../../books.xml"]
      [[catalogue]]
      path = "../../none/*.xml"
      allow-empty = true
      """)
    #expect(try await desk.run("-q").outcome == Outcome(0))
  }

  @Test func `A profile that is missing keeps no other catalogue from being read`() async throws {
    let desk = try desk(
      """
      [[catalogue]]
      path = "../../patrons/7.xml"
      profile = "missing.xml"
      [[catalogue]]
      path = "../../patrons/8.xml"
      remind = 3
      """)
    let directory = "\(desk.folder.path)/.config/check-loans"
    let message = """
      check-loans: \(directory)/config.toml:3: \(directory)/missing.xml: cannot read the profile: no \
      such file

      """
    let result = try await desk.run("-q")
    #expect(result.outcome == Outcome(66, output: result.text, errors: message))
    #expect(result.lines.count == 1)
    for command in [["config"], ["watch"], ["timer"]] {
      #expect(try await desk.run(command).errorText.hasSuffix(message))
    }
  }

  @Test func `The library's name is in the report, in notices, and in lists`() async throws {
    let desk = try desk(
      """
      [[catalogue]]
      path = "../../books.xml"
      name = "the <b>Central</b>\\u001b Library"
      remind = 5
      """)
    let name = "the <b>Central</b>\\u{1b} Library"
    let words = "\"Az ajtó\" expires in 2 days (2026.11.23), at \(name)\n"
    #expect(try await desk.run("-q").text == words)
    let report = try JSON(parsing: await desk.run("--format", "json").text)
    #expect(report.loans[0].library.text == "the <b>Central</b>\u{1b} Library")
    #expect(report.catalogues[0].library == report.loans[0].library)
    #expect(try await desk.run("schedule").text.contains(" (\(name)); next "))
    #expect(try await desk.run("--notify", "stdout").text == words)
    #expect(try await desk.run("schedule", "explain", "1").text.contains(name))
    try desk.writeSettings(
      "[[catalogue]]\npath = \"../../books.xml\"\nname = \"the parish\"\nremind = 5\n")
    #expect(try await desk.run("--notify", "stdout").outcome == Outcome(0), "told already")
    #expect(try await desk.run("schedule").text.contains(" (the parish); next "))
  }

  @Test(arguments: ["../../patrons", "~/patrons/*.xml"])
  func `What is scheduled of a file that is gone from a folder is delivered, with advice`(
    path: String
  ) async throws {
    let desk = try desk("[[catalogue]]\npath = \"\(path)\"\n")
    try await desk.run("-q")
    try desk.folder.remove("patrons/8.xml")
    let file = "\(desk.folder.path)/patrons/8.xml"
    for _ in 1...2 {
      let result = try await desk.run("--now", "2026-11-23", "--notify", "stdout")
      #expect(result.status == 66)
      #expect(result.errorLines.count == 2)
      #expect(result.errorLines.last?.contains("\(file): the notices of ") == true)
      #expect(result.errorLines.last?.hasSuffix("schedule forget \(file)") == true)
    }
    let list = try await desk.run("schedule", "--now", "2026-11-23").lines
    #expect(list.filter { $0.contains("  delivered  ") }.count == 2)
    #expect(try await desk.run("schedule", "forget", file).status == 0)
    let after = try await desk.run("--now", "2026-11-23", "--notify", "stdout")
    #expect(after.outcome == Outcome(0))
  }

  @Test func `A damaged schedule is reported, also where the settings name the catalogues`()
    async throws
  {
    let desk = try desk("catalogues = [\"../../books.xml\"]\n")
    try await desk.run("-q")
    let bytes = try File.bytes(of: "\(desk.folder.path)/\(Desk.state)")
    try desk.folder.write(bytes: Array(bytes.prefix(5_000)), to: Desk.state)
    let result = try await desk.run("-q")
    #expect(result.status == 74)
    #expect(result.errorText.contains("is damaged; restore it from a backup, or move it away"))
  }

  @Test func `A folder may have any name`() async throws {
    let desk = try desk("[[catalogue]]\npath = \"../../a[b]*\"\nremind = 5\n")
    try desk.folder.makeDirectory("a[b]*")
    try desk.folder.write(Self.koha, to: "a[b]*/7.xml")
    #expect(try await desk.run("-q").lines.count == 1)
  }

  @Test(arguments: ["FOLDER/a[b]/*.xml", "FOLDER/a[b]/?.xml", "FOLDER/a[b]/*/../[7].xml"])
  func `A folder of a pattern may have any name`(path: String) async throws {
    let desk = try desk("")
    try desk.folder.makeDirectory("a[b]")
    try desk.folder.makeDirectory("a[b]/sub")
    try desk.folder.write(Self.koha, to: "a[b]/7.xml")
    let path = path.replacing("FOLDER", with: desk.folder.path)
    try desk.writeSettings("[[catalogue]]\npath = \"\(path)\"\nremind = 5\n")
    #expect(try await desk.run("-q").lines.count == 1)
    #expect(try await desk.run("-q", "a[b]/7.xml").lines.count == 1, "it is its table's")
    try desk.folder.remove("a[b]/7.xml")
    #expect(try await desk.run("-q").errorText.contains("will still be delivered"))
  }

  @Test func `The home of a pattern may have any name`() async throws {
    var desk = try desk("")
    let home = "\(desk.folder.path)/h[o]me"
    for directory in ["h[o]me", "h[o]me/.config", "h[o]me/.config/check-loans"] {
      try desk.folder.makeDirectory(directory)
    }
    try desk.folder.write(Self.koha, to: "h[o]me/7.xml")
    try desk.folder.write(
      "[[catalogue]]\npath = \"~/*.xml\"\nremind = 5\n",
      to: "h[o]me/.config/check-loans/config.toml")
    desk.environment["HOME"] = home
    #expect(try await desk.run("-q").lines.count == 1)
  }

  @Test func `A wildcard in brackets is still one`() async throws {
    let desk = try desk("[[catalogue]]\npath = \"~/p[aeiou]trons/[0-9].xml\"\nremind = 5\n")
    #expect(try await desk.run("-q").lines.count == 2)
  }

  @Test func `A file that a pattern finds through a link is its own, also when it is gone`()
    async throws
  {
    let desk = try desk("[[catalogue]]\npath = \"~/srv/*/7.xml\"\nremind = 5\n")
    try desk.folder.makeDirectory("srv")
    try desk.folder.makeLink("srv/a", to: "../patrons")
    #expect(try await desk.run("-q").lines.count == 1)
    #expect(try await desk.run("-q", "patrons/7.xml").lines.count == 1)
    #expect(try await desk.run("-q", "patrons/8.xml").lines.count == 0, "three days ahead")
    try desk.folder.remove("patrons/7.xml")
    let result = try await desk.run("-q")
    #expect(result.status == 66)
    #expect(
      result.errorText.contains(
        "\(desk.folder.path)/patrons/7.xml: the notices of 1 loan will still be delivered"))
    #expect(try await desk.run("-q", "patrons/7.xml").status == 66)
  }

  @Test(arguments: ["~/link/7.xml", "~/link/[7].xml", "~/link"])
  func `What is behind a link is still delivered when the directory that it leads to is gone`(
    path: String
  ) async throws {
    let desk = try desk("[[catalogue]]\npath = \"\(path)\"\nremind = 5\nallow-empty = true\n")
    try desk.folder.remove("patrons/8.xml")
    try desk.folder.makeLink("link", to: "patrons")
    #expect(try await desk.run("-q").lines.count == 1)
    #expect(try await desk.shell("mv patrons elsewhere").status == 0)
    let result = try await desk.run("--notify", "stdout")
    #expect(result.status == 66)
    #expect(result.lines.count == 1)
    #expect(result.errorText.contains("will still be delivered"))
  }

  @Test func `Thousands of tables for thousands of catalogues take no time`() async throws {
    let tables = (1...3_000).map { "[[catalogue]]\npath = \"/srv/\($0)\"\n" }
    let desk = try desk("catalogues = [\"~/lots\"]\n\(tables.joined())")
    try desk.folder.makeDirectory("lots")
    for number in 1...3_000 { try desk.folder.write(Self.koha, to: "lots/\(number).xml") }
    try await desk.run("-q")
    for (line, status) in [("-q", 66), ("schedule list", 0)] {
      #expect(try await desk.shell("ulimit -t 20; exec \"$0\" \(line)").status == Int32(status))
    }
  }

  @Test func `A folder that may be empty is enough`() async throws {
    let desk = try desk("[[catalogue]]\npath = \"../../none/*.xml\"\nallow-empty = true\n")
    #expect(try await desk.run().outcome == Outcome(0))
  }

  @Test func `config shows what a catalogue has of its own`() async throws {
    let desk = try desk("[[catalogue]]\npath = \"../../patrons\"\nprofile = \"koha-ilsdi\"\n")
    let lines = try await desk.run("config").lines.suffix(2).map { line in
      line.split(separator: " ").map(String.init)
    }
    let file = "\(desk.folder.path)/\(Desk.settings)"
    #expect(
      lines == [
        ["catalogue.path", "\(desk.folder.path)/patrons", "\(file):2"],
        ["catalogue.profile", "koha-ilsdi", "\(file):3"],
      ])
  }
}

/// `.check-loans.toml`, a project's settings for `validate`.
struct ProjectSettingsTests {
  private static let name = ".check-loans.toml"

  /// A repository with a catalogue whose only problem is a missing title, and a folder in it.
  private func desk(_ settings: String) throws -> Desk {
    let desk = try Desk(
      catalogue: "<books><book><expiration>2026.12.01</expiration></book></books>")
    try desk.folder.makeDirectory(".git")
    try desk.folder.makeDirectory("sub")
    try desk.folder.write(settings, to: Self.name)
    return desk
  }

  private func status(_ desk: Desk, _ line: String) async throws -> Int32? {
    try await desk.shell(line).status
  }

  @Test func `It holds in its folder and below it`() async throws {
    let desk = try desk("strict = true\n")
    #expect(try await status(desk, "exec \"$0\" validate books.xml") == 1)
    #expect(try await status(desk, "cd sub; exec \"$0\" validate ../books.xml") == 1)
    #expect(try await status(desk, "exec \"$0\" validate --config none books.xml") == 0)
    #expect(try await status(desk, "CHECK_LOANS_STRICT=0 exec \"$0\" validate books.xml") == 0)
    #expect(try await status(desk, "exec \"$0\" validate --ignore missing-title books.xml") == 0)
  }

  @Test func `It is not looked for above the repository, nor above a folder outside any`()
    async throws
  {
    let desk = try desk("strict = true\n")
    try desk.folder.makeDirectory("sub/.git")
    #expect(try await status(desk, "cd sub; exec \"$0\" validate ../books.xml") == 0)
    #expect(
      try await status(desk, "rmdir .git sub/.git; cd sub; exec \"$0\" validate ../books.xml") == 0)
  }

  @Test func `Anybody may write to it, as where a CI system checks it out`() async throws {
    let desk = try desk("strict = true\n")
    try desk.folder.setPermissions(of: Self.name, 0o666)
    #expect(try await status(desk, "exec \"$0\" validate books.xml") == 1)
  }

  @Test func `No files are an error, unless that is allowed`() async throws {
    let desk = try desk("files = []\n")
    let result = try await desk.run("validate")
    #expect(result.status == 66)
    #expect(result.errorText.hasSuffix("/\(Self.name):1: files names no catalogue\n"))
    #expect(try await desk.run("validate", "--allow-no-files").status == 0)
  }

  @Test func `It names the catalogues to check`() async throws {
    let desk = try desk("files = [\"*.xml\", \"sub\"]\nignore = [\"missing-title\"]\n")
    try desk.folder.write(catalogue(("Abigél", "2026.12.01")), to: "sub/a.xml")
    #expect(
      try await desk.run("validate").outcome
        == Outcome(0, errors: "check-loans: 2 files, 2 loans: no problems\n"))
    #expect(try await desk.run("validate", "books.xml").errorText.contains("1 file,"))
    let diff = try await desk.run("validate", "--require-expiration", "--format", "json")
    #expect(try JSON(parsing: diff.text).catalogues[0].path == "books.xml", "relative")
  }

  @Test func `Where it names none, books.xml is checked by its rules`() async throws {
    let desk = try desk("strict = true\n")
    #expect(try await desk.run("validate").status == 1)
    #expect(try await status(desk, "cd sub; exec \"$0\" validate") == 64)
  }

  @Test func `A code that is named twice is a mistake in it`() async throws {
    let desk = try desk("strict = true\nerror = [\"no-loans\"]\nignore = [\"no-loans\"]\n")
    #expect(
      try await desk.run("validate", "books.xml")
        .ends(78, saying: "\(desk.folder.path)/\(Self.name):2: no-loans is given with two "))
    let options = ["--error", "no-loans", "--ignore", "no-loans"]
    #expect(
      try await desk.run(["validate", "books.xml"] + options)
        .ends(64, saying: "check-loans: no-loans is given with two "))
  }

  @Test func `What the command line says of a rule wins`() async throws {
    let desk = try desk("error = [\"missing-title\"]\n")
    #expect(try await desk.run("validate", "books.xml").status == 1)
    #expect(try await desk.run("validate", "--warn", "missing-title", "books.xml").status == 0)
    let variables = ["CHECK_LOANS_IGNORE": "missing-title"]
    #expect(try await desk.run("validate", "books.xml", variables: variables).status == 0)
  }

  @Test func `It may name files and a list, which is a file of the project`() async throws {
    let desk = try desk("files = [\"books.xml\"]\nfiles-from = \"list\"\n")
    try desk.folder.write(catalogue(("Abigél", "2026.12.01")), to: "sub/a.xml")
    try desk.folder.write("sub/a.xml\n", to: "list")
    #expect(try await desk.run("validate").errorText.contains("2 files, 2 loans"))
    for path in ["/proc/self/environ", "sub/link"] {
      try desk.folder.write("files-from = \"\(path)\"\n", to: Self.name)
      if path == "sub/link" {
        #expect(try await status(desk, "ln -s /proc/self/environ sub/link") == 0)
      }
      let result = try await desk.run("validate", variables: ["TOKEN": "secret"])
      #expect(result.status == 78)
      #expect(
        result.errorText.hasSuffix(
          "/\(Self.name):1: the list is not in the directory of these settings\n"))
    }
  }

  @Test func `A folder may have the name of a pattern, and a file that of one`() async throws {
    let desk = try desk("")
    let book = catalogue(("Abigél", "2026.12.01"))
    for folder in ["lib [old]", "lib o"] {
      try desk.folder.makeDirectory(folder)
      try desk.folder.write(book, to: "\(folder)/a.xml")
    }
    try desk.folder.write(book, to: "lib [old]/*.xml")
    try desk.folder.write("files = [\"*.xml\"]\n", to: "lib [old]/\(Self.name)")
    let result = try await desk.shell("cd 'lib [old]'; exec \"$0\" validate")
    #expect(result.errorText == "check-loans: 2 files, 2 loans: no problems\n")
    #expect(
      try await status(
        desk, "cd 'lib [old]'; touch \"$(printf 'x\\377.xml')\"; exec \"$0\" validate") == 66,
      "a name that is not UTF-8 is not skipped")
  }

  @Test(arguments: [
    ("remind = 1", "1: unknown key \"remind\"; it belongs in the user's config.toml"),
    ("fix = true", "1: \"fix\" would hold for every run"),
    ("# x\nmax-days = -1", "2: \"max-days\" is \"-1\"; give a number"),
    (
      "warn = [\"no-such\"]",
      "1: \"warn\" is \"no-such\"; check-loans rules"
    ),
    ("[[catalogue]]\npath = \"x\"", "1: unknown key \"catalogue\""),
  ])
  func `78 is a mistake in it`(text: String, words: String) async throws {
    let desk = try desk(text)
    let result = try await desk.run("validate", "books.xml")
    #expect(result.status == 78)
    #expect(result.errorText.hasPrefix("check-loans: \(desk.folder.path)/\(Self.name):\(words)"))
  }

  @Test func `--show-settings says what is in force and where it is set`() async throws {
    let desk = try desk("strict = true\nignore = [\"missing-title\", \"invalid-isbn\"]\n")
    let lines = try await desk.run("validate", "--show-settings", "--max-days", "60").lines.map {
      $0.split(separator: " ").map(String.init)
    }
    func row(_ name: String) -> [String]? { lines.first { $0.first == name } }
    let file = "\(desk.folder.path)/\(Self.name)"
    #expect(row("config") == ["config", file, "default"])
    #expect(row("strict") == ["strict", "true", "\(file):1"])
    #expect(row("ignore") == ["ignore", "missing-title,", "invalid-isbn", "\(file):2"])
    #expect(row("max-days") == ["max-days", "60", "--max-days"])
    #expect(row("quiet") == ["quiet", "false", "default"])
  }

  @Test func `A broken one keeps nobody from the list of rules`() async throws {
    let desk = try desk("this is not TOML")
    for line in [["rules"], ["validate", "--help"]] {
      #expect(try await desk.run(line).status == 0)
    }
  }
}
