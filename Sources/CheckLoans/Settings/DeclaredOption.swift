import ArgumentParser

/// An option, a switch or an argument as a command declares it, found in the command itself, so
/// that what is set elsewhere needs no list of its own.
struct DeclaredOption: Sendable {
  /// The kind of value that the option takes.
  enum Kind: Sendable { case flag, value, list, argument }

  /// The long name, `time-zone` for the property `timeZone`.
  let name: String
  let kind: Kind
  /// Whether its value is a number.
  let isNumber: Bool
  /// Its value in a parsed command, as it is written; `nil` for none.
  fileprivate(set) var texts: [String]?

  fileprivate init(label: String, _ property: any DeclaredProperty) {
    name = label.drop { $0 == "_" }.reduce(into: "") { name, character in
      name += character.isUppercase ? "-\(character.lowercased())" : String(character)
    }
    kind = property.kind
    isNumber = property.isNumber
  }
}

extension ParsableArguments {
  /// The options of the command and of its groups, in the order of its help.
  static var declaredOptions: [DeclaredOption] {
    Self.init().properties.flatMap { label, value -> [DeclaredOption] in
      switch value {
      case let group as any DeclaredGroup: type(of: group).options
      case let property as any DeclaredProperty: [DeclaredOption(label: label, property)]
      default: []
      }
    }
  }

  /// The options of a parsed command, with their values.
  var optionsWithValues: [DeclaredOption] {
    properties.flatMap { label, value -> [DeclaredOption] in
      switch value {
      case let group as any DeclaredGroup: return group.value.optionsWithValues
      case let property as any DeclaredProperty:
        var option = DeclaredOption(label: label, property)
        option.texts = Self.texts(of: property.value)
        return [option]
      default: return []
      }
    }
  }

  private var properties: [(String, Any)] {
    Mirror(reflecting: self).children.compactMap { child in child.label.map { ($0, child.value) } }
  }

  private static func texts(of value: Any) -> [String]? {
    let mirror = Mirror(reflecting: value)
    switch mirror.displayStyle {
    case .optional: return mirror.children.first.flatMap { texts(of: $0.value) }
    case .collection: return mirror.children.flatMap { texts(of: $0.value) ?? [] }
    default: return [(value as? any ExpressibleByArgument)?.defaultValueDescription ?? "\(value)"]
    }
  }
}

/// What ArgumentParser wraps a property in.
private protocol DeclaredProperty {
  var kind: DeclaredOption.Kind { get }
  var isNumber: Bool { get }
  /// The value once the command is parsed.
  var value: Any { get }
}

private protocol DeclaredGroup {
  static var options: [DeclaredOption] { get }
  var value: any ParsableArguments { get }
}

private protocol ListValue {}

extension Array: ListValue {}

extension Flag: DeclaredProperty {
  fileprivate var kind: DeclaredOption.Kind { .flag }
  fileprivate var isNumber: Bool { false }
  fileprivate var value: Any { wrappedValue }
}

extension Option: DeclaredProperty {
  fileprivate var kind: DeclaredOption.Kind { Value.self is any ListValue.Type ? .list : .value }
  fileprivate var isNumber: Bool { Value.self == Int.self || Value.self == Int?.self }
  fileprivate var value: Any { wrappedValue }
}

extension Argument: DeclaredProperty {
  fileprivate var kind: DeclaredOption.Kind { .argument }
  fileprivate var isNumber: Bool { false }
  fileprivate var value: Any { wrappedValue }
}

extension OptionGroup: DeclaredGroup {
  fileprivate static var options: [DeclaredOption] { Value.declaredOptions }
  fileprivate var value: any ParsableArguments { wrappedValue }
}
