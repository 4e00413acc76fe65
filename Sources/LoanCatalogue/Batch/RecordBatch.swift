public import Loans
internal import Synchronization

/// A run of records of one document, in its order, with what was found in them and between them.
///
///     while let batch = try reading.next() {
///       for index in 0..<batch.count { … batch[index] … }
///     }
///
/// Its texts are in one piece of memory, and so is what is known of each record besides: a record is an
/// index into its batch. One thread at a time owns a batch: a reader fills it, then its records are
/// numbered in the order of the document, then whoever gets it from a ``CatalogueReading`` may look at it.
/// After the next call of `next()` its memory is used again, unless somebody keeps it or a record of it.
public final class RecordBatch: @unchecked Sendable {
  /// One thread at a time owns a batch; asking for that at each access would cost as much as reading a text.
  @safe @exclusivity(unchecked) var contents = BatchContents()
  /// What is to be said of records and between them, in the order of the document.
  var notes: [(record: Int, note: Note)] = []
  /// Bytes of the document up to its end.
  var end = 0
  /// The document's first element, if that is in it or before.
  var root: RootElement?
  /// The ending of the whole document, if it ends here.
  var ending: DocumentEnding?
  /// What was found in the batch, in the order of the catalogue.
  public internal(set) var diagnostics: [Diagnostic] = []
  /// The numbers of the records that the diagnostics are in, or before.
  var places: [Int] = []
  /// What ``CatalogueReader/prepare`` has made of the records.
  public var attachment: (any Sendable)?

  /// Something that is rare.
  enum Note: Sendable {
    /// It was found in the record of this number.
    case inRecord(Diagnostic)
    /// It was found before that record.
    case between(Diagnostic)
    /// A comment before that record silences findings of these codes.
    case ignore([Diagnostic.Code])
  }

  /// The number of records.
  public var count: Int { contents.heads.count }

  /// The record with this number, from 0 on.
  public subscript(index: Int) -> LoanRecord { LoanRecord(batch: self, index: index) }

  /// Calls one of the closures for each record and each diagnostic, in the order of the catalogue: the
  /// diagnostics of a record come just before it.
  ///
  /// - Throws: what they throw; then no more of them is called.
  public func forEach<Failure: Error>(
    diagnostic: (Diagnostic) throws(Failure) -> Void, record: (LoanRecord) throws(Failure) -> Void
  ) throws(Failure) {
    let (places, diagnostics) = (places, diagnostics)
    var next = 0
    for index in 0..<count {
      while next < places.count, places[next] <= index {
        try diagnostic(diagnostics[next])
        next += 1
      }
      try record(self[index])
    }
    for last in diagnostics[next...] { try diagnostic(last) }
  }

  /// Becomes empty; the memory stays.
  fileprivate func removeAll() {
    contents.removeAll()
    notes.removeAll(keepingCapacity: true)
    diagnostics.removeAll(keepingCapacity: true)
    places.removeAll(keepingCapacity: true)
    (end, root, ending, attachment) = (0, nil, nil, nil)
  }
}

/// Batches that are used again, so that the memory for new ones need not be taken from the system.
final class BatchPool: Sendable {
  private let batches = Mutex<[RecordBatch]>([])

  /// An empty batch.
  func take() -> RecordBatch { batches.withLock { $0.popLast() } ?? RecordBatch() }

  /// Takes a batch back, unless somebody else still has it or a record of it.
  func give(_ batch: consuming RecordBatch) {
    guard isKnownUniquelyReferenced(&batch) else { return }
    batch.removeAll()
    batches.withLock { [batch] in $0.append(batch) }
  }
}

/// The records of a batch.
struct BatchContents: ~Copyable {
  /// Texts in UTF-8, one after the other, their white space normalized.
  var bytes = FlatArray<UInt8>()
  /// The end of each text, and its field; each begins where the one before it ends.
  var texts = FlatArray<FieldText>()
  var heads = FlatArray<RecordHead>()

  mutating func removeAll() {
    bytes.removeAll()
    texts.removeAll()
    heads.removeAll()
  }

  /// The range of a field's text; empty if it is not among some texts.
  @inline(__always)
  func range(of field: LoanField, in range: Range<Int>) -> Range<Int> {
    for index in range where texts[index].field == field { return bytes(ofText: index) }
    return 0..<0
  }

  /// The range of the text with a number.
  @inline(__always)
  func bytes(ofText index: Int) -> Range<Int> {
    (index == 0 ? 0 : Int(texts[index - 1].end))..<Int(texts[index].end)
  }

  /// The text in a range of bytes.
  func text(_ range: Range<Int>) -> String {
    bytes.withSpan(range) { String(decoding: [UInt8](copying: $0), as: UTF8.self) }
  }
}

/// The end of a field's text.
struct FieldText: BitwiseCopyable {
  var end: UInt32
  var field: LoanField
}

/// What is known of a record besides its texts, in one line of the processor's cache.
struct RecordHead: BitwiseCopyable {
  /// The hash of what makes the loan the same, without its ordinal.
  var key: UInt64 = 0
  /// The hash of what two records of one loan have in common; 0 if too little is known, or nobody asked.
  var loanKey: UInt64 = 0
  /// The place of the start tag.
  var place = PackedPlace()
  /// The number of the last day, or one of the two values below.
  var expiration = Self.noDay
  /// The number of the day of lending, if there is one that can be read.
  var loanedOn = Self.noDay
  /// A bit for each field that is not empty.
  var filled: UInt32 = 0
  /// The number of its first text in the batch.
  var firstText: UInt32 = 0
  /// 1, or 2, 3, … if earlier records have the same identity.
  var ordinal: UInt32 = 1
  /// The second of the last day at which the loan ends; negative if that is not known.
  var second: Int32 = -1
  var traits: Traits = []

  static let noDay = Int32.min
  /// There is something in place of a day, but it is not one.
  static let unusableDay = Int32.min + 1

  struct Traits: OptionSet, BitwiseCopyable {
    let rawValue: UInt8
    /// Loans of other copies can have the same id.
    static let sharesID = Traits(rawValue: 1)
    /// The book is lent, as far as that is not said by an expiration.
    static let isLent = Traits(rawValue: 2)
    /// Nothing is where an expiration is looked for.
    static let isUndated = Traits(rawValue: 4)
    /// Only the day of lending is known.
    static let needsLoanDays = Traits(rawValue: 8)
  }

  @inline(__always)
  func isEmpty(_ field: LoanField) -> Bool { filled & field.bit == 0 }
}

/// A place in a document in as little memory as a million of them need.
struct PackedPlace: BitwiseCopyable {
  private var line: UInt32 = 0
  private var column: UInt32 = 0

  init() {}

  @inline(__always)
  init(_ place: SourceLocation) {
    (line, column) = (UInt32(clamping: place.line), UInt32(clamping: place.column))
  }

  @inline(__always)
  var location: SourceLocation { SourceLocation(line: Int(line), column: Int(column)) }
}

extension LoanField {
  /// Its place in a set of fields.
  @inline(__always)
  var bit: UInt32 { 1 &<< UInt32(truncatingIfNeeded: rawValue) }
}
