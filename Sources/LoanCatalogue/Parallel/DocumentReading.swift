import Loans

/// The batches of one document, in order, from whichever reader and thread they come.
final class DocumentReading {
  private let document: Document
  private var stream: BatchStream?
  private var parts: PartReading?
  private var isBegun = false

  /// What is read, and how.
  struct Document: Sendable {
    var reader: CatalogueReader
    var profile: CatalogueProfile
    var path: String
    var catalogue: OpenCatalogue
    /// Lines of other things before the document.
    var linesBefore: Int
  }

  init(_ document: Document) { self.document = document }

  /// The next batch.
  ///
  /// - Throws: ``CatalogueError``, and what the reader's time zone throws.
  /// - Returns: `nil` after the last one.
  func next() throws -> RecordBatch? {
    if let parts { return try next(of: parts) }
    if let stream { return try next(of: stream) }
    if isBegun { return nil }
    isBegun = true
    let size = document.catalogue.bytes?.size
    if let size, size < document.reader.parts.least { return try document.read(nil) }
    return try next(of: begin { [document] in try document.read($0) })
  }

  private func begin(
    _ read: @escaping @Sendable (@escaping BatchStream.Output) throws -> RecordBatch
  ) -> BatchStream {
    let stream = BatchStream(mayStall: document.path == "-", read)
    self.stream = stream
    return stream
  }

  private func next(of stream: BatchStream) throws -> RecordBatch? {
    let batch = try stream.next()
    if let point = batch?.splitPoint, let (file, size) = document.catalogue.bytes {
      let settings = PartSettings(
        jobs: document.reader.jobs, partSize: document.reader.parts.size)
      let cutter = PartCutter(file, size: size, from: point, settings)
      parts = PartReading(PartWork(document.reader, document.path, cutter, settings))
    }
    return batch
  }

  private func next(of parts: PartReading) throws -> RecordBatch? {
    switch parts.next() {
    case .batch(let batch):
      return batch
    case .unreadable(let point):
      self.parts = nil
      return try next(of: begin { [document] in try document.read(.section(point), $0) })
    case nil:
      self.parts = nil
      var last = RecordBatch()
      last.ending = DocumentEnding()
      last.end = document.catalogue.bytes?.size ?? 0
      stream = nil
      return last
    }
  }
}

extension DocumentReading.Document {
  /// Reads it from its beginning, in batches where it is long.
  ///
  /// - Returns: the last batch.
  func read(_ output: BatchStream.Output?) throws -> RecordBatch {
    guard profile.isNative else { return try ProfileReader.read(self, output) }
    let isSplit =
      catalogue.payload == nil && catalogue.bytes.map { $0.size >= reader.parts.least } ?? false
    return try read(.document(mayBeSplit: isSplit), output)
  }

  /// Reads it, or the rest of it, in the tool's own form.
  fileprivate func read(
    _ extent: NativeReader.Extent, _ output: BatchStream.Output?
  ) throws -> RecordBatch {
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
