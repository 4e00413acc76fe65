internal import Synchronization

/// The parts of a document in the tool's own form, read on several threads or on the one that asks.
final class PartReading {
  private let work: PartWork
  private let workers: Workers
  /// Where there are no threads.
  private var buffer: PartBuffer?

  init(_ work: PartWork) {
    self.work = work
    workers = Workers(atMost: work.settings.jobs > 1 ? work.settings.jobs : 0) { work.run() }
  }

  deinit {
    work.queue.cancel(waking: workers.count)
    workers.join()
  }

  /// What the next part holds.
  ///
  /// - Returns: `nil` after the last part.
  func next() -> PartWork.Result? {
    if workers.count == 0 {
      var own = buffer.take() ?? work.makeBuffer()
      if work.queue.waitForRoom() { _ = work.readNext(&own) }
      buffer = consume own
    }
    return work.queue.next()
  }
}

/// Reads parts of a document, each on its own, by whoever calls it.
final class PartWork: Sendable {
  /// What a part holds, or where it begins if it cannot be read on its own.
  enum Result: Sendable {
    case batch(RecordBatch)
    case unreadable(SplitPoint)
  }

  let settings: PartSettings
  let queue: BatchQueue<Result>
  private let reader: CatalogueReader
  private let path: String
  private let cutter: Mutex<(cutter: PartCutter, number: Int)>

  init(
    _ reader: CatalogueReader, _ path: String, _ cutter: PartCutter, _ settings: PartSettings
  ) {
    self.reader = reader
    self.path = path
    self.settings = settings
    queue = BatchQueue(room: settings.jobs + 4)
    self.cutter = Mutex((cutter, 0))
  }

  /// Reads parts as long as there are any and they are wanted.
  func run() {
    var buffer = makeBuffer()
    while queue.waitForRoom(), readNext(&buffer) {}
  }

  /// What a thread reads parts into.
  func makeBuffer() -> PartBuffer { PartBuffer(capacity: settings.partSize * 2) }

  /// Reads the next part.
  ///
  /// - Returns: whether there may be more.
  func readNext(_ buffer: inout PartBuffer) -> Bool {
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
    let builder = RecordBuilder(reader, form: nil, records: length / 232, texts: length / 4 * 3)
    let before = part.start.offset - part.start.frame.head.count
    return try? NativeReader.read(
      builder, .section(part.start), path: path, bytesBefore: before
    ) { parser, reading in
      parser.parse(buffer)
      var batch = unsafe reading.reader.pointee.endPart(at: part.isLast ? nil : buffer.count)
      batch?.end = part.end
      return batch
    }
  }
}
