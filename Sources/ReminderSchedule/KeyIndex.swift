/// The positions of keys in a list: a hash table that is made once, in two passes.
struct KeyIndex {
  /// How far a spread key is shifted to be the number of its bucket.
  private let shift: UInt64
  /// Where each bucket begins in `positions`, and where the last one ends.
  private var starts: [UInt32]
  /// The positions, bucket by bucket, ascending in each.
  private var positions: [UInt32]

  /// About one bucket for each key.
  ///
  /// - Parameter key: the key at a position.
  init(count: Int, key: (Int) -> UInt64) {
    let bits = max(1, UInt64.bitWidth - count.leadingZeroBitCount)
    shift = UInt64(UInt64.bitWidth - bits)
    starts = Array(repeating: 0, count: 1 << bits + 1)
    positions = Array(repeating: 0, count: count)
    fill(count, key)
    place(count, key)
  }

  /// The positions of all rows of a key, among a few of others.
  func positions(near key: UInt64) -> ArraySlice<UInt32> {
    let bucket = bucket(of: key)
    return positions[Int(starts[bucket])..<Int(starts[bucket + 1])]
  }

  /// The bucket of a key: its product's high bits, which depend on all of its own (Fibonacci
  /// hashing).
  private func bucket(of key: UInt64) -> Int {
    Int((key &* 0x9E37_79B9_7F4A_7C15) >> shift)
  }

  /// Makes each start the end of its bucket.
  private mutating func fill(_ count: Int, _ key: (Int) -> UInt64) {
    for position in 0..<count { starts[bucket(of: key(position))] += 1 }
    var total: UInt32 = 0
    for bucket in starts.indices {
      total += starts[bucket]
      starts[bucket] = total
    }
  }

  /// Fills the buckets from their ends, which so become their starts.
  private mutating func place(_ count: Int, _ key: (Int) -> UInt64) {
    for position in (0..<count).reversed() {
      let bucket = bucket(of: key(position))
      starts[bucket] -= 1
      positions[Int(starts[bucket])] = UInt32(position)
    }
  }
}
