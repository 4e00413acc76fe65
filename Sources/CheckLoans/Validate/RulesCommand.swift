import ArgumentParser
import CommandOutput
import Loans
import Settings
import Validation

/// `check-loans rules`.
struct RulesCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "rules",
    abstract: "List the rules of validate, or explain one.",
    discussion: """
      Examples:
        check-loans rules
        check-loans rules date-format
      """)

  static let facts: [OptionFact] = [OptionFact("format", .text, .line)]
  static var scheme: SettingsScheme? { nil }

  @Argument(
    help: "Explain this code: its meaning, an example, and what to do.",
    completion: .list(Diagnostic.Code.names), transform: Diagnostic.Code.parse)
  var code: Diagnostic.Code?

  @Option(help: "Format of the list.")
  var format = OutputFormat.text

  func run(_ environment: Environment, _ console: Console) throws -> ExitStatus {
    if let code {
      try console.print(RuleList.explanation(of: code))
    } else {
      try console.print(format == .json ? RuleList.json.text + "\n" : RuleList.text)
    }
    return .done
  }
}
