package import CommandOutput

/// A format of the results of `validate`.
package enum FindingsFormat: String, CaseIterable {
  case text
  case json
  case github
  case sarif
  case junit
  case gitlab
  case checkstyle
  case rdjsonl

  /// The form that writes results of this format.
  package var form: any FindingsForm {
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

/// One form of the results: pure functions whose texts are put together in the order head, then
/// for each catalogue its head, its findings and its tail, then the tail of all.
///
/// The texts of one catalogue may be made while another is worked on; all are written in the
/// order in which the catalogues were given, so that the same catalogues always give the same
/// bytes. A text ends with a line break where there is to be one.
package protocol FindingsForm: Sendable {
  /// Whether ``head(_:)`` shows numbers; then all that follows it is kept until they are known.
  var needsTally: Bool { get }
  /// The most characters that ``text(of:)`` needs of ``LocatedDiagnostic/excerpt``; `nil` if none.
  var lineWidth: Int? { get }
  /// The text between two findings, also of different catalogues.
  var separator: String { get }

  /// The text before everything else.
  ///
  /// - Parameter tally: the numbers of all catalogues, if ``needsTally``, otherwise all zero.
  func head(_ tally: FindingsTally) -> String
  /// The text before the findings of one catalogue, whose numbers are not known yet.
  func head(ofFile file: FileTally) -> String
  /// The text of one finding.
  func text(of finding: LocatedDiagnostic) -> String
  /// The text after the findings of one catalogue.
  func tail(ofFile file: FileTally) -> String
  /// The text after everything else.
  func tail(_ tally: FindingsTally) -> String
}

// MARK: - Defaults

extension FindingsForm {
  package var needsTally: Bool { false }
  package var lineWidth: Int? { nil }
  package var separator: String { "" }

  package func head(_ tally: FindingsTally) -> String { "" }
  package func head(ofFile file: FileTally) -> String { "" }
  package func tail(ofFile file: FileTally) -> String { "" }
  package func tail(_ tally: FindingsTally) -> String { "" }
}
