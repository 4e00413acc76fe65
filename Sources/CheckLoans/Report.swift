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

  /// Adds a loan's text.
  mutating func add(_ text: String, expiration: CivilDate) {
    let text = text.utf8
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

  /// Calls `body` with each text, the longest expired first, loans of one day in the order in
  /// which they were added.
  mutating func forEach(_ body: (Span<UInt8>) throws(CommandError) -> Void) throws(CommandError) {
    entries.sort {
      ($0.day, $0.piece, $0.start) < ($1.day, $1.piece, $1.start)
    }
    for entry in entries {
      let start = Int(entry.start)
      let piece = pieces[Int(entry.piece)]
      try body(piece.span.extracting(start..<start + Int(entry.length)))
    }
  }
}
