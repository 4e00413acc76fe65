import Loans

/// Puts the findings of a record in order, drops those that comments silence, and gives each a number by
/// which it is known again.
struct FindingList: ~Copyable {
  /// The codes that comments before the next record have named.
  private var ignored: [Diagnostic.Code] = []
  /// The records without id that had findings.
  private var unnamed = IdentityTable()
  /// The number of findings of each code outside records so far.
  private var documentCounts: [Diagnostic.Code: Int] = [:]
  /// More comments than anybody writes before one book.
  static let mostIgnored = 1_000

  /// Silences one finding of each of these codes, up to the end of the next record.
  mutating func ignore(_ codes: [Diagnostic.Code]) {
    ignored += codes.prefix(Self.mostIgnored - ignored.count)
  }

  /// The finding, if it is not silenced.
  mutating func keep(_ finding: consuming Diagnostic) -> Diagnostic? {
    if isSilenced(finding) { return nil }
    finding.giveFingerprint(0, &documentCounts)
    return finding
  }

  /// Those of a record's findings that are not silenced, in the order of their places.
  mutating func keep(_ findings: [Diagnostic], of record: LoanRecord) -> [Diagnostic] {
    var counts: [Diagnostic.Code: Int] = [:]
    let hash = hash(of: record)
    var kept: [Diagnostic] = []
    for var finding in findings.sorted(by: { $0.location < $1.location }) {
      if isSilenced(finding) { continue }
      finding.giveFingerprint(hash, &counts)
      kept.append(finding)
    }
    return kept
  }

  /// What comes now is not about the record any longer.
  @inline(__always)
  mutating func endRecord() {
    if !ignored.isEmpty { ignored.removeAll() }
  }

  private mutating func isSilenced(_ finding: Diagnostic) -> Bool {
    guard let index = ignored.firstIndex(of: finding.code) else { return false }
    ignored.remove(at: index)
    return true
  }

  /// The hash of whose problem it is, which stays the same when the catalogue is edited: of a record's id, or of
  /// what else is known of it, and of its number among those that have the same and are of account.
  private mutating func hash(of record: LoanRecord) -> UInt64 {
    let (key, ordinal) = (record.identity.hash, record.identity.ordinal)
    let hasID = !record.head.isEmpty(.id)
    let number = hasID ? ordinal : unnamed.note(key, line: 1)?.ordinal ?? 1
    return ContentHash.of(key, UInt64(number))
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
