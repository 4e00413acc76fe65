internal import Loans

/// The entries of a schedule in fire order, one at a time.
///
/// Only their order is kept, 16 bytes for each; what they hold is read some hundreds at a time.
/// No lock is held in between, so that a list left standing in a pager keeps no run waiting; an
/// entry whose loan has left its catalogue meanwhile is passed over.
public struct ScheduleEntries {
  /// When an entry is due, and which loan and kind it is of.
  struct Place: Comparable {
    var fireAt: Int64
    /// Twice the loan's number, and one more for the expired notice.
    var loanAndKind: Int64

    init(fireAt: Int64, loan: Int64, kind: Notice.Kind) {
      self.fireAt = fireAt
      loanAndKind = loan &* 2 &+ Int64(kind.stored)
    }

    var loan: Int64 { loanAndKind >> 1 }
    var kind: Notice.Kind { Notice.Kind(stored: loanAndKind & 1) }

    static func < (left: Place, right: Place) -> Bool {
      (left.fireAt, left.loanAndKind) < (right.fireAt, right.loanAndKind)
    }
  }

  private let connection: Connection?
  private var places: ContiguousArray<Place>
  private var position = 0
  private var batch: [ScheduleEntry] = []

  /// How many entries are read at a time.
  private static var batchSize: Int { 500 }

  init(
    _ connection: Connection?, at now: CivilDateTime, catalogues: [String]?
  ) throws(ScheduleError) {
    self.connection = connection
    places =
      try connection?.read { database in
        try database.places(at: now, catalogues: catalogues)
      } ?? []
    places.sort()
  }

  /// The next entry, or `nil` after the last one.
  ///
  /// - Throws: ``ScheduleError`` if the schedule cannot be read.
  public mutating func next() throws(ScheduleError) -> ScheduleEntry? {
    while batch.isEmpty {
      if position == places.count { return nil }
      try readBatch()
    }
    return batch.removeLast()
  }

  private mutating func readBatch() throws(ScheduleError) {
    guard let connection else { return }
    let end = min(position + Self.batchSize, places.count)
    let part = places[position..<end]
    position = end
    batch = try connection.read { database in try database.entries(part) }.reversed()
  }
}
