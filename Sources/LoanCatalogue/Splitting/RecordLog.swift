import Loans

/// What a part of a document holds that was read before its place in the document was known: its
/// records as far as each can be judged alone, and what stands between them.
///
/// Places count from the part's beginning.
struct RecordLog: Sendable {
  /// A record.
  struct Entry {
    var facts: RecordFacts
    var hashes: RecordHashes
    /// Where its id stands.
    var idPlace: ValueExtent?
    /// On which line its first expiration begins, if it has one.
    var expirationLine: Int
  }

  /// What stands between records.
  enum Event {
    /// A comment that is to silence findings.
    case ignore([Diagnostic.Code], SourceLocation)
    /// The end of an element that is no record, and what was found in it.
    case childEnd([Diagnostic])
    /// What was found behind the last element.
    case found([Diagnostic])

    fileprivate var count: Int {
      switch self {
      case .ignore: 0
      case .childEnd(let found), .found(let found): found.count
      }
    }
  }

  private(set) var entries: [Entry] = []
  /// The records that have findings, by their numbers in ``entries``.
  private(set) var findings: [(entry: Int, found: [Diagnostic])] = []
  /// Each with the number of the record that follows.
  private(set) var events: [(next: Int, event: Event)] = []
  /// The texts of the records, once all have been read.
  var texts = TextStorage(capacity: 0)
  /// How much was found before the first record and in it.
  var leadingFindings: Int {
    let inFirst = findings.first.map { $0.entry == 0 ? $0.found.count : 0 } ?? 0
    return events.prefix { $0.next == 0 }.reduce(inFirst) { $0 + $1.event.count }
  }
  /// Whether the part can be read like that.
  var isUsable = true

  /// - Parameter capacity: how many records there may be.
  init(capacity: Int) {
    entries.reserveCapacity(capacity)
  }

  /// Takes a record.
  @inline(__always)
  mutating func append(_ entry: Entry) { entries.append(entry) }

  /// Takes what was found in the last record.
  mutating func append(_ found: [Diagnostic]) { findings.append((entries.count - 1, found)) }

  /// Takes a comment that is to silence findings of the next record.
  mutating func ignore(_ codes: [Diagnostic.Code], at location: SourceLocation) {
    events.append((entries.count, .ignore(codes, location)))
  }

  /// Takes what was found in an element that is no record.
  mutating func endChild(_ found: [Diagnostic]) {
    events.append((entries.count, .childEnd(found)))
  }

  /// Takes what was found behind the last element.
  mutating func end(_ found: [Diagnostic]) {
    if !found.isEmpty { events.append((entries.count, .found(found))) }
  }
}

// Taking a log over.
extension RecordBuilder {
  /// Notes the record at hand in the log.
  mutating func logRecord() {
    log?.append(
      RecordLog.Entry(
        facts: record.facts, hashes: hashes, idPlace: places[.id],
        expirationLine: expirationElement.start.line))
    if findings.count > 0 { log?.append(findings.takeAll()) }
  }

  /// Whether what the part begins with, and what stands before it, are not so many findings that
  /// some would have to be handed over within a record.
  func canJoin(_ log: RecordLog) -> Bool {
    findings.count + log.leadingFindings < FindingList.longest
  }

  /// Takes over what was read of the part of the document that begins here.
  ///
  /// - Parameter place: where the part begins.
  mutating func join(_ log: RecordLog, at place: SourceLocation) {
    record.use(textsOf: log.texts)
    if recordPlans.isEmpty { recordPlans = [0] }
    var findings = log.findings[...]
    var events = log.events[...]
    for number in log.entries.indices where failure == nil {
      while let next = events.first, next.next == number {
        events.removeFirst()
        replay(next.event, place)
      }
      beginBook()
      take(log.entries[number], place)
      if let first = findings.first, first.entry == number {
        join(first.found, place, log.entries[number].expirationLine)
        findings.removeFirst()
      }
      completeRecord()
      isInRecord = false
    }
    for next in events where failure == nil { replay(next.event, place) }
    record = RecordDraft()
  }

  @inline(__always)
  private mutating func take(_ entry: RecordLog.Entry, _ place: SourceLocation) {
    record.facts = entry.facts
    record.facts.location = entry.facts.location.shifted(to: place)
    hashes = entry.hashes
    places.removeAll()
    if let idPlace = entry.idPlace {
      places.extend(
        .id,
        ValueExtent(start: idPlace.start.shifted(to: place), end: idPlace.end.shifted(to: place)))
    }
  }

  private mutating func join(
    _ found: [Diagnostic], _ place: SourceLocation, _ expirationLine: Int
  ) {
    for diagnostic in found {
      var diagnostic = diagnostic.shifted(to: place)
      if diagnostic.code == .duplicateExpiration {
        diagnostic.message = duplicateExpirationWords(
          firstLine: expirationLine + place.line - 1)
      }
      findings.append(diagnostic)
    }
  }

  private mutating func replay(_ event: RecordLog.Event, _ place: SourceLocation) {
    switch event {
    case .ignore(let codes, let location):
      findings.ignore(codes, at: location.shifted(to: place))
    case .childEnd(let found):
      for diagnostic in found { findings.append(diagnostic.shifted(to: place)) }
      endChildOfRoot()
    case .found(let found):
      for diagnostic in found { findings.append(diagnostic.shifted(to: place)) }
    }
  }
}

extension SourceLocation {
  /// The place in the document of a place in a part of it.
  ///
  /// - Parameter place: where the part begins.
  func shifted(to place: SourceLocation) -> SourceLocation {
    SourceLocation(
      line: line &+ place.line &- 1, column: line == 1 ? column &+ place.column &- 1 : column)
  }
}

extension Diagnostic {
  fileprivate func shifted(to place: SourceLocation) -> Diagnostic {
    var diagnostic = self
    diagnostic.location = location.shifted(to: place)
    if location.line == 1 { diagnostic.endColumn = endColumn.map { $0 + place.column - 1 } }
    return diagnostic
  }
}
