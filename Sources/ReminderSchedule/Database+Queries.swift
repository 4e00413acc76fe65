internal import Loans

extension Database {
  /// The paths of catalogues by row number; all of them, or those named.
  func catalogues(_ paths: [String]?) throws -> [Int64: String] {
    var found: [Int64: String] = [:]
    try forEachCatalogue(paths) { id, path in found[id] = path }
    return found
  }

  /// The row numbers of all catalogues.
  func catalogueIDs() throws -> [Int64] {
    var ids: [Int64] = []
    try forEachCatalogue(nil) { id, _ in ids.append(id) }
    return ids
  }

  /// Calls `body` with the row number and path of each catalogue, or of those named.
  func forEachCatalogue(_ paths: [String]?, _ body: (Int64, String) -> Void) throws {
    let rows = try RowStatement(self, sql: "SELECT id, path FROM catalogue")
    while try rows.next() {
      guard let path = rows.text(1) else { throw Schema.damage("the path of a catalogue") }
      // A path is bytes: names that Unicode takes for equal are different files.
      guard PageNumber.catalogues.contains(rows.integer(0)) else {
        throw Schema.damage("the number of a catalogue")
      }
      let isWanted = paths?.contains { $0.utf8.elementsEqual(path.utf8) } ?? true
      if isWanted { body(rows.integer(0), path) }
    }
  }

  /// Calls `body` with each loan that is in one of some catalogues and not cancelled, and with the
  /// catalogue's row number.
  private func forEachScheduled(
    in catalogues: some Sequence<Int64>, _ body: (StoredLoan, Int64) throws -> Void
  ) throws {
    for id in catalogues {
      try forEachLoan(ofCatalogue: id) { loan in
        if loan.isScheduled { try body(loan, id) }
      }
    }
  }

  /// How many loans have not expired and are not cancelled, and when the first of their reminders
  /// fires after `now`.
  func pending(
    after now: CivilDateTime, catalogues: some Sequence<Int64>
  ) throws -> (count: Int, nextFireAt: CivilDateTime?) {
    let (today, moment) = (Int32(now.date.dayNumber), Int64(now.ordinal))
    var count = 0
    var next = Int64.max
    try forEachScheduled(in: catalogues) { loan, _ in
      guard loan.expiration >= today else { return }
      count += 1
      if loan.fireAt > moment { next = min(next, loan.fireAt) }
    }
    return (count, next == .max ? nil : CivilDateTime(ordinal: Int(next)))
  }

  /// The first moment after `now` at which a loan that has not expired does.
  func nextExpired(
    after now: CivilDateTime, catalogues: some Sequence<Int64>
  ) throws -> CivilDateTime? {
    let today = Int32(now.date.dayNumber)
    var next = Int32.max
    try forEachScheduled(in: catalogues) { loan, _ in
      if loan.expiration >= today { next = min(next, loan.expiration) }
    }
    return CivilDate(dayNumber: Int(next)).map { CivilDateTime($0.adding(days: 1)) }
  }

  /// How many loans have a reminder that has fired, and how many have expired, whether they were
  /// told of or not.
  func openCount(
    at now: CivilDateTime, catalogues: some Sequence<Int64>
  ) throws -> (reminders: Int, expired: Int) {
    var count = (reminders: 0, expired: 0)
    try forEachScheduled(in: catalogues) { loan, _ in
      switch loan.openKind(at: now) {
      case .reminder: count.reminders += 1
      case .expired: count.expired += 1
      case nil: break
      }
    }
    return count
  }

  /// What is due and not delivered through a channel: the longest expired first.
  ///
  /// - Parameters:
  ///   - channel: the channel; `nil` for one through which nothing was ever delivered.
  ///   - repeatExpired: the days from one delivery of an expired notice to the next.
  ///   - limit: the most notices wanted.
  func due(
    at now: CivilDateTime, channel: String?, catalogues: [String]?, repeatExpired: Int?,
    limit: Int = .max
  ) throws -> [DueNotice] {
    let paths = try self.catalogues(catalogues)
    var open: ContiguousArray<OpenLoan> = []
    try forEachScheduled(in: paths.keys) { loan, catalogue in
      if loan.openKind(at: now) == nil { return }
      open.append(OpenLoan(loan: loan, catalogue: catalogue))
      if channel == nil, open.count / 2 > limit { open.keepFirst(limit) }
    }
    if let channel = try channel.flatMap(knownChannelID) {
      open.sort { $0.loan.id < $1.loan.id }
      try removeDone(&open, at: now, channel: channel, repeatExpired: repeatExpired)
    }
    open.keepFirst(limit)
    return try notices(of: open, at: now, paths)
  }

  /// Takes away the loans whose notice was delivered through a channel, in the order of numbers.
  private func removeDone(
    _ open: inout ContiguousArray<OpenLoan>, at now: CivilDateTime, channel: Int64,
    repeatExpired: Int?
  ) throws {
    let done =
      repeatExpired.map { Repetition(days: $0).doneBy(today: now.date) } ?? Int.min..<Int.max
    var ledger = try LedgerReader(self, from: open.first?.loan.id ?? 0)
    try open.removeAll { open in
      let kind = open.loan.openKind(at: now)
      return try ledger.contains(open.loan.id) { row in
        guard row.channel == channel, row.kind == kind, row.expiration == open.loan.expiration,
          let deliveredAt = row.deliveredAt
        else { return false }
        return kind == .reminder || done.contains(Int(deliveredAt))
      }
    }
  }

  /// The notices of loans in their order; their texts are read in the order of their numbers.
  private func notices(
    of open: ContiguousArray<OpenLoan>, at now: CivilDateTime, _ paths: [Int64: String]
  ) throws -> [DueNotice] {
    let lookup = LoanLookup(self)
    var notices = [DueNotice?](repeating: nil, count: open.count)
    let places = open.indices.sorted {
      (open[$0].catalogue, open[$0].loan.id) < (open[$1].catalogue, open[$1].loan.id)
    }
    for place in places {
      let (loan, catalogue) = (open[place].loan, open[place].catalogue)
      guard let path = paths[catalogue], let kind = loan.openKind(at: now) else {
        preconditionFailure("loan \(loan.id) of catalogue \(catalogue) is not open")
      }
      notices[place] = DueNotice(
        reminderID: Int(loan.id),
        notice: Notice(
          kind: kind, loan: try lookup.whole(loan, catalogue: catalogue).loan, catalogue: path))
    }
    return notices.compactMap(\.self)
  }
}

/// A loan that has a notice by its dates.
private struct OpenLoan {
  var loan: StoredLoan
  var catalogue: Int64
}

extension ContiguousArray<OpenLoan> {
  /// Orders them by expiration, then by number, and keeps so many.
  fileprivate mutating func keepFirst(_ count: Int) {
    sort { ($0.loan.expiration, $0.loan.id) < ($1.loan.expiration, $1.loan.id) }
    if self.count > count { removeLast(self.count - count) }
  }
}

extension StoredLoan {
  /// Which notice a scheduled loan has by its dates, if any.
  fileprivate func openKind(at now: CivilDateTime) -> Notice.Kind? {
    if Int(expiration) < now.date.dayNumber { return .expired }
    return fireAt <= now.ordinal ? .reminder : nil
  }
}
