public import Loans

/// Reads catalogues, once from beginning to end, in memory that does not grow with the file except
/// for the identities needed to find duplicates, and for records of which a form says something
/// after them.
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
  /// Whether diagnostics say in which bytes of the file a date is that can be fixed.
  public var locatesFixes = false
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

  /// Begins to read a catalogue.
  ///
  /// - Parameter path: a regular file, or `-` for standard input.
  /// - Throws: ``CatalogueError`` if the catalogue cannot be read.
  public func open(_ path: String) throws(CatalogueError) -> CatalogueReading {
    try CatalogueReading(path, self)
  }
}
