import ArgumentParser
package import CommandOutput
import Languages
import Loans
import System

/// A settings file that was read.
package struct SettingsFile: Sendable {
  /// The file's absolute path.
  package let path: String
  /// What it sets, outside of tables.
  private(set) var values: [Setting] = []
  /// The files, folders or patterns that it lists, absolute.
  package private(set) var listed: Setting?
  /// The tables `[[catalogue]]`.
  package private(set) var catalogues: [SettingsTable<TableOptions>] = []
  /// The tables `[[rules]]`.
  package private(set) var rules: [RuleTable] = []
  /// The tables `[[channel]]`.
  private(set) var channels: [ChannelTable] = []
  /// The texts of the library's own, those for all languages first.
  private(set) var wordings: [Wording] = []

  private let scheme: SettingsScheme

  /// The directory that it is in.
  package var directory: String {
    String(path.prefix(upTo: path.lastIndex(of: "/") ?? path.startIndex))
  }

  /// A settings file with every key in it, as comments.
  package static var example: [UInt8] { PackageResources.config_toml }

  /// The most bytes that a settings file may have.
  private static let limit = 1_048_576

  /// Reads a settings file.
  ///
  /// - Parameter path: absolute, or relative to the working directory.
  /// - Throws: ``CommandError`` with the status `badSetting` if it cannot be read, is not TOML, or
  ///   sets what cannot be set, or in a table to what makes no sense. What it sets outside of tables is
  ///   still to be parsed; see ``check(_:)``.
  init(
    _ path: String, _ scheme: SettingsScheme, _ environment: Environment
  ) throws(CommandError) {
    let bytes: [UInt8]
    do throws(WholeFile.Failure) {
      // Some CI systems check out with such permissions, and a project's settings run no program.
      bytes = try WholeFile.bytes(of: path, limit: Self.limit, mayBeWritableByAll: !scheme.isOfUser)
    } catch {
      let words = error.words("settings file", limit: Self.limit, harm: "could run programs")
      throw CommandError(.badSetting, "\(path.visible): \(words)")
    }
    try self.init(environment.absolutePath(path), bytes, scheme, environment)
  }

  /// Reads the bytes of a settings file with this absolute path.
  init(
    _ path: String, _ bytes: [UInt8], _ scheme: SettingsScheme, _ environment: Environment
  ) throws(CommandError) {
    (self.path, self.scheme) = (path, scheme)
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw CommandError(
        .badSetting, "\(path.visible): this is not text in UTF-8; save the file as UTF-8")
    }
    var reading = SettingsReading(path, directory: directory, scheme, environment)
    let entries = try reading.document(text)
    // These tables can name the language of a translation that is set elsewhere in the file.
    let worded = scheme.isOfUser ? ["rules", Wording.table] : []
    for (key, node) in entries where !worded.contains(key) {
      switch key {
      case "catalogue" where scheme.isOfUser: catalogues = reading.catalogues(node)
      case "channel" where scheme.isOfUser: channels = reading.channels(node)
      default: if !reading.flatten(key, node) { reading.add(key, node) }
      }
    }
    (values, listed) = (reading.settings, reading.listed)
    let last = entries.filter { worded.contains($0.key) }
    let namesLanguage = last.contains { _, node in
      node.table?.contains { $0.node.table != nil }
        ?? node.elements?.contains { $0.table?.contains { $0.key == RuleTable.language } == true }
        ?? false
    }
    let known = try namesLanguage ? languages(environment) : KnownLanguages()
    for (key, node) in last {
      if key == "rules" {
        rules = reading.rules(node, known)
      } else {
        wordings = reading.wordings(node, known)
      }
    }
    // What cannot be set is found without parsing; what is wrong before it comes first.
    if reading.fault != nil {
      reading.check(values, together: false, by: scheme.parse)
      if let fault = reading.fault { throw fault }
    }
  }

  /// The languages that tables can name: with that of the file's own translation.
  private func languages(_ environment: Environment) throws(CommandError) -> KnownLanguages {
    guard let path = values["translation"]?.texts.first else { return KnownLanguages() }
    var options = TranslationOptions()
    options.translation = path
    return try options.known(environment, reading: values)
  }

  /// Parses some of the values outside of tables.
  ///
  /// - Throws: ``CommandError`` with the status `badSetting` for the first that makes no sense.
  package func check(_ values: [Setting]) throws(CommandError) {
    let faults = CommandError.faults(in: values, together: false, by: scheme.parse)
    guard let (value, words) = faults.first else { return }
    throw CommandError(.badSetting, "\(value.place.visible): \(words)")
  }
}

extension KnownLanguages {
  /// The tags as a message lists them.
  var list: String {
    let tags = Self.builtInTags.filter { $0 != own?.tag }.joined(separator: ", ")
    return "\(tags), and \(own?.tag ?? "translation = \"FILE\" adds one from a PO file")"
  }
}
