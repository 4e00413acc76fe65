/// What a reload remembers of the rows that a catalogue had before: 25 bytes for each, and 8 more
/// once a loan is not where it was.
///
/// A catalogue is usually written in the order of the last time. So the rows are walked in step
/// with it; only where the two part, a row is searched for by its key.
struct StoredLoans {
  /// A row of the table `loan`, without what decides nothing here.
  struct Row {
    var id: Int64
    var key: UInt64
    var fingerprint: UInt64
  }

  /// What is known of a row beside its identity.
  struct Marks: OptionSet {
    var rawValue: UInt8

    /// The catalogue that is being read has the loan.
    static let seen = Marks(rawValue: 1)
    /// The user has cancelled the reminder.
    static let cancelled = Marks(rawValue: 2)
    /// The loan was no longer in the catalogue the last time.
    static let left = Marks(rawValue: 4)
  }

  private(set) var rows: ContiguousArray<Row> = []
  private(set) var marks: ContiguousArray<Marks> = []
  /// How many rows are of loans that were in the catalogue the last time.
  private(set) var presentCount = 0
  /// The positions of rows whose loans left so long ago that their ledger has no use.
  private(set) var outlived: [Int] = []
  /// The row that the next loan will have if nothing was changed.
  private var expected = 0
  /// The rows by key, made when something has changed for the first time.
  private var index: KeyIndex?

  mutating func append(_ row: Row, _ mark: Marks) {
    rows.append(row)
    marks.append(mark)
    if !mark.contains(.left) { presentCount += 1 }
  }

  /// Notes that the last row appended may be forgotten if its loan does not return.
  mutating func markLastOutlived() {
    outlived.append(rows.count - 1)
  }

  /// The position of a row of this key and fingerprint that no loan was found for before.
  mutating func find(key: UInt64, fingerprint: UInt64) -> Int? {
    if expected < rows.count, rows[expected].key == key,
      rows[expected].fingerprint == fingerprint, !marks[expected].contains(.seen)
    {
      return expected
    }
    return positions(near: key).lazy.map(Int.init).first { position in
      rows[position].key == key && rows[position].fingerprint == fingerprint
        && !marks[position].contains(.seen)
    }
  }

  /// The positions of all rows of this key that no loan was found for before, in row order.
  ///
  /// More than one is either a chance collision of two identities or one identity twice.
  mutating func candidates(key: UInt64) -> [Int] {
    positions(near: key).lazy.map(Int.init).filter { position in
      rows[position].key == key && !marks[position].contains(.seen)
    }
  }

  /// Marks the row at `position` as that of the loan just read, and goes on behind it.
  mutating func see(_ position: Int) {
    marks[position].insert(.seen)
    expected = position + 1
  }

  private mutating func positions(near key: UInt64) -> ArraySlice<UInt32> {
    if let index { return index.positions(near: key) }
    let made = KeyIndex(rows)
    index = made
    return made.positions(near: key)
  }
}
