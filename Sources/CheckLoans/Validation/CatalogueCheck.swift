import LoanCatalogue
import LoanRules
import Loans

/// The reading of one catalogue for `validate`, whose findings become text as they come.
struct CatalogueCheck {
  private let path: String
  private let plan: ValidationPlan
  private let form: any FindingsForm
  private let handOver: (ResultsSink.Piece) throws(CommandError) -> Void

  private var piece = ResultsSink.Piece()
  private var tally: FileTally
  private var shown = 0
  private var lines: SourceExcerpt?

  /// So many findings are handed over at a time.
  private static let pieceSize = 512

  /// - Parameter handOver: takes what has been found, if there is much of it.
  init(
    of path: String, _ plan: ValidationPlan, _ form: any FindingsForm,
    handOver: @escaping (ResultsSink.Piece) throws(CommandError) -> Void
  ) {
    self.path = path
    self.plan = plan
    self.form = form
    self.handOver = handOver
    tally = FileTally(path: path, repositoryPath: plan.paths.of(path))
    lines = plan.excerpt.map { SourceExcerpt(of: path, $0) }
  }

  /// Reads the catalogue.
  ///
  /// - Returns: the rest of what was found.
  /// - Throws: ``CommandError`` if nothing more can be done.
  mutating func run() throws(CommandError) -> ResultsSink.Piece {
    piece.head = form.head(ofFile: path, repositoryPath: tally.repositoryPath)
    do {
      tally.loans = try plan.reader.read(
        path, onDiagnostic: { try take($0) }, onRecord: { _ in }
      ).loans
    } catch let error as CatalogueError {
      tally.failure = error.message
      piece.complaints.append("check-loans: \(error)")
      piece.hasReadingFailed = error.code == .inputOutput
    } catch {
      throw CommandError(error)
    }
    piece.tail += form.tail(ofFile: tally)
    piece.tally = tally
    return piece
  }

  private mutating func take(_ diagnostic: Diagnostic) throws(CommandError) {
    guard let severity = plan.severities.severity(of: diagnostic.code) else { return }
    switch severity {
    case .error: tally.errors += 1
    case .warning: tally.warnings += 1
    }
    guard shown < plan.limit ?? .max else {
      piece.dropped += 1
      return
    }
    shown += 1
    var diagnostic = diagnostic
    diagnostic.severity = severity
    let found = LocatedDiagnostic(
      path: path, repositoryPath: tally.repositoryPath, diagnostic: diagnostic)
    piece.findings.append(form.text(of: found) + (lines?.text(for: diagnostic) ?? ""))
    if piece.findings.count == Self.pieceSize { try handOverPiece() }
  }

  private mutating func handOverPiece() throws(CommandError) {
    try handOver(piece)
    piece = ResultsSink.Piece()
  }
}
