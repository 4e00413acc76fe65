import LoanCatalogue
import LoanRules
import Loans

/// The validation of one catalogue, whose findings become text as they are found.
struct CatalogueValidation {
  private let path: String
  private let plan: ValidationPlan
  private let onProgress: (@Sendable (ReadingProgress) -> Void)?
  private let handOver: (ResultsWriter.Piece) throws(CommandError) -> Void

  private var piece = ResultsWriter.Piece()
  private var tally: FileTally
  private var shown = 0
  private let lines: CatalogueLines?
  private var isPacked = false
  /// The places of the dates that a diff fixes, and so are not reported.
  private var fixed: Set<SourceLocation> = []

  /// The number of findings that are handed over at a time.
  private static let pieceSize = 512
  /// The bytes of a diff that are handed over at a time.
  private static let longestDiff = 262_144

  /// - Parameters:
  ///   - onProgress: is called with how far the reading has come.
  ///   - handOver: takes what has been found, if there is much of it.
  init(
    of path: String, _ plan: ValidationPlan,
    onProgress: (@Sendable (ReadingProgress) -> Void)?,
    handOver: @escaping (ResultsWriter.Piece) throws(CommandError) -> Void
  ) {
    self.path = path
    self.plan = plan
    self.onProgress = onProgress
    self.handOver = handOver
    tally = FileTally(path: path, repositoryPath: plan.paths.of(path))
    let wantsLines = plan.form.needsSourceLine || plan.terminal != nil
    lines = wantsLines ? CatalogueLines(of: path) : nil
  }

  /// Reads the catalogue, and fixes it if that is wanted.
  ///
  /// - Returns: the rest of what was found.
  /// - Throws: ``CommandError`` if nothing more can be done.
  mutating func run() throws(CommandError) -> ResultsWriter.Piece {
    if plan.fixing != .none { try fix() }
    piece.head += plan.form.head(ofFile: path, repositoryPath: tally.repositoryPath)
    do {
      var reader = plan.reader
      reader.onProgress = onProgress
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
      report("\(place): \(words(of: error))", CommandError(error).status)
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

  /// Has a line about the catalogue printed to standard error.
  private mutating func report(_ words: String, _ status: ExitStatus = .done) {
    piece.messages.append("check-loans: \(path.visible)\(words)")
    piece.status = piece.status.worse(status)
  }

  private mutating func take(_ diagnostic: Diagnostic) throws(CommandError) {
    guard let severity = plan.severities.severity(of: diagnostic) else { return }
    switch severity {
    case .error: tally.errors += 1
    case .warning: tally.warnings += 1
    }
    if plan.fixing == .none, path != "-", !isPacked, diagnostic.replacement != nil {
      piece.fixable += 1
    }
    if plan.fixing == .dryRun && fixed.contains(diagnostic.location) { return }
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
    if piece.findings.count + piece.messages.count >= Self.pieceSize { try handOverPiece() }
  }

  private mutating func show(_ finding: LocatedDiagnostic) {
    var finding = finding
    if plan.fixing == .dryRun {
      piece.messages.append(finding.line)
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
    piece = ResultsWriter.Piece()
  }
}

// MARK: - Fixing

extension CatalogueValidation {
  /// Fixes what can be fixed; where that fails, it is reported, and the catalogue is as it was.
  private mutating func fix() throws(CommandError) {
    do throws(CommandError) {
      let fixer = try CatalogueFixer(path)
      guard let problems = try problems() else {
        return report(": nothing can be fixed, because the catalogue cannot be read to its end")
      }
      switch plan.fixing {
      case .none: break
      case .replace:
        let outcome = try fixer.fix(problems)
        piece.fixed = outcome.fixed.count
        report(leftAlone: outcome.left)
      case .dryRun:
        let outcome = try preview(fixer, problems)
        fixed = outcome.fixed
        piece.fixable = outcome.fixed.count
        report(leftAlone: outcome.left)
      }
    } catch {
      guard let message = error.message else { throw error }
      piece.messages.append("check-loans: \(message)")
      piece.status = piece.status.worse(error.status)
    }
  }

  private mutating func report(leftAlone count: Int) {
    if count == 0 { return }
    report(
      """
      : \(counted(count, "date")) left as written, since there is something else inside; fix by hand
      """)
  }

  /// The problems that can be fixed, or `nil` if the catalogue cannot be read to its end.
  private func problems() throws(CommandError) -> [Diagnostic]? {
    var problems: [Diagnostic] = []
    do {
      var reader = plan.reader
      reader.locatesFixes = true
      let reading = try reader.open(path)
      while let events = try reading.next() {
        for case .diagnostic(let diagnostic) in events
        where plan.severities.severity(of: diagnostic) != nil {
          if diagnostic.replacement != nil { problems.append(diagnostic) }
        }
      }
      guard reading.summary.isComplete else { return nil }
      guard reading.isPacked, !problems.isEmpty else { return problems }
      throw CommandError(
        .usage,
        "\(path.visible): a compressed catalogue cannot be fixed; unpack it first (gunzip, unzip)")
    } catch is CatalogueError {
      // It is reported by the reading that follows.
      return nil
    } catch {
      throw CommandError(error)
    }
  }

  private mutating func preview(
    _ fixer: CatalogueFixer, _ problems: [Diagnostic]
  ) throws(CommandError) -> FixOutcome {
    let isForTerminal = plan.output == nil && ProcessSetup.isOutputATerminal
    var diff = ResultsWriter.Piece()
    let outcome = try fixer.preview(problems) { bytes throws(CommandError) in
      diff.bytes += isForTerminal ? Array(UnifiedDiff.visible(bytes).utf8) : bytes
      guard diff.bytes.count > Self.longestDiff else { return }
      try handOver(diff)
      diff = ResultsWriter.Piece()
    }
    piece.bytes = diff.bytes
    return outcome
  }
}
