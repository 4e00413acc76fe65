import Loans

/// What a part of a document holds: its records as far as each can be judged alone, and what is
/// between them.
struct RecordBatch: Sendable {
  /// A record.
  struct Entry: Sendable {
    var facts: RecordFacts
    var hashes: RecordHashes
    /// Where its id is.
    var idPlace: ValueExtent? = nil
  }

  /// What is between records.
  enum Event: Sendable {
    /// A comment that is to silence findings.
    case ignore([Diagnostic.Code], SourceLocation)
    /// The end of an element beside the records, and what was found in it.
    case childEnd([Diagnostic])
    /// What was found elsewhere.
    case found([Diagnostic])
    /// What was found so far in a record that is not over, of which this much is known.
    case unfinished(Entry, [Diagnostic])
  }

  private(set) var entries: [Entry] = []
  /// The records that have findings, by their numbers in ``entries``.
  private(set) var findings: [(entry: Int, found: [Diagnostic])] = []
  /// Each with the number of the record that follows.
  private(set) var events: [(next: Int, event: Event)] = []
  /// The texts of the records, once all have been read.
  var texts = TextStorage(capacity: 0)
  /// Bytes of the document up to its end.
  var end = 0
  /// Where reading has stopped after it, so that the rest can be read in parts.
  var splitPoint: SplitPoint?
  /// The document's first element, where that is in it or before.
  var root: RootElement?
  /// What there is to say at the end of the whole document, where it ends here.
  var ending: DocumentEnding?

  /// - Parameter capacity: how many records there may be.
  init(capacity: Int = 0) { entries.reserveCapacity(capacity) }

  /// Takes a record, and what was found in it.
  @inline(__always)
  mutating func append(_ entry: Entry, _ found: [Diagnostic]) {
    if !found.isEmpty { findings.append((entries.count, found)) }
    entries.append(entry)
  }

  /// Takes what comes before the next record.
  mutating func append(_ event: Event) { events.append((entries.count, event)) }
}

/// What only the end of a document tells.
struct DocumentEnding: Sendable {
  /// Why it was not read to its end.
  var fault: Diagnostic?
  /// What a server says in place of an answer, each with whether it counts only where no loan is.
  var answers: [(text: String, place: SourceLocation, yieldsToLoans: Bool)] = []
  /// How many records it says that there are, and where.
  var total: (count: Int, place: SourceLocation)?
  /// Where it says that it is a part of a longer list.
  var continuation: SourceLocation?
}

/// A document's first element.
struct RootElement: Sendable {
  var name: String
  var namespace: String?
  var location: SourceLocation
  /// Whether it is one of the form that the document is read in.
  var isKnown = false
  /// The first element inside, if there is one.
  var firstChild: String?
}
