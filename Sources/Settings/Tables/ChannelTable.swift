import ArgumentParser
package import CommandOutput
package import Languages
package import Loans
package import Notifiers

/// A table `[[channel]]` of the settings file, which makes a program a channel.
package struct ChannelTable: TableSettable, DescribedOptions, Sendable {
  package static let facts: [OptionFact] = [
    OptionFact("name", .text, .line), OptionFact("run", .list, .line, path: .words),
    OptionFact("per", .text, .line), OptionFact("input", .text, .line),
    OptionFact("titles", .text, .line), OptionFact("timeout", .number, .line),
    OptionFact("environment", .list, .line),
  ]

  /// The keys that it has, with their places.
  var own: [Setting] = []
  var name = ""
  /// The program and its arguments.
  var run: [ArgumentTemplate] = []
  var per = ProgramNotifier.Scope.run
  var input = ProgramNotifier.Input.text
  package var titles: TitleDetail?
  /// Seconds until the program is stopped.
  var timeout = 30
  /// The variables that it gets.
  package var environment: [String] = []

  package static func setter(_ name: String, _ texts: [String]) throws -> Setter {
    let text = texts.last ?? ""
    switch name {
    case "name": return set(\.name, to: try checkedName(text))
    case "run": return set(\.run, to: try command(texts))
    case "per": return set(\.per, to: try choice(text))
    case "input": return set(\.input, to: try choice(text))
    case "titles": return set(\.titles, to: try choice(text) as TitleDetail)
    case "timeout": return set(\.timeout, to: try number(1...3_600)(text))
    default: return set(\.environment, to: try texts.map(checkedVariable))
    }
  }

  private static func template(_ text: String) throws -> ArgumentTemplate {
    do { return try ArgumentTemplate(text) } catch { throw ValidationError(error.description) }
  }

  private static func command(_ texts: [String]) throws -> [ArgumentTemplate] {
    let templates = try texts.map(template)
    if let program = templates.first, program.text == nil {
      throw ValidationError("the first string is the program, which can have no placeholder")
    }
    return templates
  }

  private static func checkedName(_ text: String) throws -> String {
    if ChannelName.builtIn.contains(text) || text == ChannelName.mailRedirect.name {
      throw ValidationError("this is a channel already; choose another name")
    }
    if ChannelName.isPlain(text) { return text }
    throw ValidationError("give a name of lower-case letters a-z, digits and hyphens")
  }

  static func checkedVariable(_ text: String) throws -> String {
    if text.wholeMatch(of: #/[A-Za-z_][A-Za-z0-9_]*/#) != nil { return text }
    throw ValidationError("give the name of a variable; its value is taken from the environment")
  }
}

extension Environment {
  /// What a table of the settings file says of a channel.
  package func channelTable(_ name: String) -> ChannelTable? {
    given.file?.channels.first { $0.name == name }
  }

  /// The notifier of a channel that the settings file makes; one that always fails if it does not.
  ///
  /// - Parameters:
  ///   - language: the language of messages to several borrowers.
  ///   - languageOf: the language of the borrower of a notice.
  package func programNotifier(
    _ name: String, _ language: Language, _ languageOf: @escaping @Sendable (Notice) -> Language
  ) -> ProgramNotifier {
    guard let table = channelTable(name), let file = given.file else {
      return ProgramNotifier(channel: name, command: [], environment: [:])
    }
    var command = table.run
    if let path = command.first?.text.map({ programPath($0, in: file.directory) }),
      let program = try? ArgumentTemplate(path.replacing("{", with: "{{"))
    {
      command[0] = program
    }
    let isForAll = table.per == .run
    return ProgramNotifier(
      channel: name, command: command, per: table.per, input: table.input,
      environment: variables, passing: table.environment, timeout: .seconds(table.timeout)
    ) { notice in isForAll ? language : languageOf(notice) }
  }

  /// - Parameter option: the option that names the channel, if that can be given elsewhere than on the
  ///   command line.
  /// - Throws: ``CommandError`` with the status `badSetting` for a name that no table gives a channel.
  package func checkKnown(
    _ channel: ChannelName, at option: String? = nil
  ) throws(CommandError) {
    guard case .named(let name) = channel, channelTable(name) == nil else { return }
    let names = (given.file?.channels ?? []).map(\.name)
    let nearest =
      ChannelName.otherNames[name] ?? name.nearest(among: names.sorted() + ChannelName.builtIn)
    let advice = nearest.map { "did you mean \"\($0)\"? To" } ?? "to"
    let error = CommandError(
      .badSetting,
      """
      unknown channel "\(name)"; \(advice) use a program as a channel, add a [[channel]] table to the \
      settings file, with name = "\(name)" and run = ["program"]
      """)
    throw option.map { error.located(at: $0, [], given) } ?? error
  }
}
