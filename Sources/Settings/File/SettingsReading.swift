import ArgumentParser
import CommandOutput
import Languages
import LoanRules
import Loans

/// The reading of one settings file: collects settings, and what is wrong with them.
struct SettingsReading {
  private let path: String
  private let directory: String
  private let scheme: SettingsScheme
  private let environment: Environment
  private(set) var settings: [Setting] = []
  private(set) var listed: Setting?
  /// The first fault in the file, which is the one that is reported.
  private var first: (line: Int, words: String)?
  /// The line of the fault that was found last.
  private var lastLine = 0

  /// A longer line could nest values deeper than the parser can bear.
  private static let longestLine = 16_384
  private static let longestName = 200
  /// More than anybody gives of an option; catalogues may be more.
  private static let longestList = 1_000
  /// The names of the lists of tables.
  static let lists = ["catalogue", "rules", "channel"]

  init(
    _ path: String, directory: String, _ scheme: SettingsScheme, _ environment: Environment
  ) {
    (self.path, self.directory) = (path, directory)
    (self.scheme, self.environment) = (scheme, environment)
  }

  // MARK: - The document

  mutating func document(
    _ text: String
  ) throws(CommandError) -> [(key: String, node: TOMLNode)] {
    // A line break of Windows is one character to Swift; TOML knows no others.
    let lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
    if let index = lines.firstIndex(where: { $0.utf8.count > Self.longestLine }) {
      throw wrong("\(path):\(index + 1)", "this line is too long; write a list on several lines")
    }
    do throws(TOMLError) {
      return try TOMLNode.document(text).table ?? []
    } catch {
      let line = lines.indices.contains(error.line - 1) ? lines[error.line - 1] : ""
      if let advice = scheme.advice(onQuotesOf: line) {
        throw wrong("\(path):\(error.line)", advice)
      }
      let hint =
        error.message.contains("determine value type") ? "; a string needs quotation marks" : ""
      throw wrong(
        "\(path):\(error.line):\(error.column)",
        error.message.withSmallBeginning.visible.shortened(to: 300) + hint)
    }
  }

  // MARK: - Outside of tables

  /// Adds the setting of a key outside of tables.
  mutating func add(_ key: String, _ node: TOMLNode) {
    if key == scheme.catalogues {
      let fact = OptionFact(key, .list, .file, path: .pattern)
      listed = setting(fact, node, key: key)
    } else if let fact = scheme.facts.settable(.inFile)[key] {
      add(fact, node, key: key)
    } else {
      fault(node, adviceOnUnknown(key, node, among: scheme.names))
    }
  }

  private mutating func add(_ fact: OptionFact, _ node: TOMLNode, key: String) {
    guard let setting = setting(fact, node, key: key) else { return }
    if settings[fact.name] != nil {
      fault(node, "\"\(fact.name)\" is set already; leave out one of the lines")
    }
    settings.append(setting)
  }

  /// Adds the settings of a table that is the beginning of options' names: `weekdays` in `[closed]` is
  /// `closed-weekdays`.
  ///
  /// - Returns: whether it is one.
  mutating func flatten(_ name: String, _ node: TOMLNode) -> Bool {
    let facts = scheme.facts.settable(.inFile).filter { $0.name.hasPrefix("\(name)-") }
    guard scheme.facts[name] == nil, let table = node.table, !facts.isEmpty else { return false }
    for (key, node) in table {
      if let fact = facts["\(name)-\(key)"] {
        add(fact, node, key: key)
      } else {
        let names = facts.map { String($0.name.dropFirst(name.count + 1)) }
        fault(node, adviceOnUnknown(key, node, among: names))
      }
    }
    return true
  }

  /// A setting; `nil` with a fault if the value is not of the option's kind.
  private mutating func setting(
    _ fact: OptionFact, _ node: TOMLNode, key: String
  ) -> Setting? {
    switch texts(of: node, fact) {
    case .failure(let fault):
      self.fault(node, "\"\(key)\" \(fault.words)")
      return nil
    case .success(let texts):
      return Setting(
        name: fact.name, kind: fact.kind,
        texts: environment.resolved(texts, fact.path, in: directory),
        origin: .file(SettingsPlace(path: path, line: node.line)))
    }
  }

  private struct Fault: Error { let words: String }

  /// The texts of a value.
  private func texts(of node: TOMLNode, _ fact: OptionFact) -> Result<[String], Fault> {
    let expected =
      switch fact.kind {
      case .flag: "true or false"
      case .list where fact.path == .pattern && scheme.isOfUser:
        "a list of strings, or tables that begin with [[catalogue]]"
      case .list, .numbers: "a list of strings"
      case .number: "a number"
      case .text: "a string"
      }
    if fact.kind == .flag {
      guard case .boolean(let isOn) = node.value else {
        return .failure(Fault(words: "is \(node.kind); expected \(expected)"))
      }
      return .success([isOn ? "true" : "false"])
    }
    let isList = fact.kind == .list || fact.kind == .numbers
    let elements = (isList ? node.elements : nil) ?? [node]
    let texts = elements.compactMap(\.text)
    if texts.count < elements.count {
      let other = elements.first { $0.text == nil } ?? node
      let verb = isList && node.elements != nil ? "contains" : "is"
      return .failure(Fault(words: "\(verb) \(other.kind); expected \(expected)"))
    }
    if texts.contains("") { return .failure(Fault(words: "is empty; expected \(expected)")) }
    if texts.contains(where: { $0.utf8.contains(0) }) {
      return .failure(Fault(words: "has the character NUL in it"))
    }
    if texts.contains(where: { $0.utf8.count > Self.longestLine }) {
      return .failure(Fault(words: "is longer than \(Self.longestLine) bytes"))
    }
    if texts.count > Self.longestList, fact.path != .pattern {
      return .failure(Fault(words: "has more than \(Self.longestList) strings"))
    }
    // A list without channels is no channel, and one without days no notice.
    return .success(
      texts.isEmpty && (fact.kind == .numbers || fact.name == "notify") ? ["none"] : texts)
  }

  // MARK: - Tables

  /// The tables of a list.
  private mutating func tables(_ name: String, _ node: TOMLNode) -> [TOMLNode] {
    if let tables = node.elements, tables.allSatisfy({ $0.table != nil }) { return tables }
    let thing = name == "rules" ? "rule" : name
    fault(node, "write each \(thing) as a table of its own: [[\(name)]]")
    return []
  }

  /// The settings of a table.
  private mutating func settings(of table: TOMLNode, _ facts: [OptionFact]) -> [Setting] {
    var settings: [Setting] = []
    for (key, node) in table.table ?? [] {
      if let fact = facts[key] {
        if let setting = setting(fact, node, key: key) { settings.append(setting) }
      } else {
        fault(node, adviceOnUnknown(key, node, among: facts.names))
      }
    }
    return settings
  }

  /// Checks that a table in which nothing else is wrong has some keys, and that none before it has the
  /// same value of the first.
  private mutating func require(
    _ keys: KeyValuePairs<String, String>, of thing: String, _ settings: [Setting],
    _ table: TOMLNode, unlike known: inout Set<[String]>
  ) {
    if lastLine >= table.line { return }
    for (key, example) in keys where settings[key]?.texts.isEmpty != false {
      fault(table, "this \(thing) has no \(key); add \(key) = \(example)")
    }
    if let key = keys.first?.key, let value = settings[key], !known.insert(value.texts).inserted {
      fault(value, "another table has this \(key); correct it, or remove the table")
    }
  }

  static let catalogueFacts =
    [
      OptionFact("path", .text, .line, path: .pattern), OptionFact("name", .text, .line),
    ] + TableOptions.facts

  mutating func catalogues(_ node: TOMLNode) -> [SettingsTable<TableOptions>] {
    var (paths, names) = (Set<[String]>(), Set<[String]>())
    return tables("catalogue", node).map { table in
      let own = settings(of: table, Self.catalogueFacts)
      let read: SettingsTable<TableOptions> = read(own, TableOptions.facts)
      checkNames(own)
      if own["run"] == nil {
        require(
          ["path": "\"/srv/library/books.xml\""], of: "catalogue", own, table, unlike: &paths)
      } else {
        require(
          ["name": "\"city\"", "run": "[\"curl\", \"-fsS\", \"https://…\"]"], of: "catalogue", own,
          table, unlike: &names)
      }
      return read
    }
  }

  /// Checks that a catalogue is a file, or what a program fetches.
  private mutating func checkNames(_ own: [Setting]) {
    let unused = FetchOptions.facts.lazy.compactMap { own[$0.name] }.first
    if own["path"] != nil, let unused {
      fault(
        unused,
        """
        "\(unused.name)" is for what a program fetches, and "path" names a file; leave one of them out
        """)
    }
    guard let name = own["name"], let text = name.texts.first else { return }
    if text.count > Self.longestName {
      fault(name, "\"name\" is longer than \(Self.longestName) characters")
    } else if own["run"] != nil, !text.isCatalogueName {
      fault(name, "\"name\": give a name without a slash, as in \"city\"")
    }
  }

  mutating func channels(_ node: TOMLNode) -> [ChannelTable] {
    var names: Set<[String]> = []
    return tables("channel", node).map { table in
      let own = settings(of: table, ChannelTable.facts)
      var channel = ChannelTable(own: own)
      read(own, ChannelTable.facts).apply(to: &channel)
      require(
        ["name": "\"phone\"", "run": "[\"/path/to/program\"]"], of: "channel", own, table,
        unlike: &names)
      return channel
    }
  }

  /// - Parameter known: the languages that a rule can name.
  mutating func rules(_ node: TOMLNode, _ known: KnownLanguages) -> [RuleTable] {
    tables("rules", node).map { table in
      let own = settings(of: table, RuleTable.facts)
      if let language = own[RuleTable.language],
        language.texts.contains(where: { known.language(for: $0) == nil })
      {
        fault(language, "this language is unknown; there are \(known.list)")
      }
      if let status = own["status"],
        let text = status.texts.first(where: { LoanStatus(rawValue: $0) == nil })
      {
        fault(
          status,
          "\(text.quoted(limit: 40)) is not a status; expected lost, claimed-returned or recalled")
      }
      return RuleTable(own: own, ladder: read(own, LadderOptions.facts))
    }
  }

  // MARK: - Wording

  /// The texts of the library's own, those for all languages first.
  mutating func wordings(_ node: TOMLNode, _ known: KnownLanguages) -> [Wording] {
    guard let entries = node.table else {
      fault(node, Wording.advice)
      return []
    }
    var tables: [(language: String?, node: TOMLNode)] = []
    if entries.contains(where: { $0.node.table == nil }) { tables.append((nil, node)) }
    for (name, node) in entries where node.table != nil { tables.append((name, node)) }
    var wordings: [Wording] = []
    for (name, node) in tables {
      let language = name.flatMap(known.language(for:))
      if let name, language == nil {
        let words = "the language \(name.quoted(limit: 20)) is unknown"
        fault(node, "\(words); there are \(known.list)")
        continue
      }
      if let tag = language?.tag, wordings.contains(where: { $0.language?.tag == tag }) {
        fault(node, "another table is for this language, \"\(tag)\"; put both into one")
      }
      wordings.append(wording(node, for: language))
    }
    return wordings
  }

  private mutating func wording(_ table: TOMLNode, for language: Language?) -> Wording {
    var wording = Wording(language: language)
    for (key, node) in table.table ?? [] where language != nil || node.table == nil {
      guard node.table == nil else {
        fault(node, Wording.advice)
        continue
      }
      guard let message = Message.worded[key] else {
        fault(node, Wording.advice(onUnknown: key))
        continue
      }
      var setting = Setting(
        name: key, kind: .list, origin: .file(SettingsPlace(path: path, line: node.line)))
      switch texts(of: node, OptionFact(key, .list, .line)) {
      case .success(let texts): setting.texts = texts
      // Some texts can be left out.
      case .failure where message.isOptional && node.text == "": setting.texts = [""]
      case .failure(let fault):
        self.fault(node, "\"\(key)\" \(fault.words)")
        continue
      }
      if let words = wording.fault(in: setting.texts, of: message, named: key) {
        fault(node, "\"\(key)\": \(words)")
      }
      wording.texts[message] = setting.texts
      wording.settings.append(setting)
    }
    return wording
  }

  // MARK: - Faults

  private mutating func fault(_ node: TOMLNode, _ words: String) { fault(node.line, words) }

  private mutating func fault(_ setting: Setting, _ words: String) {
    if case .file(let place) = setting.origin { fault(place.line, words) }
  }

  private mutating func fault(_ line: Int, _ words: String) {
    lastLine = line
    if first.map({ line < $0.line }) ?? true { first = (line, words) }
  }

  /// Parses settings, to find what makes no sense.
  mutating func check(
    _ settings: [Setting], together: Bool = true,
    by parse: ([String]) throws -> any ParsableArguments
  ) {
    for (value, words) in CommandError.faults(in: settings, together: together, by: parse) {
      fault(value, words)
    }
  }

  /// Reads the settings of a table that are options.
  private mutating func read<Options: TableSettable>(
    _ own: [Setting], _ facts: [OptionFact]
  ) -> SettingsTable<Options> {
    let setters = own.compactMap { setting -> (name: String, set: Options.Setter)? in
      guard facts[setting.name] != nil else { return nil }
      do { return (setting.name, try Options.setter(setting.name, setting.texts)) } catch {
        let words = (error as? ValidationError)?.message ?? "\(error)"
        let text = setting.texts.count == 1 ? " is \(setting.texts[0].quoted(limit: 40));" : ":"
        fault(setting, "\"\(setting.name)\"\(text) \(words)")
        return nil
      }
    }
    return SettingsTable(own: own, setters: setters)
  }

  /// The first fault in the file; `nil` if there is none.
  var fault: CommandError? { first.map { wrong("\(path):\($0.line)", $0.words) } }

  private func wrong(_ place: String, _ words: String) -> CommandError {
    CommandError(.badSetting, "\(place.visible): \(words)")
  }

  /// Where a key that is unknown here belongs, or what was probably meant by it.
  ///
  /// - Parameter known: the keys that can stand here.
  private func adviceOnUnknown(
    _ key: String, _ node: TOMLNode, among known: [String]
  ) -> String {
    // A guess takes its time, and only the first fault is reported.
    if let first, first.line <= node.line { return first.words }
    let isTable = node.table != nil || node.elements?.first?.table != nil
    return scheme.advice(onUnknown: key, isTable: isTable, among: known)
  }
}
