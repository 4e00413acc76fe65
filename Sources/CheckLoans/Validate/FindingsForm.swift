import ArgumentParser
import Loans

/// A format of the results of `validate`.
enum FindingsFormat: String, CaseIterable, ExpressibleByArgument {
  case text
  case json
  case github
  case sarif
  case junit
  case gitlab
  case checkstyle
  case rdjsonl

  /// The form that writes results of this format.
  var form: any FindingsForm {
    switch self {
    case .text: TextForm()
    case .json: JSONForm()
    case .github: GitHubForm()
    case .sarif: SARIFForm()
    case .junit: JUnitForm()
    case .gitlab: GitLabForm()
    case .checkstyle: CheckstyleForm()
    case .rdjsonl: RDJSONLForm()
    }
  }
}

/// The numbers of what was found in one catalogue.
struct FileTally: Sendable {
  /// The catalogue as it was given.
  var path: String
  /// The catalogue as its repository knows it, with `/` between directories.
  var repositoryPath: String
  /// The name of the profile that it was read with; `nil` if none fits.
  var profile: String?
  var records = 0
  var loans = 0
  /// Books left out because their expiration is unusable.
  var leftOut = 0
  var errors = 0
  var warnings = 0
  /// Why the catalogue could not be read, harmless on a terminal; `nil` if it was.
  var failure: String?
}

/// The numbers of what was found in all catalogues.
struct FindingsTally: Sendable {
  /// The catalogues that were read.
  var read: [FileTally] = []
  /// The catalogues that could not be read.
  var unread: [FileTally] = []
  /// Errors and warnings that are left out of the results.
  var omitted = 0
  /// Dates that were fixed, and are no longer findings.
  var fixed = 0
  /// Dates that `--fix` would fix.
  var fixable = 0

  var files: Int { read.count }
  /// Catalogues that were read and are without errors and warnings.
  var cleanFiles: Int { read.count { $0.errors + $0.warnings == 0 } }
  var records: Int { read.reduce(0) { $0 + $1.records } }
  var loans: Int { read.reduce(0) { $0 + $1.loans } }
  var leftOut: Int { read.reduce(0) { $0 + $1.leftOut } }
  // Also of catalogues that failed after something was found in them.
  var errors: Int { (read + unread).reduce(0) { $0 + $1.errors } }
  var warnings: Int { (read + unread).reduce(0) { $0 + $1.warnings } }
  /// Errors and warnings in the results.
  var shown: Int { errors + warnings - omitted }

  mutating func add(_ file: FileTally) {
    if file.failure == nil { read.append(file) } else { unread.append(file) }
  }
}

/// One form of the results: pure functions whose texts are put together in the order head, then
/// for each catalogue its head, its findings and its tail, then the tail of all.
///
/// The texts of one catalogue may be made while another is worked on; all are written in the
/// order in which the catalogues were given, so that the same catalogues always give the same
/// bytes. A text ends with a line break where there is to be one.
protocol FindingsForm: Sendable {
  /// Whether ``head(_:)`` shows numbers; then all that follows it is kept until they are known.
  var needsTally: Bool { get }
  /// Whether ``text(of:)`` needs ``LocatedDiagnostic/sourceLine``.
  var needsSourceLine: Bool { get }
  /// The text between two findings, also of different catalogues.
  var separator: String { get }

  /// The text before everything else.
  ///
  /// - Parameter tally: the numbers of all catalogues, if ``needsTally``, otherwise all zero.
  func head(_ tally: FindingsTally) -> String
  /// The text before the findings of one catalogue.
  ///
  /// - Parameters:
  ///   - path: the catalogue as it was given.
  ///   - repositoryPath: the catalogue as its repository knows it.
  func head(ofFile path: String, repositoryPath: String) -> String
  /// The text of one finding.
  func text(of finding: LocatedDiagnostic) -> String
  /// The text after the findings of one catalogue.
  func tail(ofFile tally: FileTally) -> String
  /// The text after everything else.
  func tail(_ tally: FindingsTally) -> String
}

// MARK: - Defaults

extension FindingsForm {
  var needsTally: Bool { false }
  var needsSourceLine: Bool { false }
  var separator: String { "" }

  func head(_ tally: FindingsTally) -> String { "" }
  func head(ofFile path: String, repositoryPath: String) -> String { "" }
  func tail(ofFile tally: FileTally) -> String { "" }
  func tail(_ tally: FindingsTally) -> String { "" }
}
