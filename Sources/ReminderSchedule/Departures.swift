internal import Loans

/// What remains of the ledger of loans that have left, and of expirations that were replaced.
///
/// What was delivered of an expiration through a channel becomes a mark: a hash of the loan's
/// identity and that expiration, eight bytes in a row that it shares with those of the same
/// catalogue, channel, day of leaving and moments of delivery. Rows are only ever appended and, 400
/// days later, deleted, so they stay dense; a catalogue of 100,000 loans that are all replaced
/// within a month needs some 13 MB a year. To look for a mark, all are read, in the order in which
/// they lie in the file, so once for all loans of a reload.
struct Departures {
  /// What the marks of one row have in common.
  struct Group: Hashable {
    var leftOn: Int
    var channel: Int64
    var reminderAt: Int64?
    var expiredAt: Int64?
  }

  /// A delivery as its mark was found.
  struct Found {
    var position: Int
    var kind: Notice.Kind
    var channel: Int64
    var at: Int64
  }

  /// Where a mark is: among those taken since the beginning, or in a row of the table.
  private enum Place: Hashable {
    case taken(Group, index: Int)
    case row(Int64, index: Int)
  }

  /// A mark that was looked for.
  private struct Candidate {
    var group: Group
    var place: Place

    /// Whether the loan at a position had not been told of what this tells last, and so was now.
    func isTaken(by position: Int, _ found: (Found) throws -> Bool) throws -> Bool {
      var isTaken = false
      try group.forEachKind { kind, at in
        isTaken = try found(Found(position: position, kind: kind, channel: group.channel, at: at))
      }
      return isTaken
    }
  }

  /// What the candidates for the same loans have in common.
  private struct Sought: Hashable {
    var mark: UInt64
    var channel: Int64
  }

  /// How far a day of leaving is shifted in a row's number, which so orders rows by that day.
  private static var dayShift: Int { 24 }
  /// So many marks share a row at most, which bounds the memory of a reader.
  private static var rowSize: Int { 32_768 }

  private let catalogue: Int64
  private var groups: [Group: [UInt64]] = [:]

  /// For the loans of one catalogue.
  init(catalogue: Int64) {
    self.catalogue = catalogue
  }

  /// The mark of a loan's expiration.
  static func mark(identity: Identity, expiration: Int64) -> UInt64 {
    identity.hash.mixed(with: UInt64(bitPattern: expiration))
  }

  /// Takes the mark of what was delivered.
  mutating func append(_ mark: UInt64, to group: Group) {
    groups[group, default: []].append(mark)
  }

  /// Finds the marks of some loans in the table.
  func find(
    _ database: Database, count: Int, mark: (Int) -> UInt64, found: (Found) throws -> Void
  ) throws {
    let index = KeyIndex(count: count, key: mark)
    try forEach(database) { word, group, _ in
      for position in index.positions(near: word) where mark(Int(position)) == word {
        try group.forEachKind { kind, at in
          try found(Found(position: Int(position), kind: kind, channel: group.channel, at: at))
        }
      }
    }
  }

  /// Takes back the marks of loans that are there again.
  ///
  /// Of loans alike in identity and expiration each takes a mark of its own, the latest first; the
  /// rest stays for those that come later.
  ///
  /// - Parameter found: whether the loan had no such delivery yet, and has it now.
  mutating func takeBack(
    _ database: Database, count: Int, mark: (Int) -> UInt64, found: (Found) throws -> Bool
  ) throws {
    if count == 0 { return }
    let index = KeyIndex(count: count, key: mark)
    var sought: [Sought: [Candidate]] = [:]
    try forEach(database) { word, group, place in
      if index.positions(near: word).contains(where: { mark(Int($0)) == word }) {
        sought[Sought(mark: word, channel: group.channel), default: []]
          .append(Candidate(group: group, place: place))
      }
    }
    var used: Set<Place> = []
    for (sought, candidates) in sought {
      var positions = index.positions(near: sought.mark)[...]
      for candidate in candidates.sorted(by: { $1.group.isEarlier(than: $0.group) }) {
        while let position = positions.popFirst() {
          if mark(Int(position)) == sought.mark,
            try candidate.isTaken(by: Int(position), found)
          {
            used.insert(candidate.place)
            break
          }
        }
      }
    }
    try remove(used, database)
  }

  /// Goes through the marks taken since the beginning, and those in the table as they lie there.
  private func forEach(
    _ database: Database, _ body: (UInt64, Group, Place) throws -> Void
  ) throws {
    for (group, words) in groups {
      for (index, word) in words.enumerated() {
        try body(word, group, .taken(group, index: index))
      }
    }
    let rows = try RowStatement(
      database,
      sql: "SELECT id, channel, reminder_at, expired_at, marks FROM departed WHERE catalogue = ?")
    rows.query { $0.bind(catalogue) }
    while try rows.next() {
      let id = rows.integer(0)
      let group = Group(
        leftOn: Int(id) >> Self.dayShift, channel: rows.integer(1),
        reminderAt: rows.optionalInteger(2), expiredAt: rows.optionalInteger(3))
      var index = 0
      try rows.forEachWord(4) { word in
        try body(word, group, .row(id, index: index))
        index += 1
      }
    }
  }

  /// Removes marks that loans have again.
  private mutating func remove(_ places: Set<Place>, _ database: Database) throws {
    var rows: [Int64: Set<Int>] = [:]
    var taken: [Group: Set<Int>] = [:]
    for place in places {
      switch place {
      case .row(let id, let index): rows[id, default: []].insert(index)
      case .taken(let group, let index): taken[group, default: []].insert(index)
      }
    }
    for (group, indices) in taken { groups[group]?.remove(at: indices) }
    if rows.isEmpty { return }
    let select = try RowStatement(database, sql: "SELECT marks FROM departed WHERE id = ?")
    let update = try RowStatement(database, sql: "UPDATE departed SET marks = ?2 WHERE id = ?1")
    for (id, indices) in rows {
      var words: [UInt64] = []
      select.query { $0.bind(id) }
      while try select.next() { select.forEachWord(0) { words.append($0) } }
      words.remove(at: indices)
      try update.run { parameters in
        parameters.bind(id)
        parameters.bind(words[...])
      }
    }
  }

  /// Writes the marks taken into the table.
  func write(_ database: Database) throws {
    if groups.isEmpty { return }
    let insert = try RowStatement(
      database,
      sql: """
        INSERT INTO departed
        SELECT coalesce(max(id), ?1) + 1, ?3, ?4, ?5, ?6, ?7
        FROM departed WHERE id >= ?1 AND id < ?2
        """)
    for (group, words) in groups.sorted(by: { $0.key < $1.key }) {
      for start in stride(from: 0, to: words.count, by: Self.rowSize) {
        try insert.run { parameters in
          parameters.bind(group.leftOn << Self.dayShift)
          parameters.bind((group.leftOn + 1) << Self.dayShift)
          parameters.bind(catalogue)
          parameters.bind(group.channel)
          parameters.bind(group.reminderAt)
          parameters.bind(group.expiredAt)
          parameters.bind(words[start..<min(start + Self.rowSize, words.count)])
        }
      }
    }
  }

  /// Forgets the marks of what left before a day.
  static func prune(_ database: Database, before day: Int) throws {
    let sql = "DELETE FROM departed WHERE id < ?"
    try database.execute(sql: sql) { $0.bind(day << Self.dayShift) }
  }

  /// Whether the table has marks of a catalogue.
  static func exist(_ database: Database, catalogue: Int64) throws -> Bool {
    let sql = "SELECT EXISTS (SELECT 1 FROM departed WHERE catalogue = ?)"
    return try database.condition(sql: sql) { $0.bind(catalogue) } ?? false
  }
}

extension Departures.Group {
  /// Calls `body` with each kind that was delivered, the reminder first, and when.
  fileprivate func forEachKind(_ body: (Notice.Kind, Int64) throws -> Void) rethrows {
    if let reminderAt { try body(.reminder, reminderAt) }
    if let expiredAt { try body(.expired, expiredAt) }
  }

  /// Whether what was delivered last, was delivered before that of another.
  fileprivate func isEarlier(than other: Departures.Group) -> Bool {
    (expiredAt ?? .min, reminderAt ?? .min) < (other.expiredAt ?? .min, other.reminderAt ?? .min)
  }
}

extension Array {
  /// Takes away the elements at some places.
  fileprivate mutating func remove(at places: Set<Int>) {
    var place = -1
    removeAll { _ in
      place += 1
      return places.contains(place)
    }
  }
}

extension Departures.Group: Comparable {
  static func < (left: Departures.Group, right: Departures.Group) -> Bool {
    (left.leftOn, left.channel, left.reminderAt ?? 0, left.expiredAt ?? 0)
      < (right.leftOn, right.channel, right.reminderAt ?? 0, right.expiredAt ?? 0)
  }
}

/// A loan's identity as a number, the same in every run, and for all loans that share it.
///
/// Of loans with the same identity the first in the catalogue today may be the second tomorrow, so
/// what was delivered belongs to the identity and the expiration.
struct Identity {
  let hash: UInt64
  /// Whether the loan is another one than the first of its identity in the catalogue.
  let isRepeated: Bool

  /// Hashes an identity's text (FNV-1a, 64 bits) without the ordinal, the last line `#2`.
  init(_ text: String) {
    var text = text.utf8[...]
    let line = text.lastIndex(of: 0x0A).map { text[text.index(after: $0)...] }
    isRepeated = line?.first == UInt8(ascii: "#")
    if let line, isRepeated { text = text[..<text.index(before: line.startIndex)] }
    hash = text.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }
}

extension UInt64 {
  /// A number in which every bit depends on all bits of both (the end of SplitMix64).
  fileprivate func mixed(with other: UInt64) -> UInt64 {
    var bits = self &+ other &* 0x9E37_79B9_7F4A_7C15
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    return bits ^ (bits >> 31)
  }
}
