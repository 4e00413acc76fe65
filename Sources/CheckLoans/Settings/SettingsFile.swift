import ArgumentParser
import Loans
import System
import TOMLKit

/// The keys that a settings file may have.
///
/// The options are looked up once somebody asks for them, which takes a millisecond or more.
enum SettingsKeys {
  /// Those of the user's settings, for what reads catalogues into the schedule.
  case user
  /// Those of a project's settings, for `validate`.
  case project

  /// What is for a single run only, and has no place in a file.
  static let forOneRun = ["now", "dry-run", "config", "fix", "output"]

  private static let ofUser = declared(by: [CheckCommand.self, WatchCommand.self])
  private static let ofProject = declared(by: [ValidateCommand.self])
  private static let ofTable = CatalogueOptions.declaredOptions

  private static func declared(by commands: [any Subcommand.Type]) -> [DeclaredOption] {
    commands.flatMap { command in
      command.declaredOptions.filter {
        $0.kind != .argument && !command.commandLineOnly.contains($0.name)
      }
    }
  }

  private var declared: [DeclaredOption] { self == .user ? Self.ofUser : Self.ofProject }

  /// The options of the commands that go by the file.
  var allOptions: [String] { declared.map(\.name) }

  /// The options that may be set in it.
  var options: [DeclaredOption] { declared.filter { !Self.forOneRun.contains($0.name) } }

  /// The key for the catalogues to read.
  var catalogues: String { self == .user ? "catalogues" : "files" }

  /// The options of a catalogue's table; empty where there are none.
  var tableOptions: [DeclaredOption] { self == .user ? Self.ofTable : [] }

  /// The command that shows them.
  var help: String {
    self == .project
      ? "check-loans validate --show-settings" : "check-loans config --example"
  }

  /// The names of the keys.
  var names: [String] { options.map(\.name) + [catalogues] }
}

/// A catalogue's own settings, from a `[[catalogue]]` table.
struct CatalogueTable: Sendable {
  /// The file, the folder or the pattern, absolute.
  var path: GivenValue
  /// The name of the library that people see.
  var library: GivenValue?
  /// Options of its own.
  var values: [GivenValue]
}

/// A settings file that was read.
struct SettingsFile: Sendable {
  /// The file's absolute path.
  let path: String
  /// What it sets of options.
  let values: [GivenValue]
  /// The files, folders or patterns that it lists, absolute.
  let catalogues: GivenValue?
  let tables: [CatalogueTable]

  /// The most bytes that a settings file may have.
  static let limit = 1_048_576

  /// Reads a settings file.
  ///
  /// - Parameter path: absolute, or relative to the working directory.
  /// - Throws: ``CommandError`` with the status `badSetting` if it cannot be read, is not TOML, or
  ///   sets what cannot be set.
  static func read(
    _ path: String, _ keys: SettingsKeys, _ environment: Environment
  ) throws(CommandError) -> SettingsFile {
    let bytes: [UInt8]
    do throws(WholeFile.Failure) {
      // Some CI systems check out with such permissions, and a project's settings run no program.
      bytes = try WholeFile.bytes(
        of: path, limit: limit,
        mayBeWritableByAll: keys == .project)
    } catch {
      throw CommandError(.badSetting, "\(path.visible): \(error.words)")
    }
    let absolute = environment.absolutePath(path)
    return try SettingsReading(absolute, bytes, keys, environment).file()
  }
}

extension WholeFile.Failure {
  fileprivate var words: String {
    switch self {
    case .missing: "cannot read the settings file: no such file"
    case .system(let error): "cannot read the settings file: \(error.words)"
    case .notAFile(let kind): "this is \(kind), not a settings file"
    case .tooLong: "the settings file is longer than \(SettingsFile.limit) bytes"
    case .writableByAll:
      "the settings file can be written by anybody, and could run programs; use chmod o-w"
    }
  }
}

/// The reading of one settings file.
private struct SettingsReading {
  private let path: String
  private let keys: SettingsKeys
  private let environment: Environment
  private let lines: [Substring]
  /// The lines from 0 that begin with each word.
  private var linesOfKeys: [Substring: [Int]] = [:]

  /// A longer line could nest values deeper than the parser can bear.
  private static let longestLine = 16_384
  private static let longestName = 200
  /// More than anybody gives of an option; catalogues may be more.
  private static let longestList = 1_000

  init(
    _ path: String, _ bytes: [UInt8], _ keys: SettingsKeys, _ environment: Environment
  ) throws(CommandError) {
    self.path = path
    self.keys = keys
    self.environment = environment
    guard let text = String(validating: bytes, as: UTF8.self), !text.utf8.contains(0) else {
      throw CommandError(
        .badSetting, "\(path.visible): this is not text in UTF-8; save the file as UTF-8")
    }
    // A line break of Windows is one character to Swift; TOML knows no others.
    lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
    for (index, line) in lines.enumerated() {
      let name = line.drop { " \t\"'[\u{FEFF}".contains($0) }.prefix { !" \t\"'=.]".contains($0) }
      if !name.isEmpty { linesOfKeys[name, default: []].append(index) }
    }
  }

  func file() throws(CommandError) -> SettingsFile {
    if let index = lines.firstIndex(where: { $0.utf8.count > Self.longestLine }) {
      throw wrong(index + 1, "this line is too long; write a list on several lines")
    }
    if let index = lines.firstIndex(where: { $0.contains(#/\\(?:u0000|U00000000)/#) }) {
      throw wrong(index + 1, "a value cannot hold the character NUL")
    }
    let table = try table()
    var values: [GivenValue] = []
    var catalogues: GivenValue?
    var tables: [CatalogueTable] = []
    for (key, node) in entries(of: table) {
      switch key {
      case keys.catalogues: catalogues = try value(key, node, .list, line(of: key))
      case "catalogue" where !keys.tableOptions.isEmpty: tables = try catalogueTables(node)
      default:
        values.append(try value(key, node, among: keys.options, keys.names, line(of: key)))
      }
    }
    return SettingsFile(path: path, values: values, catalogues: catalogues, tables: tables)
  }

  private func table() throws(CommandError) -> TOMLTable {
    do {
      return try TOMLTable(string: lines.joined(separator: "\n"))
    } catch let error as TOMLParseError {
      let (line, column) = (error.source.begin.line, error.source.begin.column)
      if let advice = adviceOnQuotes(line) { throw wrong(line, advice) }
      let words = error.description.withSmallBeginning
      throw CommandError(
        .badSetting, "\(path.visible):\(line):\(column): \(words.visible.shortened(to: 300))")
    } catch {
      throw CommandError(.badSetting, "\(path.visible): \(String(describing: error).visible)")
    }
  }

  /// What most mistakes are: a text without quotation marks.
  private func adviceOnQuotes(_ line: Int) -> String? {
    guard lines.indices.contains(line - 1),
      let match = lines[line - 1].wholeMatch(
        of: #/\s*([A-Za-z-]+)\s*=\s*([A-Za-z/~.0-9][^"'#\[]*?)\s*(?:#.*)?/#)
    else { return nil }
    let value = match.output.2
    guard value.contains(where: { $0.isLetter || "/:~".contains($0) }) else { return nil }
    let text = String(value).visible
    return "a text needs quotation marks: \(match.output.1) = \"\(text)\""
  }

  /// In the order in which they are written.
  private func entries(of table: TOMLTable, after first: Int = 0) -> [(String, TOMLValue)] {
    let keys = table.keys.map { (key: $0, line: line(of: $0, after: first)) }
    return keys.sorted { $0.line < $1.line }.compactMap { key, _ in
      table[key].map { (key, $0.tomlValue) }
    }
  }

  private func catalogueTables(_ node: TOMLValue) throws(CommandError) -> [CatalogueTable] {
    let heads = lines.indices.filter {
      lines[$0].wholeMatch(of: #/\s*\[\[\s*catalogue\s*\]\]\s*(?:#.*)?/#) != nil
    }
    var tables: [CatalogueTable] = []
    guard let elements = node.array, elements.count == heads.count else {
      throw wrong(
        line(of: "catalogue"), "write each catalogue as a table of its own: [[catalogue]]")
    }
    for (element, head) in zip(elements, heads) {
      guard let table = element.tomlValue.table else { continue }
      tables.append(try catalogueTable(table, head: head))
    }
    return tables
  }

  private func catalogueTable(
    _ table: TOMLTable, head: Int
  ) throws(CommandError) -> CatalogueTable {
    var path: GivenValue?
    var library: GivenValue?
    var values: [GivenValue] = []
    for (key, node) in entries(of: table, after: head) {
      let line = line(of: key, after: head)
      switch key {
      case "path": path = try value(key, node, .value, line)
      case "name":
        library = try value(key, node, .value, line)
        if library?.texts.contains(where: { $0.count > Self.longestName }) == true {
          throw wrong(line, "\"name\" is longer than \(Self.longestName) characters")
        }
      default:
        let known = keys.tableOptions.map(\.name) + ["path", "name"]
        values.append(try value(key, node, among: keys.tableOptions, known, line))
      }
    }
    guard let path else {
      throw wrong(head + 1, "this catalogue has no path; add path = \"/srv/library/books.xml\"")
    }
    return CatalogueTable(path: path, library: library, values: values)
  }

  private func value(
    _ key: String, _ node: TOMLValue, among options: [DeclaredOption], _ known: [String],
    _ line: Int
  ) throws(CommandError) -> GivenValue {
    if let option = options.first(where: { $0.name == key }) {
      let value = try value(key, node, option.kind, line)
      if value.texts.count > Self.longestList {
        throw wrong(line, "\"\(key)\" has more than \(Self.longestList) texts")
      }
      return value
    }
    if SettingsKeys.forOneRun.contains(key) {
      throw wrong(line, "\"\(key)\" would hold for every run; use --\(key) instead")
    }
    if keys.names.contains(key) {
      throw wrong(line, "\"\(key)\" is for all catalogues; put it before the first [[catalogue]]")
    }
    let words = "unknown key \(key.quoted(limit: 40))"
    if keys == .user, SettingsKeys.project.names.contains(key) {
      throw wrong(line, "\(words); it belongs in a project's .check-loans.toml")
    }
    if key == "catalogues" { throw wrong(line, "\(words); write [[catalogue]]") }
    throw wrong(
      line,
      key.nearest(among: known).map { "\(words); did you mean \"\($0)\"?" }
        ?? "\(words); the keys are the long names of options, see \(keys.help)")
  }

  private func value(
    _ key: String, _ node: TOMLValue, _ kind: DeclaredOption.Kind, _ line: Int
  ) throws(CommandError) -> GivenValue {
    let texts: [String]?
    let expected: String
    switch kind {
    case .flag: (texts, expected) = (node.bool.map { ["\($0)"] }, "true or false")
    case .value, .argument: (texts, expected) = (node.scalar.map { [$0] }, "a text or a number")
    case .list:
      let elements = node.array.map { array in array.map(\.tomlValue.scalar) }
      let all = elements ?? [node.scalar]
      (texts, expected) = (all.contains(nil) ? nil : all.compactMap(\.self), "a list of texts")
    }
    guard let texts else {
      let other = node.array?.map(\.tomlValue).first { $0.scalar == nil }
      let found = other.map { "has in it \($0.type.words)" } ?? "is \(node.type.words)"
      throw wrong(line, "\"\(key)\" \(found); expected \(expected)")
    }
    if texts.contains("") { throw wrong(line, "\"\(key)\" is empty; expected \(expected)") }
    if texts.contains(where: { $0.utf8.count > Self.longestLine }) {
      throw wrong(line, "\"\(key)\" is longer than \(Self.longestLine) bytes")
    }
    // A list without channels is no channel.
    let all = key == "notify" && texts.isEmpty ? ["none"] : texts
    return GivenValue(
      name: key, texts: all.map { environment.resolved($0, of: key, in: path.directory) },
      origin: .file(path, line: line))
  }

  /// The line from 1 where a key is set, or else where the search begins.
  private func line(of key: String, after first: Int = 0) -> Int {
    (linesOfKeys[key[...]]?.first { $0 >= first } ?? first) + 1
  }

  private func wrong(_ line: Int, _ words: String) -> CommandError {
    CommandError(.badSetting, "\(path.visible):\(line): \(words)")
  }
}

extension Environment {
  /// A value as it stands in a file of the directory, or on the command line in the working
  /// directory: where it is a path, as an absolute one.
  func resolved(_ text: String, of name: String, in directory: String) -> String {
    switch name {
    case "catalogues", "files", "path":
      if name == "catalogues" && text == "-" {
        text
      } else if FilePattern.isPattern(text) {
        absolutePath(absolute(text, in: FilePattern.literal(directory)))
      } else {
        absolutePath(absolute(text, in: directory))
      }
    case "state", "config", "files-from":
      name == "files-from" && text == "-" ? text : absolutePath(absolute(text, in: directory))
    case "profile":
      NamedProfile.isPath(text) ? absolutePath(absolute(text, in: directory)) : text
    case "notify":
      if case .exec(let program) = ChannelName(argument: text) {
        ChannelName.exec(programPath(program, in: directory)).name
      } else {
        text
      }
    default: text
    }
  }
}

extension String {
  /// The directory of an absolute path.
  fileprivate var directory: String {
    String(prefix(upTo: lastIndex(of: "/") ?? startIndex))
  }
}

extension TOMLValue {
  /// A text, or a number as text.
  fileprivate var scalar: String? { string ?? int.map { "\($0)" } ?? double.map { "\($0)" } }
}

extension TOMLType {
  fileprivate var words: String {
    switch self {
    case .table: "a table"
    case .array: "a list"
    case .string: "a text"
    case .int: "a whole number"
    case .double: "a number with a point"
    case .bool: "true or false"
    case .date: "a date without quotation marks"
    case .time: "a time without quotation marks"
    case .dateTime: "a date and time without quotation marks"
    }
  }
}
