import CommandOutput
import LoanCatalogue
import LoanRules
import Loans

/// The validation of one catalogue, whose findings become text as they are found.
struct CatalogueValidation: ~Copyable {
  private let path: String
  private let request: ValidationRequest
  private let reader: CatalogueReader
  private let handOver: (ResultsWriter.Piece) throws(CommandError) -> Void

  private var piece = ResultsWriter.Piece()
  private var tally: FileTally
  private var isPacked = false
  /// Whether it was to be fixed, and cannot be read to its end.
  private var isUnfixable = false
  /// The lines that findings are about, from a second reading of the file.
  private var lines: SourceLines?
  /// The places of the dates that a diff fixes, and so are not reported.
  private var shownInDiff: Set<SourceLocation> = []

  /// The number of findings that are handed over at a time.
  private static let pieceSize = 512
  /// The bytes of a diff that is handed over at once.
  private static let longestDiff = 262_144

  /// - Parameter handOver: takes what has been found, if there is much of it.
  init(
    of path: String, _ request: ValidationRequest, _ reader: CatalogueReader,
    handOver: @escaping (ResultsWriter.Piece) throws(CommandError) -> Void
  ) {
    self.path = path
    self.request = request
    self.reader = reader
    self.handOver = handOver
    tally = FileTally(path: path, repositoryPath: request.repositoryPath(path))
  }

  /// Reads the catalogue, and fixes it if that is wanted.
  ///
  /// - Returns: the rest of what was found.
  /// - Throws: ``CommandError`` if nothing more can be done.
  mutating func run() throws(CommandError) -> ResultsWriter.Piece {
    if request.fixing != .none { try fix() }
    if request.form.lineWidth != nil { lines = SourceLines(path: path) }
    piece.text += request.form.head(ofFile: tally).utf8
    do {
      let reading = try reader.open(path)
      isPacked = reading.isPacked
      while let batch = try reading.next() {
        try request.unknownZone?.check()
        for diagnostic in batch.diagnostics { try take(diagnostic) }
      }
      tally.records = reading.summary.records
      tally.loans = reading.summary.loans
      tally.leftOut = reading.summary.leftOut
      tally.profile = reading.summary.profile
    } catch let error as CatalogueError {
      let words =
        error.code == .changedWhileReading
        ? """
        the file was changed while it was read, so what was found in it may be wrong; try again
        """ : error.message + error.advice
      let place = error.location.map { ":\($0.line):\($0.column)" } ?? ""
      tally.failure = words
      report("\(place): \(words)", CommandError(error).status)
    } catch {
      throw CommandError(error)
    }
    if isUnfixable {
      report(": nothing was fixed, because the catalogue cannot be read to its end")
    }
    piece.tally = tally
    return piece
  }

  /// Has a line about the catalogue printed to standard error.
  private mutating func report(_ words: String, _ status: ExitStatus = .done) {
    piece.messages.append("check-loans: \(path.visible)\(words)")
    piece.status = piece.status.worse(status)
  }

  private mutating func take(_ diagnostic: Diagnostic) throws(CommandError) {
    guard let severity = request.severities.severity(of: diagnostic) else { return }
    if severity == .error { tally.errors += 1 } else { tally.warnings += 1 }
    if request.fixing == .none, path != "-", !isPacked, diagnostic.replacement != nil {
      tally.fixable += 1
    }
    if shownInDiff.contains(diagnostic.location) { return }
    var finding = LocatedDiagnostic(
      path: path, repositoryPath: tally.repositoryPath, diagnostic: diagnostic)
    finding.diagnostic.severity = severity
    if let width = request.form.lineWidth {
      finding.excerpt = lines?.excerpt(around: diagnostic.location, width: width)
    }
    piece.findings.append(request.form.text(of: finding))
    if piece.findings.count >= Self.pieceSize { try handOverPiece() }
  }

  private mutating func handOverPiece() throws(CommandError) {
    try handOver(piece)
    piece = ResultsWriter.Piece()
  }
}

// MARK: - Fixing

extension CatalogueValidation {
  /// Fixes what can be fixed; where that fails, it is reported, and the catalogue is as it was.
  private mutating func fix() throws(CommandError) {
    do throws(CommandError) {
      let fixer = CatalogueFixer(path)
      guard let problems = try problems(fixer) else {
        isUnfixable = true
        return
      }
      let outcome = try fixer.fix(problems, isDryRun: request.fixing == .dryRun)
      if outcome.left > 0 {
        let dates = counted(outcome.left, "date")
        report(": \(dates) left as written, since there is something else inside; fix by hand")
      }
      if request.fixing == .replace {
        tally.fixed = outcome.fixed.count
      } else {
        shownInDiff = outcome.fixed
        tally.fixable = outcome.fixed.count
        let isForTerminal = request.output == nil && ProcessSetup.isOutputATerminal
        piece.text = isForTerminal ? Array(UnifiedDiff.visible(outcome.diff).utf8) : outcome.diff
        if piece.text.count > Self.longestDiff { try handOverPiece() }
      }
    } catch {
      guard let message = error.message else { throw error }
      piece.messages.append("check-loans: \(message)")
      piece.status = piece.status.worse(error.status)
    }
  }

  /// The problems that can be fixed, or `nil` if the catalogue cannot be read to its end.
  ///
  /// - Throws: ``CommandError`` if it was changed meanwhile, or is compressed.
  private func problems(_ fixer: CatalogueFixer) throws(CommandError) -> [Diagnostic]? {
    var problems: [Diagnostic] = []
    do {
      var reader = request.reader
      reader.locatesFixes = true
      let reading = try reader.open(path)
      while let batch = try reading.next() {
        for diagnostic in batch.diagnostics where diagnostic.replacement != nil {
          if request.severities.severity(of: diagnostic) != nil { problems.append(diagnostic) }
        }
      }
      guard reading.summary.isComplete else { return nil }
      guard reading.isPacked, !problems.isEmpty else { return problems }
      throw CommandError(
        .usage,
        "\(path.visible): a compressed catalogue cannot be fixed; unpack it first (gunzip, unzip)")
    } catch let error as CatalogueError {
      if error.code == .changedWhileReading { throw fixer.changed }
      // It is reported by the reading that follows.
      return nil
    } catch {
      throw CommandError(error)
    }
  }
}
