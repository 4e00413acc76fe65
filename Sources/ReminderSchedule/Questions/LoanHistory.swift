public import Loans

/// Everything known about a loan: its state, and the deliveries of its notices.
@dynamicMemberLookup
public struct LoanHistory: Hashable, Sendable {
  /// The deliveries of one kind of notice for one expiration of the loan.
  public struct NoticeHistory: Hashable, Sendable {
    /// The expiration that the notice was about: the loan's own, or an earlier one.
    public var expiration: CivilDate
    /// The kind of notice.
    public var kind: Notice.Kind
    /// Whether it was for the person who has the loan now, rather than somebody before.
    public var isForBorrower: Bool
    /// The deliveries, by channel name; never empty.
    public var deliveries: [Delivery]
  }

  /// The loan as the schedule has it, whose properties the history has too.
  public let scheduled: ScheduledLoan
  /// The notices that were attempted, by expiration, the reminder first.
  public let notices: [NoticeHistory]
  /// The silences that hold for the notice that it has now, the one that ends last first.
  public let silences: [Silence]
  /// The reason why a notice is sent now, or is not.
  public let reason: NoticeReason

  /// A property of the loan.
  public subscript<Value>(dynamicMember property: KeyPath<ScheduledLoan, Value>) -> Value {
    scheduled[keyPath: property]
  }

  /// The deliveries of the notices of the kind that is due or comes next, for its expiration.
  public func current(at now: CivilDateTime) -> [Delivery] {
    let kind = self.loan.expiration < now.date ? Notice.Kind.expired : .reminder
    return notices.first {
      $0.kind == kind && $0.expiration == self.loan.expiration && $0.isForBorrower
    }?.deliveries ?? []
  }
}

extension ScheduleReader {
  /// All that is known of a loan, also of one that has left within the last 400 days; `nil` if no
  /// loan has the number.
  ///
  /// What a run is sending, or was when it was killed, is shown as it will be noted: as delivered if
  /// it was sent, as before if it was not begun. Only the message on its way is `sending`.
  public func history(of id: Int, at now: CivilDateTime) throws(ScheduleError) -> LoanHistory? {
    try connection.transact { database in
      let sent = try? LockFile.count(beside: connection.file)
      let standings = try Standings(database, at: now, sent: sent)
      guard let row = try database.rowID(ofLoan: id),
        let standing = try standings.standing(of: row),
        let scheduled = try database.loan(row, standings.ladders)
      else { return nil }
      let silences = try standings.silences(of: scheduled)
      let isSilenced = silences.contains { $0.conditions.channel == nil }
      return LoanHistory(
        scheduled: scheduled, notices: try standings.notices(of: standing), silences: silences,
        reason: standing.reason(isSilenced: isSilenced, at: now))
    }
  }
}

extension Standings {
  /// What the ledger and the outbox hold of a loan, by expiration, reminders first; also what was sent
  /// of it to others, and for other expirations.
  fileprivate func notices(of standing: Standing) throws -> [LoanHistory.NoticeHistory] {
    var notices: [LoanHistory.NoticeHistory] = []
    let table = standing.leftOn == nil ? LoanTable.present : .left
    _ = try database.rows(
      """
      SELECT delivery.expiration, delivery.person = loan.person, channel, rung, state, attempts, at,
        utc_offset, delivered_at, sent_to, reason
      FROM \(table.rawValue) AS loan JOIN delivery
        ON delivery.catalogue = loan.id >> \(LoanID.shift) AND delivery.identity = loan.identity
      WHERE loan.id = ?
        AND (delivery.expiration <> loan.expiration OR delivery.person <> loan.person)
      ORDER BY delivery.expiration, delivery.person, rung > 0, rung
      """, standing.id
    ) { row in
      guard let delivery = delivery(row, from: 2) else { return }
      guard let expiration = row.day(0) else {
        throw DatabaseError.damage("an expiration in the ledger")
      }
      let kind = Notice.Kind(rung: delivery.rung)
      let isForBorrower = row.integer(1) != 0
      let isSame =
        notices.last.map {
          $0.expiration == expiration && $0.kind == kind && $0.isForBorrower == isForBorrower
        } ?? false
      if !isSame {
        notices.append(
          .init(expiration: expiration, kind: kind, isForBorrower: isForBorrower, deliveries: []))
      }
      notices[notices.count - 1].deliveries.add(delivery, now: now)
    }
    for kind in [Notice.Kind.reminder, .expired] {
      let deliveries = standing.deliveries(of: kind)
      if deliveries.isEmpty { continue }
      let place =
        notices.firstIndex { $0.expiration > standing.plan.expiration } ?? notices.endIndex
      notices.insert(
        .init(
          expiration: standing.plan.expiration, kind: kind, isForBorrower: true,
          deliveries: deliveries), at: place)
    }
    for index in notices.indices { notices[index].deliveries.sort { $0.channel < $1.channel } }
    return notices
  }
}
