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
  private let cutter: PartCutter

  init(_ parts: PartReader, size: Int, from place: SplitPoint, _ settings: SplitSettings) {
    self.parts = parts
    self.settings = settings
    self.size = size
    self.place = place
    cutter = PartCutter(
      parts.file, size: size, from: place.offset, recordStart: place.frame.recordStart, settings)
  }

  /// Reads parts until the document's end, or as long as they can be read on their own.
  mutating func run(into builder: inout RecordBuilder) -> Ending {
    settings.jobs > 1 ? runSideBySide(into: &builder) : runAlone(into: &builder)
  }

  private mutating func runAlone(into builder: inout RecordBuilder) -> Ending {
    var workspace = PartReader.Workspace(settings)
    let parts = parts
    var cutter = cutter
    return join(into: &builder) {
      cutter.nextPart().map { part in (part, parts.read(part, in: &workspace)) }
    }
  }

  private mutating func runSideBySide(into builder: inout RecordBuilder) -> Ending {
    let queue = PartQueue(parts, cutter, settings)
    let workers = Workers(atMost: settings.jobs) { queue.work() }
    if workers.count == 0 { return runAlone(into: &builder) }
    let ending = join(into: &builder) { queue.next() }
    queue.end(waking: workers.count)
    workers.join()
    return ending
  }

  /// Takes parts over as they come.
  private mutating func join(
    into builder: inout RecordBuilder, _ next: () -> PartQueue.Result?
  ) -> Ending {
    while let (part, reading) = next() {
      guard let reading, join(part, reading, into: &builder) else { return .brokenOff }
      if part.isLast { return .wholeDocument }
    }
    return .brokenOff
  }

  /// - Returns: whether the part was taken over, and the next one is wanted.
  private mutating func join(
    _ part: PartCutter.Part, _ reading: PartReading, into builder: inout RecordBuilder
  ) -> Bool {
    guard builder.canJoin(reading.log) else { return false }
    builder.join(reading.log, at: place.location)
    place.offset = part.range.upperBound
    place.location = reading.end.shifted(to: place.location)
    builder.tellProgress(bytes: place.offset, of: size)
    return builder.failure == nil
  }
}

/// How a document is read in parts.
struct SplitSettings: Sendable {
  /// How many threads read.
  var jobs: Int
  /// Bytes of a part, at least.
  var partSize: Int

  /// Bytes of a part of a large file: fewer the more threads there are, since all of them hold one.
  var longestPartSize: Int { jobs > 1 ? partSize * 32 / jobs : partSize }

  /// Bytes that a buffer begins with: to the next record's start is not far.
  var bufferSize: Int { partSize + 16_384 }
}

/// Threads that read parts, each when there is room for what it will find.
private final class PartQueue: Sendable {
  typealias Result = (part: PartCutter.Part, reading: PartReading?)

  private struct State {
    var cutter: PartCutter
    /// How many parts have been begun.
    var begun = 0
    var results: [Int: Result] = [:]
    /// How many parts there are, or are wanted, once that is known.
    var count: Int?
    /// The number of the part that is wanted next.
    var turn = 0
  }

  private let state: Mutex<State>
  private let parts: PartReader
  private let room = DispatchSemaphore(value: 0)
  private let supply = DispatchSemaphore(value: 0)
  private let settings: SplitSettings

  init(_ parts: PartReader, _ cutter: PartCutter, _ settings: SplitSettings) {
    self.parts = parts
    self.settings = settings
    state = Mutex(State(cutter: cutter))
    // A semaphore must not end below the value that it began with.
    for _ in 0..<settings.jobs + 4 { room.signal() }
  }

  /// What each thread does.
  func work() {
    var workspace = PartReader.Workspace(settings)
    while true {
      room.wait()
      guard let (number, part) = begin() else { break }
      let reading = parts.read(part, in: &workspace)
      state.withLock { $0.results[number] = (part, reading) }
      supply.signal()
    }
    supply.signal()
  }

  private func begin() -> (number: Int, part: PartCutter.Part)? {
    state.withLock { state in
      if state.count != nil { return nil }
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
    while true {
      let (result, isOver) = state.withLock { state -> (Result?, Bool) in
        let result = state.results.removeValue(forKey: state.turn)
        if result != nil { state.turn += 1 }
        return (result, state.count.map { state.turn >= $0 } ?? false)
      }
      if let result {
        room.signal()
        return result
      }
      if isOver { return nil }
      supply.wait()
    }
  }

  /// Lets so many threads come to their ends.
  func end(waking count: Int) {
    state.withLock { $0.count = $0.count ?? $0.begun }
    for _ in 0..<count { room.signal() }
  }
}
