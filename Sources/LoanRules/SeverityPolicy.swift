public import Loans

/// The severity of each code, or that it is ignored.
public struct SeverityPolicy: Hashable, Sendable {
  /// The codes that are errors.
  public var errors: Set<Diagnostic.Code>
  /// The codes that are warnings, even if warnings are errors.
  public var warnings: Set<Diagnostic.Code>
  /// The codes that are ignored.
  public var ignored: Set<Diagnostic.Code>
  /// Whether every other warning is an error.
  public var isStrict: Bool

  /// The severities of the codes themselves, except for these; no code may be in two of the sets.
  public init(
    errors: Set<Diagnostic.Code> = [], warnings: Set<Diagnostic.Code> = [],
    ignored: Set<Diagnostic.Code> = [], isStrict: Bool = false
  ) {
    self.errors = errors
    self.warnings = warnings
    self.ignored = ignored
    self.isStrict = isStrict
  }

  /// The severity of a problem, or `nil` if it is ignored.
  public func severity(of problem: Diagnostic) -> Diagnostic.Severity? {
    let code = problem.code
    if ignored.contains(code) { return nil }
    if errors.contains(code) { return .error }
    if warnings.contains(code) { return .warning }
    return isStrict || problem.severity == .error ? .error : code.validationSeverity
  }

  /// The codes that are in two of the sets, by name.
  public var contradictions: [Diagnostic.Code] {
    let twice = errors.intersection(warnings).union(errors.intersection(ignored))
      .union(warnings.intersection(ignored))
    return twice.sorted { $0.rawValue < $1.rawValue }
  }
}

extension Diagnostic.Code {
  /// The severity that problems with this code have in a validation, unless it is configured.
  ///
  /// An expiration that is overlooked prevents nothing else from being read, but whoever validates a
  /// catalogue wants to know.
  public var validationSeverity: Diagnostic.Severity {
    switch self {
    case .unknownCase, .misplacedExpiration, .unknownDateElement: .error
    default: severity
    }
  }
}
