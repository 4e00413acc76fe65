/// The batches of a document that is read from its beginning to its end on a thread of its own, a
/// little ahead of whoever uses them.
///
/// Parsing and storing take about as long, so that with two cores a large catalogue takes little
/// more than half the time.
final class BatchStream {
  typealias Output = (RecordBatch) -> Bool
  private typealias Item = Result<RecordBatch, any Error>

  private let queue = BatchQueue<Result<RecordBatch, any Error>>(room: 8)
  private let thread: Workers
  private let mayStall: Bool
  /// All of them, where no thread could be started.
  private var items: [Item] = []

  /// - Parameters:
  ///   - mayStall: whether reading may wait for somebody, so that its end is not waited for where
  ///     nobody wants the rest.
  ///   - read: reads the document; hands over batches, as long as more are wanted, and returns the
  ///     last one.
  init(
    mayStall: Bool, _ read: @escaping @Sendable (@escaping Output) throws -> RecordBatch
  ) {
    self.mayStall = mayStall
    thread = Workers(atMost: 1) { [queue] in
      var number = 0
      func put(_ item: Item) -> Bool {
        guard queue.waitForRoom() else { return false }
        queue.put(item, at: number)
        number += 1
        return true
      }
      let last = Item { try read { put(.success($0)) } }
      if put(last) { queue.end(after: number) }
    }
    if thread.count == 0 {
      let last = Item {
        try read { [self] in
          items.append(.success($0))
          return true
        }
      }
      items.append(last)
    }
  }

  deinit {
    queue.cancel(waking: thread.count)
    if mayStall { thread.detach() } else { thread.join() }
  }

  /// The next batch.
  ///
  /// - Throws: what the reading threw.
  /// - Returns: `nil` after the last one.
  func next() throws -> RecordBatch? {
    if thread.count == 0 { return items.isEmpty ? nil : try items.removeFirst().get() }
    return try queue.next()?.get()
  }
}
