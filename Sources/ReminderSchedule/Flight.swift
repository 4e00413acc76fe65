internal import Loans

/// The notices of a ``Sending`` that has not ended: one row, so that to begin costs little.
///
/// The ledger has nothing of them until the end. Each notice is 16 bytes: the loan's number and,
/// in the lowest bit, the kind; then the expiration and, above it, the place of its message.
struct Flight {
  /// A notice on its way.
  struct FlyingNotice {
    var loan: Int64
    var kind: Notice.Kind
    var expiration: Int64
    /// The place of its message among those of the flight.
    var position: Int
  }

  /// The number by which the lock file counts what was sent.
  var batch: Int64
  var channel: Int64
  /// The ordinal of the moment at which it was begun.
  var at: Int64
  var notices: [FlyingNotice]

  init(_ batch: Int64, channel: Int64, at now: CivilDateTime) {
    self.batch = batch
    self.channel = channel
    at = Int64(now.ordinal)
    notices = []
  }

  /// The flight in four columns of the current row.
  fileprivate init(_ row: RowStatement) throws {
    batch = row.integer(0)
    channel = row.integer(1)
    at = row.integer(2)
    notices = []
    var head: UInt64?
    row.forEachWord(3) { word in
      guard let first = head else {
        head = word
        return
      }
      head = nil
      notices.append(
        FlyingNotice(
          loan: Int64(first >> 1), kind: Notice.Kind(stored: Int64(first & 1)),
          expiration: Int64(Int32(truncatingIfNeeded: word)), position: Int(word >> 32)))
    }
    if head != nil { throw Schema.damage("a batch of messages") }
  }

  fileprivate var words: [UInt64] {
    notices.flatMap { notice in
      let day = UInt64(UInt32(bitPattern: Int32(truncatingIfNeeded: notice.expiration)))
      return [
        UInt64(bitPattern: notice.loan) << 1 | UInt64(notice.kind.stored),
        UInt64(UInt32(truncatingIfNeeded: notice.position)) << 32 | day,
      ]
    }
  }

  /// The columns of the table, in the order in which they are read.
  fileprivate static let columns = "batch, channel, at, notices"
}

extension Database {
  /// Notes the notices of some messages as being sent.
  func beginFlight(
    _ batch: Int64, _ messages: [ArraySlice<DueNotice>], channel: Int64, at now: CivilDateTime
  ) throws {
    var flight = Flight(batch, channel: channel, at: now)
    for (position, message) in messages.enumerated() {
      for due in message {
        flight.notices.append(
          Flight.FlyingNotice(
            loan: Int64(due.reminderID), kind: due.notice.kind,
            expiration: Int64(due.notice.loan.expiration.dayNumber), position: position))
      }
    }
    try insert(flight)
  }

  /// Stores a flight.
  func insert(_ flight: Flight) throws {
    try execute(sql: "INSERT INTO flight VALUES (?, ?, ?, ?)") { parameters in
      parameters.bind(flight.batch)
      parameters.bind(flight.channel)
      parameters.bind(flight.at)
      parameters.bind(flight.words[...])
    }
  }

  /// The flights that have not ended.
  func flights() throws -> [Flight] {
    let rows = try RowStatement(once: self, sql: "SELECT \(Flight.columns) FROM flight")
    var flights: [Flight] = []
    while try rows.next() { flights.append(try Flight(rows)) }
    return flights
  }

  /// Ends a flight: the messages that were sent are delivered, one may have failed, and the rest
  /// is as it was before.
  ///
  /// - Parameters:
  ///   - sent: how many messages were sent.
  ///   - next: what became of the one after them.
  func endFlight(_ batch: Int64, sent: Int, next: NextMessage) throws {
    let row = try RowStatement(
      self, sql: "SELECT \(Flight.columns) FROM flight WHERE batch = ?")
    row.query { $0.bind(batch) }
    defer { row.reset() }
    guard try row.next() else { return }
    try end(Flight(row), sent: sent, next: next)
  }

  private func end(_ flight: Flight, sent: Int, next: NextMessage) throws {
    let ledger = try FlightLedger(self, flight)
    // In the order in which the ledger lies; those of loans that are gone leave nothing.
    let loans = LoanLookup(self)
    for notice in flight.notices.sorted(by: { $0.loan < $1.loan }) where notice.position <= sent {
      if notice.position == sent && next == .untried { continue }
      guard try loans.loan(notice.loan) != nil else { continue }
      if notice.position < sent {
        try ledger.deliver(notice)
      } else {
        try ledger.note(next, notice)
      }
    }
    try execute(sql: "DELETE FROM flight WHERE batch = ?") { $0.bind(flight.batch) }
  }

  /// Ends the flights that a run left behind when it was killed.
  ///
  /// - Parameters:
  ///   - sent: how many messages of a flight were sent, as far as that is known.
  ///   - open: the flights that have not come to their end.
  func endFlights(sent: [Int64: Int], except open: some Collection<Int64>) throws {
    for flight in try flights() where !open.contains(flight.batch) {
      if let count = sent[flight.batch] {
        try end(flight, sent: count, next: .unknown)
      } else {
        // Nobody knows what was sent: all is marked as being sent, which is due.
        var whole = flight
        for index in whole.notices.indices { whole.notices[index].position = 0 }
        try end(whole, sent: 0, next: .unknown)
      }
    }
  }

  /// Whether there is a flight that has not ended.
  func hasFlight() throws -> Bool {
    try condition(sql: "SELECT EXISTS (SELECT 1 FROM flight)") ?? false
  }

  /// What became of the message after those that were sent.
  enum NextMessage: Equatable {
    /// It was not begun.
    case untried
    /// It was tried, and the channel said no.
    case failed(String, CivilDateTime)
    /// The run was killed; it may have been sent.
    case unknown
  }
}

/// The statement that writes the end of a flight into the ledger.
private struct FlightLedger {
  private let flight: Flight
  private let attempted: RowStatement

  init(_ database: Database, _ flight: Flight) throws {
    self.flight = flight
    attempted = try RowStatement(
      database,
      sql: """
        INSERT INTO delivery VALUES (?1, ?2, ?3, ?4, ?5, 1, ?6, ?7, ?8)
        ON CONFLICT (loan, kind, expiration, channel) DO UPDATE SET
          attempts = attempts + 1, state = excluded.state, at = excluded.at,
          error = excluded.error, delivered_at = coalesce(excluded.delivered_at, delivered_at)
        """)
  }

  func deliver(_ notice: Flight.FlyingNotice) throws {
    try note(notice, .delivered, at: flight.at, deliveredAt: flight.at)
  }

  func note(_ next: Database.NextMessage, _ notice: Flight.FlyingNotice) throws {
    if case .failed(let error, let now) = next {
      try note(notice, .failed, at: Int64(now.ordinal), error: error)
    } else {
      try note(notice, .sending, at: flight.at)
    }
  }

  private func note(
    _ notice: Flight.FlyingNotice, _ state: Delivery.State, at: Int64, error: String? = nil,
    deliveredAt: Int64? = nil
  ) throws {
    try attempted.run { parameters in
      parameters.bind(notice.loan)
      parameters.bind(notice.kind.stored)
      parameters.bind(notice.expiration)
      parameters.bind(flight.channel)
      parameters.bind(state.stored)
      parameters.bind(at)
      parameters.bind(error)
      parameters.bind(deliveredAt)
    }
  }
}
