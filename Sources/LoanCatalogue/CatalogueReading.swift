internal import Loans

/// The reading of one catalogue, from its beginning to its end or to where it is no longer XML.
///
///     let reading = try CatalogueReader().open("books.xml")
///     while let batch = try reading.next() {
///       batch.forEach { diagnostic in … } record: { record in … }
///     }
///
/// Diagnostics of one record come in the order of their places, just before it. What only the document's end
/// says comes last, wherever it is: an error answer, that there are more loans, that there is none, or that
/// none has an expiration. After one that ends the reading (``Loans/Diagnostic/Code/endsReading``) the summary
/// says that the catalogue is not complete.
public final class CatalogueReading {
  private let catalogue: CatalogueFile
  private var document: DocumentReading?
  private var assembler: BatchAssembler
  private let onProgress: (@Sendable (ReadingProgress) -> Void)?
  private let size: Int?
  private var refusal: Diagnostic?
  /// The batch that was handed over last.
  private var last: RecordBatch?

  init(_ path: String, _ reader: CatalogueReader) throws(CatalogueError) {
    catalogue = try CatalogueFile(opening: path)
    var reader = reader
    if catalogue.isPacked { reader.locatesFixes = false }
    let opening = DocumentOpening(try catalogue.firstBytes(DocumentOpening.reach))
    onProgress = reader.onProgress
    size = catalogue.size
    refusal = opening.refusal(mayBeHTML: reader.profile?.mayBegin(with: "html") ?? false)
    var profile = reader.profile ?? .native
    if refusal == nil { profile = try FormDetection.profile(of: catalogue, chosen: reader.profile) }
    assembler = BatchAssembler(reader, profile, size: size ?? 0)
    guard refusal == nil else { return }
    document = DocumentReading(
      CatalogueDocument(
        reader: reader, profile: profile, path: path, catalogue: catalogue))
  }

  /// Whether the document is inside a compressed file, so that no place in it is one in the file.
  public var isPacked: Bool { catalogue.isPacked }

  /// The second since 1970-01-01T00:00:00Z in which the file was modified last; `nil` for standard input.
  public var modifiedAt: Int? { catalogue.modifiedAt }

  /// The counts of what has been read so far.
  public var summary: CatalogueSummary { assembler.summary }

  /// Reads on, and returns the next batch; `nil` after the end.
  ///
  /// The memory of the batch before is used again, unless somebody keeps it.
  ///
  /// - Throws: ``CatalogueError`` if the catalogue cannot be read further.
  public func next() throws(CatalogueError) -> RecordBatch? {
    if let refusal {
      self.refusal = nil
      return assembler.refuse(refusal)
    }
    if let batch = exchange(&last, with: nil) { document?.giveBack(batch) }
    guard let batch = try document?.next() else {
      try catalogue.checkUnchanged()
      return nil
    }
    assembler.assemble(batch)
    last = batch
    onProgress?(ReadingProgress(bytes: batch.end, total: size, loans: summary.loans))
    return batch
  }
}

/// The progress of reading a catalogue.
public struct ReadingProgress: Hashable, Sendable {
  /// Bytes read and understood.
  public var bytes: Int
  /// Bytes of the file; `nil` for standard input.
  public var total: Int?
  /// Loans so far.
  public var loans: Int
}
