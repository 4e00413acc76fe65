import ArgumentParser

/// `check-loans validate`.
struct ValidateCommand: AnySubcommand {
  static let configuration = CommandConfiguration(
    commandName: "validate",
    abstract: "Check the dates of catalogues, for CI.",
    discussion: """
      Prints one line for each problem, FILE:LINE:COLUMN: error: message [code], and a summary \
      on standard error. Reads only the catalogues and keeps no state.

      Examples:
        check-loans validate books.xml
        check-loans validate --format json *.xml > findings.json

      Exit status: 0 no errors (warnings do not count), 1 errors found, 64 wrong usage, 66 a \
      catalogue cannot be read, 74 input or output failed, 78 a setting is wrong.
      """)

  @Argument(help: "Catalogues to check; - is standard input.", completion: .file())
  var catalogues: [String]

  @Option(help: "The form of the results.")
  var format: OutputFormat?

  @Flag(help: "A book without <expiration> is an error.")
  var requireExpiration = false

  @Flag(name: .shortAndLong, help: "Leave out the summary.")
  var quiet = false

  func run(
    _ environment: Environment, _ console: Console
  ) async throws(CommandError) -> ExitStatus {
    try Validation(
      catalogues: catalogues, format: format, requiresExpiration: requireExpiration, isQuiet: quiet
    ).run(environment, console)
  }
}
