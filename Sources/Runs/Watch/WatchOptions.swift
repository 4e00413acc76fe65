package import ArgumentParser
import CommandOutput
import Languages
package import Notifiers
package import Settings

/// The options of `watch`.
package struct WatchOptions: ParsableArguments, DescribedOptions, RunOptions {
  package init() {}

  package static let facts: [OptionFact] =
    ChannelOptions.facts + StaleOptions.facts + ActionOptions.facts + CatalogueOptions.facts
    + StateOptions.facts + LanguageOptions.facts + VerboseOptions.facts

  @Argument(
    help: "Catalogues to watch. (default: those of the settings file)", completion: .file())
  package var catalogues: [String] = []

  @OptionGroup package var channels: ChannelOptions

  @OptionGroup package var stale: StaleOptions

  @OptionGroup package var action: ActionOptions

  @OptionGroup package var catalogue: CatalogueOptions

  @OptionGroup package var state: StateOptions

  @OptionGroup package var language: LanguageOptions

  @OptionGroup var verbose: VerboseOptions
}

/// The buttons of desktop notifications.
package struct ActionOptions: ParsableArguments, DescribedOptions {
  package init() {}

  package static let facts: [OptionFact] = [
    OptionFact("action", .text, .file), OptionFact("buttons", .text, .file),
  ]

  @Option(
    help: ArgumentHelp(
      """
      Put a button with this label on notifications of notify-send; it runs this command. No shell \
      is used, and nothing in the command is expanded.
      """, valueName: "label=command"), transform: { try NotificationAction(argument: $0) })
  package var action: NotificationAction?

  @Option(
    help: ArgumentHelp(
      """
      Put these buttons on notifications of notify-send: snooze ("Remind me tomorrow"), returned \
      ("I have returned it"), or both with a comma between them.
      """, valueName: "buttons"),
    completion: .list(["snooze", "returned", "snooze,returned"]), transform: LoanButtons.parse)
  var buttons: LoanButtons?
}

/// The buttons of notifications that are made known by their names.
struct LoanButtons: Equatable, CustomStringConvertible {
  private let names: [String]

  /// The name of each, which is that of a command of schedule too, with its label.
  private static let labels: [(String, Message)] = [
    ("snooze", .remindTomorrow), ("returned", .haveReturned),
  ]

  /// Reads names with commas between them.
  @Sendable static func parse(_ text: String) throws -> LoanButtons {
    let names = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    guard Set(names).count == names.count,
      names.allSatisfy({ name in labels.contains { $0.0 == name } })
    else {
      throw ValidationError(
        "give \(labels.map(\.0).joined(separator: ", ")), or both with a comma between them")
    }
    return LoanButtons(names: names)
  }

  var description: String { names.joined(separator: ",") }

  /// The buttons, which run this very program.
  ///
  /// - Parameter options: those of the commands.
  func buttons(options: [String], in language: Language) -> [NotificationButton] {
    Self.labels.filter { names.contains($0.0) }.map { name, label in
      NotificationButton(
        name: name, label: language.text(label), program: ProcessSetup.ownPath ?? "check-loans",
        arguments: ["schedule", name] + options, isForOneLoan: name == "returned")
    }
  }
}
