internal import Dispatch
internal import Synchronization
internal import System

/// Items that threads make, handed over in order, a limited number of them ahead.
final class BatchQueue<Item: Sendable>: Sendable {
  private struct State {
    var items: [Int: Item] = [:]
    /// The number of the item that is wanted next.
    var turn = 0
    /// The number of items that there are, or are wanted, once it is known.
    var count: Int?
    /// Whether any number may be made ahead.
    var isUnlimited = false
  }

  private let state = Mutex(State())
  private let room = DispatchSemaphore(value: 0)
  private let supply = DispatchSemaphore(value: 0)

  /// - Parameter room: how many may be made ahead.
  fileprivate init(room: Int) {
    // A semaphore must not end below the value that it began with.
    for _ in 0..<room { self.room.signal() }
  }

  /// Waits for room for one more.
  ///
  /// - Returns: whether one more is wanted.
  func waitForRoom() -> Bool {
    let (isOver, isUnlimited) = state.withLock { ($0.count != nil, $0.isUnlimited) }
    // A thread that was woken to end must not wait once more.
    if isOver || isUnlimited { return !isOver }
    room.wait()
    return state.withLock { $0.count == nil }
  }

  func put(_ item: Item, at number: Int) {
    state.withLock { $0.items[number] = item }
    supply.signal()
  }

  /// Says that there are no more than a number.
  func end(after count: Int) {
    state.withLock { $0.count = min($0.count ?? .max, count) }
    supply.signal()
  }

  /// The next item in order; `nil` after the last one.
  fileprivate func next() -> Item? {
    while true {
      let (item, isOver) = state.withLock { state -> (Item?, Bool) in
        let item = state.items.removeValue(forKey: state.turn)
        if item != nil { state.turn += 1 }
        return (item, state.count.map { state.turn >= $0 } ?? false)
      }
      if let item {
        room.signal()
        return item
      }
      if isOver { return nil }
      supply.wait()
    }
  }

  fileprivate func removeLimit() { state.withLock { $0.isUnlimited = true } }

  /// Lets threads come to their ends, since nothing more is wanted.
  fileprivate func cancel(waking threads: Int) {
    state.withLock { $0.count = 0 }
    for _ in 0..<threads { room.signal() }
  }
}

/// The items that threads of its own make, a little ahead of whoever uses them.
///
/// Parsing and storing take about as long, so that with two cores a large catalogue takes little
/// more than half the time. Where the system starts no thread, all is made at once.
final class BatchStream<Item: Sendable> {
  private let queue: BatchQueue<Item>
  private var threads: [SystemThread] = []
  private let mayStall: Bool

  /// Starts the threads.
  ///
  /// - Parameters:
  ///   - count: how many threads there are at most.
  ///   - mayStall: whether one may wait for somebody, so that its end is not waited for where
  ///     nobody wants the rest.
  ///   - work: is called on each of them, and puts items into the queue as long as it has room.
  init(threads count: Int, mayStall: Bool, _ work: @escaping @Sendable (BatchQueue<Item>) -> Void) {
    self.mayStall = mayStall
    queue = BatchQueue(room: count + 4)
    for _ in 0..<count {
      guard let thread = try? SystemThread({ [queue] in work(queue) }) else { break }
      threads.append(thread)
    }
    guard threads.isEmpty else { return }
    queue.removeLimit()
    work(queue)
  }

  deinit {
    queue.cancel(waking: threads.count)
    for thread in threads {
      if mayStall { thread.detach() } else { thread.join() }
    }
  }

  /// The next item; `nil` after the last one.
  func next() -> Item? { queue.next() }
}
