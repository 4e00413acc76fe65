import Loans
import System
import TOMLKit

/// A settings file that was read and makes sense.
struct SettingsFile: Sendable {
  /// A value, and where it is.
  struct Value: Sendable {
    /// One text, or those of a list; a switch is `true` or `false`.
    var texts: [String]
    /// 1-based.
    var line: Int
    /// 1-based, in Unicode scalars.
    var column: Int
  }

  /// The file's absolute path.
  let path: String

  private let values: [String: Value]

  /// The value of a key.
  subscript(name: String) -> Value? { values[name] }

  /// The most bytes that a settings file may have.
  static let limit = 1_048_576

  /// Reads a settings file.
  ///
  /// - Parameters:
  ///   - path: absolute, or relative to the working directory.
  ///   - isOptional: whether it may be missing.
  /// - Returns: `nil` if it is missing and may be.
  /// - Throws: ``CommandError`` with the status `badSetting` if it cannot be read, or holds
  ///   something that makes no sense.
  static func read(
    _ path: String, isOptional: Bool, _ environment: Environment
  ) throws(CommandError) -> SettingsFile? {
    let absolute = environment.absolutePath(path)
    let bytes: [UInt8]
    do throws(WholeFile.Failure) {
      bytes = try WholeFile.bytes(of: path, limit: limit)
    } catch {
      if case .missing = error, isOptional { return nil }
      throw CommandError(.badSetting, "\(path.visible): \(error.words)")
    }
    return try SettingsFile(bytes, path: absolute, environment)
  }

  /// Understands the content of a settings file.
  init(
    _ bytes: [UInt8], path: String, _ environment: Environment
  ) throws(CommandError) {
    var reading = SettingsReading(path: path, bytes: bytes, environment: environment)
    self.path = path
    values = try reading.values()
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
  let path: String
  let bytes: [UInt8]
  let environment: Environment
  private var text: SettingsText

  init(path: String, bytes: [UInt8], environment: Environment) {
    self.path = path
    self.bytes = bytes
    self.environment = environment
    text = SettingsText(bytes)
  }

  mutating func values() throws(CommandError) -> [String: SettingsFile.Value] {
    let source = try source()
    // Positions first: the parser calls itself for each level of a nested table.
    let entries = try entries()
    try check(entries)
    let table = try table(source)
    var values: [String: SettingsFile.Value] = [:]
    for entry in entries {
      guard let setting = Setting.named(entry.key) else { throw unknown(entry) }
      guard let node = table[entry.key]?.tomlValue else { throw puzzling(entry.key) }
      let texts = try texts(of: node, setting, entry)
      let place = text.place(of: entry.keyOffset)
      values[entry.key] = SettingsFile.Value(
        texts: texts, line: place.line, column: place.column)
    }
    // What only one of the two readings sees must not get lost.
    if let key = table.keys.first(where: { values[$0] == nil }) { throw puzzling(key) }
    return values
  }

  private func source() throws(CommandError) -> String {
    if let offset = bytes.firstIndex(of: 0) {
      throw wrong(at: offset, "there is a NUL byte; the settings file must be text")
    }
    if let source = String(validating: bytes, as: UTF8.self) { return source }
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    let line = lines.firstIndex { String(validating: $0, as: UTF8.self) == nil } ?? 0
    throw CommandError(
      .badSetting, "\(path.visible):\(line + 1): this is not UTF-8; save the file as UTF-8")
  }

  private mutating func entries() throws(CommandError) -> [SettingsText.Entry] {
    do throws(SettingsText.Misfit) {
      return try text.entries()
    } catch {
      switch error {
      case .table(let offset):
        throw wrong(at: offset, "there are no [tables] here; write each option as name = value")
      case .dottedKey(let key, let offset): throw unknown(key, offset)
      case .inlineTable(let key, let offset):
        guard let setting = Setting.named(key) else { throw unknown(key, offset) }
        throw wrongType(setting, "a table", offset)
      case .nul(let offset): throw wrong(at: offset, "a value cannot hold the character NUL")
      }
    }
  }

  /// Finds what is often done wrong, which TOMLKit would tell in words for programmers.
  private func check(_ entries: [SettingsText.Entry]) throws(CommandError) {
    var lines: [String: Int] = [:]
    for entry in entries {
      guard let setting = Setting.named(entry.key) else {
        if entry.scalarOffsets.contains(where: { text.unquotedText(at: $0)?.isLikeANumber == false }
        ) {
          throw unknown(entry)
        }
        continue
      }
      if setting.isForOneRun {
        throw wrong(
          at: entry.keyOffset,
          "\"\(entry.key)\" would hold for every run, today and later; use --\(entry.key) instead")
      }
      if let line = lines[entry.key] {
        throw wrong(at: entry.keyOffset, "\"\(entry.key)\" is set twice, first in line \(line)")
      }
      lines[entry.key] = text.place(of: entry.keyOffset).line
      for offset in entry.scalarOffsets { try checkQuotes(at: offset, setting) }
    }
  }

  private func checkQuotes(at offset: Int, _ setting: Setting) throws(CommandError) {
    guard let word = text.unquotedText(at: offset) else { return }
    if setting.name == "at", let time = word.asTimeOfDay {
      throw wrong(at: offset, "a time of day needs quotes: write at = \"\(time)\"")
    }
    guard !word.isLikeANumber else { return }
    switch setting.kind {
    case .text, .list:
      throw wrong(
        at: offset, "a text needs quotes, as in \(setting.example); true and false have none")
    case .number, .toggle:
      throw wrong(
        at: offset,
        "\"\(setting.name)\" is \(word.visible.shortened(to: 60)); expected \(setting.asIn)")
    }
  }

  private func table(_ source: String) throws(CommandError) -> TOMLTable {
    do {
      return try TOMLTable(string: source)
    } catch let error as TOMLParseError {
      let (line, column) = (error.source.begin.line, error.source.begin.column)
      let words = error.description.prefix(1).lowercased() + error.description.dropFirst()
      throw CommandError(
        .badSetting, "\(path.visible):\(line):\(column): \(words.visible.shortened(to: 300))")
    } catch {
      throw CommandError(.badSetting, "\(path.visible): \(String(describing: error).visible)")
    }
  }

  private func texts(
    of node: TOMLValue, _ setting: Setting, _ entry: SettingsText.Entry
  ) throws(CommandError) -> [String] {
    switch (setting.kind, node.type) {
    case (.text, .string): return [try accepted(node.string ?? "", setting, entry.valueOffset)]
    case (.number, .int): return [try accepted("\(node.int ?? 0)", setting, entry.valueOffset)]
    case (.toggle, .bool): return [node.bool == true ? "true" : "false"]
    case (.list, .array):
      var texts: [String] = []
      for (element, offset) in zip(node.array ?? [], entry.elementOffsets) {
        guard element.type == .string, let text = element.string else {
          throw wrong(
            at: offset,
            "\"\(setting.name)\" has \(element.type.words) in it; expected \(setting.asIn)")
        }
        texts.append(try accepted(text, setting, offset))
      }
      return texts
    default: throw wrongType(setting, node.type.words, entry.valueOffset)
    }
  }

  private func accepted(
    _ text: String, _ setting: Setting, _ offset: Int
  ) throws(CommandError) -> String {
    guard setting.accepts(text, environment) else {
      let value = setting.kind == .number ? text : text.quoted()
      throw wrong(
        at: offset,
        "\"\(setting.name)\" is \(value); expected \(setting.expected), as in \(setting.example)")
    }
    let directory = String(path.prefix(upTo: path.lastIndex(of: "/") ?? path.startIndex))
    switch setting.paths {
    case .none: return text
    case .catalogues where text == "-": return text
    case .catalogues, .files:
      return environment.absolutePath(environment.absolute(text, in: directory))
    case .profiles:
      guard NamedProfile.isPath(text) else { return text }
      return environment.absolutePath(environment.absolute(text, in: directory))
    case .programs:
      guard case .exec(let program) = ChannelName(argument: text) else { return text }
      return ChannelName.exec(environment.programPath(program, in: directory)).name
    }
  }
}

// Complaints.
extension SettingsReading {
  private func wrong(at offset: Int, _ words: String) -> CommandError {
    let (line, column) = text.place(of: offset)
    return CommandError(.badSetting, "\(path.visible):\(line):\(column): \(words)")
  }

  private func wrongType(_ setting: Setting, _ found: String, _ offset: Int) -> CommandError {
    wrong(at: offset, "\"\(setting.name)\" is \(found); expected \(setting.asIn)")
  }

  private func puzzling(_ key: String) -> CommandError {
    CommandError(
      .badSetting,
      "\(path.visible): \(key.quoted(limit: 40)) cannot be understood; write it as name = value in a "
        + "line of its own")
  }

  private func unknown(_ entry: SettingsText.Entry) -> CommandError {
    unknown(entry.key, entry.keyOffset)
  }

  private func unknown(_ key: String, _ offset: Int) -> CommandError {
    var words = "unknown key \(key.quoted(limit: 40))"
    if let name = key.nearest(among: Setting.all.map(\.name)) {
      words += "; did you mean \"\(name)\"?"
    } else {
      words += "; check-loans config --example shows all that there are"
    }
    return wrong(at: offset, words)
  }
}

extension String {
  /// Whether it begins as TOML's numbers, dates and times do.
  fileprivate var isLikeANumber: Bool {
    guard let first = utf8.first else { return true }
    return "+-0123456789".utf8.contains(first) || self == "inf" || self == "nan"
  }

  /// `08:00` for `8:00`; `nil` if it is no time to the minute.
  fileprivate var asTimeOfDay: String? {
    let time = utf8.count == 4 ? "0\(self)" : self
    return TimeOfDay(argument: time) == nil ? nil : time
  }
}

extension Setting {
  /// The type with an example.
  fileprivate var asIn: String { "\(kind.words), as in \(example)" }
}

extension TOMLType {
  fileprivate var words: String {
    switch self {
    case .table: "a table"
    case .array: "a list"
    case .string: "a string"
    case .int: "an integer"
    case .double: "a number with a point"
    case .bool: "true or false"
    case .date: "a date without quotation marks"
    case .time: "a time without quotation marks"
    case .dateTime: "a date and time without quotation marks"
    }
  }
}
