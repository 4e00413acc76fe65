import LoanRules
import Loans

/// The loans that a run has to show, kept as finished text: what takes little room is what a
/// catalogue of a million loans needs.
struct Report {
  /// Loans expired, and so on, of one catalogue or of all.
  struct Counts {
    var loans = 0
    var onShelf = 0
    /// Loans of other forms without expiration.
    var withoutExpiration = 0
    /// How many of these would have one if the days of a loan were known.
    var uncounted = 0
    /// Books whose expiration is unusable.
    var leftOut = 0
    var expired = 0
    var expiresToday = 0
    var scheduled = 0
    var diagnostics = 0

    static func + (left: Counts, right: Counts) -> Counts {
      Counts(
        loans: left.loans + right.loans, onShelf: left.onShelf + right.onShelf,
        withoutExpiration: left.withoutExpiration + right.withoutExpiration,
        uncounted: left.uncounted + right.uncounted,
        leftOut: left.leftOut + right.leftOut,
        expired: left.expired + right.expired,
        expiresToday: left.expiresToday + right.expiresToday,
        scheduled: left.scheduled + right.scheduled,
        diagnostics: left.diagnostics + right.diagnostics)
    }
  }

  private struct Entry {
    var day: Int32
    var piece: Int32
    var start: Int32
    var length: Int32
  }

  private static let pieceSize = 1 << 20
  private var pieces: [[UInt8]] = []
  private var entries: [Entry] = []
  private var text: [UInt8] = []

  /// Adds a loan's text, which `append` appends.
  mutating func add(expiration: CivilDate, _ append: (inout [UInt8]) -> Void) {
    text.removeAll(keepingCapacity: true)
    append(&text)
    if (pieces.last?.count ?? Self.pieceSize) + text.count > Self.pieceSize {
      var piece: [UInt8] = []
      piece.reserveCapacity(max(Self.pieceSize, text.count))
      pieces.append(piece)
    }
    let piece = pieces.count - 1
    entries.append(
      Entry(
        day: Int32(expiration.dayNumber), piece: Int32(piece), start: Int32(pieces[piece].count),
        length: Int32(text.count)))
    pieces[piece].append(contentsOf: text)
  }

  /// How many loans there are; see ``goBack(to:)``.
  var mark: Int { entries.count }

  /// Forgets the loans that were added since.
  mutating func goBack(to mark: Int) { entries.removeSubrange(mark...) }

  /// Calls `body` with the texts, some at a time, each with this byte behind it; the longest
  /// expired first, loans of one day in the order in which they were added.
  func forEach(
    endingWith end: UInt8, _ body: (Span<UInt8>) throws(CommandError) -> Void
  ) throws(CommandError) {
    var batch: [UInt8] = []
    for place in entriesInOrder() {
      let entry = entries[Int(place)]
      let start = Int(entry.start)
      batch.append(contentsOf: pieces[Int(entry.piece)][start..<start + Int(entry.length)])
      batch.append(end)
      if batch.count > 32_768 {
        try body(batch.span)
        batch.removeAll(keepingCapacity: true)
      }
    }
    if !batch.isEmpty { try body(batch.span) }
  }

  /// Calls `body` with the texts, some at a time, in the same order, with this byte between them.
  func forEach(
    separatedBy separator: UInt8, _ body: (Span<UInt8>) throws(CommandError) -> Void
  ) throws(CommandError) {
    // The separator behind the last one is left out.
    var held: [UInt8] = []
    try forEach(endingWith: separator) { batch throws(CommandError) in
      if !held.isEmpty { try body(held.span) }
      held = [UInt8](copying: batch)
    }
    if !held.isEmpty { try body(held.span.extracting(0..<held.count - 1)) }
  }

  /// The places of the entries, by their days: an entry is only counted and moved once.
  private func entriesInOrder() -> [Int32] {
    guard let first = entries.min(by: { $0.day < $1.day })?.day,
      let last = entries.max(by: { $0.day < $1.day })?.day
    else { return [] }
    let places = 0..<Int32(entries.count)
    guard Int(last) - Int(first) <= 4 * entries.count + 1_000 else {
      return places.sorted {
        (entries[Int($0)].day, $0) < (entries[Int($1)].day, $1)
      }
    }
    var next = [Int](repeating: 0, count: Int(last - first) + 1)
    for entry in entries { next[Int(entry.day - first)] += 1 }
    var sum = 0
    for index in next.indices { (next[index], sum) = (sum, sum + next[index]) }
    var ordered = [Int32](repeating: 0, count: entries.count)
    for place in places {
      let day = Int(entries[Int(place)].day - first)
      ordered[next[day]] = place
      next[day] += 1
    }
    return ordered
  }
}
