import ArgumentParser
import Languages
import LoanCatalogue
import LoanRules
import Loans
import System
import TOMLKit

/// The keys that a settings file may have.
enum SettingsKeys {
  /// Those of the user's settings, for what reads catalogues into the schedule.
  case user
  /// Those of a project's settings, for `validate`.
  case project

  /// What is for a single run only, and has no place in a file.
  static let forOneRun = [
    "now", "dry-run", "config", "fix", "output", "backlog", "per-borrower", "screen", "refresh",
  ]

  // Looked up once, which takes a millisecond or more.
  private static let ofUser = options(of: ConfigCommand.self)
  private static let ofProject = options(of: ValidateCommand.self)
  private static let ofTable = CatalogueTable.declaredSettings
  /// The options of the report of `check`, but for that which all long results have.
  static let ofReport = Set(ReportOptions.declaredSettings.map(\.name)).subtracting(["no-pager"])

  /// The lists of tables in the user's settings.
  fileprivate static let lists = ["catalogue", "rules", "channel"]

  /// What a rule can ask of a loan: each is one of some texts.
  static let conditions = ["category", "type", "status", "catalogue", "library"].map {
    Setting(name: $0, kind: .list)
  }

  private static func options(of command: any Subcommand.Type) -> [Setting] {
    command.declaredSettings.filter {
      $0.kind != .argument && !command.commandLineOnly.contains($0.name)
    }
  }

  /// The command that takes what the file can set.
  fileprivate var command: any Subcommand.Type {
    self == .user ? ConfigCommand.self : ValidateCommand.self
  }

  /// The options of the commands that go by the file, each of which has a variable.
  var allOptions: [Setting] { self == .user ? Self.ofUser : Self.ofProject }

  /// The options that may be set in it.
  var options: [Setting] { allOptions.filter { !Self.forOneRun.contains($0.name) } }

  /// The key for the catalogues to read.
  var catalogues: String { self == .user ? "catalogues" : "files" }

  /// The options of a catalogue's table; empty where there are none.
  var tableOptions: [Setting] { self == .user ? Self.ofTable : [] }

  /// The names of the keys.
  var names: [String] { options.map(\.name) + [catalogues] }
}

/// A settings file that was read.
struct SettingsFile: Sendable {
  /// The file's absolute path.
  let path: String
  /// What it sets, outside of tables.
  let values: [Setting]
  /// A catalogue's own settings, from each `[[catalogue]]` table: options, `path` and the library's
  /// `name`.
  let tables: [[Setting]]
  /// Ladders for some loans, from each `[[rules]]` table: options of the ladder, and conditions.
  let rules: [[Setting]]
  /// The programs that are channels, from each `[[channel]]` table.
  let channels: [[Setting]]
  /// The texts of the library's own, those for all languages first.
  let wordings: [Wording]

  /// The files, folders or patterns that it lists, absolute.
  var catalogues: Setting? { values.first { $0.kind == .argument } }

  /// The directory that it is in.
  var directory: String { path.directory }

  /// The most bytes that a settings file may have.
  private static let limit = 1_048_576

  /// Reads a settings file.
  ///
  /// - Parameter path: absolute, or relative to the working directory.
  /// - Throws: ``CommandError`` with the status `badSetting` if it cannot be read, is not TOML, or
  ///   sets what cannot be set, or to what makes no sense.
  init(
    _ path: String, _ keys: SettingsKeys, _ environment: Environment
  ) throws(CommandError) {
    let bytes: [UInt8]
    do throws(WholeFile.Failure) {
      // Some CI systems check out with such permissions, and a project's settings run no program.
      bytes = try WholeFile.bytes(
        of: path, limit: Self.limit, mayBeWritableByAll: keys == .project)
    } catch {
      let words = error.words("settings file", limit: Self.limit, harm: "could run programs")
      throw CommandError(.badSetting, "\(path.visible): \(words)")
    }
    self.path = environment.absolutePath(path)
    (values, tables, rules, channels, wordings) =
      try SettingsReading(self.path, bytes, keys, environment).settings()
  }
}

/// Where a key is set in a settings file.
struct SettingsPlace: Sendable {
  let path: String
  /// The lines of the key's table with its head; outside of tables, all.
  fileprivate let lines: ArraySlice<Substring>
  fileprivate let isInTable: Bool
  fileprivate var key = ""

  /// `FILE:LINE`.
  var text: String { line(of: [key]).map { "\(path):\($0)" } ?? path }

  /// The same of the head of its table.
  fileprivate var head: String { "\(path):\(lines.startIndex + 1)" }

  /// The line of the first of some keys: set once more before, the parser reports that one.
  private func line(of keys: some Collection<String>) -> Int? {
    var lines = lines.map(String.init)
    let set = keys.map { key in
      let name = key.unicodeScalars.map { "\\U" + $0.value.digits(8, radix: 16) }
      return "\"\(name.joined())\" = 0"
    }
    lines.insert(contentsOf: set, at: isInTable ? 1 : 0)
    do { _ = try TOMLTable(string: lines.joined(separator: "\n")) } catch {
      guard let error = error as? TOMLParseError else { return nil }
      return self.lines.startIndex + error.source.begin.line - keys.count
    }
    return nil
  }

  /// The place of the first of some keys.
  fileprivate func first(of keys: some Collection<String>) -> SettingsPlace {
    var keys = Array(keys)[...]
    let line = line(of: keys)
    while keys.count > 1 {
      let half = keys.prefix(keys.count / 2)
      keys = self.line(of: half) == line ? half : keys.dropFirst(half.count)
    }
    return at(keys.first ?? "")
  }

  /// The place of a key.
  fileprivate func at(_ key: String) -> SettingsPlace {
    var place = self
    place.key = key
    return place
  }
}

/// The reading of one settings file.
private struct SettingsReading {
  private let path: String
  private let keys: SettingsKeys
  private let environment: Environment
  private let lines: [Substring]

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
    lines = text.drop { $0 == "\u{FEFF}" }
      .split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
  }

  func settings() throws(CommandError)
    -> (
      values: [Setting], tables: [[Setting]], rules: [[Setting]], channels: [[Setting]],
      wordings: [Wording]
    )
  {
    if let index = lines.firstIndex(where: { $0.utf8.count > Self.longestLine }) {
      throw wrong("\(path):\(index + 1)", "this line is too long; write a list on several lines")
    }
    // Compiled once: compiling it for each line took longer than the search.
    let nul = #/\\(?:u0000|U00000000)/#
    if let index = lines.firstIndex(where: { $0.contains(nul) }) {
      throw wrong("\(path):\(index + 1)", "a value cannot hold the character NUL")
    }
    // The parser aborts the process on such a line.
    let nameless = #/[ \t]*\[\[?+[ \t]*+(?![A-Za-z0-9_"'\] \t-])/#.matchingSemantics(.unicodeScalar)
    let end = lines.firstIndex { $0.prefixMatch(of: nameless) != nil }
    let table = try table(of: lines.prefix(end ?? lines.count))
    if let end { throw wrong("\(path):\(end + 1)", "expected the name of a table after [") }
    var faults: [String: String] = [:]
    let catalogueTables = tables(named: "catalogue", in: table, &faults)
    let ruleTables = tables(named: "rules", in: table, &faults)
    let channelTables = tables(named: "channel", in: table, &faults)
    let closed = try closedDays(table)
    let wordingTables = try wordingTables(in: table, &faults)
    let listed = Setting(name: keys.catalogues, kind: .argument)
    let place = SettingsPlace(path: path, lines: lines[...], isInTable: false)
    let values = try values(
      table, keys.options + [listed], place, faults, by: keys.command.parse)
    if let twice = closed.first(where: { values[$0.name] != nil }) {
      throw wrong(
        twice.place, "\"\(twice.name)\" is set already; leave out one of the lines")
    }
    let namesLanguage =
      wordingTables.contains { $0.language != nil }
      || ruleTables.contains { $0.table[LadderRule.language] != nil }
    let known = namesLanguage ? try languages(values) : KnownLanguages()
    let ofCatalogues = [Setting(name: "path", kind: .text), Setting(name: "name", kind: .text)]
    let catalogues = try settings(
      catalogueTables, of: "catalogue", keys.tableOptions, unparsed: ofCatalogues,
      required: { table in
        table["run"] == nil
          ? [("path", "\"/srv/library/books.xml\"")]
          : [("name", "\"city\""), ("run", "[\"curl\", \"-fsS\", \"https://…\"]")]
      }, by: CatalogueTable.parse)
    for table in catalogues { try checkFetch(table) }
    return (
      values + closed, catalogues,
      try rules(ruleTables, known),
      try settings(
        channelTables, of: "channel", ChannelTable.declaredSettings,
        required: { _ in [("name", "\"phone\""), ("run", "[\"/path/to/program\"]")] },
        by: ChannelTable.parse),
      try wordings(wordingTables, known)
    )
  }

  /// Checks that a catalogue is a file, or what a program fetches.
  private func checkFetch(_ table: [Setting]) throws(CommandError) {
    let idle = FetchOptions.declaredSettings.compactMap { table[$0.name] }.first
    if table["path"] != nil, let idle {
      let words = "is for what a program fetches, and \"path\" names a file; leave one of them out"
      throw wrong(idle.place, "\"\(idle.name)\" \(words)")
    }
    if table["run"] != nil, let name = table["name"], name.texts.first?.isCatalogueName != true {
      throw wrong(name.place, "\"name\": give a name without a slash, as in \"city\"")
    }
  }

  /// The settings of the table `[closed]`, which is removed: `weekdays` in it is `closed-weekdays`.
  private func closedDays(_ table: TOMLTable) throws(CommandError) -> [Setting] {
    let start = #/\s*\[\s*closed\s*\]\s*(?:#.*)?/#
    guard keys == .user, let closed = table["closed"]?.tomlValue.table,
      let head = lines.firstIndex(where: { $0.wholeMatch(of: start) != nil })
    else { return [] }
    let prefix = "closed-"
    let options = keys.tableOptions.filter { $0.name.hasPrefix(prefix) }
    let place = SettingsPlace(path: path, lines: lines[head...], isInTable: true)
    let found = try values(
      closed, options.map { $0.renamed { String($0.dropFirst(prefix.count)) } }, place
    ) {
      try CatalogueTable.parse($0.map { "--\(prefix)\($0.dropFirst(2))" })
    }
    // Not before: its values are the table's own.
    table.remove(at: "closed")
    return found.map { $0.renamed { prefix + $0 } }
  }

  private func table(of lines: ArraySlice<Substring>) throws(CommandError) -> TOMLTable {
    do {
      // The parser words what is missing differently at the end of the file.
      let end = lines.last?.isEmpty == true ? "" : "\n"
      return try TOMLTable(string: lines.joined(separator: "\n") + end)
    } catch let error as TOMLParseError {
      let (line, column) = (error.source.begin.line, error.source.begin.column)
      if let advice = adviceOnQuotes(line) { throw wrong("\(path):\(line)", advice) }
      throw wrong("\(path):\(line):\(column)", advice(on: error))
    } catch {
      throw wrong(path, String(describing: error).visible)
    }
  }

  /// What to write instead, by what the parser says.
  private static let advice = [
    ("expected '='", "expected = between a key and its value"),
    ("expected value, saw", "the value is missing"),
    ("determine value type", "expected a text in quotation marks, a number, true or false"),
    ("leading zeroes", "write the number without a zero before it"),
    ("representable", "this number is too large"),
    ("decimal integer", "expected only digits in the number, and nothing after it"),
    ("table header", "expected the end of the line after the name of a table"),
    (
      "expected a comment",
      "expected the end of the line; several values are a list, [\"a\", \"b\"]"
    ),
    ("expected comma", "a list has a comma between its values, and ] at its end"),
    ("end-of-file", "the file ends inside a text or a list"),
    ("sequence", "write \\\\ for a backslash, or put the text between apostrophes"),
    ("expected keys", "expected a key, as in remind = 3; a comment begins with #"),
    ("control characters", "remove this control character, or write \\u and its four digits"),
  ]

  private func advice(on error: TOMLParseError) -> String {
    let words = error.description.withSmallBeginning
    let line = lines.dropFirst(error.source.begin.line - 1).first ?? ""
    if line.isConflictMark {
      return "an unresolved merge conflict is here; keep what is right, and remove the rest"
    }
    if words.contains("control characters"), error.source.begin.column > line.unicodeScalars.count {
      return "this text has no closing quotation mark"
    }
    if words.contains("determine value type"), line.contains(where: "“”„".contains) {
      return "use straight quotation marks, as in \"a text\""
    }
    if words.contains("table header"), !words.contains("expected a comment"), keys == .user {
      return adviceOnHead(line, isTwice: words.contains("redefine"))
    }
    if let match = words.firstMatch(of: #/cannot redefine existing .* '(.*)'$/#) {
      return "\(String(match.1).quoted(limit: 40)) is set twice; leave out one of the lines"
    }
    return Self.advice.first { words.contains($0.0) }?.1 ?? words.visible.shortened(to: 300)
  }

  /// What is wrong with the head of a table: one bracket too few, or a table that is there already.
  private func adviceOnHead(_ line: Substring, isTwice: Bool) -> String {
    let name = line.firstMatch(of: #/[a-z]+/#).map { String($0.output) } ?? ""
    if SettingsKeys.lists.contains(name) { return adviceOnList(name) }
    guard name == Wording.table || name == "closed" else { return adviceOnList("catalogue") }
    return isTwice
      ? "this table is in the file twice; put both into one"
      : "expected the name of the table in brackets, as in [\(name)]"
  }

  private func adviceOnList(_ name: String) -> String {
    "write each \(name == "rules" ? "rule" : name) as a table of its own: [[\(name)]]"
  }

  /// What most mistakes are: a text without quotation marks.
  private func adviceOnQuotes(_ line: Int) -> String? {
    guard lines.indices.contains(line - 1), lines[line - 1].utf8.count < 300,
      let match = lines[line - 1].wholeMatch(
        of: #/\s*([A-Za-z-]+)\s*=\s*([A-Za-z/~.0-9][^"'#\[]*?)\s*(?:#.*)?/#)
    else { return nil }
    let value = match.output.2
    guard value.contains(where: { $0.isLetter || "/:~".contains($0) }) else { return nil }
    let (name, text) = (match.output.1, String(value))
    switch keys.options[String(name)]?.kind {
    case .flag where ["true", "false"].contains(text): return nil
    case .boolean where ["true", "false"].contains(text): return nil
    case .flag, .boolean: return "\"\(name)\" is \(text.quoted(limit: 40)); expected true or false"
    case .number, .numbers:
      return "\"\(name)\" is \(text.quoted(limit: 40)); expected a number, \(name) = 3"
    default: return "a text needs quotation marks: \(name) = \"\(text.visible)\""
    }
  }

  /// The tables of a list, each with its place; none with the fault if it is no list of tables.
  private func tables(
    named name: String, in table: TOMLTable, _ faults: inout [String: String]
  ) -> [(table: TOMLTable, place: SettingsPlace)] {
    guard keys == .user, let node = table[name]?.tomlValue else { return [] }
    let start = #/\s*\[\[\s*([a-z]+)\s*\]\]\s*(?:#.*)?/#
    let heads = lines.indices.filter { lines[$0].wholeMatch(of: start)?.1 == name[...] }
    guard let elements = node.array, elements.count == heads.count else {
      faults[name] = adviceOnList(name)
      return []
    }
    return zip(elements, zip(heads, heads.dropFirst() + [lines.count])).compactMap {
      element, range in
      element.tomlValue.table.map {
        ($0, SettingsPlace(path: path, lines: lines[range.0..<range.1], isInTable: true))
      }
    }
  }

  /// The conditions and options of the tables of rules.
  private func rules(
    _ found: [(table: TOMLTable, place: SettingsPlace)], _ known: KnownLanguages
  ) throws(CommandError) -> [[Setting]] {
    var rules: [[Setting]] = []
    let parse = Self.once(LadderOptions.parse)
    let unparsed = SettingsKeys.conditions + [Setting(name: LadderRule.language, kind: .text)]
    let options = unparsed + LadderOptions.declaredSettings
    for (table, place) in found {
      let rule = try values(table, options, place, unparsed: unparsed, by: parse)
      if let language = rule[LadderRule.language],
        language.texts.contains(where: { known.language(for: $0) == nil })
      {
        throw wrong(language.place, "this language is unknown; there are \(known.list)")
      }
      if let status = rule["status"],
        let text = status.texts.first(where: { LoanStatus(rawValue: $0) == nil })
      {
        throw wrong(
          status.place,
          "\(text.quoted(limit: 40)) is not a status; expected lost, claimed-returned or recalled")
      }
      rules.append(rule)
    }
    return rules
  }

  /// The languages that the settings can name: with that of their own translation.
  private func languages(_ values: [Setting]) throws(CommandError) -> KnownLanguages {
    var options = TranslationOptions()
    options.translation = values["translation"]?.texts.first
    return try options.known(environment, reading: values)
  }

  /// The tables of the library's own texts in their order, each with the name of its language; none with
  /// the fault if one is written otherwise.
  ///
  /// - Throws: ``CommandError`` for a name that has several parts, `[wording.en.GB]`.
  private func wordingTables(
    in table: TOMLTable, _ faults: inout [String: String]
  ) throws(CommandError) -> [(language: String?, table: TOMLTable, place: SettingsPlace)] {
    guard keys == .user, let node = table[Wording.table]?.tomlValue else { return [] }
    let start = #/\s*\[\s*["']?wording["']?\s*(?:\.\s*["']?([^\]]*?)["']?\s*)?\]\s*(?:#.*)?/#
    var heads: [String: Int] = [:]
    for index in lines.indices.reversed() {
      guard let match = lines[index].wholeMatch(of: start) else { continue }
      let name = String(match.1 ?? "")
      if name.contains(".") { throw wrong("\(path):\(index + 1)", Wording.advice) }
      heads[name] = index
    }
    let root = node.table ?? TOMLTable()
    let languages = root.keys.filter { root[$0]?.tomlValue.table != nil }
    let names = languages + (root.keys.count > languages.count ? [""] : [])
    guard node.table != nil, names.allSatisfy({ heads[$0] != nil }) else {
      faults[Wording.table] = Wording.advice
      return []
    }
    return names.sorted { heads[$0, default: 0] < heads[$1, default: 0] }.compactMap { name in
      let place = SettingsPlace(
        path: path, lines: lines[heads[name, default: 0]...], isInTable: true)
      if name.isEmpty { return (nil, root, place) }
      return root[name]?.tomlValue.table.map { (name, $0, place) }
    }
  }

  /// The texts of the library's own, those for all languages first.
  private func wordings(
    _ found: [(language: String?, table: TOMLTable, place: SettingsPlace)], _ known: KnownLanguages
  ) throws(CommandError) -> [Wording] {
    var wordings: [Wording] = []
    for (name, table, place) in found {
      let language = name.flatMap(known.language(for:))
      if let name, language == nil {
        let words = "the language \(name.quoted(limit: 20)) is unknown"
        throw wrong(place.head, "\(words); there are \(known.list)")
      }
      if let tag = language?.tag, wordings.contains(where: { $0.language?.tag == tag }) {
        throw wrong(place.head, "another table is for this language, \"\(tag)\"; put both into one")
      }
      wordings.append(try wording(table, for: language, place))
    }
    return wordings.filter { $0.language == nil } + wordings.filter { $0.language != nil }
  }

  private func wording(
    _ table: TOMLTable, for language: Language?, _ place: SettingsPlace
  ) throws(CommandError) -> Wording {
    var wording = Wording(language: language)
    var faults: [String: String] = [:]
    for key in table.keys {
      guard let node = table[key]?.tomlValue, language != nil || node.table == nil else { continue }
      guard let message = Message.worded[key] else {
        faults[key] = node.table == nil ? advice(onUnknownText: key) : Wording.advice
        continue
      }
      var setting = Setting(name: key, kind: .list)
      let (texts, fault) = texts(node, of: setting)
      let isLeftOut = message.isOptional && texts == [""]
      faults[key] =
        (isLeftOut ? nil : fault).map { "\"\(key)\" \($0)" }
        ?? wording.fault(in: texts, of: message, named: key).map { "\"\(key)\": \($0)" }
      wording.texts[message] = texts
      (setting.texts, setting.origin) = (texts, .file(place.at(key)))
      wording.settings.append(setting)
    }
    if faults.isEmpty { return wording }
    let first = place.first(of: faults.keys)
    throw wrong(first.text, faults[first.key] ?? Wording.advice)
  }

  private func advice(onUnknownText key: String) -> String {
    let names = Message.worded.keys.sorted()
    let advice =
      key.nearest(among: names).map { "did you mean \"\($0)\"?" }
      ?? "there are \(names.joined(separator: ", "))"
    return "unknown text \(key.quoted(limit: 40)); \(advice)"
  }

  /// The settings of tables that are each about one thing.
  ///
  /// - Parameters:
  ///   - unparsed: those that are no options.
  ///   - required: the keys that a table must have, with an example; no two tables have the same value of
  ///     the first.
  ///   - parse: reads arguments for the options.
  private func settings(
    _ found: [(table: TOMLTable, place: SettingsPlace)], of thing: String,
    _ options: [Setting], unparsed: [Setting] = [],
    required: ([Setting]) -> [(key: String, example: String)],
    by parse: @escaping ([String]) throws -> any ParsableArguments
  ) throws(CommandError) -> [[Setting]] {
    var known: Set<[String]> = []
    var all: [[Setting]] = []
    let parse = Self.once(parse)
    for (table, place) in found {
      let settings = try values(table, unparsed + options, place, unparsed: unparsed, by: parse)
      let required = required(settings)
      for (key, example) in required where settings[key]?.texts.isEmpty != false {
        throw wrong(place.head, "this \(thing) has no \(key); add \(key) = \(example)")
      }
      if let key = required.first?.key, let value = settings[key],
        !known.insert(value.texts).inserted
      {
        throw wrong(value.place, "another table has this \(key); correct it, or remove the table")
      }
      all.append(settings)
    }
    return all
  }

  /// The same, but arguments that make sense are read only once: many tables have the same.
  private static func once(
    _ parse: @escaping ([String]) throws -> any ParsableArguments
  ) -> ([String]) throws -> any ParsableArguments {
    var known: [[String]: any ParsableArguments] = [:]
    return { arguments in
      if let options = known[arguments] { return options }
      let options = try parse(arguments)
      known[arguments] = options
      return options
    }
  }

  /// The settings of a table, in the order of the options, a catalogue's path first.
  ///
  /// - Parameters:
  ///   - faults: what is known to be wrong, by the keys.
  ///   - unparsed: those that are no options.
  ///   - parse: reads arguments for the others.
  /// - Throws: ``CommandError`` for the first in the file that is wrong.
  private func values(
    _ table: TOMLTable, _ options: [Setting], _ place: SettingsPlace,
    _ faults: [String: String] = [:], unparsed: [Setting] = [],
    by parse: ([String]) throws -> any ParsableArguments
  ) throws(CommandError) -> [Setting] {
    var place = place
    var faults = faults
    var values: [Setting] = []
    for var value in options {
      guard let node = table[value.name]?.tomlValue else { continue }
      let (texts, fault) = texts(node, of: value)
      faults[value.name] = fault.map { "\"\(value.name)\" \($0)" }
      // A list without channels is no channel.
      value.texts =
        (value.name == "notify" || value.kind == .numbers) && texts.isEmpty
        ? ["none"] : texts.map { environment.resolved($0, of: value.name, in: path.directory) }
      if value.name == "mail-program", let program = texts.first, program.contains("/") {
        value.texts[0] = environment.absolutePath(
          environment.absolute(program, in: path.directory))
      }
      value.origin = .file(place.at(value.name))
      values.append(value)
    }
    let parsed = values.filter { faults[$0.name] == nil && unparsed[$0.name] == nil }
    // Outside of tables, what is stronger can take a value's place.
    for (value, words) in CommandError.faults(in: parsed, together: place.isInTable, by: parse) {
      faults[value.name] = words
    }
    let known = options.map(\.name)
    let lists = keys == .user && !place.isInTable ? SettingsKeys.lists + [Wording.table] : []
    let unknown = Set(table.keys).subtracting(known + lists)
    if unknown.isEmpty && faults.isEmpty { return values }
    place = place.first(of: Array(unknown) + faults.keys)
    let node = table[place.key]?.tomlValue
    let isTable =
      !place.isInTable && (node?.array?.map(\.tomlValue).first ?? node)?.type == .table
    throw wrong(
      place.text, faults[place.key] ?? advice(onUnknown: place.key, isTable, among: known))
  }

  private func advice(onUnknown key: String, _ isTable: Bool, among known: [String]) -> String {
    if SettingsKeys.forOneRun.contains(key) {
      return "\"\(key)\" would hold for every run; use --\(key) instead"
    }
    if keys.names.contains(key) {
      let table =
        known.contains("weekdays")
        ? "[closed]" : "the first [[\(known.contains("per") ? "channel" : "catalogue")]]"
      return "\"\(key)\" is for all catalogues; put it before \(table)"
    }
    let words = "unknown key \(key.quoted(limit: 40))"
    if keys == .user, !known.contains("per"), ChannelTable.declaredSettings[key] != nil,
      key != "name"
    {
      let isOfFetch = FetchOptions.declaredSettings[key] != nil
      return "\(words); it belongs below a line [[channel]]\(isOfFetch ? " or [[catalogue]]" : "")"
    }
    if keys == .user, SettingsKeys.conditions[key] != nil {
      return "\(words); it belongs below a line [[rules]]"
    }
    if keys == .user, SettingsKeys.project.names.contains(key) {
      return "\(words); it belongs in a project's .check-loans.toml"
    }
    if keys == .project, ["catalogue", "catalogues"].contains(key) {
      return "\(words); write files here"
    }
    if keys == .project, SettingsKeys.user.names.contains(key) {
      return "\(words); it belongs in the user's config.toml"
    }
    if keys == .user, key == "closed" {
      return "write closed days in a table of their own: [closed]"
    }
    if keys == .user, isTable {
      if let option = known.first(where: { $0.hasPrefix("\(key)-") }) {
        return "\(words); write \(option) = … above the first table"
      }
      let name = key.nearest(among: SettingsKeys.lists + [Wording.table]) ?? "catalogue"
      if name == Wording.table { return "\(words); \(Wording.advice)" }
      return "\(words); a \(name == "rules" ? "rule" : name)'s table begins with [[\(name)]]"
    }
    if keys == .user, ["path", "name", "every"].contains(key) {
      return "\(words); it belongs below a line [[catalogue]]"
    }
    if let name = key.nearest(among: known) { return "\(words); did you mean \"\(name)\"?" }
    if known.contains("per") { return "\(words); known are \(known.joined(separator: ", "))" }
    let command = keys == .user ? "config --example" : "validate --show-settings"
    return "\(words); the keys are the long names of options, see check-loans \(command)"
  }

  /// The texts of a value, and why it is not of the setting's kind.
  private func texts(
    _ node: TOMLValue, of setting: Setting
  ) -> (texts: [String], fault: String?) {
    let texts: [String?]
    let expected: String
    switch setting.kind {
    case .flag, .boolean: (texts, expected) = ([node.bool?.description], "true or false")
    case .list, .numbers, .argument:
      texts = node.array?.map(\.tomlValue.scalar) ?? [node.scalar]
      expected =
        setting.kind == .argument && keys == .user
        ? "a list of texts, or tables that begin with [[catalogue]]" : "a list of texts"
    case .number: (texts, expected) = ([node.scalar], "a number")
    case .text: (texts, expected) = ([node.scalar], "a text")
    }
    var fault: String?
    if texts.contains(nil) {
      let other = node.array?.map(\.tomlValue).first { $0.scalar == nil }
      let found = other.map { "has in it \($0.type.words)" } ?? "is \(node.type.words)"
      fault = "\(found); expected \(expected)"
    } else if texts.contains("") {
      fault = "is empty; expected \(expected)"
    } else if texts.contains(where: { $0?.utf8.count ?? 0 > Self.longestLine }) {
      fault = "is longer than \(Self.longestLine) bytes"
    } else if setting.name == "name", texts.contains(where: { $0?.count ?? 0 > Self.longestName }) {
      fault = "is longer than \(Self.longestName) characters"
    } else if texts.count > Self.longestList, setting.kind != .argument {
      fault = "has more than \(Self.longestList) texts"
    }
    return (texts.compactMap(\.self), fault)
  }

  private func wrong(_ place: String, _ words: String) -> CommandError {
    CommandError(.badSetting, "\(place.visible): \(words)")
  }
}

extension KnownLanguages {
  /// The tags as a message lists them.
  fileprivate var list: String {
    let tags = Self.builtInTags.filter { $0 != own?.tag }.joined(separator: ", ")
    return "\(tags), and \(own?.tag ?? "translation = \"FILE\" adds one from a PO file")"
  }
}

extension WholeFile.Failure {
  /// Why a file is not read.
  ///
  /// - Parameters:
  ///   - name: what the file should be.
  ///   - harm: what somebody could do who may write to it.
  func words(_ name: String, limit: Int, harm: String) -> String {
    switch self {
    case .missing: "cannot read the \(name): no such file"
    case .system(let error): "cannot read the \(name): \(error.words)"
    case .notAFile(let kind): "this is \(kind), not a \(name)"
    case .tooLong: "the \(name) is longer than \(limit) bytes"
    case .writableByAll: "the \(name) can be written by anybody, and \(harm); use chmod o-w"
    }
  }
}

extension Environment {
  /// A value as it stands in a file of the directory, or on the command line in the working
  /// directory: where it is a path, as an absolute one.
  func resolved(_ text: String, of name: String, in directory: String) -> String {
    switch name {
    case "catalogues" where text == "-", "files-from" where text == "-": text
    case "catalogues", "files", "path":
      absolutePath(
        absolute(
          text, in: FilePattern.isPattern(text) ? FilePattern.literal(directory) : directory))
    case "run", "mail-program": text.hasPrefix("~/") ? absolute(text, in: directory) : text
    case "profile" where !NamedProfile.isPath(text): text
    case "state", "output", "config", "files-from", "profile", "closed-calendars", "calendars",
      "mail-css", "translation":
      absolutePath(absolute(text, in: directory))
    case "notify": ChannelName(argument: text).map { resolved($0, in: directory).name } ?? text
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
