internal import Loans

/// Where in a document something stands: a location path, in a small part of XPath 1.0.
///
/// `/collection/record/datafield[@tag='952']`, `authors/author`, `../@name`: names with `/` between
/// them, `*` for any name, `..` at the beginning, an attribute at the end, and conditions on
/// attributes and on child elements.
///
/// - SeeAlso: XML Path Language 1.0, 2.5 (abbreviated syntax).
public struct ProfilePath: Hashable, Sendable {
  /// Whether the path begins at the document itself.
  public var isAbsolute = false
  /// How many elements up the path begins, 0 or more; only if it is not absolute.
  public var ascents = 0
  /// The elements on the way.
  public var steps: [Step] = []
  /// The attribute of the last element, if the path leads to one.
  public var attribute: Name?

  /// A path to an attribute, or to nothing.
  init(attribute: Name? = nil) { self.attribute = attribute }

  /// The path to the document itself.
  static let document: ProfilePath = {
    var path = ProfilePath()
    path.isAbsolute = true
    return path
  }()

  /// A name as a path has it.
  public struct Name: Hashable, Sendable {
    /// The prefix, if there is one.
    public var prefix: String?
    /// The name behind the prefix, or `*`.
    public var local: String

    /// Whether an element can have both names.
    func mayBe(_ other: Name) -> Bool { self == other || local == "*" || other.local == "*" }
  }

  /// An element on the way.
  public struct Step: Hashable, Sendable {
    /// Its name.
    public var name: Name
    /// What it has to fulfil.
    public var conditions: [Condition] = []

    /// Whether one element can be both.
    func mayBe(_ other: Step) -> Bool {
      name.mayBe(other.name)
        && !conditions.contains { own in other.conditions.contains { own.excludes($0) } }
    }
  }

  /// What an element has to fulfil.
  public struct Condition: Hashable, Sendable {
    /// What is looked at: a path from the element, to child elements or an attribute.
    public var operand: ProfilePath
    /// What it is compared with; `nil` if it only has to be there.
    public var comparison: Comparison?
    /// Whether the condition is inside `not(…)`.
    public var isNegated = false

    /// Whether it tells a book that is lent from one that is not, rather than one kind of element
    /// from another: then an element that does not fulfil it still is a book.
    fileprivate(set) var isOfLending = false

    /// Whether the start tag alone decides.
    var isOnAttribute: Bool { operand.steps.isEmpty && !isOfLending }

    /// Whether no element fulfils both; false if that is not plain to see.
    func excludes(_ other: Condition) -> Bool {
      guard operand == other.operand else { return false }
      if comparison == other.comparison { return isNegated != other.isNegated }
      guard isOnAttribute, !isNegated, !other.isNegated, case .equal = comparison,
        case .equal = other.comparison
      else { return false }
      return true
    }

    /// Whether it is fulfilled by an element of which these values were found.
    ///
    /// As in XPath, one of several values is enough.
    func isFulfilled(by values: some Sequence<ArraySlice<UInt8>>) -> Bool {
      let isTrue = values.contains { value in
        switch comparison {
        case nil: true
        case .equal(let text): value.elementsEqual(text.utf8)
        case .unequal(let text): !value.elementsEqual(text.utf8)
        }
      }
      return isTrue != isNegated
    }
  }

  /// A comparison with a text.
  public enum Comparison: Hashable, Sendable {
    /// Some value at the operand is this text.
    case equal(String)
    /// Some value at the operand is another text.
    case unequal(String)
  }
}

extension ProfilePath {
  /// The path as it is written, but for what has to be fulfilled on the way.
  public var withoutConditions: String {
    var path = self
    for index in path.steps.indices { path.steps[index].conditions = [] }
    return "\(path)"
  }

  /// How many elements both paths have in common from the document on.
  func commonSteps(with other: ProfilePath) -> Int {
    zip(steps, other.steps).prefix { $0 == $1 }.count
  }

  /// Whether an element at the other path may be inside an element at this one.
  func isOutside(_ other: ProfilePath) -> Bool {
    steps.count < other.steps.count
      && zip(steps, other.steps).allSatisfy { $0.name.mayBe($1.name) }
  }

  /// The path of a record, of which what its last step denies tells books that are not lent.
  var asRecord: ProfilePath {
    var path = self
    guard let last = steps.indices.last else { return path }
    for index in path.steps[last].conditions.indices
    where path.steps[last].conditions[index].isNegated {
      path.steps[last].conditions[index].isOfLending = true
    }
    return path
  }
}

extension ProfilePath.Name: CustomStringConvertible {
  /// As a path has it.
  public var description: String { prefix.map { "\($0):\(local)" } ?? local }
}

extension ProfilePath: CustomStringConvertible {
  /// The path as it is written.
  public var description: String {
    var parts = Array(repeating: "..", count: ascents)
    parts += steps.map { "\($0.name)" + $0.conditions.map { "[\($0)]" }.joined() }
    if let attribute { parts.append("@\(attribute)") }
    if parts.isEmpty && !isAbsolute { return "." }
    return (isAbsolute ? "/" : "") + parts.joined(separator: "/")
  }
}

extension ProfilePath.Condition: CustomStringConvertible {
  /// The condition as it is written, without its brackets.
  public var description: String {
    let text: String =
      switch comparison {
      case nil: "\(operand)"
      case .equal(let value): "\(operand)='\(value)'"
      case .unequal(let value): "\(operand)!='\(value)'"
      }
    return isNegated ? "not(\(text))" : text
  }
}

extension ProfilePath {
  /// Why a text is no path.
  struct SyntaxError: Error, Equatable {
    /// One lower-case sentence.
    var message: String
  }

  /// Reads paths with white space between them.
  ///
  /// - Throws: ``SyntaxError``; also if there is none.
  static func list(_ text: String) throws(SyntaxError) -> [ProfilePath] {
    var parser = PathParser(text)
    return try parser.paths()
  }
}

/// Reads paths, character by character.
private struct PathParser {
  private var rest: Substring.UnicodeScalarView
  /// Conditions that are open.
  private var depth = 0
  private static let mostSteps = 64

  init(_ text: String) { rest = text.unicodeScalars[...] }

  private func error(_ message: String) -> ProfilePath.SyntaxError {
    ProfilePath.SyntaxError(message: message)
  }

  private mutating func skipSpace() -> Bool {
    let count = rest.count
    rest = rest.drop { $0 == " " || $0 == "\n" || $0 == "\t" || $0 == "\r" }
    return rest.count < count
  }

  private mutating func take(_ token: String) -> Bool {
    guard rest.starts(with: token.unicodeScalars) else { return false }
    rest.removeFirst(token.unicodeScalars.count)
    return true
  }

  mutating func paths() throws(ProfilePath.SyntaxError) -> [ProfilePath] {
    var paths: [ProfilePath] = []
    _ = skipSpace()
    while !rest.isEmpty {
      paths.append(try path())
      guard rest.isEmpty || skipSpace() else {
        throw error("\(found) is not understood here")
      }
    }
    if paths.isEmpty { throw error("the path is empty") }
    return paths
  }

  private var found: String { String(String(rest).prefix(20)).quoted() }

  private mutating func path(isOperand: Bool = false) throws(ProfilePath.SyntaxError) -> ProfilePath
  {
    var path = ProfilePath()
    path.isAbsolute = take("/")
    if path.isAbsolute && isOperand {
      throw error("what a condition looks at is inside the element, and begins with no /")
    }
    if takeSelf() {
      if path.isAbsolute { throw error(". means nothing behind the /") }
      guard take("/") else { return path }
    }
    while true {
      if rest.first == "/" { throw error("// is not known here; write every element on the way") }
      if take("@") {
        path.attribute = try name()
        if path.attribute?.local == "*" { throw error("@* is not known here; name the attribute") }
        return path
      }
      if take("..") {
        guard path.steps.isEmpty, !path.isAbsolute, !isOperand else {
          throw error(".. can only stand at the beginning of a path")
        }
        path.ascents += 1
      } else {
        path.steps.append(try step(isOperand: isOperand))
        if path.steps.count > Self.mostSteps { throw error("no path has so many elements") }
      }
      guard take("/") else { return path }
    }
  }

  /// Takes a `.` that stands alone.
  private mutating func takeSelf() -> Bool {
    let next = rest.dropFirst().first
    guard rest.first == ".", next.map({ !Self.isNameCharacter($0) }) ?? true else { return false }
    rest.removeFirst()
    return true
  }

  private mutating func step(isOperand: Bool) throws(ProfilePath.SyntaxError) -> ProfilePath.Step {
    var step = ProfilePath.Step(name: try name())
    while take("[") {
      let condition = try condition()
      if isOperand && !condition.isOnAttribute {
        throw error("a condition inside a condition can only ask for an attribute")
      }
      step.conditions.append(condition)
      guard take("]") else { throw error("a ] is missing before \(found)") }
    }
    return step
  }

  private mutating func name() throws(ProfilePath.SyntaxError) -> ProfilePath.Name {
    if take("*") { return ProfilePath.Name(prefix: nil, local: "*") }
    let first = try plainName()
    guard rest.first == ":", rest.dropFirst().first.map(Self.isNameCharacter) == true else {
      return ProfilePath.Name(prefix: nil, local: first)
    }
    rest.removeFirst()
    return ProfilePath.Name(prefix: first, local: try plainName())
  }

  private mutating func plainName() throws(ProfilePath.SyntaxError) -> String {
    let name = rest.prefix(while: Self.isNameCharacter)
    guard let first = name.first, first != "-", first != ".", !("0"..."9").contains(first) else {
      throw error(rest.isEmpty ? "a name is missing at the end" : "\(found) begins with no name")
    }
    rest.removeFirst(name.count)
    if rest.first == "(" { throw error("functions are not known here, but for not(…)") }
    return String(name)
  }

  private static func isNameCharacter(_ scalar: Unicode.Scalar) -> Bool {
    !scalar.isASCII || scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
      || "-._".unicodeScalars.contains(scalar)
  }

  private mutating func condition() throws(ProfilePath.SyntaxError) -> ProfilePath.Condition {
    depth += 1
    defer { depth -= 1 }
    if depth > 2 { throw error("a condition inside a condition can only ask for an attribute") }
    _ = skipSpace()
    let isNegated = take("not(")
    _ = skipSpace()
    if let first = rest.first, ("0"..."9").contains(first) {
      throw error("a condition by number is not known here")
    }
    var condition = ProfilePath.Condition(operand: try path(isOperand: true))
    condition.isNegated = isNegated
    _ = skipSpace()
    if take("!=") {
      condition.comparison = .unequal(try literal())
    } else if take("=") {
      condition.comparison = .equal(try literal())
    }
    _ = skipSpace()
    if isNegated {
      guard take(")") else { throw error("a ) is missing before \(found)") }
      _ = skipSpace()
    }
    return condition
  }

  private mutating func literal() throws(ProfilePath.SyntaxError) -> String {
    _ = skipSpace()
    guard let quote = rest.first, quote == "'" || quote == "\"" else {
      throw error("a text in quotation marks is missing before \(found)")
    }
    rest.removeFirst()
    guard let end = rest.firstIndex(of: quote) else {
      throw error("the quotation mark is not closed")
    }
    let text = String(rest[..<end])
    rest = rest[rest.index(after: end)...]
    return text
  }
}
