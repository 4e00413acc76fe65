internal import Synchronization

/// Reads a document in the tool's own form in parts, each on its own, on any number of threads.
final class PartReader: Sendable {
  private let document: CatalogueDocument
  private let cutter: Mutex<(cutter: PartCutter, number: Int)>

  init(_ document: CatalogueDocument, _ frame: PartFrame, from start: PartStart) {
    self.document = document
    let cutter = PartCutter(
      document.catalogue, frame, from: start, partSize: document.reader.parts.size,
      jobs: document.reader.jobs)
    self.cutter = Mutex((cutter, 0))
  }

  /// Reads parts as long as there are any and they are wanted.
  func run(_ queue: BatchQueue<CatalogueDocument.Item>) {
    var buffer = PartBuffer(capacity: document.reader.parts.size * 2)
    let parser = NativeReader.parser(of: document)
    while queue.waitForRoom(), readNext(parser, &buffer, queue) {}
  }

  /// Reads the next part.
  ///
  /// - Returns: whether there may be more.
  private func readNext(
    _ parser: borrowing XMLParser<NativeReader>, _ buffer: inout PartBuffer,
    _ queue: BatchQueue<CatalogueDocument.Item>
  ) -> Bool {
    let (number, start, part) = cutter.withLock { state in
      defer { state.number += 1 }
      let start = state.cutter.next
      return (state.number, start, state.cutter.cut(into: &buffer))
    }
    guard let start else {
      queue.end(after: number)
      return false
    }
    let batch = part.flatMap { read($0, buffer, parser) }
    queue.put(batch.map { .batch($0) } ?? .unreadable(start), at: number)
    if batch == nil { queue.end(after: number + 1) }
    return batch != nil
  }

  private func read(
    _ part: PartCutter.Part, _ buffer: borrowing PartBuffer,
    _ parser: borrowing XMLParser<NativeReader>
  ) -> RecordBatch? {
    unsafe parser.reader.pointee.begin(part.start)
    parser.parse(buffer, from: part.start)
    let batch = unsafe parser.reader.pointee.endChunk(at: part.isLast ? nil : buffer.count)
    batch?.end = part.end
    if part.isLast { batch?.ending = DocumentEnding() }
    return batch
  }
}
