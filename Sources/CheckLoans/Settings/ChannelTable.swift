import ArgumentParser
import Languages
import Loans
import Notifiers
import System

/// The keys of a table `[[channel]]` of the settings file, which makes a program a channel.
struct ChannelTable: ParsableArguments {
  @Option(transform: checkedName)
  var name: String?

  @Option(transform: template)
  var run: [ArgumentTemplate] = []

  @Option(transform: choice)
  var per = ProgramNotifier.Scope.run

  @Option(transform: choice)
  var input = ProgramNotifier.Input.text

  @Option(transform: choice)
  var titles: TitleDetail?

  @Option(transform: number(1...3_600))
  var timeout = 30

  @Option(transform: checkedVariable)
  var environment: [String] = []

  func validate() throws {
    if let program = run.first, program.text == nil {
      throw ValidationError("\"run\" begins with the program, which can have no placeholder")
    }
  }

  @Sendable private static func checkedName(_ text: String) throws -> String {
    if ChannelName.builtIn.contains(text) || text == ChannelName.mailRedirect.name {
      throw ValidationError("this is a channel already; choose another name")
    }
    if ChannelName.isPlain(text) { return text }
    throw ValidationError("give a name of lower-case letters a-z, digits and hyphens")
  }

  @Sendable private static func template(_ text: String) throws -> ArgumentTemplate {
    do { return try ArgumentTemplate(text) } catch { throw ValidationError(error.description) }
  }

  @Sendable static func checkedVariable(_ text: String) throws -> String {
    if text.wholeMatch(of: #/[A-Za-z_][A-Za-z0-9_]*/#) != nil { return text }
    throw ValidationError("give the name of a variable; its value is taken from the environment")
  }
}

extension Environment {
  /// The channels that the settings file makes, by their names.
  private var channelTables: [String: [Setting]] {
    let tables = (given.file?.channels ?? []).map { ($0["name"]?.texts.first ?? "", $0) }
    return Dictionary(tables) { first, _ in first }
  }

  /// What a table of the settings file says of a channel.
  func channelTable(_ name: String) -> ChannelTable? {
    channelTables[name].flatMap { try? ChannelTable.parse($0.flatMap(\.arguments)) }
  }

  /// The notifier of a channel that the settings file makes; one that always fails if it does not.
  ///
  /// - Parameters:
  ///   - language: the language of messages to several borrowers.
  ///   - languageOf: the language of the borrower of a notice.
  func programNotifier(
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
  func checkKnown(
    _ channel: ChannelName, at option: String? = nil
  ) throws(CommandError) {
    guard case .named(let name) = channel, channelTables[name] == nil else { return }
    let nearest =
      ChannelName.otherNames[name]
      ?? name.nearest(among: channelTables.keys.sorted() + ChannelName.builtIn)
    let advice = nearest.map { "did you mean \"\($0)\"? To" } ?? "to"
    let error = CommandError(
      .badSetting,
      """
      there is no channel "\(name)"; \(advice) use a program as a channel, add a [[channel]] table to the \
      settings file, with name = "\(name)" and run = ["program"]
      """)
    throw option.map { error.located(at: $0, [], given) } ?? error
  }
}
