import LoanCatalogue
import LoanRules
import Loans
@main
enum CheckLoans { static func main() throws {
  for path in CommandLine.arguments.dropFirst() where !path.hasPrefix("-") {
    let r = CatalogueReader(detail: CommandLine.arguments.contains("--loans") ? .loans: .dates, requiresExpiration: path.contains("missing-exp"), dateRule: ExpirationRule.judge)
    let s = try r.read(path, onDiagnostic: { d in print("\(d.location.line):\(d.location.column): \(d.severity.rawValue): \(d.message) [\(d.code.rawValue)]") }, onRecord: { r in if CommandLine.arguments.contains("--loans") { _ = r.fingerprint; _ = r.key} })
    if CommandLine.arguments.contains("-v") { print(s) }
  }
} }
