import ArgumentParser
import LoanRules
import Loans

/// A code of a rule as the command line gives it.
struct RuleCode: ExpressibleByArgument, Hashable, Sendable {
  let value: Diagnostic.Code

  init?(argument: String) {
    guard let value = Diagnostic.Code(rawValue: argument) else { return nil }
    self.value = value
  }

  /// - Throws: `ValidationError`, which says what is wrong.
  @Sendable static func parse(_ text: String) throws -> RuleCode {
    guard let code = RuleCode(argument: text) else {
      if text.contains(",") { throw ValidationError("give the option once for each code") }
      let nearest = text.nearest(among: names).map { "did you mean \($0)? " } ?? ""
      throw ValidationError("\(nearest)--list-rules lists the codes")
    }
    return code
  }

  var defaultValueDescription: String { value.rawValue }

  static let names = Diagnostic.Code.allCases.map(\.rawValue)
}

/// A code whose severity can be lowered.
struct SuppressibleCode: ExpressibleByArgument, Hashable, Sendable {
  let value: Diagnostic.Code

  init?(argument: String) {
    guard let code = RuleCode(argument: argument), Rule(code.value).isSuppressible else {
      return nil
    }
    value = code.value
  }

  /// - Throws: `ValidationError`, which says what is wrong.
  @Sendable static func parse(_ text: String) throws -> SuppressibleCode {
    _ = try RuleCode.parse(text)
    guard let code = SuppressibleCode(argument: text) else {
      throw ValidationError("nothing after such a place is read, so it is always an error")
    }
    return code
  }

  var defaultValueDescription: String { value.rawValue }

  static let names = Rule.all.filter(\.isSuppressible).map(\.code.rawValue)
}
