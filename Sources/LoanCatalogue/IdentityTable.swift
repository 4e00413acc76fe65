/// The identities seen so far in one catalogue, as hashes, each with the line of its first record.
///
/// Most catalogues are sorted by id. As long as each text is greater than the one before, none can
/// be a repetition, and the texts are only listed; the first one out of order brings them into a
/// table. A million identities take 1.5 to 4 MB, or 20 MB in the table.
struct IdentityTable {
  private var table: HashTable?
  private var repetitions: [UInt64: Int] = [:]
  private var list = AscendingList()

  /// Notes an identity that is the text of a field, at a record's line.
  ///
  /// - Returns: the line of its first record and this record's ordinal, from 2 on, if the
  ///   identity is known already.
  mutating func note(
    _ field: LoanField, _ text: Span<UInt8>, line: Int
  ) -> (firstLine: Int, ordinal: Int)? {
    if table == nil {
      if list.append(text, line: line) { return nil }
      makeTable(of: field)
    }
    return note(ContentHash.of(field, text), line: line)
  }

  /// Notes an identity that is known by its hash.
  mutating func note(_ key: UInt64, line: Int) -> (firstLine: Int, ordinal: Int)? {
    if table == nil { makeTable(of: .id) }
    guard let first = table?.insert(key, UInt32(clamping: line)) else { return nil }
    let ordinal = repetitions[key, default: 1] + 1
    repetitions[key] = ordinal
    return (Int(first), ordinal)
  }

  private mutating func makeTable(of field: LoanField) {
    var table = HashTable()
    list.forEach { text, line in
      _ = table.insert(ContentHash.of(field, text.span), UInt32(clamping: line))
    }
    list = AscendingList()
    self.table = table
  }
}

/// Keys in the order in which they came, each with a line, and where to find them.
private struct HashTable {
  /// In pieces, so that growing copies nothing.
  private var keys: [[UInt64]] = []
  private var lines: [[UInt32]] = []
  private var count = 0
  /// The numbers of keys, each near where its key leads (open addressing).
  ///
  /// A number counts from 1 and is in a cell's lower bits; above are some bits of the key itself, so
  /// that other keys are hardly ever looked at. 0 marks a free cell.
  private var cells = [UInt32](repeating: 0, count: 16)
  private var bits: UInt32 = 4
  private static let pieceBits = 12
  /// Different in each run, so that nobody can choose identities that all lead to one place.
  private let multiplier = UInt64.random(in: 0...(.max)) | 1

  /// - Returns: the line noted before, if the key is known.
  mutating func insert(_ key: UInt64, _ line: UInt32) -> UInt32? {
    if count * 4 >= cells.count * 3 { grow() }
    var place = place(of: key)
    let tag = tag(of: key)
    while case let cell = cells[place], cell != 0 {
      if cell &>> bits == tag {
        let number = Int(cell & (1 &<< bits &- 1)) &- 1
        let (piece, index) = Self.position(of: number)
        if keys[piece][index] == key { return lines[piece][index] }
      }
      place = (place &+ 1) & (cells.count &- 1)
    }
    append(key, line)
    cells[place] = tag &<< bits | UInt32(truncatingIfNeeded: count)
    return nil
  }

  private mutating func append(_ key: UInt64, _ line: UInt32) {
    if Self.position(of: count).index == 0 {
      keys.append([])
      lines.append([])
      if count > 0 {
        keys[keys.count - 1].reserveCapacity(1 << Self.pieceBits)
        lines[lines.count - 1].reserveCapacity(1 << Self.pieceBits)
      }
    }
    keys[keys.count - 1].append(key)
    lines[lines.count - 1].append(line)
    count += 1
  }

  /// Where the key of a number is.
  @inline(__always)
  private static func position(of number: Int) -> (piece: Int, index: Int) {
    (number &>> pieceBits, number & (1 &<< pieceBits &- 1))
  }

  /// Where the key is looked for first.
  private func place(of key: UInt64) -> Int {
    Int(truncatingIfNeeded: (key &* multiplier) &>> UInt64(64 &- bits))
  }

  private func tag(of key: UInt64) -> UInt32 {
    UInt32(truncatingIfNeeded: key) &>> bits
  }

  private mutating func grow() {
    bits += 1
    precondition(bits < 32, "\(count) records")
    cells = [UInt32](repeating: 0, count: 1 << Int(bits))
    for number in 0..<count {
      let (piece, index) = Self.position(of: number)
      let key = keys[piece][index]
      var place = place(of: key)
      while cells[place] != 0 { place = (place &+ 1) & (cells.count &- 1) }
      cells[place] = tag(of: key) &<< bits | UInt32(truncatingIfNeeded: number + 1)
    }
  }
}
