internal import Loans

/// The last good reading of a catalogue, and what it has brought.
public struct CatalogueStatus: Hashable, Sendable {
  /// The catalogue's name in the schedule.
  public var name: String
  /// The untrusted name that people have for its library, if there is one.
  public var library: String?
  /// The time of the last reading that replaced its part of the schedule, to ten minutes; `nil` if there
  /// was none.
  public var readAt: ClockTime?
  /// When its file was modified last before that reading, if that is known.
  public var modifiedAt: ClockTime?
  /// Whether a run that delivers has read it; otherwise somebody has only looked at it.
  public var isDelivered: Bool
  /// The number of its loans.
  public var loans: Int
}

/// The notices that a channel has to send.
public struct ChannelStatus: Hashable, Sendable {
  /// The channel's name.
  public var name: String
  /// The loans of which a notice is still to come, the same for every channel.
  public var pending = 0
  /// The notices that are due and were not delivered through it.
  public var due = 0
  /// Those of them that it could not deliver when that was tried last.
  public var failed = 0
  /// Those of them whose borrower has no usable address.
  public var undeliverable = 0
  /// Those of them that have been due for two days, and their loans and the channel known for as long,
  /// but those whose borrower has no usable address.
  public var late = 0
  /// Why some have failed, the last time; untrusted.
  public var error: String?
}

extension ScheduleReader {
  /// The time of the last run that reloaded or delivered, to ten minutes; `nil` if there was none.
  public func lastRun() throws(ScheduleError) -> ClockTime? {
    try connection.transact { database in
      try database.rows("SELECT run_at, run_utc_offset FROM counter") { $0.clockTime(0) }
        .compactMap(\.self).first
    }
  }

  /// The catalogues in the schedule, by their names.
  public func catalogueStatus() throws(ScheduleError) -> [CatalogueStatus] {
    try connection.transact { database in
      try database.rows(
        """
        SELECT path, library, read_at, read_utc_offset, modified_at, modified_utc_offset, is_delivered, (
          SELECT count(*) FROM loan
          WHERE loan.id BETWEEN catalogue.id << ?1 AND ((catalogue.id + 1) << ?1) - 1)
        FROM catalogue ORDER BY path
        """, LoanID.shift
      ) { row in
        CatalogueStatus(
          name: row.text(0) ?? "", library: row.text(1), readAt: row.clockTime(2),
          modifiedAt: row.clockTime(4), isDelivered: row.integer(6) != 0,
          loans: Int(row.integer(7)))
      }
    }
  }

  /// The channels that a run has named within the last seven days, by their names.
  ///
  /// - Parameter zones: the catalogues whose loans count.
  public func channelStatus(
    in zones: [ZonedCatalogues]
  ) throws(ScheduleError) -> [ChannelStatus] {
    try connection.transact { database in
      let channels = try database.channels().values.sorted { $0.name < $1.name }
        .filter { channel in zones.contains { channel.isInUse(on: $0.now.date) } }
      if channels.isEmpty { return [] }
      var status = channels.map { ChannelStatus(name: $0.name) }
      var pending = 0
      for (now, catalogues) in zones {
        let standings = try Standings(database, at: now)
        try standings.forEach(
          in: database.ranges(catalogues), where: "hash <> ?4", LoanRow.cancelled
        ) { standing in
          if standing.plan.next(after: now) != nil { pending += 1 }
          guard !standing.isBorrowerUnknown, let rung = standing.plan.reached(at: now) else {
            return
          }
          for (index, channel) in channels.enumerated() {
            if rung <= standing.told(through: channel.name) ?? .min { continue }
            if try standings.isSilenced(standing, on: now.date, through: channel.name) { continue }
            status[index].note(standing, rung, channel, today: now.date)
          }
        }
      }
      for index in status.indices { status[index].pending = pending }
      return status
    }
  }
}

extension ChannelStatus {
  /// Counts a notice that is due.
  fileprivate mutating func note(
    _ standing: Standing, _ rung: Int, _ channel: Channel, today: CivilDate
  ) {
    due += 1
    let last = standing.deliveries(of: Notice.Kind(rung: rung)).first { $0.isThrough(name) }
    let since = max(
      standing.plan.fireDate(rung).date.dayNumber, standing.armedOn.dayNumber, channel.firstUsed)
    // That somebody has no address is no failure of the runs.
    if today.dayNumber - since >= 2, last?.state != .undeliverable { late += 1 }
    switch last?.state {
    case .failed:
      failed += 1
      error = last?.error ?? error
    case .undeliverable: undeliverable += 1
    case .sending, .delivered, nil: break
    }
  }
}
