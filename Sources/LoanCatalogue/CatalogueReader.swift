public import Loans

/// Reads catalogues: a single pass, in memory that does not grow with the file except for the
/// identities needed to find duplicates, and for what a form tells of a record before or after it.
public struct CatalogueReader: Sendable {
  /// What is handed over.
  public enum Detail: Sendable {
    /// Only diagnostics and the summary.
    case diagnostics
    /// Every record, too.
    case loans
  }

  /// The form of catalogue to read; `nil` to find it out from the document's beginning.
  public var profile: CatalogueProfile?
  /// What is handed over.
  public var detail: Detail
  /// What is looked for.
  public var rules: CatalogueRules
  /// After how many days a loan expires, where a form only tells when it began.
  ///
  /// 1 or more; `nil` if that is not known. Beyond the year 9999 it expires on the last day of it.
  public var loanDays: Int?
  /// The library's civil time at an instant, in seconds since 1970-01-01T00:00:00Z.
  ///
  /// `nil` outside the years 1 to 9999. What it throws ends the reading. By itself it takes the
  /// library to be where UTC is kept.
  public var civilTime: @Sendable (Int) throws -> CivilDateTime?

  /// A reader of catalogues of this profile, or of any that is known.
  public init(
    profile: CatalogueProfile? = nil, detail: Detail = .loans,
    rules: CatalogueRules = CatalogueRules(), loanDays: Int? = nil,
    civilTime: @escaping @Sendable (Int) throws -> CivilDateTime? = {
      CivilDateTime(ordinal: $0)
    }
  ) {
    self.profile = profile
    self.detail = detail
    self.rules = rules
    self.loanDays = loanDays
    self.civilTime = civilTime
  }

  /// Reads one catalogue from its beginning to its end, or to where it is no longer XML.
  ///
  /// Diagnostics come in the order of their places, those of a record just before it; more than
  /// 1,000 of one record, or before the first record, come in parts, each in order. What only the
  /// document's end tells comes last, wherever it stands: an error answer, that there are more loans,
  /// that none has an expiration. After one that ends the reading
  /// (``Loans/Diagnostic/Code/endsReading``) the summary says that the catalogue is not complete.
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
    let catalogue = try OpenCatalogue(path)
    let opening = try DocumentOpening(of: catalogue)
    catalogue.documentStart = opening.headerLength
    if let refusal = opening.refusal(path: path, isFormKnown: profile != nil) {
      var findings = FindingList(rules: rules)
      for finding in opening.warnings + [refusal] { findings.append(finding) }
      for finding in findings.drain(.document) { try use(.diagnostic(finding)) }
      var summary = CatalogueSummary()
      (summary.isComplete, summary.errors) = (false, 1)
      summary.warnings = opening.warnings.count
      return summary
    }
    let document = ReadDocument(reader: self, catalogue: catalogue, opening: opening)
    if let profile { return try document.parse(profile, for: .reading, use).summary }
    let trial = try document.parse(.native, for: .trial, use)
    // What cannot be read again was read as it is.
    guard trial.verdict == .no, catalogue.keepsBeginning else { return trial.summary }
    return try document.parse(try document.detect() ?? .native, for: .reading, use).summary
  }
}

/// A document that is read, perhaps several times until its form is known.
private struct ReadDocument {
  var reader: CatalogueReader
  var catalogue: OpenCatalogue
  var opening: DocumentOpening

  func parse(
    _ profile: CatalogueProfile, for purpose: RecordBuilder.Purpose,
    _ use: (ReadingEvent) throws -> Void
  ) throws -> ParserOutcome {
    try withoutActuallyEscaping(use) { use in
      let builder = RecordBuilder(
        reader: reader, profile: profile, purpose: purpose,
        warnings: opening.warnings, use: use)
      return try LibXML2Parser(builder: builder, skippedLines: opening.headerLines)
        .parse(catalogue)
    }
  }

  /// The built-in profile that the document's beginning is of.
  ///
  /// What has a mark that no other form has goes before what only has the right root element.
  func detect() throws -> CatalogueProfile? {
    catalogue.endsWithBeginning = true
    defer { catalogue.endsWithBeginning = false }
    var possible: CatalogueProfile?
    for profile in BuiltInProfiles.foreign {
      switch try parse(profile, for: .detection, { _ in }).verdict {
      case .marked: return profile
      case .possible: possible = possible ?? profile
      case .no, nil: continue
      }
    }
    return possible
  }
}
