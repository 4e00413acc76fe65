package import ArgumentParser

/// What the settings know of an option beside its declaration for the parser: where a value may come
/// from, and what it is.
///
/// Each is written beside the declaration; a test compares the two.
package struct OptionFact: Sendable {
  /// The kind of value that it takes.
  package enum Kind: Sendable { case flag, number, text, list, numbers }

  /// Where a value may come from besides the command line.
  package struct Sources: OptionSet, Sendable {
    package let rawValue: Int

    package init(rawValue: Int) { self.rawValue = rawValue }

    /// Its environment variable.
    package static let variable = Sources(rawValue: 1)
    /// The settings file of its commands, outside of tables.
    package static let inFile = Sources(rawValue: 2)
    /// A table `[[catalogue]]`.
    package static let inTable = Sources(rawValue: 4)

    /// Only the command line: elsewhere it would mean something else.
    package static let line: Sources = []
    /// What is for a single run, and has no place in a file.
    package static let run: Sources = [variable]
    package static let file: Sources = [variable, inFile]
    package static let table: Sources = [variable, inFile, inTable]
  }

  /// The kind of path that a value is; in a file, it is relative to the directory of that file.
  package enum Path: Sendable {
    case none
    case file
    /// A file, or `-`.
    case fileOrInput
    /// A file, or `none`.
    case fileOrNone
    /// A file, a folder, or a pattern of files.
    case pattern
    case profile
    case channel
    /// A program and its arguments.
    case program
    /// Words among which are paths only if they begin with `~/`.
    case words
  }

  /// The long name, `time-zone`.
  package let name: String
  package let kind: Kind
  package let sources: Sources
  package let path: Path
  /// The letter of its short name.
  let short: Character?

  package init(
    _ name: String, _ kind: Kind, _ sources: Sources, path: Path = .none, short: Character? = nil
  ) {
    (self.name, self.kind, self.sources) = (name, kind, sources)
    (self.path, self.short) = (path, short)
  }
}

extension [OptionFact] {
  /// The fact about the option of this name.
  package subscript(name: some StringProtocol) -> OptionFact? { first { $0.name == name } }

  /// Those whose value may come from a source.
  func settable(_ source: OptionFact.Sources) -> [OptionFact] {
    filter { $0.sources.isSuperset(of: source) }
  }

  package var names: [String] { map(\.name) }
}

/// Options whose facts are known.
package protocol DescribedOptions {
  /// A fact about each, in their order.
  static var facts: [OptionFact] { get }
}

/// What a settings file can set, for the commands that go by it.
package struct SettingsScheme: Sendable {
  /// The options of these commands, each of which has a variable.
  package let facts: [OptionFact]
  /// The key of the catalogues to read.
  package let catalogues: String
  /// What this file is called in messages, and the command that shows its keys.
  package let file: String
  package let example: String
  /// Whether it has tables for catalogues, rules, channels, wording and closed days, and can run programs.
  package let isOfUser: Bool
  /// Reads the options of all these commands, to find what is wrong with values.
  package let parse: @Sendable ([String]) throws -> any ParsableArguments
  /// The scheme of the other file, in which a key may belong.
  package let other: @Sendable () -> SettingsScheme

  package init(
    facts: [OptionFact], catalogues: String, file: String, example: String, isOfUser: Bool,
    parse: @escaping @Sendable ([String]) throws -> any ParsableArguments,
    other: @escaping @Sendable () -> SettingsScheme
  ) {
    (self.facts, self.catalogues, self.file, self.example) = (facts, catalogues, file, example)
    (self.isOfUser, self.parse, self.other) = (isOfUser, parse, other)
  }

  /// The names of the keys, outside of tables.
  package var names: [String] { facts.settable(.inFile).names + [catalogues] }
}
