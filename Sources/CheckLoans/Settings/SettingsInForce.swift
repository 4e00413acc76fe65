import ArgumentParser
import Loans

/// The options of a command with the values that are in force, for people and for programs.
struct SettingsInForce {
  private struct Row {
    let option: DeclaredOption
    let name: String
    /// One text, or those of a list; `nil` for no value.
    var texts: [String]?
    var source: String
    /// The flag, the variable, or `FILE:LINE`; `nil` for what nothing sets.
    var place: String?
  }

  private let file: String?
  /// What names the file.
  private let fileSource: String
  private let isRead: Bool
  private let tables: [CatalogueTable]
  private var rows: [Row]

  /// - Parameters:
  ///   - command: a command with all that was given.
  ///   - hidden: options that are no settings.
  init(_ command: some Subcommand, hidden: [String], _ environment: Environment) {
    let given = environment.given
    file = command.settingsPath(environment)?.path
    isRead = given.file != nil
    let variable = Environment.variable(of: "config")
    fileSource =
      given["config"]?.place ?? (environment[variable]?.isEmpty == false ? variable : "default")
    tables = given.file?.tables ?? []
    let keys = type(of: command).settingsKeys
    rows = command.optionsWithValues.filter { !hidden.contains($0.name) }.map { option in
      let name = option.kind == .argument ? keys?.catalogues ?? option.name : option.name
      if let value = given[option.name] {
        let texts = value.texts.filter { option.name != "notify" || $0 != "none" }
        return Row(
          option: option, name: name, texts: texts, source: value.source, place: value.place)
      }
      if option.kind == .argument, !given.files.isEmpty {
        return Row(
          option: option, name: name, texts: given.files, source: "flag", place: "<\(name)>")
      }
      if option.kind == .argument, let listed = given.file?.catalogues {
        return Row(
          option: option, name: name, texts: listed.texts, source: listed.source,
          place: listed.place)
      }
      return Row(
        option: option, name: name, texts: option.texts == [] ? nil : option.texts,
        source: "default")
    }
  }

  /// Shows the value that the program finds by itself.
  ///
  /// - Parameter variable: the variable that sets it where nothing else does.
  mutating func complete(_ name: String, _ texts: [String], variable: String? = nil) {
    guard let index = rows.firstIndex(where: { $0.option.name == name }) else { return }
    rows[index].texts = texts
    if let variable, rows[index].place == nil {
      (rows[index].source, rows[index].place) = ("variable", variable)
    }
  }

  /// One line for each option: name, value, and where it is set.
  func printTable(_ console: Console) throws(CommandError) {
    let missing = isRead ? "" : " (there is no such file)"
    var table = [("config", file?.visible ?? "-", fileSource + missing)]
    for row in rows {
      let value = row.texts.map { $0.isEmpty ? "none" : $0.map(\.visible).joined(separator: ", ") }
      table.append((row.name, value ?? "-", row.place?.visible ?? "default"))
    }
    for catalogue in tables {
      let own = catalogue.values.filter { value in
        !rows.contains { $0.name == value.name && ["flag", "variable"].contains($0.source) }
      }
      for value in [catalogue.path, catalogue.library].compactMap(\.self) + own {
        table.append(
          (
            "catalogue.\(value.name)", value.texts.joined(separator: ", ").visible,
            value.place.visible
          ))
      }
    }
    let nameWidth = table.map(\.0.count).max() ?? 0
    let valueWidth = table.map(\.1.count).max() ?? 0
    for (name, value, source) in table {
      try console.print(
        line: "\(name.padded(to: nameWidth))  \(value.padded(to: valueWidth))  \(source)")
    }
  }

  /// One JSON object.
  func printJSON(_ console: Console) throws(CommandError) {
    let settings = rows.map { row in
      JSONValue.object([
        ("name", .string(row.name)), ("value", Self.json(row.texts, row.option)),
        ("source", .string(row.source)), ("place", JSONValue(row.place)),
      ])
    }
    let catalogues = tables.map { table in
      JSONValue.object(
        ([table.path, table.library].compactMap(\.self) + table.values).map { value in
          ("\(value.name)", JSONValue.string(value.texts.joined(separator: ", ")))
        })
    }
    try console.print(
      line: JSONValue.object([
        ("version", .int(1)), ("file", JSONValue(isRead ? file : nil)),
        ("settings", .array(settings)), ("catalogues", .array(catalogues)),
      ]).text)
  }

  private static func json(_ texts: [String]?, _ option: DeclaredOption) -> JSONValue {
    guard let texts else { return .null }
    switch option.kind {
    case .list, .argument: return .array(texts.map { .string($0) })
    case .flag: return .bool(texts == ["true"])
    case .value:
      return option.isNumber ? JSONValue(texts.first.flatMap { Int($0) }) : JSONValue(texts.first)
    }
  }
}

extension GivenValue {
  /// Where it comes from, in a word.
  fileprivate var source: String {
    switch origin {
    case .commandLine: "flag"
    case .variable: "variable"
    case .file: "file"
    }
  }
}
