import LoanCatalogue
import LoanRules
import Loans

/// The reading of one catalogue for `validate`, whose findings become text as they come.
struct CatalogueCheck {
  private let path: String
  private let plan: ValidationPlan
  private let reader: CatalogueReader
  private let handOver: (ResultsSink.Piece) throws(CommandError) -> Void

  private var piece = ResultsSink.Piece()
  private var tally: FileTally
  private var shown = 0
  private let lines: CatalogueLines?
  private var isPacked = false
  /// What a diff fixes, and so is not reported.
  private var fixed = FixOutcome()
  /// Why a diff could not be handed over.
  private var failure: CommandError?

  /// So many findings are handed over at a time.
  private static let pieceSize = 512
  /// So many bytes of a diff are handed over at a time.
  private static let longestDiff = 262_144

  /// - Parameters:
  ///   - onProgress: is told how far the reading has come.
  ///   - handOver: takes what has been found, if there is much of it.
  init(
    of path: String, _ plan: ValidationPlan,
    onProgress: (@Sendable (ReadingProgress) -> Void)?,
    handOver: @escaping (ResultsSink.Piece) throws(CommandError) -> Void
  ) {
    self.path = path
    self.plan = plan
    self.handOver = handOver
    var reader = plan.reader
    reader.onProgress = onProgress
    self.reader = reader
    tally = FileTally(path: path, repositoryPath: plan.paths.of(path))
    let wantsLines = plan.form.needsSourceLine || plan.terminal != nil
    lines = wantsLines ? CatalogueLines(of: path) : nil
  }

  /// Reads the catalogue, and fixes it if that is wanted.
  ///
  /// - Returns: the rest of what was found.
  /// - Throws: ``CommandError`` if nothing more can be done.
  mutating func run() throws(CommandError) -> ResultsSink.Piece {
    if plan.fixing != .none { try fix() }
    piece.head += plan.form.head(ofFile: path, repositoryPath: tally.repositoryPath)
    do {
      let reading = try reader.open(path)
      isPacked = reading.isPacked
      while let events = try reading.next() {
        for case .diagnostic(let diagnostic) in events { try take(diagnostic) }
      }
      tally.records = reading.summary.records
      tally.loans = reading.summary.loans
      tally.leftOut = reading.summary.leftOut
      tally.profile = reading.summary.profile
    } catch let error as CatalogueError {
      tally.failure = words(of: error)
      let place = error.location.map { ":\($0.line):\($0.column)" } ?? ""
      complain("\(path.visible)\(place): \(words(of: error))", CommandError(error).status)
    } catch {
      throw CommandError(error)
    }
    piece.tail += plan.form.tail(ofFile: tally)
    piece.tally = tally
    return piece
  }

  private func words(of error: CatalogueError) -> String {
    guard error.code == .changedWhileReading else { return error.message }
    return "the file was changed while it was read, so what was found in it may be wrong; try again"
  }

  private mutating func complain(_ words: String, _ status: ExitStatus) {
    piece.complaints.append("check-loans: \(words)")
    piece.status = piece.status.worse(status)
  }

  private mutating func take(_ diagnostic: Diagnostic) throws(CommandError) {
    guard let severity = plan.severities.severity(of: diagnostic) else { return }
    switch severity {
    case .error: tally.errors += 1
    case .warning: tally.warnings += 1
    }
    if plan.fixing == .none, path != "-", !isPacked, diagnostic.replacement != nil {
      piece.mendable += 1
    }
    if plan.fixing == .dryRun && fixed.isFixed(diagnostic.location) { return }
    guard shown < plan.limit ?? .max else {
      piece.dropped += 1
      return
    }
    shown += 1
    var diagnostic = diagnostic
    diagnostic.severity = severity
    show(
      LocatedDiagnostic(
        path: path, repositoryPath: tally.repositoryPath, diagnostic: diagnostic))
    if piece.findings.count + piece.complaints.count >= Self.pieceSize { try handOverPiece() }
  }

  private mutating func show(_ finding: LocatedDiagnostic) {
    var finding = finding
    if plan.fixing == .dryRun {
      piece.complaints.append(finding.line)
    } else if let terminal = plan.terminal {
      let line = lines?.marked(finding.diagnostic, terminal) ?? ""
      piece.findings.append(plan.form.text(of: finding) + line)
    } else {
      if plan.form.needsSourceLine {
        finding.sourceLine = lines?.line(at: finding.diagnostic.location)
      }
      piece.findings.append(plan.form.text(of: finding))
    }
  }

  private mutating func handOverPiece() throws(CommandError) {
    try handOver(piece)
    piece = ResultsSink.Piece()
  }
}

// MARK: - Fixing
extension CatalogueCheck {
  /// Fixes what can be fixed; where that fails, it is reported, and the catalogue is as it was.
  private mutating func fix() throws(CommandError) {
    do throws(CommandError) {
      let fixer = try CatalogueFixer(path)
      guard let problems = try problems() else {
        let words = "nothing can be fixed as long as the catalogue is not read to its end"
        return piece.complaints.append("check-loans: \(path.visible): \(words)")
      }
      switch plan.fixing {
      case .none: break
      case .replace: fixed = try fixer.fix(problems)
      case .dryRun: try preview(fixer, problems)
      }
    } catch {
      if let failure { throw failure }
      if let message = error.message { complain(message, error.status) }
    }
    if fixed.left > 0 {
      let dates = counted(fixed.left, "date")
      piece.complaints.append(
        """
        check-loans: \(path.visible): \(dates) left as written, since something else stands inside; \
        fix by hand
        """)
    }
    if plan.fixing == .replace { piece.mended = fixed.fixed.count }
  }

  /// What can be fixed, or `nil` if the catalogue cannot be read to its end.
  private func problems() throws(CommandError) -> [Diagnostic]? {
    var problems: [Diagnostic] = []
    do {
      var reader = plan.reader
      reader.locatesFixes = true
      let reading = try reader.open(path)
      while let events = try reading.next() {
        for case .diagnostic(let diagnostic) in events
        where plan.severities.severity(of: diagnostic.code) != nil {
          if diagnostic.replacement != nil { problems.append(diagnostic) }
        }
      }
      guard reading.isPacked, !problems.isEmpty, reading.summary.isComplete else {
        return reading.summary.isComplete ? problems : nil
      }
      throw CommandError(
        .usage,
        """
        \(path.visible): a compressed catalogue cannot be fixed; unpack it first (gunzip, unzip)
        """)
    } catch is CatalogueError {
      // The reading that follows tells it.
      return nil
    } catch {
      throw CommandError(error)
    }
  }

  private mutating func preview(_ fixer: CatalogueFixer, _ problems: [Diagnostic])
    throws(CommandError)
  {
    var visible = VisibleDiff()
    let isForTerminal = plan.output == nil && ProcessSetup.isOutputATerminal
    var piece = ResultsSink.Piece()
    fixed = try fixer.preview(problems) { bytes throws(CommandError) in
      piece.bytes += isForTerminal ? Array(visible.text(of: bytes).utf8) : bytes
      guard piece.bytes.count > Self.longestDiff else { return }
      do throws(CommandError) { try handOver(piece) } catch {
        failure = error
        throw error
      }
      piece = ResultsSink.Piece()
    }
    self.piece.bytes = piece.bytes
    self.piece.mendable = fixed.fixed.count
  }
}
