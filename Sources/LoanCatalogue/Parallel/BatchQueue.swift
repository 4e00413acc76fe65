internal import Dispatch
internal import Synchronization

/// Batches that other threads make, handed over in order, only so many ahead.
final class BatchQueue<Item: Sendable>: Sendable {

  private struct State {
    var items: [Int: Item] = [:]
    /// The number of the item that is wanted next.
    var turn = 0
    /// How many there are, or are wanted, once that is known.
    var count: Int?
  }

  private let state = Mutex(State())
  private let room = DispatchSemaphore(value: 0)
  private let supply = DispatchSemaphore(value: 0)

  /// - Parameter room: how many may be made ahead.
  init(room: Int) {
    // A semaphore must not end below the value that it began with.
    for _ in 0..<room { self.room.signal() }
  }

  /// Waits for room for one more.
  ///
  /// - Returns: whether one more is wanted.
  func waitForRoom() -> Bool {
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

  /// The next item in order.
  ///
  /// - Returns: `nil` after the last one.
  func next() -> Item? {
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

  /// Wants no more; lets threads come to their ends.
  func cancel(waking threads: Int) {
    state.withLock { $0.count = 0 }
    for _ in 0..<threads { room.signal() }
  }
}
