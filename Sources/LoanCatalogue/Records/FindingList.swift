import Loans

/// The findings of the record at hand, until they are handed over in order; and the comments that
/// silence some of them.
struct FindingList: ~Copyable {
  /// The owner of a problem, which stays the same when the catalogue is edited.
  enum Owner {
    /// A record with an id: the hash of it, and the record's number among those that have it.
    case named(key: UInt64, ordinal: Int)
    /// A record without: the hash of what else is known.
    case unnamed(key: UInt64)
    /// The document outside its records.
    case document
  }

  private var findings: [Diagnostic] = []
  /// Comments whose book has not begun yet: the codes, and what is reported of each if it silences
  /// nothing.
  private var pending: [(code: Diagnostic.Code, unused: Diagnostic)] = []
  /// Comments about the book at hand.
  private var active: [(code: Diagnostic.Code, unused: Diagnostic)] = []
  /// The number of findings of each code in the record at hand so far.
  private var recordCounts: [Diagnostic.Code: Int] = [:]
  /// The records without id that had findings.
  private var unnamed = IdentityTable()
  /// A hash of whose findings were handed over last, if there are more to come.
  private var current: UInt64?
  /// The number of findings of each code outside records so far.
  private var documentCounts: [Diagnostic.Code: Int] = [:]
  /// The codes of rules that are off, so that it is not known whether they would find anything.
  private let idle: [Diagnostic.Code]
  /// More comments than anybody writes before one book.
  private static let mostPending = 1_000

  init(rules: CatalogueRules) {
    idle = rules.idleCodes + (rules.requiresExpiration ? [] : [.missingExpiration])
  }

  var isEmpty: Bool { findings.isEmpty && active.isEmpty }
  /// Whether there are more than should be kept, whatever their order.
  var isLong: Bool { findings.count >= Self.longest }
  /// More are not kept, whatever their order.
  static let longest = 1_000

  mutating func append(_ finding: Diagnostic) { findings.append(finding) }

  /// Notes a comment about the next book.
  mutating func ignore(_ codes: [Diagnostic.Code], at location: SourceLocation) {
    for code in codes where !idle.contains(code) {
      let what = codes.count == 1 ? "the comment" : "it from the comment"
      let unused = Diagnostic(
        .unusedIgnore, at: location,
        message: "there is no \(code.rawValue) to ignore in the next book; remove \(what)",
        value: code.rawValue)
      if pending.count == Self.mostPending {
        findings.append(unused)
      } else {
        pending.append((code, unused))
      }
    }
  }

  /// The comments so far are about the book that begins now.
  mutating func beginBook() {
    guard !pending.isEmpty else { return }
    active += pending
    pending.removeAll()
  }

  /// Removes the findings, and returns those that are not silenced, in the order of their places.
  ///
  /// - Parameter isBookOver: whether nothing more of the book comes, so that what its comments did
  ///   not silence is known.
  mutating func drain(_ owner: Owner, isBookOver: Bool = true) -> [Diagnostic] {
    findings.sort { $0.location < $1.location }
    if !active.isEmpty { silence() }
    if isBookOver && !active.isEmpty {
      findings += active.map(\.unused)
      active.removeAll()
      findings.sort { $0.location < $1.location }
    }
    giveFingerprints(owner)
    if isBookOver {
      recordCounts.removeAll()
      current = nil
    }
    defer { findings.removeAll(keepingCapacity: true) }
    return findings
  }

  private mutating func silence() {
    findings.removeAll { finding in
      guard let index = active.firstIndex(where: { $0.code == finding.code }) else { return false }
      active.remove(at: index)
      return true
    }
  }

  private mutating func giveFingerprints(_ owner: Owner) {
    guard !findings.isEmpty else { return }
    if case .document = owner {
      for index in findings.indices { findings[index].giveFingerprint(0, &documentCounts) }
      return
    }
    let hash = current ?? hash(of: owner)
    current = hash
    for index in findings.indices { findings[index].giveFingerprint(hash, &recordCounts) }
  }

  private mutating func hash(of owner: Owner) -> UInt64 {
    switch owner {
    case .document: return 0
    case .named(let key, let ordinal): return ContentHash.of(key, UInt64(ordinal))
    case .unnamed(let key):
      let ordinal = unnamed.note(key, line: 1)?.ordinal ?? 1
      return ContentHash.of(key, UInt64(ordinal))
    }
  }
}

extension Diagnostic {
  /// - Parameters:
  ///   - owner: a hash of whose problem it is.
  ///   - counts: how many problems of each code the owner has had.
  fileprivate mutating func giveFingerprint(_ owner: UInt64, _ counts: inout [Code: Int]) {
    let number = counts[code, default: 0]
    counts[code] = number + 1
    var hash = ContentHash()
    hash.combine(Array(code.rawValue.utf8).span)
    hash.combine(owner)
    hash.combine(UInt64(number))
    fingerprint = hash.value
  }
}
