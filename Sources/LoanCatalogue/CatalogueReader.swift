public import Loans

/// Reads catalogues, once from beginning to end, in memory that does not grow with the file except
/// for the identities needed to find duplicates, and for documents whose form says something about
/// a record outside of it.
public struct CatalogueReader: Sendable {
  /// The form of catalogue to read; `nil` to detect it from the document's beginning.
  public var profile: CatalogueProfile?
  /// The rules by which records are judged.
  public var rules: CatalogueRules
  /// The loan period in days, 1 or more, for forms that only record when a loan began; `nil` if it
  /// is not known.
  ///
  /// A loan that would expire after the year 9999 expires on its last day.
  public var loanDays: Int?
  /// The library's civil time at an instant, in seconds since 1970-01-01T00:00:00Z.
  ///
  /// `nil` outside the years 1 to 9999. The default is UTC.
  public var civilTime: @Sendable (Int) -> CivilDateTime?
  /// Whether diagnostics say in which bytes of the file a date is that can be fixed.
  public var locatesFixes = false
  /// The number of threads on which a large catalogue is read, 1 or more; the result is the same.
  public var jobs = 1
  /// Called with each batch on the thread that has read it, before anybody else has it: what is to be made of its
  /// records alone can be put into its ``RecordBatch/attachment``.
  public var prepare: (@Sendable (RecordBatch) -> Void)?
  /// Called now and then with how far the reading has come.
  public var onProgress: (@Sendable (ReadingProgress) -> Void)?
  /// The size of the chunks in which a catalogue is read, and of the least one that is.
  package var chunks: (size: Int, least: Int) = (size: 1 << 17, least: 4_000_000)

  /// A reader of catalogues of this profile, or of any that is known.
  public init(
    profile: CatalogueProfile? = nil, rules: CatalogueRules = CatalogueRules(),
    loanDays: Int? = nil,
    civilTime: @escaping @Sendable (Int) -> CivilDateTime? = {
      CivilDateTime(ordinal: $0)
    }
  ) {
    self.profile = profile
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
