import TestSupport
import Testing

/// The environment variable of every option.
struct EnvironmentTests {
  /// An option, a command to try it with, and a value that makes a difference there.
  struct Setting: Sendable, CustomTestStringConvertible {
    var name: String
    var value: String?
    var command: [String]
    var catalogue: String?

    init(
      _ name: String, _ value: String?, _ command: [String] = ["books.xml"],
      catalogue: String? = nil
    ) {
      self.name = name
      self.value = value
      self.command = command
      self.catalogue = catalogue
    }

    var flag: [String] {
      ["--\(name)"] + (value.map { [$0] } ?? [])
    }

    var variable: String {
      "CHECK_LOANS_" + name.uppercased().split(separator: "-").joined(separator: "_")
    }

    var testDescription: String { "\(command.joined(separator: " ")) --\(name)" }
  }

  /// What a run says and leaves behind.
  private struct Effect: Equatable {
    var outcome: Outcome
    var files: [String]
    var schedule: [ScheduleLine]
  }

  private func effect(
    _ setting: Setting, _ arguments: [String], _ variables: [String: String] = [:]
  ) async throws -> Effect {
    let desk = try Desk(catalogue: setting.catalogue)
    // Its time is printed, and is another on each desk.
    _ = try await desk.shell("touch -d 2026-11-20T07:00Z books.xml")
    if setting.command.first != "books.xml" { try await desk.run("books.xml") }
    if setting.command.first == "deliver" { try desk.list() }
    let result = try await desk.run(setting.command + arguments, variables: variables)
    return Effect(
      outcome: result.outcome, files: try File.names(in: desk.folder.path),
      schedule: try await desk.schedule())
  }

  @Test(arguments: [
    Setting("notify", "stdout"), Setting("remind", "7"), Setting("at", "18:30"),
    Setting("time-zone", "Asia/Tokyo", ["books.xml", "-v"]), Setting("now", "2026-11-23"),
    Setting("state", "other.sqlite"), Setting("state", "none"), Setting("dry-run", nil),
    Setting("format", "json"), Setting("all", nil), Setting("quiet", nil),
    Setting("verbose", nil), Setting("color", "always"), Setting("exit-code", nil),
    Setting("require-expiration", nil), Setting("stale-after", "1h"),
    Setting("allow-empty", nil, catalogue: "<books/>"),
    Setting("format", "json", ["validate", "books.xml"]),
    Setting("quiet", nil, ["validate", "books.xml"]),
    Setting("require-expiration", nil, ["validate", "books.xml"]),
    Setting("now", "2026-11-23", ["deliver"]), Setting("state", "other.sqlite", ["deliver"]),
    Setting("dry-run", nil, ["deliver"]), Setting("verbose", nil, ["deliver"]),
    Setting("time-zone", "nowhere", ["deliver"]),
    Setting("now", "2026-11-23", ["schedule", "list"]),
    Setting("format", "json", ["schedule", "list"]),
    Setting("state", "other.sqlite", ["schedule", "list"]),
    Setting("time-zone", "nowhere", ["schedule", "list"]),
    Setting("quiet", nil, ["schedule", "cancel", "--all"]),
    Setting("state", "other.sqlite", ["schedule", "cancel", "--all"]),
  ])
  func `An option and its variable do the same`(setting: Setting) async throws {
    let plain = try await pathless(effect(setting, []))
    let flag = try await pathless(effect(setting, setting.flag))
    let value = setting.value ?? "1"
    var variable = try await pathless(effect(setting, [], [setting.variable: value]))
    variable.outcome.errors.replace("\(setting.variable): ", with: "")
    #expect(variable == flag)
    #expect(flag != plain, "the option does something")
  }

  @Test(
    arguments: [
      ("1", true), ("true", true), ("yes", true), ("YES", true), ("0", false), ("false", false),
      ("no", false), ("", false),
    ])
  func `A switch is on or off`(value: String, isOn: Bool) async throws {
    let desk = try Desk()
    let result = try await desk.run("books.xml", variables: ["CHECK_LOANS_QUIET": value])
    #expect(result.lines.count == (isOn ? 6 : 7))
  }

  @Test(arguments: ["notify", "remind", "at", "now", "state", "format", "color"])
  func `An empty variable is none`(name: String) async throws {
    let desk = try Desk(now: nil, catalogue: catalogue(("Le Petit Prince", "2099.06.30")))
    let variable = Setting(name, nil).variable
    #expect(
      try await desk.run("books.xml", variables: [variable: ""]).outcome
        == Outcome(
          0,
          output: """
            1 loan, 0 expired, 0 expire today, 1 scheduled, next reminder 2099-06-29 00:00

            """))
    #expect(try File.names(in: desk.folder.path) == ["books.xml", "state"])
  }

  /// The effect without the scratch folder's path, which differs from desk to desk.
  private func pathless(_ effect: Effect) -> Effect {
    var effect = effect
    effect.outcome.output = effect.outcome.output.withoutScratchPaths
    effect.outcome.errors = effect.outcome.errors.withoutScratchPaths
    return effect
  }

  @Test(arguments: [
    (Setting("remind", "7"), "30"), (Setting("at", "18:30"), "06:00"),
    (Setting("now", "2026-11-23"), "2026-12-24"),
    (Setting("time-zone", "Asia/Tokyo", ["books.xml", "-v"]), "nowhere"),
    (Setting("state", "other.sqlite"), "/proc/nonexistent"), (Setting("format", "text"), "json"),
    (Setting("color", "never"), "always"), (Setting("notify", "stdout"), "notify-send"),
  ])
  func `A flag wins over a variable`(setting: Setting, other: String) async throws {
    let alone = try await pathless(effect(setting, setting.flag))
    let both = try await pathless(effect(setting, setting.flag, [setting.variable: other]))
    #expect(both == alone)
    #expect(try await pathless(effect(setting, [], [setting.variable: other])) != alone)
  }

  @Test func `Several channels are separated by commas`() async throws {
    var desk = try Desk(catalogue: catalogue(("Abigél", "2026.11.22")))
    desk.environment["PATH"] = "/nonexistent"
    desk.environment["CHECK_LOANS_NOTIFY"] = "notify-send,stdout"
    let result = try await desk.run("books.xml")
    #expect(result.status == 69)
    #expect(result.text == "\"Abigél\" expires tomorrow (2026.11.22)\n")
  }

  @Test func `A flag that cannot go with a variable is not ignored in silence`() async throws {
    let desk = try Desk()
    let result = try await desk.run(
      "books.xml", "--format", "json", variables: ["CHECK_LOANS_NOTIFY": "stdout"])
    #expect(result.text.hasPrefix("{") || result.status != 0)
  }

  @Test func `Without XDG_STATE_HOME the schedule is below the home`() async throws {
    var desk = try Desk()
    for directory in [nil, "", "relative"] {
      desk.environment["XDG_STATE_HOME"] = directory
      try await desk.run("books.xml")
    }
    #expect(try File.names(in: desk.folder.path) == [".local", "books.xml"])
    #expect(desk.folder.contains(".local/state/check-loans/schedule.sqlite"))
  }

  @Test func `Red is expired and yellow expires today, where colour is asked for`() async throws {
    let desk = try Desk(
      catalogue: catalogue(
        ("Abigél", "2026.11.20"), ("Az ajtó", "2026.11.21"), ("Tüskevár", "2026.11.22")))
    let colored = try await desk.run("books.xml", "--color", "always", "--quiet")
    #expect(
      colored.text == """
        \u{1B}[31m"Abigél" expired yesterday (2026.11.20)\u{1B}[0m
        \u{1B}[33m"Az ajtó" expires today (2026.11.21)\u{1B}[0m
        \u{1B}[36m"Tüskevár" expires tomorrow (2026.11.22)\u{1B}[0m

        """)
    for options in [[], ["--color", "auto"], ["--color", "never"]] {
      let plain = try await desk.run(["books.xml"] + options, variables: ["TERM": "xterm-256color"])
      #expect(!plain.text.contains("\u{1B}"), "this is no terminal")
    }
  }

  @Test(arguments: ["tr_TR.UTF-8", "ar_SA.UTF-8", "th_TH", "ja_JP.eucJP", "POSIX", "nonsense", ""])
  func `No locale changes anything`(locale: String) async throws {
    let commands = [
      ["books.xml"], ["books.xml", "--all", "--format", "json"], ["schedule", "list"],
      ["validate", "broken.xml"], ["--notify", "stdout", "books.xml"], ["schedule", "--help"],
      ["books.xml", "--at", "noon"],
    ]
    func outcomes(_ variables: [String: String]) async throws -> [Outcome] {
      let desk = try Desk()
      let broken = catalogue(("İstanbul", "2026.11.31"), ("I", "٢٠٢٦.١١.٢٨"))
      try desk.folder.write(broken, to: "broken.xml")
      var outcomes: [Outcome] = []
      for command in commands {
        var outcome = try await desk.run(command, variables: variables).outcome
        outcome.output = outcome.output.withoutScratchPaths
        outcomes.append(outcome)
      }
      return outcomes
    }
    let inLocale = try await outcomes(["LC_ALL": locale, "LANG": locale, "LANGUAGE": locale])
    #expect(try await inLocale == outcomes([:]))
    #expect(inLocale[0].output.contains("lent to Őszi Barnabás"), "UTF-8 everywhere")
    #expect(inLocale[3].output.split(separator: "\n").count == 2)
  }

  @Test(arguments: ["000", "022", "077"])
  func `The schedule is the user's alone, whatever the umask`(mask: String) async throws {
    let desk = try Desk()
    #expect(try await desk.shell("umask \(mask); exec \"$0\" books.xml").status == 0)
    let names = ["state", "state/check-loans", Desk.state, "\(Desk.state).lock"]
    #expect(
      try names.map { try desk.folder.status(of: $0).mode } == [0o700, 0o700, 0o600, 0o600])
  }
}

extension String {
  /// The text with every scratch folder's name replaced.
  fileprivate var withoutScratchPaths: String {
    var text = self
    while let range = text.firstRange(of: "/tmp/check-loans-") {
      let end = text[range.upperBound...].firstIndex { !$0.isLetter && !$0.isNumber }
      text.replaceSubrange(range.lowerBound..<(end ?? text.endIndex), with: "SCRATCH")
    }
    return text
  }
}
