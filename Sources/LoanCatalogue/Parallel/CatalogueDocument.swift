import Loans

/// A document to be read, and how.
struct CatalogueDocument: Sendable {
  var reader: CatalogueReader
  var profile: CatalogueProfile
  var path: String
  var catalogue: CatalogueFile
  /// Lines of other things before the document.
  var linesBefore: Int

  /// Takes a batch; says whether more are wanted.
  typealias Output = (RecordBatch) -> Bool

  /// The results of reading on a thread.
  enum Item: Sendable {
    case batch(RecordBatch)
    /// A part of the document cannot be read on its own, so that the rest is read as a whole.
    case unreadable(PartStart)
    case failed(any Error)
  }

  /// The beginning of the document.
  var beginning: PartStart {
    PartStart(
      offset: catalogue.documentStart, location: SourceLocation(line: linesBefore + 1, column: 1),
      linesBefore: linesBefore)
  }

  /// The tags around parts of it; `nil` if it cannot be read in parts, is too short to, or only one
  /// thread reads.
  var frame: PartFrame? {
    guard reader.jobs > 1, profile.isNative, let size = catalogue.size,
      size >= reader.parts.least, let bytes = try? catalogue.firstBytes(FormDetection.reach)
    else { return nil }
    return PartFrame(
      ofDocumentWith: bytes.dropFirst(catalogue.documentStart), linesBefore: linesBefore)
  }

  /// Reads it to its end, in batches where it is long.
  ///
  /// - Parameters:
  ///   - start: where to begin; only a document in the tool's own form can be read from elsewhere
  ///     than its beginning.
  ///   - output: takes all batches but the last.
  /// - Returns: the last batch.
  func read(from start: PartStart, _ output: Output?) throws -> RecordBatch {
    guard profile.isNative else { return try ProfileReader.read(self, output) }
    return try NativeReader.read(
      RecordBuilder(reader, form: nil), start, path: path, output: output
    ) { parser, reading in
      unsafe reading.session.pointee.input.open(catalogue, at: start.offset, after: start.head)
      parser.parse()
      do {
        unsafe try reading.session.pointee.finish()
      } catch {
        // What was read before was read.
        if let output { _ = unsafe output(reading.reader.pointee.endDocument()) }
        throw error
      }
      return unsafe reading.reader.pointee.endDocument()
    }
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
  /// - Throws: ``CatalogueError``, and what the reader's time zone throws.
  /// - Returns: `nil` after the last one.
  mutating func next() throws -> RecordBatch? {
    if !isBegun {
      isBegun = true
      if let size = document.catalogue.size, size < document.reader.parts.least {
        return try document.read(from: document.beginning, nil)
      }
      if let frame = document.frame {
        stream = parts(frame)
      } else {
        stream = ahead(from: document.beginning)
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

  /// Reads it in parts.
  private func parts(_ frame: PartFrame) -> BatchStream<CatalogueDocument.Item> {
    let reader = PartReader(document, frame, from: document.beginning)
    return BatchStream(threads: document.reader.jobs, mayStall: false) { reader.run($0) }
  }

  /// Reads it on one thread, as a whole, or all that is left of it.
  private func ahead(from start: PartStart) -> BatchStream<CatalogueDocument.Item> {
    BatchStream(threads: 1, mayStall: document.path == "-") { [document] queue in
      var number = 0
      func put(_ item: CatalogueDocument.Item) -> Bool {
        guard queue.waitForRoom() else { return false }
        queue.put(item, at: number)
        number += 1
        return true
      }
      let last: CatalogueDocument.Item
      do {
        last = .batch(try document.read(from: start) { put(.batch($0)) })
      } catch {
        last = .failed(error)
      }
      if put(last) { queue.end(after: number) }
    }
  }
}
