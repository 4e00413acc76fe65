internal import Loans

extension Database {
  /// What is known of a loan that is stored.
  ///
  /// - Parameter sent: how many messages of each flight were sent, as far as that is known.
  func history(
    of id: Int, at now: CivilDateTime, sent: () -> [Int64: Int]
  ) throws -> LoanHistory? {
    let lookup = LoanLookup(self)
    guard let (stored, catalogueID) = try lookup.loan(Int64(id)),
      let catalogue = try catalogues(nil)[catalogueID],
      let fireAt = CivilDateTime(ordinal: Int(stored.fireAt))
    else { return nil }
    let (loan, identity) = try lookup.whole(stored, catalogue: catalogueID)
    var notices = NoticeHistories()
    try collectDeliveries(of: id, into: &notices)
    if try hasFlight() { try endFlights(of: id, sent: sent(), in: &notices) }
    try collectDepartures(
      catalogueID, Identity(identity), around: loan.expiration, now.date, into: &notices)
    return LoanHistory(
      id: id, catalogue: catalogue, loan: loan, fireAt: fireAt,
      isCancelled: stored.marks.contains(.cancelled),
      leftOn: stored.hasLeft ? CivilDate(dayNumber: Int(stored.leftOn)) : nil,
      notices: notices.sorted)
  }

  private func collectDeliveries(of id: Int, into notices: inout NoticeHistories) throws {
    let rows = try RowStatement(
      self,
      sql: """
        SELECT kind, expiration, name, state, at, attempts, error, delivered_at
        FROM delivery CROSS JOIN channel ON channel.id = delivery.channel WHERE loan = ?
        """)
    rows.query { $0.bind(id) }
    while try rows.next() {
      guard let expiration = CivilDate(dayNumber: Int(rows.integer(1))) else { continue }
      notices.add(rows.delivery(from: 2), Notice.Kind(stored: rows.integer(0)), expiration)
    }
  }

  /// Tells what is in flight as it will be told when the flight has ended: only the message that is
  /// on its way, or was when its run was killed, stays as being sent.
  private func endFlights(
    of id: Int, sent: [Int64: Int], in notices: inout NoticeHistories
  ) throws {
    let names = try channelNames()
    for flight in try flights() {
      for notice in flight.notices where notice.loan == id {
        let isSent = sent[flight.batch].map { notice.position < $0 } ?? false
        let isUntried = sent[flight.batch].map { notice.position > $0 } ?? false
        guard let expiration = CivilDate(dayNumber: Int(notice.expiration)), !isUntried,
          let name = names[flight.channel], let at = CivilDateTime(ordinal: Int(flight.at))
        else { continue }
        notices.note(isSent ? .delivered : .sending, at, channel: name, notice.kind, expiration)
      }
    }
  }

  /// Finds the marks of other expirations by trying each day that a loan may have had, since a
  /// mark does not tell its day.
  private func collectDepartures(
    _ catalogue: Int64, _ identity: Identity, around expiration: CivilDate, _ today: CivilDate,
    into notices: inout NoticeHistories
  ) throws {
    let names = try channelNames()
    let first = min(expiration, today).adding(days: -2_000)
    let count = first.days(until: max(expiration, today)) + 4_000
    try Departures(catalogue: catalogue).find(
      self, count: count,
      mark: { Departures.mark(identity: identity, expiration: Int64(first.dayNumber + $0)) },
      found: { found in
        let at = CivilDateTime(ordinal: Int(found.at))
        guard let name = names[found.channel],
          let day = CivilDate(dayNumber: first.dayNumber + found.position)
        else { return }
        notices.add(
          Delivery(channel: name, state: .delivered, at: at, attempts: 1, deliveredAt: at),
          found.kind, day)
      })
  }
}

extension Database {
  /// The names of channels by number.
  func channelNames() throws -> [Int64: String] {
    let rows = try RowStatement(self, sql: "SELECT id, name FROM channel")
    var found: [Int64: String] = [:]
    while try rows.next() { found[rows.integer(0)] = rows.text(1) ?? "" }
    return found
  }
}

/// Deliveries by expiration and kind.
private struct NoticeHistories {
  private struct Key: Hashable {
    var expiration: CivilDate
    var kind: Notice.Kind
  }

  private var deliveries: [Key: [Delivery]] = [:]

  /// Adds a delivery, unless what is known of that channel already is as late.
  mutating func add(_ delivery: Delivery, _ kind: Notice.Kind, _ expiration: CivilDate) {
    let key = Key(expiration: expiration, kind: kind)
    var known = deliveries[key] ?? []
    if let index = known.firstIndex(where: { $0.channel == delivery.channel }) {
      guard let old = known[index].at, let new = delivery.at, old < new else { return }
      known[index] = delivery
    } else {
      known.append(delivery)
    }
    deliveries[key] = known
  }

  /// Adds another attempt, which was delivered or is under way.
  mutating func note(
    _ state: Delivery.State, _ at: CivilDateTime, channel: String, _ kind: Notice.Kind,
    _ expiration: CivilDate
  ) {
    var attempt = Delivery(channel: channel, state: state, at: at, attempts: 1)
    if state == .delivered { attempt.deliveredAt = at }
    deliveries[Key(expiration: expiration, kind: kind), default: []].note(attempt)
  }

  var sorted: [LoanHistory.NoticeHistory] {
    deliveries.map { key, deliveries in
      LoanHistory.NoticeHistory(
        expiration: key.expiration, kind: key.kind,
        deliveries: deliveries.sorted { $0.channel < $1.channel })
    }
    .sorted { ($0.expiration, $0.kind.stored) < ($1.expiration, $1.kind.stored) }
  }
}
