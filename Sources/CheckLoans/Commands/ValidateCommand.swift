import ArgumentParser
import LoanCatalogue
import LoanRules
import Loans

/// `check-loans validate`.
struct ValidateCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "validate",
    abstract: "Check the dates of catalogues, for CI.",
    discussion: """
      Prints one line for each problem, FILE:LINE:COLUMN: error: message [code], and a summary \
      on standard error. Reads only the catalogues and keeps no state.

      Example:
        check-loans validate books.xml
        check-loans validate --format json *.xml > findings.json

      Exit status: 0 no errors (warnings do not count), 1 errors found, 64 wrong usage, 66 a \
      catalogue cannot be read, 74 input or output failed.
      """)

  @Argument(help: "Catalogues to check; - is standard input.", completion: .file())
  var catalogues: [String]

  @Option(help: "The form of the results: text or json.")
  var format: OutputFormat?

  @Flag(help: "A book without <expiration> is an error.")
  var requireExpiration = false

  @Flag(name: .shortAndLong, help: "Leave out the summary.")
  var quiet = false

  func run(
    _ environment: Environment, _ console: Console
  ) async throws(CommandError) -> ExitStatus {
    let format = try environment.value(format, "FORMAT") ?? .text
    let reader = CatalogueReader(
      detail: .dates,
      requiresExpiration: try environment.isOn(requireExpiration, "REQUIRE_EXPIRATION"),
      dateRule: ExpirationRule.judge)
    var findings = Findings()
    for path in catalogues {
      try validate(path, with: reader, format, console, &findings)
    }
    if format == .json { try print(findings, console) }
    try console.flush()
    if try !environment.isOn(quiet, "QUIET") { console.complain(findings.summary) }
    return findings.unreadable > 0 ? .noInput : findings.errors > 0 ? .findings : .done
  }

  /// What was found in all catalogues.
  private struct Findings {
    var files = 0
    var unreadable = 0
    var loans = 0
    var errors = 0
    var warnings = 0
    /// The diagnostics as JSON.
    var json: [String] = []

    var summary: String {
      let found = "\(counted(files, "file")), \(counted(loans, "loan"))"
      if errors + warnings == 0 { return "\(found): no problems" }
      return "\(found): \(counted(errors, "error")), \(counted(warnings, "warning"))"
    }
  }

  private func validate(
    _ path: String, with reader: CatalogueReader, _ format: OutputFormat, _ console: Console,
    _ findings: inout Findings
  ) throws(CommandError) {
    do {
      let summary = try reader.read(
        path,
        onDiagnostic: { diagnostic in
          let found = LocatedDiagnostic(path: path, diagnostic: diagnostic)
          switch format {
          case .text: try console.print(line: found.line)
          case .json: findings.json.append(found.json.text)
          }
        }, onRecord: { _ in })
      findings.files += 1
      findings.loans += summary.loans
      findings.errors += summary.errors
      findings.warnings += summary.warnings
    } catch let error as CatalogueError {
      guard error.code != .inputOutput else { throw CommandError(error) }
      console.complain("\(error)")
      findings.unreadable += 1
    } catch {
      throw CommandError(error)
    }
  }

  private func print(_ findings: Findings, _ console: Console) throws(CommandError) {
    var line = """
      {"version":1,"files":\(findings.files),"loans":\(findings.loans),\
      "errors":\(findings.errors),"warnings":\(findings.warnings),"diagnostics":[
      """
    line += findings.json.joined(separator: ",")
    try console.print(line: line + "]}")
  }
}
