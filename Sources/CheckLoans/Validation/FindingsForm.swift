import ArgumentParser
import Loans

/// The forms in which `validate` gives its results.
enum FindingsFormat: String, CaseIterable, ExpressibleByArgument {
  case text
  case json
  case github
  case sarif
  case junit
  case gitlab
  case checkstyle
  case rdjsonl
}

/// What was found in one catalogue, in numbers.
struct FileTally: Sendable {
  /// The catalogue as it was given.
  var path: String
  /// The catalogue as its repository knows it, with `/` between directories.
  var repositoryPath: String
  /// The name of the profile that it was read with; `nil` if no form is known that it is of.
  var profile: String?
  var records = 0
  var loans = 0
  /// Books that no loan could be made of.
  var leftOut = 0
  var errors = 0
  var warnings = 0
  /// Why the catalogue could not be read, harmless on a terminal; `nil` if it was.
  var failure: String?
}

/// What was found in all catalogues, in numbers.
struct FindingsTally: Sendable {
  /// Catalogues that were read.
  var files = 0
  /// Catalogues that were read and are without errors and warnings.
  var cleanFiles = 0
  var records = 0
  var loans = 0
  /// Books that no loan could be made of.
  var leftOut = 0
  var errors = 0
  var warnings = 0
  /// How many of the errors and warnings are left out of the results.
  var omitted = 0
  /// Dates that were mended, and are no findings any more.
  var mended = 0
  /// Dates that `--fix` would mend.
  var mendable = 0
  /// The catalogues that were read, each with its profile.
  var read: [(path: String, profile: String?)] = []
  /// The catalogues that could not be read.
  var unread: [FileTally] = []

  /// How many errors and warnings are in the results.
  var shown: Int { errors + warnings - omitted }
}

/// One form of the results: pure functions whose texts are put together in the order head, then
/// for each catalogue its head, its findings and its tail, then the tail of all.
///
/// The texts of one catalogue may be made while another is worked on; all are written in the
/// order in which the catalogues were given, so that the same catalogues always give the same
/// bytes. A text ends with a line break where there is to be one.
protocol FindingsForm: Sendable {
  /// Whether ``head(_:)`` makes use of the numbers: all that follows it waits until they are known.
  var needsTally: Bool { get }
  /// Whether ``text(of:)`` makes use of ``LocatedDiagnostic/sourceLine``.
  var needsSourceLine: Bool { get }
  /// What stands between two findings, also of different catalogues, and nowhere else.
  var separator: String { get }

  /// What stands before everything else.
  ///
  /// - Parameter tally: the numbers of all catalogues, if ``needsTally``; else nothing is known yet.
  func head(_ tally: FindingsTally) -> String
  /// What stands before the findings of one catalogue.
  ///
  /// - Parameters:
  ///   - path: the catalogue as it was given.
  ///   - repositoryPath: the catalogue as its repository knows it.
  func head(ofFile path: String, repositoryPath: String) -> String
  /// One finding.
  func text(of finding: LocatedDiagnostic) -> String
  /// What stands behind the findings of one catalogue.
  func tail(ofFile tally: FileTally) -> String
  /// What stands behind everything else.
  func tail(_ tally: FindingsTally) -> String
}

// What most forms are without.
extension FindingsForm {
  var needsTally: Bool { false }
  var needsSourceLine: Bool { false }
  var separator: String { "" }

  func head(_ tally: FindingsTally) -> String { "" }
  func head(ofFile path: String, repositoryPath: String) -> String { "" }
  func tail(ofFile tally: FileTally) -> String { "" }
  func tail(_ tally: FindingsTally) -> String { "" }
}
