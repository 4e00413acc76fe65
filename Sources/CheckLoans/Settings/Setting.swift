import ArgumentParser
import LoanRules

/// An option, a switch or an argument as a command declares it, with its value and where that comes
/// from.
///
/// It is found in the command itself, so that what is set elsewhere needs no list of its own.
struct Setting: Sendable {
  /// The kind of value that it takes.
  enum Kind: Sendable { case flag, boolean, number, text, list, numbers, argument }

  /// Where its value is given; what wins comes first.
  enum Origin: Sendable {
    case commandLine
    /// A variable, by its whole name.
    case variable(String)
    case file(SettingsPlace)
    /// Nowhere: it is the command's own.
    case standard
  }

  /// The long name, `time-zone` for the property `timeZone`.
  var name: String
  let kind: Kind
  /// One text, or those of a list, or none; a switch is `true` or `false`.
  var texts: [String] = []
  var origin = Origin.standard

  /// The same setting by another name.
  func renamed(_ name: (String) -> String) -> Setting {
    var setting = self
    setting.name = name(self.name)
    return setting
  }

  /// The flag, the variable or `FILE:LINE`.
  var place: String {
    switch origin {
    case .commandLine: kind == .argument ? "<\(name)>" : "--\(name)"
    case .variable(let variable): variable
    case .file(let place): place.text
    case .standard: "default"
    }
  }

  var isFromCommandLine: Bool { if case .commandLine = origin { true } else { false } }
  var isFromFile: Bool { if case .file = origin { true } else { false } }

  /// The arguments that give the same.
  var arguments: [String] {
    switch kind {
    case .flag: texts == ["true"] ? ["--\(name)"] : []
    case .argument: texts
    case .boolean, .number, .text, .list, .numbers: texts.map { "--\(name)=\($0)" }
    }
  }
}

extension [Setting] {
  /// The setting of this name.
  subscript(name: String) -> Setting? { first { $0.name == name } }

  /// Those that a command line gives.
  ///
  /// - Parameter line: the arguments from which a command was parsed that has these settings.
  func given(by line: [String]) -> [Setting] {
    var names: Set<Substring> = []
    var words = line[...]
    while let word = words.popFirst(), word != "--" {
      guard word.hasPrefix("--") else { continue }
      let name = word.dropFirst(2).prefix { $0 != "=" }
      names.insert(name)
      let takesValue = self[String(name)].map { $0.kind != .flag } ?? false
      // The next word is the value, also one that looks like an option.
      if takesValue && !word.contains("=") { words = words.dropFirst() }
    }
    return compactMap { setting in
      // A switch has no value but the one that it is given, by whichever of its names.
      let isGiven =
        setting.kind == .flag ? setting.texts == ["true"] : names.contains(setting.name[...])
      guard isGiven && setting.kind != .argument else { return nil }
      var setting = setting
      setting.origin = .commandLine
      return setting
    }
  }
}

// MARK: - What a command declares

extension ParsableArguments {
  /// What the command and its groups declare, in the order of its help.
  static var declaredSettings: [Setting] { Self().settings(isParsed: false) }

  /// The same with the values of this parsed command.
  var settings: [Setting] { settings(isParsed: true) }

  fileprivate func settings(isParsed: Bool) -> [Setting] {
    Mirror(reflecting: self).children.flatMap { label, value in
      (value as? any PropertyWrapper)?.settings(label ?? "", isParsed: isParsed) ?? []
    }
  }
}

extension Setting {
  fileprivate init(_ label: String, _ kind: Kind, _ value: Any?) {
    name = label.drop { $0 == "_" }.map { character in
      character.isUppercase ? "-\(character.lowercased())" : String(character)
    }.joined()
    self.kind = kind
    texts = value.map(Self.texts) ?? []
  }

  private static func texts(of value: Any) -> [String] {
    let mirror = Mirror(reflecting: value)
    switch mirror.displayStyle {
    case .optional, .collection: return mirror.children.flatMap { texts(of: $0.value) }
    default:
      if let days = value as? RungDays { return days.texts }
      if let hours = value as? DailyHours { return ["\(hours.start)-\(hours.end)"] }
      return [(value as? any ExpressibleByArgument)?.defaultValueDescription ?? "\(value)"]
    }
  }
}

/// What ArgumentParser wraps a property in, whose value is there once the command is parsed.
private protocol PropertyWrapper {
  func settings(_ label: String, isParsed: Bool) -> [Setting]
}

extension Flag: PropertyWrapper {
  fileprivate func settings(_ label: String, isParsed: Bool) -> [Setting] {
    [Setting(label, .flag, isParsed ? wrappedValue : nil)]
  }
}

extension Option: PropertyWrapper {
  fileprivate func settings(_ label: String, isParsed: Bool) -> [Setting] {
    let isNumber = Value.self == Int.self || Value.self == Int?.self
    let isList = Value.self is any RandomAccessCollection.Type
    let kind: Setting.Kind =
      Value.self == [RungDays].self
      ? .numbers : Value.self == Bool.self ? .boolean : isList ? .list : isNumber ? .number : .text
    return [Setting(label, kind, isParsed ? wrappedValue : nil)]
  }
}

extension Argument: PropertyWrapper {
  fileprivate func settings(_ label: String, isParsed: Bool) -> [Setting] {
    [Setting(label, .argument, isParsed ? wrappedValue : nil)]
  }
}

extension OptionGroup: PropertyWrapper {
  fileprivate func settings(_ label: String, isParsed: Bool) -> [Setting] {
    (isParsed ? wrappedValue : Value()).settings(isParsed: isParsed)
  }
}
