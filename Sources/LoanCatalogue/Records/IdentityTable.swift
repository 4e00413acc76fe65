/// The identities seen so far in one catalogue, as hashes, each with the line of its first record.
///
/// A million of them take 18 MB. Hashed once more with what differs in each run, as a dictionary does,
/// so that nobody can choose identities that all lead to one place.
struct IdentityTable: ~Copyable {
  private var firstLines: [UInt64: UInt32] = [:]
  private var repetitions: [UInt64: Int] = [:]

  /// Makes room for identities, whose number is known roughly, so that it need not grow by and by.
  mutating func reserveCapacity(_ count: Int) {
    if count > firstLines.capacity { firstLines.reserveCapacity(count) }
  }

  /// Notes an identity at a record's line.
  ///
  /// - Returns: the line of its first record and this record's ordinal, from 2 on, if the
  ///   identity is known already.
  mutating func note(_ key: UInt64, line: Int) -> (firstLine: Int, ordinal: Int)? {
    guard let firstLine = firstLines[key] else {
      firstLines[key] = UInt32(clamping: line)
      return nil
    }
    repetitions[key, default: 1] += 1
    return (Int(firstLine), repetitions[key, default: 1])
  }
}
