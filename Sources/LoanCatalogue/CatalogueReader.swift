public import Loans

/// Reads catalogues, once from beginning to end, in memory that does not grow with the file except
/// for the identities needed to find duplicates, and for what a form tells of a record before or
/// after it.
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
  /// On how many threads a large catalogue is read, 1 or more; what comes of it is the same.
  public var jobs = 1
  /// Is told now and then how far the reading has come, on one of its threads.
  public var onProgress: (@Sendable (ReadingProgress) -> Void)?
  /// How a large catalogue is read in parts, but for the number of threads.
  package var parts: (size: Int, least: Int) = (size: 1 << 17, least: 4_000_000)

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
    guard jobs > 1, detail == .loans, CatalogueFile.isLarge(path), !mayBeReadInParts(path) else {
      return try read(path, use)
    }
    return try ReadingAhead { use in try read(path, use) }.forEach(use)
  }

  /// Whether it looks as if other threads will read the catalogue's parts anyway.
  private func mayBeReadInParts(_ path: String) -> Bool {
    guard profile?.isNative ?? true, let catalogue = try? OpenCatalogue(path),
      let start = try? catalogue.firstBytes(8_192)
    else { return false }
    let text = String(decoding: start, as: UTF8.self).lowercased()
    return text.contains("<book") && !text.contains("<!doctype")
      && (!text.contains("encoding=") || text.contains("utf-8"))
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
    if let profile { return try document.read(profile, for: .reading, use).summary }
    let trial = try document.read(.native, for: .trial, use)
    // What cannot be read again was read as it is.
    guard trial.verdict == .no, catalogue.keepsBeginning else { return trial.summary }
    return try document.read(try document.detect() ?? .native, for: .reading, use).summary
  }
}

/// A document that is read, perhaps several times until its form is known.
private struct ReadDocument {
  var reader: CatalogueReader
  var catalogue: OpenCatalogue
  var opening: DocumentOpening

  /// What came of a reading.
  struct Outcome {
    var summary: CatalogueSummary
    /// Whether the document is of the profile's form, as far as that was asked.
    var verdict: RecordBuilder.Verdict?
  }

  func read(
    _ profile: CatalogueProfile, for purpose: RecordBuilder.Purpose,
    _ use: (ReadingEvent) throws -> Void
  ) throws -> Outcome {
    try withoutActuallyEscaping(use) { use in
      let builder = RecordBuilder(
        reader: reader, profile: profile, purpose: purpose, warnings: opening.warnings, use: use)
      return try read(builder)
    }
  }

  /// Reads the document in one piece as far as that is needed, and the rest in parts.
  private func read(_ builder: consuming RecordBuilder) throws -> Outcome {
    let profile = builder.profile
    let settings = SplitSettings(jobs: reader.jobs, partSize: reader.parts.size)
    let size = catalogue.bytes?.size ?? -1
    // The first record is the first that could begin a part.
    var splitOffset = size >= max(0, reader.parts.least) ? 0 : Int.max
    var role = ParserState.Role.document(skippedLines: opening.headerLines)
    var piece = settings.partSize
    while true {
      let outcome = try LibXML2Parser(builder: builder, role: role)
        .parse(catalogue, stoppingFrom: splitOffset)
      let place = outcome.splitPoint
      builder = outcome.takeBuilder()
      guard let place, let file = catalogue.bytes?.file else {
        return Outcome(summary: builder.summary, verdict: builder.verdict)
      }
      let parts = PartReader(
        reader: reader, profile: profile, frame: place.frame, file: file)
      var split = SplitReading(parts, size: size, from: place, settings)
      let ending = split.run(into: &builder)
      if let failure = builder.failure { throw failure }
      if case .wholeDocument = ending {
        try catalogue.checkUnchanged()
        builder.endDocument()
        if let failure = builder.failure { throw failure }
        return Outcome(summary: builder.summary, verdict: builder.verdict)
      }
      // What looked like a record's start was none, so such guesses are trusted less.
      piece *= 2
      splitOffset = split.place.offset + piece
      role = .rest(split.place)
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
      switch try read(profile, for: .detection, { _ in }).verdict {
      case .marked: return profile
      case .possible: possible = possible ?? profile
      case .no, nil: continue
      }
    }
    return possible
  }
}
