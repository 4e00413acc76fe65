public import Loans

/// One record of a catalogue, as bytes.
///
/// Its texts become strings only when ``loan`` is asked for. They are in memory that some records
/// share, so whoever keeps one record for long should keep its ``loan`` instead.
public struct LoanRecord: Sendable {
  /// The expiration of a record.
  public enum Expiration: Hashable, Sendable {
    /// The record has none: the book is on the shelf.
    case none
    /// The loan expires at the end of this day.
    case date(CivilDate)
    /// There is something, but it is not a usable date; a diagnostic says why.
    case unusable
  }

  /// The reason why a record has no expiration.
  enum Lack: Sendable {
    /// The book is not lent.
    case onShelf
    /// It is lent, and its expiration is empty.
    case empty
    /// It is lent, and nothing is where an expiration is looked for.
    case undated
    /// It is lent, and says only when that was.
    case uncounted
    /// It is lent and says when that was, and nothing is where an expiration is looked for.
    case undatedAndUncounted
  }

  /// The expiration of the record.
  public internal(set) var expiration = Expiration.none
  /// The time of that day at which the loan ends, if the catalogue has one.
  var expirationTime: CivilTime?
  /// The day of lending, if the catalogue has one that can be read.
  package internal(set) var loanedOn: CivilDate?
  /// The place of the record's start tag.
  public internal(set) var location = SourceLocation(line: 1, column: 1)
  /// Whether loans of other copies can have the same id.
  var isIDShared = false
  /// 1, or 2, 3, … if earlier records have the same identity.
  var ordinal = 1
  /// The reason why the record has no expiration, if it has none.
  var lack = Lack.onShelf
  /// A bit for each field that is not empty.
  private var filled: UInt32 = 0
  /// The ranges of the fields that are not empty.
  private var ranges = InlineArray<18, (start: UInt32, end: UInt32)>(repeating: (0, 0))
  var texts: TextStorage

  /// The hash of what makes the loan the same, without its ordinal.
  private(set) var key: UInt64 = 0
  /// The hash of every field that the schedule keeps, but the expiration's day.
  private var content = ContentHash()
  /// The hash of what two records of one loan have in common; `nil` if too little is known, or if
  /// nobody asked.
  private(set) var loanKey: UInt64?

  init(_ texts: TextStorage) { self.texts = texts }

  /// The identity of the loan.
  public var identity: LoanIdentity { LoanIdentity(hash: key, ordinal: ordinal) }

  /// A 64-bit hash of every field that the schedule keeps, but the expiration's day, and of the ordinal.
  public var fingerprint: UInt64 { content.combined(with: UInt64(ordinal)).value }

  /// The loan, or `nil` if the record has no usable expiration.
  public var loan: Loan? {
    guard case .date(let date) = expiration else { return nil }
    return Loan(
      id: text(of: .id), title: text(of: .title), author: text(of: .author),
      isbn: text(of: .isbn), barcode: text(of: .barcode), borrower: text(of: .borrower),
      email: text(of: .email), language: text(of: .language), category: text(of: .category),
      type: text(of: .type), library: text(of: .library), renewable: isRenewable,
      status: status, phone: text(of: .phone), address: text(of: .address),
      callNumber: text(of: .callNumber), loaned: loanedOn, expiration: date,
      expirationTime: expirationTime)
  }

  /// Whether the book is lent, as far as the catalogue says that other than by an expiration.
  package var isLent: Bool { expiration != .none || lack != .onShelf }
}

// MARK: - Fields

extension LoanRecord: LoanParts {
  /// The last day of a record with a usable expiration.
  package var lastDay: CivilDate { if case .date(let date) = expiration { date } else { .last } }
  package var lastTime: CivilTime? { expirationTime }
  package var status: LoanStatus? {
    isEmpty(.status) ? nil : withValue(of: .status) { LoanStatus(words: $0) }
  }

  package func withText(of field: LoanField, _ body: (Span<UInt8>) -> Void) {
    if !isEmpty(field) { withValue(of: field, body) }
  }

  @inline(__always)
  func isEmpty(_ field: LoanField) -> Bool { filled & field.bit == 0 }

  /// A field's text; `nil` if it is empty.
  package func text(of field: LoanField) -> String? {
    isEmpty(field) ? nil : texts.text(in: range(of: field))
  }

  /// The name of the record in a diagnostic: its id, or else its title.
  var name: String? { text(of: .id) ?? text(of: .title) }

  /// Calls `body` with a field's text.
  @inline(__always)
  func withValue<Result, Failure: Error>(
    of field: LoanField, _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try texts.withBytes(in: range(of: field), body)
  }

  @inline(__always)
  private func range(of field: LoanField) -> Range<Int> {
    if isEmpty(field) { return 0..<0 }
    let range = ranges[field.rawValue]
    return Int(range.start)..<Int(range.end)
  }

  /// Notes where the text of a field is that was empty.
  @inline(__always)
  mutating func set(_ field: LoanField, _ range: Range<Int>) {
    if range.isEmpty { return }
    filled |= field.bit
    ranges[field.rawValue] = (UInt32(range.lowerBound), UInt32(range.upperBound))
  }

  /// Forgets a field.
  mutating func remove(_ field: LoanField) { filled &= ~field.bit }

  /// Becomes the next record, of which nothing is known.
  mutating func begin(at location: SourceLocation) {
    self.location = location
    expiration = .none
    expirationTime = nil
    loanedOn = nil
    ordinal = 1
    isIDShared = false
    lack = .onShelf
    filled = 0
  }
}

// MARK: - Hashes

extension LoanRecord {
  /// Works out what the record is known by.
  ///
  /// - Parameters:
  ///   - isWanted: whether the record is handed over.
  ///   - ofLoan: whether other loans like it are looked for.
  mutating func hash(isWanted: Bool, ofLoan: Bool) {
    key = hash(of: identityFields)
    if isWanted { content = contentHash }
    loanKey = ofLoan ? hashOfLoan : nil
  }

  private var identityFields: [LoanField] {
    if !isEmpty(.id) { return isIDShared ? [.id, .title] : [.id] }
    if !isEmpty(.barcode) { return [.barcode] }
    return [.isbn, .title, .author, .borrower]
  }

  /// The fields that the schedule keeps, beside the dates and those that few catalogues have.
  private static let keptFields = LoanField.allCases.filter {
    ![.expiration, .loaned, .phone, .address, .callNumber, .status].contains($0)
  }

  private var contentHash: ContentHash {
    var hash = ContentHash()
    for field in Self.keptFields {
      withValue(of: field) { hash.combine($0) }
    }
    if let expirationTime { hash.combine(UInt64(expirationTime.secondOfDay)) }
    // The other catalogues have the same hash without them.
    if !isEmpty(.phone) { hash.combine(self.hash(of: .phone)) }
    if !isEmpty(.status) { hash.combine(self.hash(of: .status)) }
    return hash
  }

  /// The barcode's hash, or else that of everything that distinguishes one loan from another.
  private var hashOfLoan: UInt64? {
    if !isEmpty(.barcode) { return hash(of: .barcode) }
    guard case .date(let date) = expiration, !isEmpty(.borrower),
      !isEmpty(.title) || !isEmpty(.isbn)
    else { return nil }
    var hash = ContentHash()
    for field in [LoanField.isbn, .title, .author, .borrower] { hash.combine(self.hash(of: field)) }
    hash.combine(UInt64(truncatingIfNeeded: date.dayNumber))
    return hash.value
  }

  private func hash(of fields: [LoanField]) -> UInt64 {
    if fields.count == 1 { return hash(of: fields[0]) }
    var hash = ContentHash()
    for field in fields { hash.combine(self.hash(of: field)) }
    return hash.value
  }

  private func hash(of field: LoanField) -> UInt64 {
    withValue(of: field) { ContentHash.of(field, $0) }
  }
}
