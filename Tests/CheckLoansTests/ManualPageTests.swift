import Languages
import TestSupport
import Testing

@testable import CheckLoans
@testable import CommandOutput
@testable import Settings

/// The manual pages: they have what the program has, no more and no less, and their examples work.
struct ManualPageTests {
  private static let names = ["check-loans.1", "check-loans-catalogue.5", "check-loans.toml.5"]
  private static let mandoc = "/usr/bin/mandoc"

  /// The commands by what is typed for them, with their options.
  private func commands(
    withHidden: Bool = false
  ) async throws -> [(name: String, options: [ListedOption])] {
    let dump = try await Desk().run("--experimental-dump-help").text
    func commands(in command: JSON, _ words: [String]) -> [(String, [ListedOption])] {
      let inner = command.subcommands.elements
      if inner.isEmpty {
        let options = command.arguments.elements.filter {
          withHidden || $0.shouldDisplay == true
        }.compactMap(ListedOption.init)
        return [(words.joined(separator: " "), options)]
      }
      return inner.flatMap { commands(in: $0, words + [$0.commandName.text ?? ""]) }
    }
    return commands(in: try JSON(parsing: dump).command, [])
  }

  @Test func `The synopsis has every command with its options`() async throws {
    let page = try ManualPage("check-loans.1")
    var expected: [String: Set<String>] = [:]
    for (name, options) in try await commands() {
      expected[name] = Set(options.filter { !$0.isCommon }.map(\.typed))
      #expect(page.lines.contains(".Ss \(name)"))
    }
    #expect(page.synopsis == expected)
  }

  @Test func `Every option is described, and no page names another`() async throws {
    let options = try await commands(withHidden: true).flatMap(\.options)
      .filter { !$0.name.hasPrefix("mail-") }
    let described = try ManualPage("check-loans.1").lines.filter { $0.hasPrefix(".It Fl") }
    let completion = ".It Fl Fl generate-completion-script Ar shell"
    #expect(Set(described) == Set(options.map(\.item) + [completion]))
    let known = Set(options.map(\.name) + ["generate-completion-script"])
    for name in Self.names {
      let named = ManualPage.texts(
        matching: #/Fl Fl ([a-z-]+)/#, in: try ManualPage(name).lines)
      #expect(Set(named).subtracting(known) == [], "\(name)")
    }
  }

  @Test func `The exit statuses are those of the program`() throws {
    #expect(
      try ManualPage("check-loans.1")["EXIT STATUS"].filter { $0.hasPrefix(".It ") }
        == ExitStatus.allCases.map { ".It \($0.rawValue)" })
  }

  @Test func `The keys are those that the files may have`() throws {
    let page = try ManualPage("check-loans.toml.5")
    let tableKeys = TableOptions.facts.names
    #expect(
      page.items("Ic", in: "USER SETTINGS").sorted() == Set(SettingsScheme.user.names).sorted())
    #expect(
      page.items("Ic", in: "CATALOGUE TABLES").sorted() == (["path", "name"] + tableKeys).sorted())
    #expect(page.items("Ic", in: "RULES").sorted() == RuleTable.facts.names.sorted())
    #expect(
      page.items("Ic", in: "CHANNELS").sorted()
        == ChannelTable.facts.names.sorted())
    #expect(
      page.items("Ic", in: "PROJECT SETTINGS").sorted() == SettingsScheme.project.names.sorted())
  }

  @Test func `The options that no file takes are named`() throws {
    let facts = CheckCommand.facts + WatchCommand.facts + ValidateCommand.facts
    let caveats = try ManualPage("check-loans.toml.5")["CAVEATS"]
    let named = ManualPage.texts(matching: #/Fl Fl ([a-z-]+)/#, in: Array(caveats))
    #expect(Set(named) == Set(facts.filter { !$0.sources.contains(.inFile) }.names))
  }

  @Test func `Every channel is described wherever channels are named`() throws {
    func names(_ words: [some StringProtocol]) -> Set<String> {
      Set(words.map { $0.prefix { $0 != ":" } + ($0.contains(":") ? ":" : "") })
    }
    let channels = names(ChannelName.allValueStrings.filter { $0 != "NAME" })
    let page = try ManualPage("check-loans.1")
    #expect(names(page.items("Cm", in: "CHANNELS").map { $0.split(separator: " ")[0] }) == channels)
    #expect(names(page.item("Fl Fl notify", in: "OPTIONS")).isSuperset(of: channels))
    let settings = try ManualPage("check-loans.toml.5")
    #expect(names(settings.item("Ic notify", in: "USER SETTINGS")).isSuperset(of: channels))
  }

  @Test func `The texts are those that a library may word itself`() throws {
    let page = try ManualPage("check-loans.toml.5")
    #expect(page.items("Ic", in: "WORDING").sorted() == Message.worded.keys.sorted())
  }

  @Test(arguments: names)
  func `No word after an option gets its hyphen`(name: String) throws {
    let lines = try ManualPage(name).lines.filter { $0.hasPrefix(".") }
    #expect(lines.filter { $0.contains(#/Fl [a-z-]+ [a-z]/#) } == [])
  }

  @Test func `The codes are those that validate lists, with their severities`() async throws {
    var listed: [String: [String]] = [:]
    for line in try await Desk().run("rules").lines {
      let words = line.split(separator: " ").map(String.init)
      listed[words[1], default: []].append(words[0])
    }
    let page = try ManualPage("check-loans-catalogue.5")
    let codes = page.items("Cm", in: "CODES")
    let errors = codes.prefix { $0 != "no-expirations" }
    #expect(errors.sorted() == listed["error"]?.sorted())
    #expect(codes.dropFirst(errors.count).sorted() == listed["warning"]?.sorted())
  }

  @Test func `The profiles and their elements are those of the program`() async throws {
    let page = try ManualPage("check-loans-catalogue.5")
    let desk = try Desk()
    let profiles = try await desk.run("profiles").lines.filter { !$0.hasPrefix(" ") }
    #expect(
      (page.items("Cm", in: "OTHER SYSTEMS") + ["native"]).sorted()
        == profiles.map { String($0.prefix { $0 != ":" }) }.sorted())
    try desk.folder.write("<profile name='x'><x path='y'/></profile>", to: "x.xml")
    let message = try await desk.run("profiles", "check", "x.xml").errorLines[0]
    let elements = ManualPage.texts(matching: #/known are (.*)/#, in: [message])
      .flatMap { $0.replacing(",", with: "").split(separator: " ").map(String.init) }
    let named = ManualPage.texts(matching: #/<([a-zA-Z]+)/#, in: page["PROFILES"])
    #expect(Set(named) == Set(elements + ["profile"]))
  }

  @Test(arguments: names)
  func `Every block of a page does what the page says`(name: String) async throws {
    let library = try await DocumentedLibrary(page: "man/\(name)")
    let blocks = try ManualPage(name).blocks
    #expect(!blocks.isEmpty)
    for block in blocks { try await library.run(block) }
  }

  @Test(.enabled(if: File.exists(mandoc), "it needs mandoc"), arguments: names)
  func `mandoc finds nothing wrong with a page`(name: String) async throws {
    let path = "\(projectDirectory)/man/\(name)"
    let lint = Command(
      Self.mandoc, ["-T", "lint", "-W", "warning", path], environment: [:], directory: "/")
    #expect(try await lint.run().outcome == Outcome(0))
  }

  @Test func `The pages have one date, and name no version`() throws {
    let pages = try Self.names.map { try ManualPage($0) }
    #expect(Set(pages.map { $0.lines[0] }).count == 1)
    for page in pages {
      #expect(page.lines[0].hasPrefix(".Dd "))
      #expect(page.lines[2] == ".Os")
      #expect(!page.lines.joined().contains(ProgramVersion.number))
    }
  }

  @Test func `make installs the pages with the program, and removes all of it`() async throws {
    let folder = try ScratchFolder()
    func make(_ target: String) async throws {
      let result = try await Command(
        "/usr/bin/make",
        [
          target, "BINARY=\(Command.checkLoans)", "DESTDIR=\(folder.path)/root", "PREFIX=/usr",
        ], environment: ["PATH": "/usr/bin:/bin"], directory: projectDirectory
      ).run()
      #expect(result.status == 0, "\(result.errorText)")
    }
    try await make("install")
    let installed = Set(try File.names(below: folder.path))
    let pages = Self.names.map { "\(folder.path)/root/usr/share/man/man\($0.suffix(1))/\($0)" }
    #expect(installed.isSuperset(of: pages))
    #expect(installed.contains("\(folder.path)/root/usr/bin/check-loans"))
    try await make("uninstall")
    #expect(try File.names(below: folder.path) == [])
  }
}

/// An option, as the program lists it.
private struct ListedOption {
  let name: String
  /// As it is typed: `--remind days`.
  let typed: String
  /// Its item in a list of the manual page.
  let item: String

  /// Whether every command has it.
  var isCommon: Bool { ["version", "help"].contains(name) }

  /// - Returns: `nil` for what is not an option.
  init?(_ argument: JSON) {
    let names = argument.names.elements
    guard let name = names.first(where: { $0.kind == "long" })?.name.text
    else { return nil }
    let short = names.first { $0.kind == "short" }?.name.text
    let value = argument.kind == "option" ? argument.valueName.text : nil
    self.name = name
    typed = "--\(name)" + (value.map { " \($0)" } ?? "")
    item =
      ".It " + (short.map { "Fl \($0) , " } ?? "") + "Fl Fl \(name)"
      + (value.map { " Ar \($0)" } ?? "")
  }
}
