import ArgumentParser
import Loans
import System

/// A subcommand that is taken for a catalogue, because it is not the first word, or lacks the
/// `schedule` before it, or has a letter wrong.
enum MistakenCommand {
  /// - Parameters:
  ///   - arguments: without the program's name.
  ///   - catalogues: what is taken for catalogues among them.
  /// - Throws: ``CommandError`` if the first catalogue is meant for a subcommand: with the status
  ///   `usage` if it is the name of one, or `noInput` if it may be meant so and there is no such
  ///   file.
  static func check(
    _ arguments: ArraySlice<String>, catalogues: [String]
  ) throws(CommandError) {
    guard let word = catalogues.first, arguments.first != CheckCommand.name,
      arguments.prefix(while: { $0 != "--" }).contains(word)
    else { return }
    if RootCommand.names.contains(word) {
      let words = [word] + subcommand(word, catalogues)
      let line = line(words, arguments, without: words)
      throw CommandError(.usage, "\(word) is a command and comes first: \(line)")
    }
    guard word.allSatisfy({ $0.isLetter && $0.isASCII }), !FileSystem.exists(word),
      let words = meaning(of: word, isFirst: arguments.first == word)
    else { return }
    let line = line(words, arguments, without: [word])
    throw CommandError(.noInput, "there is no file \(word.quoted()); did you mean \(line)?")
  }

  /// The word behind `schedule`, if it is one that belongs there.
  private static func subcommand(_ word: String, _ catalogues: [String]) -> [String] {
    guard word == ScheduleCommand.name, catalogues.count > 1 else { return [] }
    return scheduleNames.contains(catalogues[1]) ? [catalogues[1]] : []
  }

  private static func meaning(of word: String, isFirst: Bool) -> [String]? {
    if scheduleNames.contains(word) { return [ScheduleCommand.name, word] }
    // Behind options, a word that is only like a command is no command.
    return isFirst ? word.nearest(among: RootCommand.names).map { [$0] } : nil
  }

  /// The command line with the words of the command first.
  private static func line(
    _ words: [String], _ arguments: ArraySlice<String>, without misplaced: [String]
  ) -> String {
    var rest = Array(arguments)
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
}

extension ParsableCommand {
  fileprivate static var name: String { configuration.commandName ?? "" }
}

extension String {
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
