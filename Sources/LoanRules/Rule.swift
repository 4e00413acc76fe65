public import Loans

/// What one code of a diagnostic means to the person who has to mend the catalogue.
public struct Rule: Hashable, Sendable {
  /// The code.
  public let code: Diagnostic.Code
  /// What is wrong, in a few words.
  public let summary: String
  /// Why it is a problem, and what exactly is looked at.
  public let explanation: String
  /// A part of a catalogue, or a whole one, that has the problem.
  public let example: String
  /// ``example`` as it should be.
  public let mended: String
  /// What to do.
  public let remedy: String

  /// Whether a command can be told to make less of it: not of what ends the reading, since nobody
  /// knows what stands behind it.
  public var canBeLowered: Bool { !code.endsReading }

  /// The rule of a code.
  public init(_ code: Diagnostic.Code) {
    self.code = code
    let text = code.ruleText
    summary = text.summary
    explanation = text.explanation
    example = text.example
    mended = text.mended
    remedy = text.remedy
  }

  /// All rules, in the order of their codes.
  public static let all = Diagnostic.Code.allCases.map(Rule.init)
}
