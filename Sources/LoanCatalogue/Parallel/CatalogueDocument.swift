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
    case unreadable(SplitPoint)
    case failed(any Error)
  }

  /// Reads it from its beginning, in batches where it is long.
  ///
  /// - Returns: the last batch.
  func read(_ output: Output?) throws -> RecordBatch {
    guard profile.isNative else { return try ProfileReader.read(self, output) }
    let isSplit =
      catalogue.payload == nil && catalogue.size.map { $0 >= reader.parts.least } ?? false
    return try read(.document(mayBeSplit: isSplit), output)
  }

  /// Reads it, or the rest of it, in the tool's own form.
  fileprivate func read(_ extent: NativeReader.Extent, _ output: Output?) throws -> RecordBatch {
    var (offset, head, lines) = (catalogue.documentStart, [UInt8](), linesBefore)
    if case .section(let point) = extent {
      (offset, head) = (point.offset, point.frame.head)
      lines = point.frame.rootLine - 1
    }
    return try NativeReader.read(
      RecordBuilder(reader, form: nil), extent, path: path, linesBefore: lines,
      bytesBefore: offset - head.count, output: output
    ) { parser, reading in
      unsafe reading.session.pointee.input.open(catalogue, at: offset, after: head)
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
      let size = document.catalogue.size
      if let size, size < document.reader.parts.least { return try document.read(nil) }
      stream = ahead { [document] in try document.read($0) }
    }
    switch stream?.next() {
    case .batch(let batch):
      if let point = batch.splitPoint {
        let parts = PartReader(document, from: point)
        stream = BatchStream(threads: max(1, document.reader.jobs), mayStall: false) {
          parts.run($0)
        }
      }
      return batch
    case .unreadable(let point):
      stream = ahead { [document] in try document.read(.section(point), $0) }
      return try next()
    case .failed(let error): throw error
    case nil: return nil
    }
  }

  /// Reads on a thread.
  ///
  /// - Parameter read: hands over batches as long as more are wanted, and returns the last one.
  private func ahead(
    _ read: @escaping @Sendable (@escaping CatalogueDocument.Output) throws -> RecordBatch
  ) -> BatchStream<CatalogueDocument.Item> {
    BatchStream(threads: 1, mayStall: document.path == "-") { queue in
      var number = 0
      func put(_ item: CatalogueDocument.Item) -> Bool {
        guard queue.waitForRoom() else { return false }
        queue.put(item, at: number)
        number += 1
        return true
      }
      let last: CatalogueDocument.Item
      do { last = .batch(try read { put(.batch($0)) }) } catch { last = .failed(error) }
      if put(last) { queue.end(after: number) }
    }
  }
}
