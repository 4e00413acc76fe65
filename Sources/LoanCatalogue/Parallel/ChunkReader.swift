internal import Synchronization

/// Reads a document in the tool's own form in chunks, each on its own, on any number of threads.
final class ChunkReader: Sendable {
  private let document: CatalogueDocument
  private let cutter: Mutex<ChunkCutter>

  init(_ document: CatalogueDocument, _ frame: ChunkFrame, from start: ChunkStart) {
    self.document = document
    cutter = Mutex(ChunkCutter(document, frame, from: start))
  }

  /// Reads chunks as long as there are any and they are wanted.
  func run(_ queue: BatchQueue<CatalogueDocument.Item>) {
    var buffer = ChunkBuffer()
    let parser = NativeReader.parser(of: document)
    while queue.waitForRoom(), let chunk = cutter.withLock({ $0.cut(into: &buffer) }) {
      let batch = read(chunk, buffer, parser)
      queue.put(batch.map { .batch($0) } ?? .unreadable(chunk.start), at: chunk.number)
      if batch == nil || chunk.isLast { queue.end(after: chunk.number + 1) }
    }
  }

  /// - Returns: `nil` if it cannot be read on its own.
  private func read(
    _ chunk: ChunkCutter.Chunk, _ buffer: borrowing ChunkBuffer,
    _ parser: borrowing XMLParser<NativeReader>
  ) -> RecordBatch? {
    guard let end = chunk.end else { return nil }
    unsafe parser.reader.pointee.begin(chunk.start)
    parser.parse(buffer, from: chunk.start)
    let batch = unsafe parser.reader.pointee.endChunk(at: chunk.isLast ? nil : buffer.count)
    batch?.end = end
    if chunk.isLast { batch?.ending = DocumentEnding() }
    return batch
  }
}
