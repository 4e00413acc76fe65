internal import Loans

extension Database {
  /// Notes the notices of some messages as being sent, and how the ledger was before.
  func beginFlight(
    _ batch: Int64, _ messages: [[DueNotice]], channel: Int64, at now: CivilDateTime
  ) throws {
    let keep = try RowStatement(
      self,
      sql: """
        INSERT INTO flight
        SELECT NULL, ?4, ?5, ?1, ?2, ?3, ?6, state, attempts, at, error, delivered_at
        FROM (SELECT 1) LEFT JOIN delivery ON delivery.loan = ?1 AND delivery.kind = ?2
          AND delivery.expiration = ?3 AND delivery.channel = ?6
        """)
    let messages = try messages.map { try stillThere($0) }
    for (position, message) in messages.enumerated() {
      for due in message {
        try keep.run { parameters in
          parameters.bind(due)
          parameters.bind(batch)
          parameters.bind(position)
          parameters.bind(channel)
        }
      }
    }
    try markSending(messages.joined(), channel: channel, at: now)
  }

  /// Ends a flight: the messages that were sent are delivered, one may have failed, and the rest
  /// is as it was before.
  ///
  /// - Parameters:
  ///   - sent: how many messages were sent.
  ///   - next: what became of the one after them.
  func endFlight(_ batch: Int64, sent: Int, next: NextMessage) throws {
    let rows = try FlightRows(self)
    for row in try rows.read(batch) {
      if row.position < sent {
        try rows.deliver(row)
      } else if row.position > sent || next == .untried {
        try rows.putBack(row)
      } else if case .failed(let error, let now) = next {
        try rows.fail(row, error: error, at: now)
      }
    }
    try execute(sql: "DELETE FROM flight WHERE batch = ?") { $0.bind(batch) }
  }

  /// Ends the flights that a run left behind when it was killed.
  ///
  /// - Parameters:
  ///   - sent: how many messages of a flight were sent, as far as that is known.
  ///   - open: the flights that have not come to their end.
  func endFlights(sent: [Int64: Int], except open: some Collection<Int64>) throws {
    let rows = try RowStatement(once: self, sql: "SELECT DISTINCT batch FROM flight")
    var batches: [Int64] = []
    while try rows.next() { batches.append(rows.integer(0)) }
    for batch in batches where !open.contains(batch) {
      if let count = sent[batch] {
        try endFlight(batch, sent: count, next: .unknown)
      } else {
        // Nobody knows what was sent: all stays marked as being sent, which is due.
        try execute(sql: "DELETE FROM flight WHERE batch = ?") { $0.bind(batch) }
      }
    }
  }

  /// Whether a run left a flight behind.
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

/// The statements that end a flight.
private struct FlightRows {
  /// A notice in flight.
  struct Row {
    var id: Int64
    var position: Int
    var loan: Int64
    var kind: Int64
    var expiration: Int64
    var channel: Int64
    var wasInLedger: Bool
  }

  private static let key = "loan = ?1 AND kind = ?2 AND expiration = ?3 AND channel = ?4"

  private let select: RowStatement
  private let delivered: RowStatement
  private let failed: RowStatement
  private let restored: RowStatement
  private let deleted: RowStatement

  init(_ database: Database) throws {
    select = try RowStatement(
      database,
      sql: """
        SELECT id, position, loan, kind, expiration, channel, state FROM flight WHERE batch = ?
        """)
    delivered = try RowStatement(
      database,
      sql: """
        UPDATE delivery SET state = \(Delivery.State.delivered.stored), error = NULL,
          delivered_at = at WHERE \(Self.key)
        """)
    failed = try RowStatement(
      database,
      sql: """
        UPDATE delivery SET state = \(Delivery.State.failed.stored), at = ?5, error = ?6
        WHERE \(Self.key)
        """)
    restored = try RowStatement(
      database,
      sql: """
        UPDATE delivery SET (state, attempts, at, error, delivered_at) =
          (SELECT state, attempts, at, error, delivered_at FROM flight WHERE id = ?5)
        WHERE \(Self.key)
        """)
    deleted = try RowStatement(database, sql: "DELETE FROM delivery WHERE \(Self.key)")
  }

  func read(_ batch: Int64) throws -> [Row] {
    select.query { $0.bind(batch) }
    var rows: [Row] = []
    while try select.next() {
      rows.append(
        Row(
          id: select.integer(0), position: Int(select.integer(1)), loan: select.integer(2),
          kind: select.integer(3), expiration: select.integer(4), channel: select.integer(5),
          wasInLedger: select.optionalInteger(6) != nil))
    }
    return rows
  }

  func deliver(_ row: Row) throws {
    try delivered.run { $0.bind(row) }
  }

  func fail(_ row: Row, error: String, at now: CivilDateTime) throws {
    try failed.run { parameters in
      parameters.bind(row)
      parameters.bind(now.ordinal)
      parameters.bind(error)
    }
  }

  func putBack(_ row: Row) throws {
    if row.wasInLedger {
      try restored.run { parameters in
        parameters.bind(row)
        parameters.bind(row.id)
      }
    } else {
      try deleted.run { $0.bind(row) }
    }
  }
}

extension Parameters {
  /// Gives the next four parameters the place of a notice in the ledger.
  fileprivate mutating func bind(_ row: FlightRows.Row) {
    bind(row.loan)
    bind(row.kind)
    bind(row.expiration)
    bind(row.channel)
  }
}
