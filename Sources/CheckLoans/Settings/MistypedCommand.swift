import ArgumentParser
import Loans

/// A subcommand with a letter wrong, which is taken for a catalogue.
enum MistypedCommand {
  /// - Parameters:
  ///   - arguments: without the program's name.
  ///   - catalogues: what is taken for catalogues among them.
  /// - Throws: ``CommandError`` with the status `noInput` if the first catalogue is probably meant
  ///   for a subcommand.
  static func check(
    _ arguments: ArraySlice<String>, catalogues: [String]
  ) throws(CommandError) {
    guard let word = arguments.first, catalogues.first == word,
      word.allSatisfy({ $0.isLetter && $0.isASCII }),
      let name = word.nearest(among: names), !WholeFile.exists(word)
    else { return }
    let line = (["check-loans", name] + arguments.dropFirst().map(\.shellQuoted))
      .joined(separator: " ")
    throw CommandError(
      .noInput,
      "there is no file \(word.quoted()); did you mean \(line.visible.shortened(to: 200))?")
  }

  private static var names: [String] {
    RootCommand.configuration.subcommands.compactMap { $0.configuration.commandName } + ["help"]
  }
}

extension String {
  /// The text as one word of a POSIX shell.
  var shellQuoted: String {
    let isPlain = !isEmpty && utf8.allSatisfy { $0.isPlainInShell }
    return isPlain
      ? self
      : "'\(split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#))'"
  }
}

extension UInt8 {
  /// Whether a shell takes the byte for itself anywhere in a word.
  fileprivate var isPlainInShell: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), 0x80...0xFF:
      true
    default: "_-./:,=@+".utf8.contains(self)
    }
  }
}
