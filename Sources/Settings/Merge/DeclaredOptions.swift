import ArgumentParser
import LoanRules

/// An option, a switch or an argument as a command declares it, with its value once that is parsed.
///
/// It is found in the command itself, which takes a millisecond or more: only what shows all options
/// looks for them.
struct DeclaredOption {
  /// The kind of value that it takes; `nil` for an argument.
  let kind: OptionFact.Kind?
  /// The long name, `time-zone` for the property `timeZone`.
  let name: String
  let texts: [String]
}

extension ParsableArguments {
  /// What the command and its groups declare, in the order of its help.
  static var declaredOptions: [DeclaredOption] { Self().declaredOptions(isParsed: false) }

  /// The same with the values of this parsed command.
  var declaredOptions: [DeclaredOption] { declaredOptions(isParsed: true) }

  fileprivate func declaredOptions(isParsed: Bool) -> [DeclaredOption] {
    Mirror(reflecting: self).children.flatMap { label, value in
      (value as? any PropertyWrapper)?.declared(label ?? "", isParsed: isParsed) ?? []
    }
  }
}

extension DeclaredOption {
  fileprivate init(_ label: String, _ kind: OptionFact.Kind?, _ value: Any?) {
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
  func declared(_ label: String, isParsed: Bool) -> [DeclaredOption]
}

extension Flag: PropertyWrapper {
  fileprivate func declared(_ label: String, isParsed: Bool) -> [DeclaredOption] {
    [DeclaredOption(label, .flag, isParsed ? wrappedValue : nil)]
  }
}

extension Option: PropertyWrapper {
  fileprivate func declared(_ label: String, isParsed: Bool) -> [DeclaredOption] {
    let isNumber = Value.self == Int.self || Value.self == Int?.self
    let isList = Value.self is any RandomAccessCollection.Type
    let kind: OptionFact.Kind =
      Value.self == [RungDays].self ? .numbers : isList ? .list : isNumber ? .number : .text
    return [DeclaredOption(label, kind, isParsed ? wrappedValue : nil)]
  }
}

extension Argument: PropertyWrapper {
  fileprivate func declared(_ label: String, isParsed: Bool) -> [DeclaredOption] {
    [DeclaredOption(label, nil, isParsed ? wrappedValue : nil)]
  }
}

extension OptionGroup: PropertyWrapper {
  fileprivate func declared(_ label: String, isParsed: Bool) -> [DeclaredOption] {
    (isParsed ? wrappedValue : Value()).declaredOptions(isParsed: isParsed)
  }
}
