import Loans

/// What a part of a document holds: its records as far as each can be judged alone, and what is
/// between them.
struct RecordBatch: Sendable {
  /// A record, or what is between two.
  enum Item: Sendable {
    /// A record as far as it is known, where its id is, what was found in it since the last item, and
    /// whether it is over.
    case record(LoanRecord, idPlace: ValueExtent?, [Diagnostic], isOver: Bool)
    /// A comment that is to silence findings.
    case ignore([Diagnostic.Code], SourceLocation)
    /// The end of an element beside the records, and what was found in it.
    case childEnd([Diagnostic])
    /// Findings elsewhere.
    case found([Diagnostic])
  }

  var items: [Item] = []
  /// The keys of the records, and those of their loans as far as there are any.
  private(set) var keys: [UInt64] = []
  private(set) var loanKeys: [UInt64] = []
  /// Bytes of the document up to its end.
  var end = 0
  /// The document's first element, if that is in it or before.
  var root: RootElement?
  /// The ending of the whole document, if it ends here.
  var ending: DocumentEnding?

  /// - Parameter records: how many there may be.
  mutating func reserveCapacity(_ records: Int) {
    items.reserveCapacity(records)
    keys.reserveCapacity(records)
  }

  /// Notes the keys of a record, which whoever compares it with others looks up in advance.
  @inline(__always)
  mutating func noteKeys(of record: borrowing LoanRecord) {
    keys.append(record.key)
    if let key = record.loanKey { loanKeys.append(key) }
  }
}

/// The statements that are only known at the end of a document.
struct DocumentEnding: Sendable {
  /// The reason why it was not read to its end.
  var fault: Diagnostic?
  /// The errors that a server sent in place of an answer.
  var answers: [(text: String, place: SourceLocation, problem: CatalogueProfile.Problem)] = []
  /// The number of records that it announces, and where.
  var total: (count: Int, place: SourceLocation)?
  /// Whether the list that its loans would be in is there and empty.
  var isListEmpty = false
  /// As ``RecordBuilder/shifted``.
  var shifted: Int?
  /// A date that may be an expiration, where there is no record.
  var date: (text: String, place: SourceLocation)?
  /// The place where it says that it is a part of a longer list.
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
