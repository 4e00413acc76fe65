import LoanCatalogue
import LoanRules
import Loans

/// One run of `validate`: reads each catalogue and prints what is wrong with it.
struct Validation {
  /// The catalogues as given.
  var catalogues: [String]
  /// The form of the results, if a flag names it.
  var format: OutputFormat?
  var requiresExpiration = false
  var isQuiet = false

  /// - Throws: ``CommandError`` if nothing more can be done.
  func run(_ environment: Environment, _ console: Console) throws(CommandError) -> ExitStatus {
    let format = try environment.value(format, "FORMAT") ?? .text
    let isQuiet = try environment.isOn(isQuiet, "QUIET")
    let reader = CatalogueReader(
      detail: .dates,
      requiresExpiration: try environment.isOn(requiresExpiration, "REQUIRE_EXPIRATION"),
      dateRule: ExpirationRule.judge)
    var findings = Findings()
    for path in catalogues {
      try validate(path, with: reader, format, console, &findings)
    }
    if format == .json { try print(findings, console) }
    try console.flush()
    if !isQuiet { console.complain(findings.summary) }
    return findings.status
  }

  /// What was found in all catalogues.
  private struct Findings {
    var files = 0
    var unreadable = 0
    var hasReadingFailed = false
    var loans = 0
    var errors = 0
    var warnings = 0
    /// The diagnostics as JSON.
    var json: [String] = []

    var status: ExitStatus {
      if hasReadingFailed { return .inputOutput }
      return unreadable > 0 ? .noInput : errors > 0 ? .findings : .done
    }

    var summary: String {
      var findings = "no problems"
      if errors + warnings > 0 || files == 0 {
        findings = "\(counted(errors, "error")), \(counted(warnings, "warning"))"
      }
      if unreadable > 0 { findings += ", \(counted(unreadable, "file")) not read" }
      return "\(counted(files, "file")), \(counted(loans, "loan")): \(findings)"
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
      console.complain("\(error)")
      if error.code == .inputOutput { findings.hasReadingFailed = true }
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
