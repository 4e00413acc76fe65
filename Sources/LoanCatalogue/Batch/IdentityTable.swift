import Glibc

/// The identities seen so far in one catalogue, as hashes, each with the line of its first record.
///
/// A million of them take 18 MB.
struct IdentityTable: ~Copyable {
  private var slots = Slots(count: 16)
  private var count = 0
  private var repetitions: [UInt64: Int] = [:]
  /// Different in each run, so that nobody can choose identities that all lead to one slot.
  private let multiplier = UInt64.random(in: 0...(.max)) | 1
  /// Receives what the look-ahead loads, so that the optimizer keeps the loads.
  private var seen: UInt64 = 0

  /// Makes ready for identities that will be noted soon.
  ///
  /// Their slots are far apart in memory: they need not be waited for one by one if all are
  /// looked at first.
  ///
  /// - Parameter total: how many there may be in the end: a guess from the file's size, which is trusted more
  ///   the more is known. To grow again costs a copy, and the memory of both.
  @inline(__always)
  mutating func prepare(
    for batch: RecordBatch, expecting total: Double, _ key: (RecordHead) -> UInt64
  ) {
    let known = count + batch.count
    if known * 4 >= slots.count * 3 {
      let most = known * (known < 65_536 ? 64 : 1_024)
      grow(to: max(known, Int(min(total, Double(most)))))
    }
    for index in 0..<batch.count {
      seen |= slots.key(at: start(of: key(batch.contents.heads[index])))
    }
  }

  /// Notes an identity at a record's line.
  ///
  /// - Returns: the line of its first record and this record's ordinal, from 2 on, if the
  ///   identity is known already.
  mutating func note(_ key: UInt64, line: Int) -> (firstLine: Int, ordinal: Int)? {
    let key = max(key, 1)
    if count * 4 >= slots.count * 3 { grow(to: count) }
    let index = index(of: key)
    guard slots.key(at: index) == 0 else {
      let ordinal = repetitions[key, default: 1] + 1
      repetitions[key] = ordinal
      return (slots[index].line, ordinal)
    }
    slots[index] = (key, line)
    count += 1
    return nil
  }

  /// The index at which the key is, or could be put (open addressing).
  @inline(__always)
  private func index(of key: UInt64) -> Int {
    var index = start(of: key)
    while slots.key(at: index) != 0 && slots.key(at: index) != key {
      index = index &+ 1 == slots.count ? 0 : index &+ 1
    }
    return index
  }

  @inline(__always)
  private func start(of key: UInt64) -> Int {
    Int((key &* multiplier).multipliedFullWidth(by: UInt64(slots.count)).high)
  }

  private mutating func grow(to total: Int) {
    let old = exchange(&slots, with: Slots(count: total * 3 / 2 + 16))
    for number in 0..<old.count where old.key(at: number) != 0 {
      slots[index(of: old.key(at: number))] = old[number]
    }
  }
}

/// Slots for keys, each with a line; a key of 0 means that the slot is free.
@safe private struct Slots: ~Copyable {
  let count: Int
  private let keys: UnsafeMutablePointer<UInt64>
  private let lines: UnsafeMutablePointer<UInt32>

  /// Free slots, whose memory is taken only as they are used.
  ///
  /// - SeeAlso: `calloc(3)`.
  init(count: Int) {
    self.count = count
    guard let keys = unsafe calloc(count, 8), let lines = unsafe calloc(count, 4) else {
      endWithoutMemory()
    }
    unsafe self.keys = keys.bindMemory(to: UInt64.self, capacity: count)
    unsafe self.lines = lines.bindMemory(to: UInt32.self, capacity: count)
  }

  deinit {
    unsafe free(keys)
    unsafe free(lines)
  }

  @inline(__always)
  subscript(index: Int) -> (key: UInt64, line: Int) {
    get { unsafe (keys[index], Int(lines[index])) }
    nonmutating set {
      unsafe (keys[index], lines[index]) = (newValue.key, UInt32(clamping: newValue.line))
    }
  }

  @inline(__always)
  func key(at index: Int) -> UInt64 { unsafe keys[index] }
}
