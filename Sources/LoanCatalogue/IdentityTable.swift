/// The identities seen so far in one catalogue, as hashes, each with the line of its first record.
///
/// Most catalogues are sorted by id. As long as each text is greater than the one before, none can
/// be a repetition, and the texts are only listed; the first one out of order brings them into a
/// table. A million identities take about 4 MB, or 20 MB in the table.
struct IdentityTable {
  private var parts: [Part] = []
  private var repetitions: [UInt64: Int] = [:]
  private var list = AscendingList()

  /// Notes an identity that is the text of a field, at a record's line.
  ///
  /// - Returns: the line of its first record and this record's ordinal, from 2 on, if the
  ///   identity is known already.
  mutating func note(
    _ field: LoanField, _ text: Span<UInt8>, line: Int
  ) -> (firstLine: Int, ordinal: Int)? {
    if parts.isEmpty {
      if list.append(text, line: line) { return nil }
      makeTable(of: field)
    }
    return note(ContentHash.of(field, text), line: line)
  }

  /// Notes an identity that is known by its hash.
  mutating func note(_ key: UInt64, line: Int) -> (firstLine: Int, ordinal: Int)? {
    if parts.isEmpty { makeTable(of: .id) }
    guard let first = parts[Int(key % 64)].insert(key, UInt32(clamping: line)) else { return nil }
    let ordinal = repetitions[key, default: 1] + 1
    repetitions[key] = ordinal
    return (Int(first), ordinal)
  }

  /// The table is split into parts, so that growing copies a small part at a time.
  private mutating func makeTable(of field: LoanField) {
    var parts = [Part](repeating: Part(), count: 64)
    list.forEach { text, line in
      let key = ContentHash.of(field, text.span)
      _ = parts[Int(key % 64)].insert(key, UInt32(clamping: line))
    }
    list = AscendingList()
    self.parts = parts
  }

  /// An open-addressed table; line 0 marks a free place.
  private struct Part {
    private var keys: [UInt64] = []
    private var lines: [UInt32] = []
    private var count = 0

    /// - Returns: the line noted before, if the key is known.
    mutating func insert(_ key: UInt64, _ line: UInt32) -> UInt32? {
      if count * 8 >= keys.count * 7 { grow() }
      let place = self.place(of: key)
      guard lines[place] == 0 else { return lines[place] }
      keys[place] = key
      lines[place] = line
      count += 1
      return nil
    }

    /// Where the key is, or where it belongs.
    private func place(of key: UInt64) -> Int {
      var place = Int(key.multipliedFullWidth(by: UInt64(keys.count)).high)
      while lines[place] != 0 && keys[place] != key {
        place += 1
        if place == keys.count { place = 0 }
      }
      return place
    }

    private mutating func grow() {
      let old = (keys: keys, lines: lines)
      let capacity = max(16, keys.count * 3 / 2)
      keys = [UInt64](repeating: 0, count: capacity)
      lines = [UInt32](repeating: 0, count: capacity)
      for index in old.keys.indices where old.lines[index] != 0 {
        let place = self.place(of: old.keys[index])
        keys[place] = old.keys[index]
        lines[place] = old.lines[index]
      }
    }
  }
}
