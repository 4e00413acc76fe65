import ArgumentParser
import CommandOutput
import Loans
import Reports
import Settings
import Validation

// What rooms that know no options have for them.

extension StaffList.Kind: ExpressibleByArgument {}
extension FindingsFormat: ExpressibleByArgument {}

// MARK: - Codes

extension Diagnostic.Code {
  static let names = allCases.map(\.rawValue)

  /// What can be reported as a warning or ignored: not what ends the reading, since nobody knows
  /// what comes after it.
  static let suppressibleNames = allCases.filter { !$0.endsReading }.map(\.rawValue)

  /// - Throws: `ValidationError`, which says what is wrong.
  @Sendable static func parse(_ text: String) throws -> Self {
    if let code = Self(rawValue: text) { return code }
    if text.contains(",") { throw ValidationError("give the option once for each code") }
    let nearest = text.nearest(among: names)
    let question = nearest.map { "did you mean \($0)? " } ?? ""
    throw ValidationError("\(question)check-loans rules lists the codes")
  }

  /// - Throws: `ValidationError`, which says what is wrong.
  @Sendable static func parseSuppressible(_ text: String) throws -> Self {
    let code = try parse(text)
    if !code.endsReading { return code }
    throw ValidationError("nothing after such a place is read, so it is always an error")
  }
}
