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
    var triedAt = 0
  }

  /// The notices for addresses to which a message was sent today, which wait for tomorrow.
  private(set) var held: [DueRung] = []
  /// The notices for nobody who could be written to, by the reason why not; and how many borrowers
  /// these are.
  private(set) var unreachable = (borrowers: 0, groups: [(reason: String, rungs: [DueRung])]())
  /// Whether each message is for an address, or for the library itself.
  private(set) var hasAddresses = false
  /// Whether the library itself was written to today.
  private var isLibraryDone = false
  private var parts: ArraySlice<Part> = []
  /// The most messages of a run.
  private(set) var limit = Int.max
  /// Whether the library itself gets what is for nobody who can be written to.
  private(set) var hasFallback = false

  /// Who a notice is for.
  private enum Recipient: Hashable {
    /// The person at an address, by the key of the address.
    case address(String)
    /// Nobody who could be written to, for a reason.
    case nobody(String)
  }

  /// Nothing to send.
  init() {}

  /// Divides what is due.
  ///
  /// - Parameters:
  ///   - due: the notices, in their order.
  ///   - grouping: what may be in one message.
  ///   - channel: the channel's name.
  ///   - today: the library's date.
  ///   - utcOffset: the offset of its clock from UTC in seconds, if it is known.
  init(
    _ due: [DueRung], _ grouping: Grouping, _ schedule: Schedule, channel: String,
    today: CivilDate, utcOffset: Int?
  ) throws(ScheduleError) {
    switch grouping {
    case .together: parts = [Part(rungs: due)]
    case .byBorrower:
      let groups = try Self.grouped(due, schedule, channel, Self.reader)
      parts = Self.inTurn(groups.map { Part(rungs: $0.rungs, triedAt: $0.triedAt) })
    case .byAddress(let hasFallback, let limit):
      hasAddresses = true
      (self.hasFallback, self.limit) = (hasFallback, limit)
      let known = try schedule.addresses(of: channel, today: today, utcOffset: utcOffset)
      try divide(due, schedule, channel, known)
    }
  }

  /// Puts what is for one address into one part.
  private mutating func divide(
    _ due: [DueRung], _ schedule: Schedule, _ channel: String, _ known: [String: AddressState]
  ) throws(ScheduleError) {
    var written: [String: String] = [:]
    let groups = try Self.grouped(due, schedule, channel) { _, email -> Recipient in
      guard let email, let key = EmailAddress.key(of: email) else {
        return .nobody("the borrower has no address that can be written to; correct the catalogue")
      }
      if case .isRefused(let reason) = known[key] { return .nobody(reason) }
      if written[key] == nil { written[key] = email }
      return .address(key)
    }
    isLibraryDone = known[""] == .wasWritten
    var unreachable: [(reason: String, rungs: [DueRung])] = []
    var parts: [Part] = []
    for (recipient, rungs, triedAt) in groups {
      switch recipient {
      case .nobody(let reason): unreachable.append((reason, rungs))
      case .address(let key) where known[key] == .wasWritten: held += rungs
      case .address(let key):
        parts.append(Part(rungs: rungs, address: written[key], triedAt: triedAt))
      }
    }
    self.parts = Self.inTurn(parts)
    let rest = unreachable.flatMap(\.rungs).sorted()
    if !hasFallback {
      self.unreachable = (
        try Self.grouped(rest, schedule, channel, Self.reader).count, unreachable
      )
    } else if isLibraryDone {
      held += rest
    } else if !rest.isEmpty {
      self.parts.append(Part(rungs: rest))
    }
    held.sort()
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

  /// The notices by what `key` makes of their borrower and address, in the order of the first of each,
  /// and when one of each was last tried in vain.
  private static func grouped<Key: Hashable>(
    _ due: [DueRung], _ schedule: Schedule, _ channel: String, _ key: (String?, String?) -> Key
  ) throws(ScheduleError) -> [(key: Key, rungs: [DueRung], triedAt: Int)] {
    var places: [Key: Int] = [:]
    var groups: [(key: Key, rungs: [DueRung], triedAt: Int)] = []
    var next = due.makeIterator()
    try schedule.reader.forEachBorrower(of: due, channel: channel) { borrower, email, triedAt in
      guard let rung = next.next() else { return }
      let key = key(borrower, email)
      let place = places[key] ?? groups.count
      if place == groups.count {
        places[key] = place
        groups.append((key, [], 0))
      }
      groups[place].rungs.append(rung)
      groups[place].triedAt = max(groups[place].triedAt, triedAt)
    }
    return groups
  }

  /// The number of notices that are still to be sent.
  var count: Int { parts.reduce(0) { $0 + $1.rungs.count } }

  /// Leaves out what is beyond the most messages of a run.
  ///
  /// - Parameter messages: how many messages the run has sent before.
  /// - Returns: how many notices are left out.
  mutating func limit(messages: Int) -> Int {
    let all = count
    parts = parts.prefix(max(0, limit - messages))
    return all - count
  }

  /// Whether the rest, if there is any, is for the library itself.
  var isForLibrary: Bool { hasAddresses && parts.first?.address == nil }

  /// Removes the next part and returns it; `nil` after the last one.
  mutating func next() -> Part? { parts.popFirst() }

  /// Has notices sent to the library itself, which must have an address, after all others, since their
  /// own address was refused.
  ///
  /// - Returns: how many are held until tomorrow, since the library was written to today.
  mutating func giveToLibrary(_ rungs: [DueRung]) -> Int {
    if rungs.isEmpty || isLibraryDone { return rungs.count }
    parts = [Part(rungs: parts.flatMap(\.rungs) + rungs)]
    return 0
  }
}
