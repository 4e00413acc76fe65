/// The identities seen so far in one catalogue, as hashes, each with the line of its first record.
///
/// It is split by the hash's low bits, so that growing copies a small part at a time.
struct IdentityTable {
  private static let partCount = 64
  private var parts = [[UInt64: UInt32]](repeating: [:], count: partCount)
  private var repetitions: [UInt64: Int] = [:]

  /// Notes an identity at a record's line.
  ///
  /// - Returns: the line of its first record and this record's ordinal, from 2 on, if the
  ///   identity is known already.
  mutating func note(_ key: UInt64, line: Int) -> (firstLine: Int, ordinal: Int)? {
    let part = Int(key % UInt64(Self.partCount))
    let line = UInt32(clamping: line)
    guard let first = parts[part].updateValue(line, forKey: key) else { return nil }
    parts[part][key] = first
    let ordinal = repetitions[key, default: 1] + 1
    repetitions[key] = ordinal
    return (Int(first), ordinal)
  }
}
