public import Loans

/// One record of a catalogue, as bytes.
///
/// Its texts become strings only when ``loan`` is asked for. They lie in memory that some records
/// share, so whoever keeps one record for long should keep its ``loan`` instead.
public struct LoanRecord: Sendable {
  /// What a record says about its expiration.
  public enum Expiration: Hashable, Sendable {
    /// The record has none: the book is on the shelf.
    case none
    /// The loan expires at the end of this day.
    case date(CivilDate)
    /// There is something, but it is no usable date; a diagnostic tells why.
    case unusable
  }

  private let facts: RecordFacts
  private let texts: TextStorage

  /// Which loan it is.
  public let identity: LoanIdentity

  /// A 64-bit hash of every field but the expiration's day, and of the ordinal.
  public let fingerprint: UInt64

  init(_ facts: RecordFacts, _ hashes: RecordHashes, _ texts: TextStorage) {
    self.facts = facts
    self.texts = texts
    identity = LoanIdentity(hash: hashes.base, ordinal: facts.ordinal)
    fingerprint = hashes.content.combined(with: UInt64(facts.ordinal)).value
  }

  /// What the record says about its expiration.
  public var expiration: Expiration { facts.expiration }

  /// The place of the record's start tag.
  public var location: SourceLocation { facts.location }

  /// The loan, or `nil` if the record has no usable expiration.
  public var loan: Loan? {
    guard case .date(let date) = expiration else { return nil }
    return Loan(
      id: text(of: .id), title: text(of: .title), author: text(of: .author),
      isbn: text(of: .isbn), barcode: text(of: .barcode), borrower: text(of: .borrower),
      email: text(of: .email), expiration: date, expirationTime: facts.expirationTime)
  }

  /// The loan with its texts as bytes, or `nil` if the record has no usable expiration.
  package var parts: Parts? {
    guard case .date(let date) = expiration else { return nil }
    return Parts(record: self, lastDay: date)
  }

  /// A loan whose texts lie where those of its record do.
  package struct Parts: LoanParts {
    fileprivate let record: LoanRecord
    package let lastDay: CivilDate
    package var lastTime: CivilTime? { record.facts.expirationTime }

    package func withPart(_ part: LoanPart, _ body: (Span<UInt8>) -> Void) {
      let field: LoanField =
        switch part {
        case .id: .id
        case .title: .title
        case .author: .author
        case .isbn: .isbn
        case .barcode: .barcode
        case .borrower: .borrower
        case .email: .email
        }
      if record.facts.isEmpty(field) { return }
      record.texts.withBytes(in: record.facts.range(of: field), body)
    }
  }

  /// Whether the book is lent, as far as the catalogue says that otherwise than by an expiration.
  package var isLent: Bool { expiration != .none || facts.lack != .onShelf }

  /// A field's text; `nil` if it is empty.
  package func text(of field: LoanField) -> String? {
    facts.isEmpty(field) ? nil : texts.text(in: facts.range(of: field))
  }
}

/// What is known of a record beside its texts, and where these lie.
struct RecordFacts: Sendable {
  /// Why a record has no expiration.
  enum Lack: Sendable {
    /// The book is not lent.
    case onShelf
    /// It is lent, and its expiration is empty.
    case empty
    /// It is lent, and nothing is where an expiration is looked for.
    case undated
    /// It is lent, and tells only when that was.
    case uncounted
    /// It is lent and tells when that was, and nothing is where an expiration is looked for.
    case undatedAndUncounted
  }

  var expiration = LoanRecord.Expiration.none
  /// The time of that day at which the loan ends, where the catalogue tells one.
  var expirationTime: CivilTime?
  /// The place of the record's start tag.
  var location = SourceLocation(line: 1, column: 1)
  /// Whether loans of other copies can have the same id.
  var isIDShared = false
  /// 1, or 2, 3, … where earlier records have the same identity.
  var ordinal = 1
  /// What kind of record it is, where it has no expiration.
  var lack = Lack.onShelf
  /// A bit for each field that is not empty.
  private var filled: UInt16 = 0
  /// Of the fields that are not empty.
  private var ranges = InlineArray<9, (start: UInt32, end: UInt32)>(repeating: (0, 0))

  /// Forgets what was known of the record before.
  mutating func begin(at location: SourceLocation) {
    self.location = location
    expiration = .none
    expirationTime = nil
    ordinal = 1
    isIDShared = false
    lack = .onShelf
    filled = 0
  }

  @inline(__always)
  func isEmpty(_ field: LoanField) -> Bool { filled & field.bit == 0 }

  @inline(__always)
  func range(of field: LoanField) -> Range<Int> {
    if isEmpty(field) { return 0..<0 }
    let range = ranges[field.rawValue]
    return Int(range.start)..<Int(range.end)
  }

  /// Notes where the text of a field lies that was empty.
  @inline(__always)
  mutating func set(_ field: LoanField, _ range: Range<Int>) {
    if range.isEmpty { return }
    filled |= field.bit
    ranges[field.rawValue] = (UInt32(range.lowerBound), UInt32(range.upperBound))
  }

  private var identityFields: [LoanField] {
    if !isEmpty(.id) { return isIDShared ? [.id, .title] : [.id] }
    if !isEmpty(.barcode) { return [.barcode] }
    return [.isbn, .title, .author, .borrower]
  }
}

/// What a record is known by, as far as that does not depend on those before it.
struct RecordHashes {
  /// What makes the loan the same, but for its ordinal.
  var base: UInt64 = 0
  /// Of every field but the expiration's day.
  var content = ContentHash()
  /// What two records of one loan have in common; `nil` where too little is known, or nobody asked.
  var loan: UInt64?
}

// Hashes.
extension RecordFacts {
  /// What makes the loan the same, but for its ordinal.
  func baseKey(_ texts: TextStorage) -> UInt64 {
    let fields = identityFields
    if fields.count == 1 { return hash(of: fields[0], texts) }
    var hash = ContentHash()
    for field in fields { hash.combine(self.hash(of: field, texts)) }
    return hash.value
  }

  func contentHash(_ texts: TextStorage) -> ContentHash {
    var hash = ContentHash()
    for field in LoanField.allCases where field != .expiration && field != .loaned {
      texts.withBytes(in: range(of: field)) { hash.combine($0) }
    }
    if let expirationTime { hash.combine(UInt64(expirationTime.secondOfDay)) }
    return hash
  }

  /// What two records of one loan have in common: the barcode, or else everything that tells one
  /// loan from another; `nil` where too little is known.
  func loanKey(_ texts: TextStorage) -> UInt64? {
    if !isEmpty(.barcode) { return hash(of: .barcode, texts) }
    guard case .date(let date) = expiration, !isEmpty(.borrower),
      !isEmpty(.title) || !isEmpty(.isbn)
    else { return nil }
    var hash = ContentHash()
    hash.combine(self.hash(of: .isbn, texts))
    hash.combine(self.hash(of: .title, texts))
    hash.combine(self.hash(of: .author, texts))
    hash.combine(self.hash(of: .borrower, texts))
    hash.combine(UInt64(truncatingIfNeeded: date.dayNumber))
    return hash.value
  }

  private func hash(of field: LoanField, _ texts: TextStorage) -> UInt64 {
    texts.withBytes(in: range(of: field)) { ContentHash.of(field, $0) }
  }
}
