/// A value that was given to an option, and where.
struct Setting: Sendable {
  /// The source of a value, strongest first.
  enum Origin: Sendable {
    case commandLine
    /// A variable, by its whole name.
    case variable(String)
    case file(SettingsPlace)
    /// Nowhere: it is the command's own.
    case standard
  }

  /// The long name of the option, or the key of a table.
  let name: String
  let kind: OptionFact.Kind
  /// One text, or those of a list, or none; a switch is `true` or `false`.
  var texts: [String] = []
  var origin = Origin.standard

  /// The flag, the variable or `FILE:LINE`.
  var place: String {
    switch origin {
    case .commandLine: "--\(name)"
    case .variable(let variable): variable
    case .file(let place): place.text
    case .standard: "default"
    }
  }

  var isFromCommandLine: Bool { if case .commandLine = origin { true } else { false } }
  var isFromFile: Bool { if case .file = origin { true } else { false } }
  var isOn: Bool { texts == ["true"] }

  /// The arguments that give the same.
  var arguments: [String] {
    if kind == .flag { return isOn ? ["--\(name)"] : [] }
    return texts.map { "--\(name)=\($0)" }
  }
}

/// A line of a settings file.
struct SettingsPlace: Sendable {
  let path: String
  let line: Int

  /// `FILE:LINE`.
  var text: String { "\(path):\(line)" }
}

extension [Setting] {
  /// The setting of this name.
  subscript(name: String) -> Setting? { first { $0.name == name } }

  /// Those that a command line gives.
  init(givenBy line: [String], _ facts: [OptionFact]) {
    var given: [Setting] = []
    func add(_ fact: OptionFact, _ text: String) {
      let index = given.firstIndex { $0.name == fact.name } ?? given.endIndex
      if index == given.endIndex {
        given.append(Setting(name: fact.name, kind: fact.kind, origin: .commandLine))
      }
      let isList = fact.kind == .list || fact.kind == .numbers
      given[index].texts = isList ? given[index].texts + [text] : [text]
    }
    var words = line[...]
    while let word = words.popFirst(), word != "--" {
      if word.hasPrefix("--") {
        let parts = word.dropFirst(2).split(
          separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard let fact = facts[parts[0]] else { continue }
        if fact.kind == .flag {
          add(fact, "true")
        } else if let text = parts.dropFirst().first.map(String.init) ?? words.popFirst() {
          // The next word is the value, also one that looks like an option.
          add(fact, text)
        }
      } else if word.hasPrefix("-") {
        for letter in word.dropFirst() {
          if let fact = facts.first(where: { $0.short == letter }) { add(fact, "true") }
        }
      }
    }
    self = given
  }
}
