import ArgumentParser
import CommandOutput
import Loans
import Settings
import System

/// Words of the command line that are neither a file nor where a command belongs.
enum MistakenCommand {
  /// - Parameters:
  ///   - arguments: without the program's name.
  ///   - catalogues: what is taken for catalogues among them.
  ///   - isFetched: whether a word is the name of a catalogue that a program fetches.
  /// - Throws: ``CommandError`` with the status `usage` if one of these is the name of a command, or
  ///   a bare word that is not a file.
  static func check(
    _ arguments: [String], catalogues: [String], isFetched: (String) -> Bool = { _ in false }
  ) throws(CommandError) {
    if arguments.first == CheckCommand.name { return }
    let words = arguments.prefix { $0 != "--" }
    for (index, word) in catalogues.enumerated() where words.contains(word) {
      if RootCommand.names.contains(word) {
        let named = RootCommand.command(of: Array(catalogues[index...])).words
        let words = named.isEmpty ? [word] : Array(named)
        let line = line(words, arguments, without: words)
        throw CommandError(.usage, "\(word) is a command and comes first: \(line)")
      }
      guard word.isBareWord, !FileSystem.exists(word), !isFetched(word) else { continue }
      var meant = scheduleNames.contains(word) ? [ScheduleCommand.name, word] : nil
      // After options, a word that is only like a command is no command.
      if meant == nil, arguments.first == word {
        meant = word.nearest(among: RootCommand.names).map { [$0] }
      }
      let guess = meant.map { "did you mean \(line($0, arguments, without: [word]))?" }
      throw CommandError(
        .usage,
        "there is no command or file \(word.quoted()); \(guess ?? "see check-loans --help")")
    }
  }

  /// - Throws: ``CommandError`` with the status `usage` if `help` is asked about what is no command.
  static func checkHelp(_ arguments: [String]) throws(CommandError) {
    guard arguments.first == "help" else { return }
    let words = arguments.dropFirst().prefix { !$0.hasPrefix("-") }
    let count = RootCommand.command(of: Array(words)).words.count
    guard let word = words.dropFirst(count).first, words.first != "help" else { return }
    let isOfSchedule = scheduleNames.contains(word)
    let guess = isOfSchedule ? "schedule \(word)" : word.nearest(among: RootCommand.names)
    let advice = guess.map { "did you mean check-loans help \($0)?" } ?? "see check-loans --help"
    throw CommandError(.usage, "there is no command \(word.quoted()); \(advice)")
  }

  /// The parser's message about a wrong command line in one line, with what was probably meant.
  static func message(for error: any Error, _ arguments: [String]) -> String {
    let text = CommandError.line(for: error)
    let (command, words) = RootCommand.command(of: arguments)
    let name = words.joined(separator: " ")
    let help = "see \((["check-loans"] + words).joined(separator: " ")) --help"
    let unknown = unknownOption(in: text, arguments, of: command)
    let mistake = unknown.map { "unknown option '\($0)'" } ?? text
    let group = groups.first { $0.name == name }
    // Where a command is misspelt, nothing is wrong with its options.
    if let group, let word = arguments.dropFirst(words.count).first, !word.hasPrefix("-"),
      let guess = word.nearest(among: group.names)
    {
      return "\(mistake); did you mean check-loans \(name) \(guess)?"
    }
    if let unknown {
      return "\(mistake); \(advice(onOption: unknown, of: command) ?? help)"
    }
    if text.prefixMatch(of: #/([0-9]+ )?unexpected argument/#) != nil {
      return "\(text); \(group.map { "\(name) has \($0.names.joined(separator: ", "))" } ?? help)"
    }
    return text.hasPrefix("missing") ? "\(text); \(help)" : text
  }

  /// The option that a command does not have, if that is what is wrong.
  ///
  /// The parser takes the word after such an option for an argument of the command, and finds fault with
  /// that first.
  private static func unknownOption(
    in text: String, _ arguments: [String], of command: any ParsableCommand.Type
  ) -> String? {
    if let match = text.prefixMatch(of: #/unknown option '(-[^']*)'/#) { return String(match.1) }
    guard text.prefixMatch(of: #/the value '.*' is invalid for '</#) != nil else { return nil }
    let known = Set(command.optionNames)
    return arguments.prefix { $0 != "--" }.lazy.filter { $0.hasPrefix("--") }
      .map { String($0.prefix { $0 != "=" }) }.first { !known.contains(String($0.dropFirst(2))) }
  }

  /// Where an unknown option belongs, or what was probably meant by it.
  private static func advice(
    onOption option: String, of command: any ParsableCommand.Type
  ) -> String? {
    let longer = command.optionNames.filter { "--\($0)".hasPrefix("\(option)-") }
    if longer.count == 1 { return "did you mean --\(longer[0])?" }
    let owners = commands(with: option)
    if !owners.isEmpty {
      let others = owners.count > 3 ? " and others" : ""
      return "it belongs to check-loans \(owners.prefix(3).joined(separator: ", "))\(others)"
    }
    let options = command.optionNames.map { "--\($0)" } + ["--version", "--help"]
    // To offer --strict for --no-strict would be the opposite.
    let near = option.nearest(
      among: options.filter { $0.hasPrefix("--no-") == option.hasPrefix("--no-") })
    return (meaning(ofOption: option) ?? near).map { "did you mean \($0)?" }
  }

  /// The commands that have an option, each by its words.
  private static func commands(with option: String) -> [String] {
    let commands = RootCommand.configuration.subcommands.flatMap { command in
      [(command.name, command)]
        + command.configuration.subcommands.map { ("\(command.name) \($0.name)", $0) }
    }
    return commands.filter { _, command in
      command.optionNames.contains { "--\($0)" == option }
    }.map(\.0)
  }

  /// What an unknown option was probably meant to be, where that is not just a similar name.
  private static func meaning(ofOption option: String) -> String? {
    switch option {
    case "--json": "--format json"
    case "--lead", "--before": "--remind"
    case "--tz", "--zone", "--timezone": "--time-zone"
    case "--channel", "--via": "--notify"
    case "--no-color", "--no-colour": "--color never"
    case "--silent": "--quiet"
    default: nil
    }
  }

  /// The command line with the words of the command first.
  private static func line(
    _ words: [String], _ arguments: [String], without misplaced: [String]
  ) -> String {
    var rest = arguments
    for word in misplaced {
      if let index = rest.firstIndex(of: word) { rest.remove(at: index) }
    }
    return (["check-loans"] + words + rest.map(\.shellQuoted)).joined(separator: " ").visible
      .shortened(to: 200)
  }

  static var scheduleNames: [String] { ScheduleCommand.subcommandNames }

  /// The commands that have commands, with the names of these.
  static var groups: [(name: String, names: [String])] {
    RootCommand.configuration.subcommands.map { ($0.name, $0.subcommandNames) }
      .filter { !$0.1.isEmpty }
  }
}

extension RootCommand {
  /// The words that name a command.
  static var names: [String] { configuration.subcommands.map { $0.name } + ["help"] }

  /// The command that arguments name, and those from the first on that do so.
  static func command(
    of arguments: [String]
  ) -> (command: any ParsableCommand.Type, words: ArraySlice<String>) {
    var command: any ParsableCommand.Type = Self.self
    let words = arguments.prefix { word in
      guard let next = command.configuration.subcommands.first(where: { $0.name == word }) else {
        return false
      }
      command = next
      return true
    }
    return (command.configuration.defaultSubcommand ?? command, words)
  }
}

extension ParsableCommand {
  /// The word that names the command.
  static var name: String { configuration.commandName ?? "" }

  /// The long names of its options.
  fileprivate static var optionNames: [String] {
    (self as? any DescribedOptions.Type)?.facts.names ?? []
  }

  fileprivate static var subcommandNames: [String] { configuration.subcommands.map { $0.name } }
}

extension String {
  /// Whether it is a plain word, as the name of a command is.
  var isBareWord: Bool {
    !isEmpty && utf8.allSatisfy { $0.isASCIILetterOrDigit || $0 == UInt8(ascii: "-") }
      && self != "-"
  }
}
