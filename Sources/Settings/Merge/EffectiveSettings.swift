import ArgumentParser
package import CommandOutput
import Languages
import Loans

/// The options of a command with the values that are in force, for people and for programs.
package struct EffectiveSettings {
  private let file: String?
  /// What names the file.
  private let fileSource: String
  private let given: GivenSettings
  private let rows: [Row]

  /// A setting, or the catalogues.
  fileprivate struct Row {
    var setting: Setting
    var place: String
  }

  /// - Parameters:
  ///   - command: a command with all that was given.
  ///   - hidden: options that are no settings.
  ///   - found: the values that the program finds by itself.
  package init(
    _ command: some Subcommand, hidden: [String], found: [String: [String]] = [:],
    _ environment: Environment
  ) {
    let given = environment.given
    self.given = given
    file = type(of: command).settingsPath(environment)?.path
    let variable = Environment.variable(of: "config")
    fileSource =
      given["config"]?.place ?? (environment[variable]?.isEmpty == false ? variable : "default")
    rows = command.declaredOptions.filter { !hidden.contains($0.name) }.map { option in
      guard let kind = option.kind else {
        let name = type(of: command).scheme?.catalogues ?? option.name
        let isGiven = !given.files.isEmpty
        if !isGiven, let listed = given.file?.listed { return Row(listed) }
        return Row(
          setting: Setting(
            name: name, kind: .list, texts: option.texts, origin: isGiven ? .commandLine : .standard
          ),
          place: isGiven ? "<\(option.name)>" : "default")
      }
      var setting = Setting(name: option.name, kind: kind, texts: option.texts)
      setting.origin = given[option.name]?.origin ?? .standard
      if let texts = found[option.name] {
        setting.texts = texts
        let isOfTZ = option.name == "time-zone" && environment["TZ"] != nil
        if isOfTZ && given[option.name] == nil { setting.origin = .variable("TZ") }
      }
      return Row(setting)
    }
  }

  /// One line for each option: name, value, and where it is set.
  package func printTable(_ console: Console) throws {
    let missing = given.file == nil ? " (there is no such file)" : ""
    var table = [("config", file?.visible ?? "-", fileSource + missing)]
    for row in rows {
      let value = row.setting.texts.map(\.visible).joined(separator: ", ")
      table.append((row.setting.name, value.isEmpty ? "-" : value, row.place.visible))
    }
    func append(_ values: [Setting], of name: String) {
      for value in values {
        let texts = value.texts.joined(separator: ", ").visible
        table.append(("\(name).\(value.name)", texts, value.place.visible))
      }
    }
    /// Those that nothing stronger than the file replaces.
    func inForce(_ values: [Setting]) -> [Setting] {
      values.filter { !given.isOverruled($0.name) }
    }
    for table in given.tables { append(inForce(table.own), of: "catalogue") }
    for rule in given.file?.rules ?? [] { append(inForce(rule.own), of: "rules") }
    for channel in given.file?.channels ?? [] { append(channel.own, of: "channel") }
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
  package func printJSON(_ console: Console) throws {
    let settings = rows.map { row in
      let source = row.setting.source
      return JSONValue.object([
        ("name", .string(row.setting.name)), ("value", row.setting.json),
        ("source", .string(source)), ("place", JSONValue(source == "default" ? nil : row.place)),
      ])
    }
    func objects(_ tables: [[Setting]]?) -> JSONValue {
      .array((tables ?? []).map { table in .object(table.map { ($0.name, $0.json) }) })
    }
    try console.print(
      line: JSONValue.object([
        ("version", .int(1)), ("file", JSONValue(given.file == nil ? nil : file)),
        ("settings", .array(settings)), ("catalogues", objects(given.tables.map(\.own))),
        ("rules", objects(given.file?.rules.map(\.own))),
        ("channels", objects(given.file?.channels.map(\.own))),
        ("wordings", .array((given.file?.wordings ?? []).map(\.json))),
      ]).text)
  }
}

extension EffectiveSettings.Row {
  fileprivate init(_ setting: Setting) { self.init(setting: setting, place: setting.place) }
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
    case .list: .array(texts.map { .string($0) })
    case .flag: .bool(isOn)
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
