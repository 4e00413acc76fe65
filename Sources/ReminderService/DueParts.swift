internal import Loans
internal import Notifiers
internal import ReminderSchedule

/// What is due through a channel, in the parts that it may send as one message each, one after the other.
///
/// A channel that writes to addresses gets what is for one address in one part, whatever catalogues it
/// is of: of six notices for two readers and one without an address, those for the reader with the most
/// urgent one come first, and what is for the library itself comes last.
struct DueParts {
  /// The notices for one address; without one, those for the library itself, or for anybody.
  struct Part {
    var rungs: [DueRung]
    var address: String?
  }

  /// The notices for addresses to which a message was sent today, which wait for tomorrow.
  private(set) var held: [DueRung] = []
  /// The notices for nobody who could be written to, by the reason why not; and how many borrowers
  /// these are.
  private(set) var unreachable = (borrowers: 0, groups: [(reason: String, rungs: [DueRung])]())
  /// Whether each message is for an address, or for the library itself.
  private(set) var haveAddresses = false
  /// Whether the library itself was written to today.
  private var isLibraryDone = false
  private var parts: ArraySlice<Part> = []
  private var limit = Int.max
  /// Whether the library itself gets what is for nobody who can be written to.
  private(set) var hasFallback = false

  /// Who a notice is for.
  private enum Recipient: Hashable {
    /// The one at an address.
    case address(String)
    /// Nobody who could be written to, for a reason.
    case nobody(String)
  }

  /// Nothing.
  init() {}

  init(
    _ due: [DueRung], _ grouping: Grouping, _ schedule: Schedule, channel: String,
    today: CivilDate
  ) throws(ScheduleError) {
    switch grouping {
    case .together: parts = [Part(rungs: due)]
    case .byBorrower:
      parts = try Self.byBorrower(due, schedule).map { Part(rungs: $0) }[...]
    case .byAddress(let hasFallback, let limit):
      haveAddresses = true
      (self.hasFallback, self.limit) = (hasFallback, limit)
      try divide(due, schedule, try schedule.addresses(of: channel, today: today))
    }
  }

  /// Puts what is for one address into one part.
  private mutating func divide(
    _ due: [DueRung], _ schedule: Schedule, _ known: [String: AddressState]
  ) throws(ScheduleError) {
    let groups = try Self.grouped(due, schedule) { _, email -> Recipient in
      guard let key = EmailAddress.key(of: email) else {
        return .nobody("the borrower has no address that can be written to; correct the catalogue")
      }
      return if case .isRefused(let reason) = known[key] { .nobody(reason) } else { .address(key) }
    }
    isLibraryDone = known[""] == .wasWritten
    var unreachable: [(reason: String, rungs: [DueRung])] = []
    for (recipient, rungs) in groups {
      switch recipient {
      case .nobody(let reason): unreachable.append((reason, rungs))
      case .address(let address) where known[address] == .wasWritten: held += rungs
      case .address(let address): parts.append(Part(rungs: rungs, address: address))
      }
    }
    let rest = unreachable.flatMap(\.rungs).sorted()
    if !hasFallback {
      self.unreachable = (try Self.byBorrower(rest, schedule).count, unreachable)
    } else if isLibraryDone {
      held += rest
    } else if !rest.isEmpty {
      parts.append(Part(rungs: rest))
    }
    held.sort()
  }

  /// The notices by borrower, which is a name and an address.
  private static func byBorrower(
    _ due: [DueRung], _ schedule: Schedule
  ) throws(ScheduleError) -> [[DueRung]] {
    try grouped(due, schedule) { [$0, $1] }.map(\.rungs)
  }

  /// The notices by what `key` makes of their borrower and address, in the order of the first of each.
  private static func grouped<Key: Hashable>(
    _ due: [DueRung], _ schedule: Schedule, _ key: (String?, String?) -> Key
  ) throws(ScheduleError) -> [(key: Key, rungs: [DueRung])] {
    var places: [Key: Int] = [:]
    var groups: [(key: Key, rungs: [DueRung])] = []
    var next = due.makeIterator()
    try schedule.reader.forEachBorrower(of: due) { borrower, email in
      guard let rung = next.next() else { return }
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

  /// Leaves out what is beyond the most messages of a run.
  ///
  /// - Parameter messages: how many messages the run has sent before.
  /// - Returns: how many notices are left out.
  mutating func limit(messages: Int) -> Int {
    let all = count
    parts = parts.prefix(max(0, limit - messages))
    return all - count
  }

  /// Whether the next part is for the library itself.
  var isForLibrary: Bool { haveAddresses && parts.first.map { $0.address == nil } == true }

  /// Removes the next part and returns it; `nil` after the last one.
  mutating func next() -> Part? { parts.popFirst() }

  /// Has notices sent to the library itself, which must have an address, after all others, since their
  /// own address was refused; tomorrow if the library was written to today.
  mutating func giveToLibrary(_ rungs: [DueRung]) {
    if isLibraryDone { return }
    if let last = parts.indices.last, parts[last].address == nil {
      parts[last].rungs += rungs
    } else {
      parts.append(Part(rungs: rungs))
    }
  }
}
