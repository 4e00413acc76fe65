import CommandOutput
import Loans

// What to do about mistakes in a settings file.

extension SettingsScheme {
  /// The advice about most mistakes: a string without quotation marks, or with one at its beginning alone.
  func advice(onQuotesOf line: Substring) -> String? {
    if let match = line.wholeMatch(of: #/\s*([A-Za-z-]+)\s*=\s*"([^"]*)/#), line.utf8.count < 300 {
      return
        "a string needs a quotation mark at its end too: \(match.1) = \"\(String(match.2).visible)\""
    }
    guard line.utf8.count < 300,
      let match = line.wholeMatch(
        of: #/\s*([A-Za-z-]+)\s*=\s*([A-Za-z/~.0-9][^"'#\[]*?)\s*(?:#.*)?/#)
    else { return nil }
    let value = match.output.2
    guard value.contains(where: { $0.isLetter || "/:~,".contains($0) }) else { return nil }
    let (name, text) = (match.output.1, String(value))
    switch facts[name]?.kind {
    case .flag where ["true", "false"].contains(text): return nil
    case .flag: return "\"\(name)\" is \(text.quoted(limit: 40)); expected true or false"
    case .number:
      return "\"\(name)\" is \(text.quoted(limit: 40)); expected a number, \(name) = 3"
    case .numbers:
      return
        "\"\(name)\" is \(text.quoted(limit: 40)); expected numbers, \(name) = [7, 3], or \"none\""
    default: return "a string needs quotation marks: \(name) = \"\(text.visible)\""
    }
  }

  /// Where a key that is unknown here belongs, or what was probably meant by it.
  ///
  /// - Parameters:
  ///   - isTable: whether it has a table, or several.
  ///   - known: the keys that can stand here.
  func advice(onUnknown key: String, isTable: Bool, among known: [String]) -> String {
    let isInTable = !known.contains(catalogues)
    if let fact = facts[key] {
      if isInTable, fact.sources.contains(.inFile) {
        return "\"\(key)\" is for all catalogues; put it before the first table"
      }
      return "\"\(key)\" would hold for every run; use --\(key) instead"
    }
    let words = "unknown key \(key.quoted(limit: 40))"
    let other = other()
    var homes: [(names: [String], place: String)] = [(other.names, "in \(other.file)")]
    if isOfUser {
      let channel = ChannelTable.facts.names.filter { $0 != "name" }
      let catalogue = SettingsReading.catalogueFacts.names
      homes += [
        (RuleTable.facts.names, "below a line [[rules]]"),
        (channel, "below a line [[channel]]"), (catalogue, "below a line [[catalogue]]"),
        (channel.filter(catalogue.contains), "below a line [[channel]] or [[catalogue]]"),
      ]
    }
    if let home = homes.last(where: { $0.names.contains(key) }) {
      return "\(words); it belongs \(home.place)"
    }
    if !isInTable, facts.contains(where: { $0.name.hasPrefix("\(key)-") }) {
      return "write \"\(key)\" as a table of its own: [\(key)]"
    }
    if isOfUser, !isInTable, isTable {
      let name = key.nearest(among: SettingsReading.lists + [Wording.table]) ?? "catalogue"
      if name == Wording.table { return "\(words); \(Wording.advice)" }
      return "\(words); a \(name == "rules" ? "rule" : name)'s table begins with [[\(name)]]"
    }
    if let name = key.nearest(among: known) { return "\(words); did you mean \"\(name)\"?" }
    if isInTable, known.count < 13 {
      return "\(words); known are \(known.joined(separator: ", "))"
    }
    return "\(words); the keys are the long names of options, see \(example)"
  }
}
