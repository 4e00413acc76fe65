import ArgumentParser
import CommandOutput
import Settings

/// `check-loans schema`.
struct SchemaCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "schema",
    abstract: "Print a schema of catalogues, for editors.",
    discussion: """
      With a schema, an editor completes and explains your text, and marks impossible dates. A \
      schema refuses most of the errors that validate finds, but only validate finds all: RELAX \
      NG, for example, does not see that two books have the same id.

      Examples:
        check-loans schema > books.xsd
        check-loans schema --format rng > books.rng

      An editor finds the schema by the line <?xml-model href="books.xsd"?> before <books>.

      Exit status: 0 done, 64 wrong usage, 74 output failed.
      """)

  static let facts: [OptionFact] = [OptionFact("format", .text, .line)]

  static var scheme: SettingsScheme? { nil }

  @Option(help: "XML Schema 1.0, or RELAX NG in its XML syntax.")
  var format = SchemaFormat.xsd

  func run(_ environment: Environment, _ console: Console) throws -> ExitStatus {
    try console.print(format.document.span)
    return .done
  }
}

/// The languages in which the catalogue's schema is given.
enum SchemaFormat: String, CaseIterable, ExpressibleByArgument {
  case xsd
  case rng

  /// The whole schema, as UTF-8.
  fileprivate var document: [UInt8] {
    switch self {
    case .xsd: PackageResources.books_xsd
    case .rng: PackageResources.books_rng
    }
  }
}
