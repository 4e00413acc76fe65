public import Loans

/// One record of a catalogue, as bytes.
///
/// Its texts become strings only when ``loan`` or ``identity`` is asked for.
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

  /// What the record says about its expiration.
  public internal(set) var expiration = Expiration.none
  /// The time of that day at which the loan ends, where the catalogue tells one.
  var expirationTime: CivilTime?
  /// The place of the record's start tag.
  public internal(set) var location = SourceLocation(line: 1, column: 1)
  /// Whether loans of other copies can have the same id.
  var isIDShared = false
  /// 1, or 2, 3, … where earlier records have the same identity.
  var ordinal = 1
  /// A hash of every field, of the expiration and of the ordinal.
  private var contentHash: UInt64 = 0
  private var bytes: [UInt8] = []
  private var ranges = InlineArray<9, (start: UInt32, end: UInt32)>(repeating: (0, 0))
  private var fieldStart = 0

  /// A 64-bit hash of what makes the loan the same loan in another version of the catalogue: its
  /// id, else its barcode, else ISBN, title, author and borrower; and its ordinal among equals.
  public private(set) var key: UInt64 = 0

  /// A 64-bit hash of every field, of the expiration, and of when the reminder fires.
  public func fingerprint(fireAt: CivilDateTime) -> UInt64 {
    ContentHash.of(contentHash, UInt64(truncatingIfNeeded: fireAt.ordinal))
  }

  /// Works out the hashes, once the record is complete.
  mutating func seal() {
    key = ordinal == 1 ? baseKey : ContentHash.of(baseKey, UInt64(ordinal))
    var hash = ContentHash()
    for field in LoanField.allCases where field != .expiration && field != .loaned {
      hash.combine(bytes[range(of: field)])
    }
    if case .date(let date) = expiration {
      hash.combine(UInt64(truncatingIfNeeded: date.dayNumber))
    }
    if let expirationTime { hash.combine(UInt64(expirationTime.secondOfDay)) }
    hash.combine(UInt64(ordinal))
    contentHash = hash.value
  }

  /// The identity behind ``key``, in words.
  public var identity: String {
    var identity = ""
    for field in identityFields {
      if !identity.isEmpty { identity += "\n" }
      identity += field.name
      identity += " "
      identity += text(of: field) ?? ""
    }
    if ordinal > 1 { identity += "\n#\(ordinal)" }
    return identity
  }

  /// The loan, or `nil` if the record has no usable expiration.
  public var loan: Loan? {
    guard case .date(let date) = expiration else { return nil }
    return Loan(
      id: text(of: .id), title: text(of: .title), author: text(of: .author),
      isbn: text(of: .isbn), barcode: text(of: .barcode), borrower: text(of: .borrower),
      email: text(of: .email), expiration: date, expirationTime: expirationTime)
  }

  var baseKey: UInt64 {
    if !isEmpty(.id) && !isIDShared { return hash(of: .id) }
    if isEmpty(.id) && !isEmpty(.barcode) { return hash(of: .barcode) }
    var hash = ContentHash()
    for field in identityFields { hash.combine(self.hash(of: field)) }
    return hash.value
  }

  private func hash(of field: LoanField) -> UInt64 {
    var hash = ContentHash()
    hash.combine(UInt64(field.rawValue))
    hash.combine(bytes[range(of: field)])
    return hash.value
  }

  private var identityFields: [LoanField] {
    if !isEmpty(.id) { return isIDShared ? [.id, .title] : [.id] }
    if !isEmpty(.barcode) { return [.barcode] }
    return [.isbn, .title, .author, .borrower]
  }

  /// What two records of one loan have in common: the barcode, or, where there is none, everything
  /// that tells one loan from another; `nil` where too little is known.
  var loanKey: UInt64? {
    if !isEmpty(.barcode) { return hash(of: .barcode) }
    guard case .date(let date) = expiration, !isEmpty(.borrower),
      !isEmpty(.title) || !isEmpty(.isbn)
    else { return nil }
    var hash = ContentHash()
    for field in [LoanField.isbn, .title, .author, .borrower] {
      hash.combine(self.hash(of: field))
    }
    hash.combine(UInt64(truncatingIfNeeded: date.dayNumber))
    return hash.value
  }

  /// Bytes of text.
  var size: Int { bytes.count }

  /// What a diagnostic calls the record: its id, else its title.
  var name: String? { text(of: .id) ?? text(of: .title) }

  func isEmpty(_ field: LoanField) -> Bool {
    let range = ranges[field.rawValue]
    return range.start == range.end
  }

  func text(of field: LoanField) -> String? {
    isEmpty(field) ? nil : String(decoding: bytes[range(of: field)], as: UTF8.self)
  }

  func value(of field: LoanField) -> ArraySlice<UInt8> { bytes[range(of: field)] }

  private func range(of field: LoanField) -> Range<Int> {
    let range = ranges[field.rawValue]
    return Int(range.start)..<Int(range.end)
  }
}

// Filling it, field by field.
extension LoanRecord {
  mutating func begin(at location: SourceLocation) {
    self.location = location
    expiration = .none
    expirationTime = nil
    ordinal = 1
    isIDShared = false
    bytes.removeAll(keepingCapacity: true)
    ranges = InlineArray(repeating: (0, 0))
  }

  mutating func beginField() { fieldStart = bytes.count }

  mutating func append(_ text: some Sequence<UInt8>) { bytes.append(contentsOf: text) }

  /// Ends the field: its white space is trimmed and folded, and the first of several counts.
  mutating func endField(_ field: LoanField) {
    let end = isEmpty(field) ? bytes.foldWhiteSpace(from: fieldStart) : fieldStart
    if end < bytes.count { bytes.removeSubrange(end...) }
    if isEmpty(field) { ranges[field.rawValue] = (UInt32(fieldStart), UInt32(end)) }
  }
}
