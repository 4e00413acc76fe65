import Loans

/// The statements that are only known at the end of a document.
struct DocumentEnding: Sendable {
  /// The reason why it was not read to its end.
  var malformation: Diagnostic?
  /// The errors that a server sent in place of a list.
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
