import Loans

/// A document to be read, and how.
struct CatalogueDocument: Sendable {
  var reader: CatalogueReader
  let pool = BatchPool()
  var profile: CatalogueProfile
  var path: String
  var catalogue: CatalogueFile

  /// Takes a batch; says whether more are wanted.
  typealias Output = (RecordBatch) -> Bool

  /// The results of reading on a thread.
  enum Item: Sendable {
    case batch(RecordBatch)
    /// A chunk of the document cannot be read on its own, so that the rest is read as a whole.
    case unreadable(ChunkStart)
    case failed(CatalogueError)
  }

  /// What is around chunks of it; `nil` if it cannot be read in chunks, is too short to, or only one
  /// thread reads.
  var frame: ChunkFrame? {
    guard reader.jobs > 1, profile.isNative, let size = catalogue.size,
      size >= reader.chunks.least, let bytes = try? catalogue.firstBytes(FormDetection.reach)
    else { return nil }
    return ChunkFrame(ofDocumentWith: bytes)
  }

  /// Reads it to its end, in batches where it is long.
  ///
  /// - Parameters:
  ///   - start: where to begin; only a document in the tool's own form can be read from elsewhere
  ///     than its beginning.
  ///   - output: takes all batches but the last.
  /// - Returns: the last batch.
  func read(from start: ChunkStart, _ output: Output?) throws(CatalogueError) -> RecordBatch {
    guard profile.isNative else { return try ProfileReader.read(self, output) }
    let parser = NativeReader.parser(of: self, output: output)
    unsafe parser.reader.pointee.begin(start)
    parser.parse(catalogue, from: start)
    do throws(CatalogueError) {
      unsafe try parser.session.pointee.finish()
    } catch {
      // What was read before was read, but the document did not end there.
      let batch = unsafe parser.reader.pointee.endDocument()
      batch.ending = nil
      _ = output?(batch)
      throw error
    }
    return unsafe parser.reader.pointee.endDocument()
  }
}

/// The batches of one document, in order, from whichever reader and thread they come.
struct DocumentReading: ~Copyable {
  private let document: CatalogueDocument
  private var stream: BatchStream<CatalogueDocument.Item>?
  private var isBegun = false

  init(_ document: CatalogueDocument) { self.document = document }

  /// The next batch.
  ///
  /// - Throws: ``CatalogueError``.
  /// - Returns: `nil` after the last one.
  mutating func next() throws(CatalogueError) -> RecordBatch? {
    if !isBegun {
      isBegun = true
      if let size = document.catalogue.size, size < document.reader.chunks.least {
        return try document.read(from: .ofFile, nil)
      }
      if let frame = document.frame {
        stream = chunks(frame)
      } else {
        stream = ahead(from: .ofFile)
      }
    }
    switch stream?.next() {
    case .batch(let batch): return batch
    case .unreadable(let start):
      stream = ahead(from: start)
      return try next()
    case .failed(let error): throw error
    case nil: return nil
    }
  }

  /// Takes back a batch that nobody needs any longer.
  func giveBack(_ batch: consuming RecordBatch) { document.pool.give(batch) }

  /// Reads it in chunks.
  private func chunks(_ frame: ChunkFrame) -> BatchStream<CatalogueDocument.Item> {
    let reader = ChunkReader(document, frame, from: .ofFile)
    return BatchStream(threads: document.reader.jobs, mayStall: false) { reader.run($0) }
  }

  /// Reads it on one thread, as a whole, or all that is left of it.
  private func ahead(from start: ChunkStart) -> BatchStream<CatalogueDocument.Item> {
    BatchStream(threads: 1, mayStall: document.path == "-") { [document] queue in
      var number = 0
      func put(_ item: CatalogueDocument.Item) -> Bool {
        guard queue.waitForRoom() else { return false }
        queue.put(item, at: number)
        number += 1
        return true
      }
      let last: CatalogueDocument.Item
      do throws(CatalogueError) {
        last = .batch(try document.read(from: start) { put(.batch($0)) })
      } catch {
        last = .failed(error)
      }
      if put(last) { queue.end(after: number) }
    }
  }
}
