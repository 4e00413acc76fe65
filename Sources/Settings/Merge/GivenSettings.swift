import ArgumentParser
package import CommandOutput
import Loans

/// What the command line, the environment and the settings file give a command, each with its origin.
///
/// A setting is an argument. What a variable or the file gives is put before the arguments of the
/// command line, unless these give the same option, and then all is parsed at once. For example
/// `remind = 7` in line 3 of the file and `check-loans --all books.xml` become `check-loans
/// --remind=7 --all books.xml`; should 7 make no sense, the message begins with `config.toml:3`.
package struct GivenSettings: Sendable {
  /// The arguments of the command line, after the words that name the command.
  package private(set) var line: [String] = []
  /// The catalogues of the command line.
  package var files: [String] = []
  /// The settings file, if one was read.
  package var file: SettingsFile?
  /// The settings in force, each option once, the strongest first.
  package private(set) var values: [Setting] = []
  /// The tables of catalogues, with what holds for each.
  package private(set) var tables: [CatalogueTable] = []

  init() {}

  init(_ line: [String], _ facts: [OptionFact]) {
    self.line = line
    values = [Setting](givenBy: line, facts)
  }

  /// The setting in force of an option, if somebody gave it.
  package subscript(name: String) -> Setting? { values[name] }

  /// The files that are named to be read or run, also by what the settings file has for other runs.
  package var namedFiles: [String] {
    let settings =
      values + (file?.values ?? []) + (file?.listed.map { [$0] } ?? []) + tables.flatMap(\.own)
      + (file?.channels.flatMap(\.own) ?? [])
    return settings.flatMap { setting -> [String] in
      switch setting.name {
      case "files-from", "translation", "closed-calendars", "mail-css": setting.texts
      case "catalogues", "files", "path":
        setting.texts.flatMap { FilePattern.files(at: $0, mayBeNone: true) }
      // Without a slash it is a name.
      case "profile", "mail-program", "notify":
        setting.texts.map { String($0.trimmingPrefix("exec:")) }.filter { $0.contains("/") }
      case "run":
        setting.texts.filter { $0.contains("/") }
          .map { $0.hasPrefix("/") ? $0 : "\(file?.directory ?? "")/\($0)" }
      default: []
      }
    }
  }

  /// Two options that are one setting: the stronger source counts alone.
  private static let rivals = ["all": "within", "within": "all"]
  /// The options that decide about one rule.
  private static let severities = ["error", "warn", "ignore"]

  /// Adds what a weaker source than those before gives.
  package mutating func add(_ weaker: [Setting]) {
    let stronger = values
    for var value in weaker where stronger[value.name] == nil {
      if let rival = Self.rivals[value.name].flatMap({ stronger[$0] }), rival.texts != ["false"] {
        continue
      }
      if Self.severities.contains(value.name) {
        let decided = stronger.filter { Self.severities.contains($0.name) }.flatMap(\.texts)
        value.texts.removeAll(where: decided.contains)
        if value.texts.isEmpty { continue }
      }
      values.append(value)
    }
  }

  /// Works out what holds for the catalogues of each table: what is stronger than the file, then what
  /// the table has, then what the file has for all.
  ///
  /// - Parameter options: those of the command, if it declares them all.
  /// - Throws: ``CommandError`` with the status `badSetting`.
  mutating func settleTables(_ options: CatalogueOptions?) throws(CommandError) {
    guard let file, !file.catalogues.isEmpty else { return }
    let catalogue = if let options { options } else { try catalogueOptions() }
    let general = TableOptions(catalogue: catalogue)
    tables = file.catalogues.map { table in
      var options = general
      table.apply(to: &options, unless: isOverruled)
      return CatalogueTable(own: table.own, options: options)
    }
  }

  /// What holds for catalogues without a table.
  ///
  /// - Throws: ``CommandError`` with the status `badSetting`.
  package func catalogueOptions() throws(CommandError) -> CatalogueOptions {
    do {
      var options = try CatalogueOptions.parse([])
      for value in values where CatalogueOptions.facts[value.name] != nil {
        try CatalogueOptions.setter(value.name, value.texts)(&options)
      }
      return options
    } catch {
      throw CommandError(.badSetting, CommandError.line(for: error))
    }
  }

  /// Whether what a table of the file has for an option is overruled by the command line or a variable.
  func isOverruled(_ name: String) -> Bool { values[name]?.isFromFile == false }

  /// The setting that holds for a table's catalogues.
  package func setting(_ name: String, own: [Setting]) -> Setting? {
    isOverruled(name) ? values[name] : own[name] ?? values[name]
  }
}

// MARK: - What is wrong with settings

extension CommandError {
  /// The parser's message about an error, in one line.
  package static func line(for error: any Error) -> String {
    // Many possible values are a list.
    ConfigOptions.message(for: error).replacing("\n  - ", with: ", ").replacing(":, ", with: ": ")
      .replacing(#/\n */#, with: " ")
      .replacing(#/\. Please provide one of (the following: )?(.*?)\.?$/#) {
        "; give one of \($0.2)"
      }
      .visible.withSmallBeginning
  }

  /// The parser's message about a key of a settings file, which has no hyphens.
  private static func words(for error: any Error, _ value: Setting) -> String {
    let words = line(for: error)
    guard let match = words.prefixMatch(of: #/the value '(.*)' is invalid for '[^']*'(: |; )/#)
    else { return words }
    let rest = String(words[match.range.upperBound...]).withSmallBeginning
    return "\"\(value.name)\" is \(String(match.1).quoted(limit: 40)); \(rest)"
  }

  /// The values whose arguments make no sense by themselves, with what is wrong; if there are none, the
  /// first that cannot go with those before it, unless it is not `together` that they are used.
  static func faults(
    in values: [Setting], together: Bool = true,
    by parse: ([String]) throws -> any ParsableArguments
  ) -> [(value: Setting, words: String)] {
    // All at once, since nearly always nothing is wrong.
    if values.isEmpty || (try? parse(values.flatMap(\.arguments))) != nil { return [] }
    func fault(_ value: Setting, after others: ArraySlice<Setting> = []) -> (Setting, String)? {
      do { _ = try parse((others + [value]).flatMap(\.arguments)) } catch {
        return (value, value.isFromFile ? words(for: error, value) : line(for: error))
      }
      return nil
    }
    let faults = values.compactMap { fault($0) }
    if !faults.isEmpty || !together { return faults }
    for index in values.indices {
      if let found = fault(values[index], after: values[..<index]) { return [found] }
    }
    return []
  }

  /// The error after the place where an option was given, unless that is the command line.
  ///
  /// - Parameter own: what a catalogue has of its own.
  package func located(at name: String, _ own: [Setting], _ given: GivenSettings) -> CommandError {
    guard let value = given.setting(name, own: own), !value.isFromCommandLine else { return self }
    let status = status == .usage ? .badSetting : status
    return CommandError(status, message.map { "\(value.place.visible): \($0)" })
  }
}

// MARK: - Variables

extension Environment {
  static let variablePrefix = "CHECK_LOANS_"

  /// `CHECK_LOANS_TIME_ZONE` for `time-zone`.
  package static func variable(of option: String) -> String {
    variablePrefix + option.uppercased().replacing("-", with: "_")
  }

  /// What the variables give of some options; an empty one gives nothing.
  ///
  /// - Throws: ``CommandError`` with the status `badSetting` if a switch is neither on nor off.
  package func values(of facts: [OptionFact]) throws(CommandError) -> [Setting] {
    if ownVariables.isEmpty { return [] }
    var values: [Setting] = []
    for fact in facts.settable(.variable) {
      if let value = try value(of: fact) { values.append(value) }
    }
    return values
  }

  private func value(of fact: OptionFact) throws(CommandError) -> Setting? {
    let variable = Self.variable(of: fact.name)
    guard let text = self[variable], !text.isEmpty else { return nil }
    var value = Setting(name: fact.name, kind: fact.kind, origin: .variable(variable))
    switch (fact.kind, text.lowercased()) {
    case (.list, _), (.numbers, _):
      value.texts = text.split(separator: ",").map(\.withoutOuterSpaces).filter { !$0.isEmpty }
      if value.texts.isEmpty {
        throw CommandError(.badSetting, "\(variable): \(text.quoted()) has no value in it")
      }
    case (.flag, "1"), (.flag, "true"), (.flag, "yes"): value.texts = ["true"]
    case (.flag, "0"), (.flag, "false"), (.flag, "no"): value.texts = ["false"]
    case (.flag, _):
      throw CommandError(.badSetting, "\(variable): \(text.quoted()) is neither 1 nor 0")
    default: value.texts = [text]
    }
    return value
  }

  /// - Throws: ``CommandError`` with the status `badSetting` if a variable asks a command for a dry run
  ///   that it does not have: nobody who asks for a look is to get the deed.
  package func refuseDryRun() throws(CommandError) {
    guard let value = try value(of: OptionFact("dry-run", .flag, .run)), value.isOn else { return }
    throw CommandError(
      .badSetting,
      "\(value.place): this command has no dry run, and nothing was done; unset the variable")
  }

  /// The names of the variables `CHECK_LOANS_…` that are set.
  private var ownVariables: [String] {
    variables.keys.filter { $0.hasPrefix(Self.variablePrefix) }
  }

  /// A warning for each variable `CHECK_LOANS_…` that is none of ours.
  func unknownVariables(_ facts: [OptionFact]) -> [String] {
    let names = ownVariables
    if names.isEmpty { return [] }
    // Those that a command run by an action, or a channel's program, is given.
    var others = [
      "id", "title", "author", "isbn", "barcode", "borrower", "email", "borrower-language",
      "category", "type", "renewable", "expiration", "kind", "catalogue", "library", "count",
      "channel",
    ]
    #if FAILPOINTS
      others += ["binary", "failpoint", "failpoint-trace"]
    #endif
    let options = facts.settable(.variable).names
    let known = Set((options + others).map(Self.variable(of:)))
    return names.filter { !known.contains($0) }.sorted().map { name in
      let word = name.dropFirst(Self.variablePrefix.count).replacing("_", with: "-")
      let nearest = String(word).nearest(among: options)
        .map { "; did you mean \(Self.variable(of: $0))?" }
      return "the environment variable \(name.visible) is unknown\(nearest ?? "")"
    }
  }
}
