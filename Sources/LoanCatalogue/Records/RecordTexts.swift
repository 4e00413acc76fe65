import Loans

/// Memory in which the texts of some records lie, one after the other.
///
/// One ``RecordDraft`` writes it, and never changes what it has handed over.
@safe final class TextStorage: @unchecked Sendable {
  fileprivate let start: UnsafeMutablePointer<UInt8>
  fileprivate let capacity: Int
  /// Bytes behind the capacity, so that eight can be written and read at any place.
  private static let margin = 8

  init(capacity: Int) {
    self.capacity = capacity
    unsafe start = .allocate(capacity: capacity + Self.margin)
  }

  deinit {
    unsafe start.deallocate()
  }

  /// The text in a range, as UTF-8.
  func text(in range: Range<Int>) -> String {
    unsafe String(
      decoding: UnsafeBufferPointer(start: start + range.lowerBound, count: range.count),
      as: UTF8.self)
  }

  /// Calls `body` with the bytes in a range.
  @inline(__always)
  func withBytes<Result, Failure: Error>(
    in range: Range<Int>, _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let buffer = unsafe UnsafeBufferPointer(start: start + range.lowerBound, count: range.count)
    return try unsafe body(buffer.span)
  }
}

extension ContentHash {
  /// Mixes in a text with its length, so that where one field ends and the next begins counts.
  mutating func combine(_ text: Span<UInt8>) {
    combine(UInt64(text.count))
    unsafe text.withUnsafeBytes { bytes in
      var index = 0
      while bytes.count - index >= 8 {
        let word = unsafe bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
        combine(UInt64(littleEndian: word))
        index += 8
      }
      if index == bytes.count { return }
      var word: UInt64 = 0
      for offset in index..<bytes.count {
        unsafe word |= UInt64(bytes[offset]) << UInt64(8 * (offset - index))
      }
      combine(word)
    }
  }
}

extension UnsafeMutablePointer<UInt8> {
  /// Eight bytes, the first one lowest.
  @inline(__always)
  fileprivate func word(at index: Int) -> UInt64 {
    unsafe UInt64(
      littleEndian: UnsafeRawPointer(self).loadUnaligned(
        fromByteOffset: index, as: UInt64.self))
  }
}

// Eight bytes at once.
extension UInt64 {
  private static let ones: UInt64 = 0x0101_0101_0101_0101
  private static let highBits: UInt64 = 0x8080_8080_8080_8080

  /// Not 0 where one of the bytes is below a value of at most 0x80, and only there.
  @inline(__always)
  fileprivate func bytes(below value: UInt64) -> UInt64 {
    (self &- Self.ones &* value) & ~self & Self.highBits
  }

  /// Not 0 where a space is at a place where the other word has one too, and only there.
  @inline(__always)
  fileprivate func spaces(before following: UInt64) -> UInt64 {
    let spaces = Self.ones &* 0x20
    return ((self ^ spaces) | (following ^ spaces)).bytes(below: 1)
  }

}

extension UnsafeBufferPointer<UInt8> {
  /// Whether each byte is of ASCII, printed, and no space.
  @inline(__always)
  var isVisible: Bool {
    unsafe allSatisfy { $0 &- 0x21 <= 0x5D }
  }
}

/// The record at hand: its facts, and its texts as they are copied out of the parser's buffer,
/// behind those of the records before it.
@safe struct RecordDraft: ~Copyable {
  var facts = RecordFacts()
  private var storage: TextStorage
  private var start: UnsafeMutablePointer<UInt8>
  private var capacity: Int
  /// Bytes written so far.
  private(set) var count = 0
  private var fieldStart = 0

  /// - Parameter capacity: bytes of texts that there will be, about.
  init(capacity: Int) {
    storage = TextStorage(capacity: capacity)
    unsafe start = storage.start
    self.capacity = storage.capacity
  }

  /// The texts so far; those to come are written elsewhere.
  ///
  /// - Parameter isInRecord: whether those of the record at hand are needed there, too.
  mutating func takeTexts(isInRecord: Bool) -> TextStorage {
    let texts = storage
    if isInRecord {
      grow(to: count)
    } else {
      use(TextStorage(capacity: min(capacity, 65_536)))
      count = 0
    }
    return texts
  }

  private mutating func use(_ storage: TextStorage) {
    self.storage = storage
    unsafe start = storage.start
    capacity = storage.capacity
  }

  @inline(never)
  private mutating func grow(to size: Int) {
    let new = TextStorage(capacity: max(size, capacity / 2 * 3))
    unsafe new.start.update(from: start, count: count)
    use(new)
  }
}

// Filling it, field by field.
extension RecordDraft {
  @inline(__always)
  mutating func beginField() { fieldStart = count }

  /// Bytes of the field that has begun.
  var fieldLength: Int { count &- fieldStart }

  @inline(__always)
  mutating func append(_ text: Span<UInt8>) {
    let end = count &+ text.count
    if end > capacity { grow(to: end) }
    unsafe text.withUnsafeBytes { bytes in
      guard let source = bytes.baseAddress else { return }
      unsafe UnsafeMutableRawPointer(start + count).copyMemory(
        from: source, byteCount: bytes.count)
    }
    count = end
  }

  /// Ends the field: its white space is trimmed and folded, and the first of several counts.
  @inline(__always)
  mutating func endField(_ field: LoanField) {
    guard facts.isEmpty(field) else {
      count = fieldStart
      return
    }
    if !checkFolded() { fold() }
    facts.set(field, fieldStart..<count)
  }

  /// Ends what was begun as a field but is none, and takes its text away.
  mutating func takeField() -> String {
    fold()
    defer { count = fieldStart }
    return storage.text(in: fieldStart..<count)
  }

  /// Whether the field has no white space but single spaces inside, as most have.
  @inline(__always)
  private mutating func checkFolded() -> Bool {
    if count == fieldStart { return true }
    // Eight bytes at once, those behind the end included.
    unsafe UnsafeMutableRawPointer(start).storeBytes(
      of: UInt64.max, toByteOffset: count, as: UInt64.self)
    var index = fieldStart
    while index < count {
      let word = unsafe start.word(at: index)
      let following = unsafe start.word(at: index &+ 1)
      // White space but spaces, and with them other characters that no XML has; and double spaces.
      let isOther = word.bytes(below: 0x20) | word.spaces(before: following)
      if isOther != 0 { return false }
      index &+= 8
    }
    return unsafe start[fieldStart] != 0x20 && start[count &- 1] != 0x20
  }

  @inline(never)
  private mutating func fold() {
    let buffer = unsafe UnsafeMutableBufferPointer(start: start, count: count)
    var texts = unsafe buffer.mutableSpan
    count = texts.foldWhiteSpace(from: fieldStart)
  }
}

// Looking at it.
extension RecordDraft {
  @inline(__always)
  func isEmpty(_ field: LoanField) -> Bool { facts.isEmpty(field) }

  /// Calls `body` with a field's text.
  @inline(__always)
  func withValue<Result, Failure: Error>(
    of field: LoanField, _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try storage.withBytes(in: facts.range(of: field), body)
  }

  /// A copy of a field's text.
  func value(of field: LoanField) -> [UInt8] {
    withValue(of: field) { [UInt8](copying: $0) }
  }

  func text(of field: LoanField) -> String? {
    isEmpty(field) ? nil : storage.text(in: facts.range(of: field))
  }

  /// What a diagnostic calls the record: its id, else its title.
  var name: String? { text(of: .id) ?? text(of: .title) }

  /// What the record is known by.
  ///
  /// - Parameters:
  ///   - isWanted: whether the record is handed over.
  ///   - ofLoan: whether other loans like it are looked for.
  func hashes(isWanted: Bool, ofLoan: Bool) -> RecordHashes {
    var hashes = RecordHashes(base: facts.baseKey(storage))
    if isWanted { hashes.content = facts.contentHash(storage) }
    if ofLoan { hashes.loan = facts.loanKey(storage) }
    return hashes
  }
}
