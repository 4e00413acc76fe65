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
    while queue.waitForRoom(), readNext(&buffer, queue) {}
  }

  /// Reads the next part.
  ///
  /// - Returns: whether there may be more.
  private func readNext(
    _ buffer: inout PartBuffer, _ queue: BatchQueue<CatalogueDocument.Item>
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
    let batch = part.flatMap { read($0, buffer) }
    queue.put(batch.map { .batch($0) } ?? .unreadable(start), at: number)
    if batch == nil { queue.end(after: number + 1) }
    return batch != nil
  }

  private func read(_ part: PartCutter.Part, _ buffer: borrowing PartBuffer) -> RecordBatch? {
    let length = part.end - part.start.offset
    // A usual record has some 240 bytes, most of them texts.
    let builder = RecordBuilder(
      document.reader, form: nil, records: length / 232, texts: length / 4 * 3)
    return try? NativeReader.read(builder, part.start, path: document.path) { parser, reading in
      parser.parse(buffer)
      var batch = unsafe reading.reader.pointee.endPart(at: part.isLast ? nil : buffer.count)
      batch?.end = part.end
      if part.isLast { batch?.ending = DocumentEnding() }
      return batch
    }
  }
}
