public import Loans

/// Reads catalogues of one profile: a single pass, in memory that does not grow with the file
/// except for the identities needed to find duplicates.
public struct CatalogueReader: Sendable {
  /// What is handed over.
  public enum Detail: Sendable {
    /// Only diagnostics and the summary.
    case diagnostics
    /// Every record, too.
    case loans
  }

  /// The form of catalogue to read.
  public var profile: CatalogueProfile
  /// What is handed over.
  public var detail: Detail
  /// What is looked for.
  public var rules: CatalogueRules

  /// A reader of catalogues of this profile.
  public init(
    profile: CatalogueProfile = .native, detail: Detail = .loans,
    rules: CatalogueRules = CatalogueRules()
  ) {
    self.profile = profile
    self.detail = detail
    self.rules = rules
  }

  /// Reads one catalogue from its beginning to its end, or to where it is no longer XML.
  ///
  /// Diagnostics come in the order of their places, those of a record just before it; more than
  /// 1,000 of one record, or before the first record, come in parts, each in order. After one that
  /// ends the reading (``Loans/Diagnostic/Code/endsReading``) the summary says that the catalogue is
  /// not complete.
  ///
  /// - Parameters:
  ///   - path: a regular file, or `-` for standard input.
  ///   - onDiagnostic: takes each problem found.
  ///   - onRecord: takes each record.
  /// - Throws: ``CatalogueError`` if the catalogue cannot be read; what the closures throw ends the
  ///   reading and is passed on.
  /// - Returns: what the catalogue held.
  public func read(
    _ path: String,
    onDiagnostic: (Diagnostic) throws -> Void,
    onRecord: (LoanRecord) throws -> Void
  ) throws -> CatalogueSummary {
    let use = { (event: ReadingEvent) in
      switch event {
      case .record(let record): try onRecord(record)
      case .diagnostic(let diagnostic): try onDiagnostic(diagnostic)
      }
    }
    guard detail == .loans, CatalogueFile.isLarge(path) else { return try read(path, use) }
    return try ReadingAhead { use in try read(path, use) }.forEach(use)
  }

  private func read(
    _ path: String, _ use: (ReadingEvent) throws -> Void
  ) throws -> CatalogueSummary {
    try withoutActuallyEscaping(use) { use in
      let builder = RecordBuilder(reader: self, use: use)
      return try LibXML2Parser(builder: builder, profile: profile)
        .parse(CatalogueFile(opening: path))
    }
  }
}
