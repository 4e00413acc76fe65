/// A value that was given to an option, and where.
package struct Setting: Sendable {
  /// The source of a value, strongest first.
  package enum Origin: Sendable {
    case commandLine
    /// A variable, by its whole name.
    case variable(String)
    case file(SettingsPlace)
    /// Nowhere: it is the command's own.
    case standard
  }

  /// The long name of the option, or the key of a table.
  package let name: String
  package let kind: OptionFact.Kind
  /// One text, or those of a list, or none; a switch is `true` or `false`.
  package var texts: [String] = []
  package var origin = Origin.standard

  /// The flag, the variable or `FILE:LINE`.
  package var place: String {
    switch origin {
    case .commandLine: "--\(name)"
    case .variable(let variable): variable
    case .file(let place): place.text
    case .standard: "default"
    }
  }

  package var isFromCommandLine: Bool { if case .commandLine = origin { true } else { false } }
  package var isFromFile: Bool { if case .file = origin { true } else { false } }
  var isOn: Bool { texts == ["true"] }

  /// The arguments that give the same.
  package var arguments: [String] {
    if kind == .flag { return isOn ? ["--\(name)"] : [] }
    return texts.map { "--\(name)=\($0)" }
  }
}

/// A line of a settings file.
package struct SettingsPlace: Sendable {
  let path: String
  let line: Int

  /// `FILE:LINE`.
  var text: String { "\(path):\(line)" }
}

extension [Setting] {
  /// The setting of this name.
  package subscript(name: String) -> Setting? { first { $0.name == name } }

  /// Those that a command line gives.
  package init(givenBy line: [String], _ facts: [OptionFact]) {
    self = []
    for case .option(let fact, let text, _) in LinePart.all(of: line, facts) {
      let isList = fact.kind == .list || fact.kind == .numbers
      if let index = firstIndex(where: { $0.name == fact.name }) {
        self[index].texts = isList ? self[index].texts + [text] : [text]
      } else {
        append(Setting(name: fact.name, kind: fact.kind, texts: [text], origin: .commandLine))
      }
    }
  }
}

/// A part of a command line.
package enum LinePart {
  /// An option with its value, which is `true` for a switch, and the words that give it.
  case option(OptionFact, String, words: [String])
  /// An option that is not known, or the `--` after which all words are arguments.
  case other(String)
  case argument(String)

  /// The parts of a line, by what is known of some options.
  package static func all(of line: [String], _ facts: [OptionFact]) -> [LinePart] {
    var parts: [LinePart] = []
    var words = line[...]
    while let word = words.popFirst() {
      if word == "--" {
        return parts + [.other(word)] + words.map { .argument($0) }
      } else if word.hasPrefix("--") {
        let halves = word.dropFirst(2).split(
          separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard let fact = facts[halves[0]] else {
          parts.append(.other(word))
          continue
        }
        if fact.kind == .flag {
          parts.append(.option(fact, "true", words: [word]))
        } else if halves.count == 2 {
          parts.append(.option(fact, String(halves[1]), words: [word]))
        } else if let text = words.popFirst() {
          // The next word is the value, also one that looks like an option.
          parts.append(.option(fact, text, words: [word, text]))
        }
      } else if word.hasPrefix("-"), word != "-" {
        let known = word.dropFirst().compactMap { letter in facts.first { $0.short == letter } }
        parts += known.map { .option($0, "true", words: ["--\($0.name)"]) }
        if known.isEmpty { parts.append(.other(word)) }
      } else {
        parts.append(.argument(word))
      }
    }
    return parts
  }
}
