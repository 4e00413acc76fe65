internal import Dispatch
internal import Loans
internal import Synchronization

/// Reads the rest of a document in parts, on several threads, and takes them over in order.
struct SplitReading {
  /// How far it has come.
  enum Ending {
    case wholeDocument
    /// A part could not be read on its own, or nobody wants the rest.
    case brokenOff
  }

  let parts: PartReader
  let settings: SplitSettings
  /// Where what has not been taken over begins.
  private(set) var place: SplitPoint
  private let size: Int
  private var cutter: PartCutter

  init(_ parts: PartReader, size: Int, from place: SplitPoint, _ settings: SplitSettings) {
    self.parts = parts
    self.settings = settings
    self.size = size
    self.place = place
    cutter = PartCutter(
      parts.file, size: size, from: place.offset, recordStart: place.frame.recordStart,
      partSize: settings.partSize)
  }

  /// Reads parts until the document's end, or as long as they can be read on their own.
  mutating func run(into builder: inout RecordBuilder) -> Ending {
    settings.jobs > 1 ? runSideBySide(into: &builder) : runAlone(into: &builder)
  }

  private mutating func runAlone(into builder: inout RecordBuilder) -> Ending {
    var buffer = PartBuffer(capacity: settings.partSize * 5 / 4)
    while let part = cutter.nextPart() {
      guard let reading = parts.read(part, &buffer) else { return .brokenOff }
      join(part, reading, into: &builder)
      if builder.failure != nil { return .brokenOff }
      if part.isLast { return .wholeDocument }
    }
    return .brokenOff
  }

  private mutating func runSideBySide(into builder: inout RecordBuilder) -> Ending {
    let queue = PartQueue(parts, cutter, jobs: settings.jobs, settings)
    defer { queue.end() }
    while let (part, reading) = queue.next() {
      guard let reading else { return .brokenOff }
      join(part, reading, into: &builder)
      if builder.failure != nil { return .brokenOff }
      if part.isLast { return .wholeDocument }
    }
    return .brokenOff
  }

  private mutating func join(
    _ part: PartCutter.Part, _ reading: PartReading, into builder: inout RecordBuilder
  ) {
    builder.join(reading.log, at: place.location)
    place.offset = part.range.upperBound
    place.location = reading.end.shifted(to: place.location)
    builder.tellProgress(bytes: place.offset, of: size)
  }
}

/// How a document is read in parts.
struct SplitSettings: Sendable {
  /// How many threads read.
  var jobs: Int
  /// Bytes of a part, at least.
  var partSize: Int
  /// Documents with fewer bytes behind their first record are read in one piece.
  var leastSize: Int
}

/// Threads that read parts, each when there is room for what it will find.
private final class PartQueue: Sendable {
  typealias Result = (part: PartCutter.Part, reading: PartReading?)

  private struct State {
    var cutter: PartCutter
    /// How many parts have been begun.
    var begun = 0
    var results: [Int: Result] = [:]
    /// How many parts there are, once that is known.
    var count: Int?
    var isEnded = false
  }

  private let state: Mutex<State>
  private let parts: PartReader
  private let room = DispatchSemaphore(value: 0)
  private let supply = DispatchSemaphore(value: 0)
  private let workers = DispatchGroup()
  private let jobs: Int
  /// The number of the part that is wanted next.
  private let turn = Mutex(0)
  private let partSize: Int

  init(_ parts: PartReader, _ cutter: PartCutter, jobs: Int, _ settings: SplitSettings) {
    self.parts = parts
    self.jobs = jobs
    partSize = settings.partSize
    state = Mutex(State(cutter: cutter))
    // A semaphore must not end below the value that it began with.
    for _ in 0..<jobs + 2 { room.signal() }
    for number in 0..<jobs {
      // A queue of its own gets a thread of its own, however few the machine has cores.
      DispatchQueue(label: "part reader \(number)").async(group: workers) { [self] in work() }
    }
  }

  private func work() {
    var buffer = PartBuffer(capacity: partSize * 5 / 4)
    while true {
      room.wait()
      guard let (number, part) = begin() else { break }
      let reading = parts.read(part, &buffer)
      state.withLock { $0.results[number] = (part, reading) }
      supply.signal()
    }
    supply.signal()
  }

  private func begin() -> (number: Int, part: PartCutter.Part)? {
    state.withLock { state in
      if state.isEnded || state.count != nil { return nil }
      guard let part = state.cutter.nextPart() else {
        state.count = state.begun
        return nil
      }
      defer { state.begun += 1 }
      if part.isLast { state.count = state.begun + 1 }
      return (state.begun, part)
    }
  }

  /// The next part in order.
  ///
  /// - Returns: `nil` behind the last one that there is.
  func next() -> Result? {
    let number = turn.withLock { turn in
      defer { turn += 1 }
      return turn
    }
    while true {
      let (result, isOver) = state.withLock { state -> (Result?, Bool) in
        (state.results.removeValue(forKey: number), state.count.map { number >= $0 } ?? false)
      }
      if let result {
        room.signal()
        return result
      }
      if isOver { return nil }
      supply.wait()
    }
  }

  /// Waits until no thread reads any more.
  func end() {
    state.withLock { $0.isEnded = true }
    for _ in 0..<jobs { room.signal() }
    workers.wait()
  }
}
