internal import Loans

/// The choice of a plural form by a number, as the header of a PO file has it.
///
/// The expression is one of C, of unsigned numbers: for Czech, `(n==1) ? 0 : (n>=2 && n<=4) ? 1 : 2`
/// makes 5 the form 2.
///
/// - SeeAlso: "Plural forms" in the manual of GNU gettext.
struct PluralRule: Sendable {
  /// Why a rule cannot be used, in words.
  struct Fault: Error { let words: String }

  /// The number of forms.
  let forms: Int
  private let choice: PluralExpression

  /// English, German and many others: one, and all the rest.
  static let germanic = PluralRule(forms: 2) { $0 != 1 ? 1 : 0 }

  /// The largest number that is tried when a rule is read.
  private static let tried: UInt = 1_000
  private static let mostForms = 10
  private static let longest = 1_000

  /// Reads `nplurals=2; plural=n != 1;`.
  init(_ text: String) throws(Fault) {
    let parts = text.split(separator: ";", omittingEmptySubsequences: false).map { part in
      part.filter { $0 != " " && $0 != "\t" }
    }
    guard parts.count >= 2, parts[0].hasPrefix("nplurals="), parts[1].hasPrefix("plural=") else {
      throw Fault(words: "expected \"nplurals=N; plural=EXPRESSION;\"")
    }
    guard let forms = Int(parts[0].dropFirst(9)), (1...Self.mostForms).contains(forms) else {
      throw Fault(words: "nplurals must be a number from 1 to \(Self.mostForms)")
    }
    let expression = Array(parts[1].dropFirst(7).utf8)
    guard expression.count <= Self.longest else {
      throw Fault(words: "the plural expression is longer than \(Self.longest) characters")
    }
    var parser = PluralParser(expression)
    self.init(forms: forms, choice: try parser.expression())
    for number in 0...Self.tried {
      guard let form = choice(number) else {
        throw Fault(words: "the plural expression divides by zero for n = \(number)")
      }
      if form >= UInt(forms) {
        let words = "the plural expression gives \(form) for n = \(number), not below \(forms)"
        throw Fault(words: words)
      }
    }
  }

  private init(forms: Int, choice: @escaping PluralExpression) {
    self.forms = forms
    self.choice = choice
  }

  /// The form for a number; the first one where the rule has none for it.
  func form(of number: UInt) -> Int {
    let form = choice(number) ?? 0
    return form < UInt(forms) ? Int(form) : 0
  }

  /// The forms that are for one number only.
  var formsForOneNumber: Set<Int> {
    var numbers = [Int](repeating: 0, count: forms)
    for number in 0...Self.tried { numbers[form(of: number)] += 1 }
    return Set(numbers.indices.filter { numbers[$0] == 1 })
  }
}

/// The value of an expression of C for a number `n`, as `unsigned long` has it; `nil` after a division by
/// zero.
private typealias PluralExpression = @Sendable (_ n: UInt) -> UInt?

/// Reads an expression by the precedences of C.
private struct PluralParser {
  /// An operator; what is right of it is evaluated only if needed.
  private typealias Operator = @Sendable (_ left: UInt, _ right: () -> UInt?) -> UInt?

  /// The operators by precedence, what binds least first; a longer one before its beginning.
  private static let levels: [KeyValuePairs<String, Operator>] = [
    ["||": { $0 != 0 ? 1 : $1().map { $0 == 0 ? 0 : 1 } }],
    ["&&": { $0 == 0 ? 0 : $1().map { $0 == 0 ? 0 : 1 } }],
    ["==": comparing(==), "!=": comparing(!=)],
    ["<=": comparing(<=), ">=": comparing(>=), "<": comparing(<), ">": comparing(>)],
    ["+": computing { $0 &+ $1 }, "-": computing { $0 &- $1 }],
    [
      "*": computing { $0 &* $1 }, "/": computing { $1 == 0 ? nil : $0 / $1 },
      "%": computing { $1 == 0 ? nil : $0 % $1 },
    ],
  ]

  private static func comparing(_ holds: @escaping @Sendable (UInt, UInt) -> Bool) -> Operator {
    computing { holds($0, $1) ? 1 : 0 }
  }

  private static func computing(_ value: @escaping @Sendable (UInt, UInt) -> UInt?) -> Operator {
    { left, right in right().flatMap { value(left, $0) } }
  }

  private static let deepest = 50

  private var rest: ArraySlice<UInt8>
  private var depth = 0

  init(_ bytes: [UInt8]) { rest = bytes[...] }

  mutating func expression() throws(PluralRule.Fault) -> PluralExpression {
    let expression = try choice()
    if rest.isEmpty { return expression }
    throw fault()
  }

  private func fault() -> PluralRule.Fault {
    let text = String(decoding: rest.prefix(20), as: UTF8.self)
    return PluralRule.Fault(
      words: rest.isEmpty
        ? "the plural expression ends too early"
        : "the plural expression cannot be read from \(text.quoted()) on")
  }

  private mutating func takes(_ text: String) -> Bool {
    guard rest.starts(with: text.utf8) else { return false }
    rest = rest.dropFirst(text.utf8.count)
    return true
  }

  private mutating func descend() throws(PluralRule.Fault) {
    depth += 1
    if depth > Self.deepest {
      throw PluralRule.Fault(words: "the plural expression is nested too deeply")
    }
  }

  private mutating func choice() throws(PluralRule.Fault) -> PluralExpression {
    try descend()
    defer { depth -= 1 }
    let condition = try binary(0)
    guard takes("?") else { return condition }
    let yes = try choice()
    guard takes(":") else { throw fault() }
    let no = try choice()
    return { n in condition(n).flatMap { $0 != 0 ? yes(n) : no(n) } }
  }

  private mutating func binary(_ level: Int) throws(PluralRule.Fault) -> PluralExpression {
    guard level < Self.levels.count else { return try operand() }
    var left = try binary(level + 1)
    while let operation = Self.levels[level].first(where: { rest.starts(with: $0.key.utf8) }) {
      rest = rest.dropFirst(operation.key.utf8.count)
      let (first, second) = (left, try binary(level + 1))
      left = { n in first(n).flatMap { operation.value($0) { second(n) } } }
    }
    return left
  }

  private mutating func operand() throws(PluralRule.Fault) -> PluralExpression {
    if takes("n") { return { $0 } }
    if takes("!") {
      try descend()
      defer { depth -= 1 }
      let operand = try operand()
      return { operand($0).map { $0 == 0 ? 1 : 0 } }
    }
    if takes("(") {
      let inner = try choice()
      if takes(")") { return inner }
      throw fault()
    }
    let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    guard let number = UInt(String(decoding: digits, as: UTF8.self)) else { throw fault() }
    rest = rest.dropFirst(digits.count)
    return { _ in number }
  }
}
