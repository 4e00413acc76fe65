package import CommandOutput
package import LoanCatalogue
package import LoanRules
package import Loans
import Synchronization

/// What a run of `validate` is to do, with everything decided.
package struct ValidationRequest: Sendable {
  package let catalogues: [String]
  package var reader: CatalogueReader
  package let severities: SeverityPolicy
  package let form: any FindingsForm
  /// The file that takes the results instead of standard output.
  package let output: String?
  /// The most findings to show.
  package let limit: Int
  /// How many catalogues are read side by side.
  package let jobs: Int
  /// The variables of the environment.
  package let variables: [String: String]
  /// The path of a file as its repository knows it.
  package let repositoryPath: @Sendable (String) -> String
  package let fixing: Fixing
  package let isQuiet: Bool
  /// The time zone of the environment, if it is unknown.
  package let unknownZone: UnknownZone?

  package init(
    catalogues: [String], reader: CatalogueReader, severities: SeverityPolicy,
    form: any FindingsForm, output: String?, limit: Int, jobs: Int, variables: [String: String],
    repositoryPath: @escaping @Sendable (String) -> String, fixing: Fixing, isQuiet: Bool,
    unknownZone: UnknownZone?
  ) {
    (self.catalogues, self.reader, self.severities) = (catalogues, reader, severities)
    (self.form, self.output, self.limit, self.jobs) = (form, output, limit, jobs)
    (self.variables, self.repositoryPath) = (variables, repositoryPath)
    (self.fixing, self.isQuiet, self.unknownZone) = (fixing, isQuiet, unknownZone)
  }

  /// What is done about values that can be fixed.
  package enum Fixing { case none, dryRun, replace }
}

/// What a diff leaves, a line for standard error each.
package struct DiffForm: FindingsForm {
  package init() {}

  package func text(of finding: LocatedDiagnostic) -> String { finding.line }
}

/// A time zone that is unknown, which matters only where somebody wants a time in it.
package final class UnknownZone: Sendable {
  private let error: CommandError
  private let isWanted = Atomic(false)

  package init(_ error: CommandError) { self.error = error }

  package func civilTime(at instant: Int) -> CivilDateTime? {
    isWanted.store(true, ordering: .relaxed)
    return CivilDateTime(ordinal: instant)
  }

  /// - Throws: why it is unknown, if it was wanted.
  package func check() throws(CommandError) {
    if isWanted.load(ordering: .relaxed) { throw error }
  }
}
