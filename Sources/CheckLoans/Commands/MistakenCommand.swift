import ArgumentParser
import Loans
import System

/// Words of the command line that are neither a file nor where a command belongs.
enum MistakenCommand {
  /// - Parameters:
  ///   - arguments: without the program's name.
  ///   - catalogues: what is taken for catalogues among them.
  /// - Throws: ``CommandError`` with the status `usage` if one of these is the name of a command, or
  ///   a bare word that is not a file.
  static func check(
    _ arguments: [String], catalogues: [String]
  ) throws(CommandError) {
    if arguments.first == CheckCommand.name { return }
    let words = arguments.prefix { $0 != "--" }
    for (index, word) in catalogues.enumerated() where words.contains(word) {
      if RootCommand.names.contains(word) {
        let words = [word] + subcommand(word, catalogues.dropFirst(index + 1).first)
        let line = line(words, arguments, without: words)
        throw CommandError(.usage, "\(word) is a command and comes first: \(line)")
      }
      guard word.isBareWord, !FileSystem.exists(word) else { continue }
      let isFirst = arguments.first == word
      let guess = meaning(of: word, isFirst: isFirst).map { words in
        "did you mean \(line(words, arguments, without: [word]))?"
      }
      throw CommandError(
        .usage,
        "there is no command or file \(word.quoted()); \(guess ?? "see check-loans --help")")
    }
  }

  /// - Throws: ``CommandError`` with the status `usage` if `help` is asked about what is no command.
  static func checkHelp(_ arguments: [String]) throws(CommandError) {
    let words = arguments.dropFirst().prefix { !$0.hasPrefix("-") }
    let count = RootCommand.commandWordCount(Array(words))
    guard arguments.first == "help", count < words.count else { return }
    let word = words[words.startIndex + count]
    if words.first == "help" { return }
    let guess =
      scheduleNames.contains(word)
      ? "did you mean check-loans help schedule \(word)?"
      : word.nearest(among: RootCommand.names).map { "did you mean check-loans help \($0)?" }
        ?? "see check-loans --help"
    throw CommandError(.usage, "there is no command \(word.quoted()); \(guess)")
  }

  /// The parser's message about a wrong command line, with a better guess at what an unknown option
  /// was meant to be.
  static func improved(_ text: String, _ arguments: [String]) -> String {
    let words = text.hasPrefix("Error: ") ? String(text.dropFirst("Error: ".count)) : text
    var lines = words.withSmallBeginning.split(separator: "\n", omittingEmptySubsequences: false)
      .map { String($0).visible }
    if let match = lines[0].prefixMatch(of: #/unknown option '(--[^']*)'/#) {
      let option = String(match.output.1)
      let guess = advice(onOption: option) ?? nearest(to: option, arguments)
      lines[0] = match.output.0 + (guess.map { "; did you mean \($0)?" } ?? "")
    }
    if arguments.first == ScheduleCommand.name, RootCommand.commandWordCount(arguments) == 1,
      let match = lines[0].prefixMatch(of: #/unexpected argument '([^']*)'/#)
    {
      let guess = String(match.output.1).nearest(among: scheduleNames)
        .map { "did you mean check-loans schedule \($0)?" }
      lines[0] += "; " + (guess ?? "schedule has \(scheduleNames.joined(separator: ", "))")
    }
    return lines.joined(separator: "\n")
  }

  private static func nearest(to option: String, _ arguments: [String]) -> String? {
    var command: any ParsableCommand.Type = CheckCommand.self
    var subcommands = RootCommand.configuration.subcommands
    for word in arguments.prefix(RootCommand.commandWordCount(arguments)) {
      command = subcommands.first { $0.name == word } ?? command
      subcommands = command.configuration.subcommands
    }
    return option.nearest(
      among: command.declaredSettings.map { "--\($0.name)" } + ["--version", "--help"])
  }

  /// What an unknown option was probably meant to be, where that is not just a similar name.
  private static func advice(onOption option: String) -> String? {
    switch option {
    case "--json": "--format json"
    case "--days", "--lead", "--before": "--remind"
    case "--tz", "--zone", "--timezone": "--time-zone"
    case "--channel", "--via": "--notify"
    case "--no-color", "--no-colour": "--color never"
    case "--silent": "--quiet"
    default: nil
    }
  }

  /// The word after `schedule`, if it is one that belongs there.
  private static func subcommand(_ word: String, _ next: String?) -> [String] {
    guard word == ScheduleCommand.name, let next, scheduleNames.contains(next) else { return [] }
    return [next]
  }

  private static func meaning(of word: String, isFirst: Bool) -> [String]? {
    if scheduleNames.contains(word) { return [ScheduleCommand.name, word] }
    // After options, a word that is only like a command is no command.
    return isFirst ? word.nearest(among: RootCommand.names).map { [$0] } : nil
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

  private static var scheduleNames: [String] {
    ScheduleCommand.configuration.subcommands.map { $0.name }
  }
}

extension RootCommand {
  /// The words that name a command.
  static var names: [String] { configuration.subcommands.map { $0.name } + ["help"] }

  /// How many arguments name the command, from the first on.
  static func commandWordCount(_ arguments: [String]) -> Int {
    var subcommands = configuration.subcommands
    for (index, word) in arguments.enumerated() {
      guard let command = subcommands.first(where: { $0.name == word }) else { return index }
      subcommands = command.configuration.subcommands
    }
    return arguments.count
  }
}

extension ParsableCommand {
  fileprivate static var name: String { configuration.commandName ?? "" }
}

extension String {
  /// Whether it is an option with an empty value, for which the parser would take the next argument.
  var isOptionWithoutValue: Bool {
    hasPrefix("--")
      && utf8.firstIndex(of: UInt8(ascii: "=")).map { $0 == utf8.index(before: endIndex) } == true
  }

  /// Whether it is a plain word, as the name of a command is.
  fileprivate var isBareWord: Bool {
    !isEmpty && utf8.allSatisfy { $0.isASCIILetterOrDigit || $0 == UInt8(ascii: "-") }
      && self != "-"
  }

  /// The text as one word of a POSIX shell.
  var shellQuoted: String {
    let isPlain = !isEmpty && utf8.allSatisfy { $0.isPlainInShell }
    if isPlain { return self }
    var text = "'"
    // Not by characters: a quote with a combining mark on it is a quote to the shell.
    for scalar in unicodeScalars {
      if scalar == "'" { text += #"'\''"# } else { text.unicodeScalars.append(scalar) }
    }
    return text + "'"
  }
}

extension UInt8 {
  /// Whether a shell takes the byte for itself anywhere in a word.
  fileprivate var isPlainInShell: Bool {
    isASCIILetterOrDigit || self >= 0x80 || "_-./:,=@+".utf8.contains(self)
  }
}
