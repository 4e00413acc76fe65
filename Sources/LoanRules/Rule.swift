public import Loans

/// The meaning of a diagnostic's code to the person who has to fix the catalogue.
public struct Rule: Hashable, Sendable {
  /// The code.
  public let code: Diagnostic.Code
  /// The problem in a few words.
  public let summary: String
  /// The reason why it is a problem, and what exactly is checked.
  public let explanation: String
  /// A part of a catalogue, or a whole one, that has the problem.
  public let example: String
  /// ``example`` as it should be.
  public let fixed: String
  /// The advice.
  public let remedy: String

  /// Whether it can be reported as a warning or ignored.
  ///
  /// What ends the reading cannot, since nobody knows what comes after it.
  public var isSuppressible: Bool { !code.endsReading }

  /// The rule of a code.
  public init(_ code: Diagnostic.Code) {
    self.code = code
    let text = code.ruleText
    summary = text.summary
    explanation = text.explanation
    example = text.example
    fixed = text.fixed
    remedy = text.remedy
  }

  /// All rules, in the order of their codes.
  public static let all = Diagnostic.Code.allCases.map(Rule.init)
}
