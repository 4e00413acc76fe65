internal import Loans
internal import Notifiers
internal import ReminderSchedule

/// What is due through a channel, in the parts that it may send as one message each, one after the other.
///
/// A channel that writes to addresses gets what is for one address in one part, whatever catalogues it
/// is of: of six notices for two readers and one without an address, those for the reader with the most
/// urgent one come first, and what is for the library itself comes last.
struct DueParts {
  /// The notices for one address, as the most urgent one's loan has it; without one, those for the
  /// library itself, or for anybody.
  struct Part {
    var rungs: [DueRung]
    var address: String?

    /// When one of the notices was last tried in vain, 0 for never: that goes first, so that all have
    /// their turn though runs give up early.
    var triedAt: Int { rungs.lazy.map(\.triedAt).max() ?? 0 }

    /// What can still be saved comes first: reminders by expiration, then expired notices, the newest
    /// first.
    var urgency: (isLate: Int, day: Int) {
      let reminders = rungs.lazy.filter { $0.rung <= 0 }.map(\.expiration.dayNumber)
      if let first = reminders.min() { return (0, first) }
      return (1, -(rungs.lazy.map(\.expiration.dayNumber).max() ?? 0))
    }
  }

  /// The notices that wait for tomorrow: their addresses were written to today, or are now about thousands
  /// of others.
  private(set) var held: [DueRung] = []
  /// The notices for nobody who could be written to, by the reason why not; and how many borrowers
  /// these are.
  private(set) var unreachable = (borrowers: 0, groups: [(reason: String, rungs: [DueRung])]())
  /// Whether each message is for an address, or for the library itself.
  private(set) var hasAddresses = false
  /// The addresses that were written to yesterday or today, and when; the library's own is empty.
  private var written: [String: Set<CivilDateTime>] = [:]
  private var today = CivilDate.first
  private var parts: ArraySlice<Part> = []
  /// The most messages of a run.
  private(set) var limit = Int.max
  /// The number of notices that are left out, since they are beyond that.
  private(set) var overLimit = 0
  /// Whether the library itself gets what is for nobody who can be written to.
  private var hasFallback = false

  /// Who a notice is for.
  private enum Recipient: Hashable {
    /// The person at an address, by the key of the address.
    case address(String)
    /// Nobody who could be written to, for a reason.
    case nobody(String)
  }

  /// The most notices in one message to an address, which lists only some of them anyway; more have the
  /// wrong address, and would take gigabytes of memory.
  private static let mostNotices = 10_000

  /// Nothing to send.
  init() {}

  /// Divides what is due.
  ///
  /// - Parameters:
  ///   - due: the notices, in their order.
  ///   - notifier: the channel, which decides what may be in one message.
  ///   - zone: the time in the library.
  ///   - messages: how many messages the run has sent before.
  init(
    _ due: [DueRung], _ notifier: any Notifier, _ schedule: Schedule, _ zone: DeliveryZone,
    after messages: Int
  ) throws(ScheduleError) {
    switch notifier.grouping {
    case .together: parts = [Part(rungs: due)]
    case .byBorrower:
      parts = Self.inTurn(
        try Self.grouped(due, schedule, Self.reader).map { Part(rungs: $0.rungs) })
    case .byAddress(let hasFallback, let limit, let mostBorrowers):
      hasAddresses = true
      (self.hasFallback, self.limit) = (hasFallback, limit)
      let unusable = try schedule.reader.unusableAddresses(
        for: notifier.channel, mostBorrowers: mostBorrowers)
      written = try schedule.reader.addressesWritten(
        by: notifier.channel, at: ClockTime(zone.now, utcOffset: zone.utcOffset))
      today = zone.now.date
      try divide(due, schedule, unusable, room: max(0, limit - messages))
    }
  }

  /// Puts what is for one address into one part.
  private mutating func divide(
    _ due: [DueRung], _ schedule: Schedule, _ unusable: UnusableAddresses, room: Int
  ) throws(ScheduleError) {
    var addresses: [String: String] = [:]
    let groups = try Self.grouped(due, schedule) { _, email -> Recipient in
      guard let email, let key = EmailAddress.key(of: email) else {
        return .nobody("the borrower has no usable address; correct the catalogue")
      }
      if let reason = unusable[key] { return .nobody(reason) }
      if addresses[key] == nil { addresses[key] = email }
      return .address(key)
    }
    var unreachable: [(reason: String, rungs: [DueRung])] = []
    var parts: [Part] = []
    for (recipient, rungs) in groups {
      switch recipient {
      case .nobody(let reason): unreachable.append((reason, rungs))
      case .address(let key):
        let sent = hold(rungs, for: key)
        if !sent.isEmpty { parts.append(Part(rungs: sent, address: addresses[key])) }
      }
    }
    let rest = unreachable.flatMap(\.rungs).sorted()
    parts = parts.map { ($0.urgency, $0) }.sorted { $0.0 < $1.0 }.map(\.1)
    let inTurn = Self.inTurn(parts)
    overLimit = inTurn.dropFirst(room).reduce(0) { $0 + $1.rungs.count }
    self.parts = inTurn.prefix(room)
    if hasFallback {
      let sent = hold(rest, for: "")
      if !sent.isEmpty { self.parts.append(Part(rungs: sent)) }
    } else {
      self.unreachable = (try Self.grouped(rest, schedule, Self.reader).count, unreachable)
    }
    held.sort()
  }

  /// Holds the notices for an address that wait for tomorrow.
  ///
  /// One that was due yesterday waited then, if the address was written to: it is sent today with all
  /// others, in a second message, but not in a third. Otherwise a run that always comes later would never
  /// send any.
  ///
  /// - Returns: those that are sent.
  private mutating func hold(_ rungs: [DueRung], for address: String) -> [DueRung] {
    let messages = messagesToday(to: address)
    let wasWritten = written[address].map { $0.count > messages } ?? false
    let hasWaited = wasWritten && rungs.contains { $0.dueSince < today }
    let room = messages == 0 || messages == 1 && hasWaited ? Self.mostNotices : 0
    held += rungs.dropFirst(room)
    return Array(rungs.prefix(room))
  }

  /// The number of messages that an address got today.
  private func messagesToday(to address: String) -> Int {
    (written[address] ?? []).count { $0.date == today }
  }

  /// What tells readers apart.
  private static func reader(_ borrower: String?, _ email: String?) -> [String?] {
    [borrower, email.map { EmailAddress.key(of: $0) ?? $0 }]
  }

  /// Those that were tried in vain least lately first, and else in their order.
  private static func inTurn(_ parts: [Part]) -> ArraySlice<Part> {
    parts.enumerated()
      .sorted { ($0.element.triedAt, $0.offset) < ($1.element.triedAt, $1.offset) }
      .map(\.element)[...]
  }

  /// The notices by what `key` makes of their borrower and address, in the order of the first of each.
  private static func grouped<Key: Hashable>(
    _ due: [DueRung], _ schedule: Schedule, _ key: (String?, String?) -> Key
  ) throws(ScheduleError) -> [(key: Key, rungs: [DueRung])] {
    var places: [Key: Int] = [:]
    var groups: [(key: Key, rungs: [DueRung])] = []
    try schedule.reader.forEachBorrower(of: due) { rung, borrower, email in
      let key = key(borrower, email)
      let place = places[key] ?? groups.count
      if place == groups.count {
        places[key] = place
        groups.append((key, []))
      }
      groups[place].rungs.append(rung)
    }
    return groups
  }

  /// The number of notices that are still to be sent.
  var count: Int { parts.reduce(0) { $0 + $1.rungs.count } }

  /// Whether the rest, if there is any, is for the library itself.
  var isForLibrary: Bool { hasAddresses && parts.first?.address == nil }

  /// Removes the next part and returns it; `nil` after the last one.
  mutating func next() -> Part? { parts.popFirst() }

  /// Has notices sent to the library itself, which must have an address, after all others, since their
  /// own address was refused.
  ///
  /// - Returns: whether it gets them, and was not written to today.
  mutating func giveToLibrary(_ rungs: [DueRung]) -> Bool {
    if !hasFallback || messagesToday(to: "") > 0 && parts.isEmpty { return false }
    if !rungs.isEmpty { parts = [Part(rungs: parts.flatMap(\.rungs) + rungs)] }
    return true
  }
}
