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
    /// See ``content(fingerprint:expiration:fireAt:)``.
    var content: UInt64
  }

  /// Everything that is compared of a loan: its fingerprint with the two columns that decide what
  /// is due, so that damage to one of them is a difference, which a reload mends.
  static func content(fingerprint: UInt64, expiration: Int64, fireAt: Int64) -> UInt64 {
    let day = UInt64(bitPattern: expiration) &* 0x9E37_79B9_7F4A_7C15
    let moment = UInt64(bitPattern: fireAt) &* 0xC2B2_AE3D_27D4_EB4F
    return fingerprint ^ day ^ (moment << 29 | moment >> 35)
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
  /// The positions of rows whose loans left so long ago that their ledger can be made small, and
  /// when they left.
  private(set) var outlived: [(position: Int, leftOn: Int)] = []
  /// The row that the next loan will have if nothing was changed.
  private var expected = 0
  /// The rows by key, made when something has changed for the first time.
  private var index: KeyIndex?

  mutating func append(_ row: Row, _ mark: Marks) {
    rows.append(row)
    marks.append(mark)
    if !mark.contains(.left) { presentCount += 1 }
  }

  /// Notes that the last row appended may go if its loan does not return.
  mutating func markLastOutlived(leftOn: Int64) {
    outlived.append((rows.count - 1, Int(leftOn)))
  }

  /// The position of a row of this key and content that no loan was found for before.
  mutating func find(key: UInt64, content: UInt64) -> Int? {
    if expected < rows.count, rows[expected].key == key,
      rows[expected].content == content, !marks[expected].contains(.seen)
    {
      return expected
    }
    return positions(near: key).lazy.map(Int.init).first { position in
      rows[position].key == key && rows[position].content == content
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
    let made = KeyIndex(count: rows.count) { rows[$0].key }
    index = made
    return made.positions(near: key)
  }
}
