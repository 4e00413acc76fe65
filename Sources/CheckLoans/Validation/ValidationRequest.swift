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

  static let names = Diagnostic.Code.allCases.map(\.rawValue)
}

/// A code that a command can make less of.
struct LowerableCode: ExpressibleByArgument, Hashable, Sendable {
  let value: Diagnostic.Code

  init?(argument: String) {
    guard let code = RuleCode(argument: argument), Rule(code.value).canBeLowered else { return nil }
    value = code.value
  }

  /// - Throws: `ValidationError`, which says what is wrong.
  @Sendable static func parse(_ text: String) throws -> LowerableCode {
    _ = try RuleCode.parse(text)
    guard let code = LowerableCode(argument: text) else {
      throw ValidationError("nothing behind such a place is read, so it is always an error")
    }
    return code
  }

  static let names = Rule.all.filter(\.canBeLowered).map(\.code.rawValue)
}

/// How many days ahead an expiration may be.
struct DayCount: ExpressibleByArgument, Sendable {
  let value: Int

  init?(argument: String) {
    guard let value = Int(argument), (0...36_500).contains(value) else { return nil }
    self.value = value
  }
}

/// How many of something, from 1.
struct PositiveCount: ExpressibleByArgument, Sendable {
  let value: Int

  init?(argument: String) {
    guard let value = Int(argument), (1...1_000_000_000).contains(value) else { return nil }
    self.value = value
  }
}

/// What `validate` was asked for, before the environment has had its say.
struct ValidationRequest: Sendable {
  var catalogues: [String] = []
  var filesFrom: String?
  var allowsNoFiles = false
  var format: FindingsFormat?
  var profile: String?
  var loanDays: LoanDays?
  var output: String?
  var isStrict = false
  var errors: [RuleCode] = []
  var warnings: [LowerableCode] = []
  var ignored: [LowerableCode] = []
  var requiresExpiration = false
  var maxDays: DayCount?
  var now: Moment?
  var timeZone: String?
  var maxDiagnostics: PositiveCount?
  var jobs: JobCount?
  var fixes = false
  var isDryRun = false
  var color: ColorChoice?
  var isQuiet = false

  /// The variables, without `CHECK_LOANS_`, of the options that only `validate` has.
  static let variables = [
    "FILES_FROM", "ALLOW_NO_FILES", "OUTPUT", "STRICT", "ERROR", "WARN", "IGNORE", "MAX_DAYS",
    "MAX_DIAGNOSTICS",
    "FIX",
  ]

  /// Does what was asked for.
  ///
  /// - Throws: ``CommandError`` if nothing more can be done.
  func run(_ environment: Environment, _ console: Console) throws(CommandError) -> ExitStatus {
    try Validation(ValidationPlan(self, environment), environment, console).run()
  }
}
