import ArgumentParser
import Languages
import Loans

/// The options of a command with the values that are in force, for people and for programs.
struct SettingsInForce {
  private let file: String?
  /// What names the file.
  private let fileSource: String
  private let given: GivenSettings
  private let rows: [Setting]

  /// - Parameters:
  ///   - command: a command with all that was given.
  ///   - hidden: options that are no settings.
  ///   - found: the values that the program finds by itself.
  init(
    _ command: some Subcommand, hidden: [String], found: [String: [String]] = [:],
    _ environment: Environment
  ) {
    let keys = type(of: command).settingsKeys
    let given = environment.given
    self.given = given
    file = command.settingsPath(environment)?.path
    let variable = Environment.variable(of: "config")
    fileSource =
      given["config"]?.place ?? (environment[variable]?.isEmpty == false ? variable : "default")
    let listed = given.file?.catalogues
    rows = command.settings.filter { !hidden.contains($0.name) }.map { setting in
      var row = setting
      row.origin = given[row.name]?.origin ?? .standard
      if let texts = found[row.name] {
        row.texts = texts
        let isOfTZ = row.name == "time-zone" && environment["TZ"] != nil
        if isOfTZ && given[row.name] == nil { row.origin = .variable("TZ") }
      }
      if row.kind == .argument {
        row.name = keys?.catalogues ?? row.name
        if !given.files.isEmpty { row.origin = .commandLine } else if let listed { return listed }
      }
      return row
    }
  }

  /// One line for each option: name, value, and where it is set.
  func printTable(_ console: Console) throws {
    let missing = given.file == nil ? " (there is no such file)" : ""
    var table = [("config", file?.visible ?? "-", fileSource + missing)]
    for row in rows {
      let value = row.texts.map(\.visible).joined(separator: ", ")
      table.append((row.name, value.isEmpty ? "-" : value, row.place.visible))
    }
    func append(_ values: [Setting], of name: String) {
      for value in values {
        let texts = value.texts.joined(separator: ", ").visible
        table.append(("\(name).\(value.name)", texts, value.place.visible))
      }
    }
    /// Those that nothing stronger than the file replaces.
    func inForce(_ values: [Setting]) -> [Setting] {
      values.filter { given[$0.name]?.isFromFile ?? true }
    }
    for catalogue in given.file?.tables ?? [] { append(inForce(catalogue), of: "catalogue") }
    for rule in given.file?.rules ?? [] { append(inForce(rule), of: "rules") }
    for channel in given.file?.channels ?? [] { append(channel, of: "channel") }
    for wording in given.file?.wordings ?? [] {
      append(wording.settings, of: wording.language.map { "wording.\($0.tag)" } ?? "wording")
    }
    let nameWidth = table.map(\.0.count).max() ?? 0
    let valueWidth = table.map(\.1.count).max() ?? 0
    for (name, value, source) in table {
      try console.print(
        line: "\(name.padded(to: nameWidth))  \(value.padded(to: valueWidth))  \(source)")
    }
  }

  /// One JSON object.
  func printJSON(_ console: Console) throws {
    let settings = rows.map { row in
      JSONValue.object([
        ("name", .string(row.name)), ("value", row.json), ("source", .string(row.source)),
        ("place", JSONValue(row.source == "default" ? nil : row.place)),
      ])
    }
    func objects(_ tables: [[Setting]]?) -> JSONValue {
      .array((tables ?? []).map { table in .object(table.map { ($0.name, $0.json) }) })
    }
    try console.print(
      line: JSONValue.object([
        ("version", .int(1)), ("file", JSONValue(given.file == nil ? nil : file)),
        ("settings", .array(settings)), ("catalogues", objects(given.file?.tables)),
        ("rules", objects(given.file?.rules)), ("channels", objects(given.file?.channels)),
        ("wordings", .array((given.file?.wordings ?? []).map(\.json))),
      ]).text)
  }
}

extension Wording {
  /// Its language, `null` for all, and its texts.
  fileprivate var json: JSONValue {
    .object([
      ("language", JSONValue(language?.tag)),
      ("texts", .object(settings.map { ($0.name, $0.json) })),
    ])
  }
}

extension Setting {
  fileprivate var json: JSONValue {
    switch kind {
    case .list, .argument: .array(texts.map { .string($0) })
    case .flag, .boolean: .bool(texts == ["true"])
    case .numbers: .array(texts.map { text in Int(text).map(JSONValue.int) ?? .string(text) })
    case .number: JSONValue(texts.first.flatMap { Int($0) })
    case .text: JSONValue(texts.first)
    }
  }

  /// Where it comes from, in a word.
  fileprivate var source: String {
    switch origin {
    case .commandLine: "flag"
    case .variable: "variable"
    case .file: "file"
    case .standard: "default"
    }
  }
}
