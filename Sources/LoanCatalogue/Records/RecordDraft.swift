import Glibc
import Loans

/// Memory in which the texts of some records are, one after the other.
///
/// One ``RecordDraft`` writes it, and never changes what it has handed over.
@safe final class TextStorage: @unchecked Sendable {
  fileprivate let start: UnsafeMutablePointer<UInt8>
  fileprivate let capacity: Int

  init(capacity: Int) {
    self.capacity = capacity
    unsafe start = allocateBytes(capacity)
  }

  deinit {
    unsafe free(start)
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

/// The record at hand, with its texts as they are copied out of the parser's buffer, after those of
/// the records before it.
@safe struct RecordDraft: ~Copyable {
  var record: LoanRecord
  private var start: UnsafeMutablePointer<UInt8>
  private var capacity: Int
  /// Bytes written so far.
  private(set) var count = 0
  /// Bytes that had been written when the batch began.
  private var batchStart = 0
  private var fieldStart = 0

  /// - Parameter capacity: bytes of texts that there will be, about.
  init(capacity: Int) {
    let texts = TextStorage(capacity: capacity)
    record = LoanRecord(texts)
    unsafe start = texts.start
    self.capacity = capacity
  }

  /// Bytes that have been written since the batch began.
  var batchLength: Int { count - batchStart }

  /// Writes the texts to come elsewhere, unless a record is at hand, whose texts stay together.
  mutating func beginBatch(isInRecord: Bool) {
    if !isInRecord {
      use(TextStorage(capacity: min(capacity, 65_536)))
      count = 0
    }
    batchStart = count
  }

  private mutating func use(_ texts: TextStorage) {
    record.texts = texts
    unsafe start = texts.start
    capacity = texts.capacity
  }

  /// Goes on in larger memory; the records before keep theirs.
  @inline(never)
  private mutating func grow(to size: Int) {
    let (old, texts) = (record.texts, TextStorage(capacity: max(size, capacity / 2 * 3)))
    unsafe texts.start.update(from: old.start, count: count)
    use(texts)
  }
}

// MARK: - Fields

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

  /// Ends the field: its space is normalized, and the first of several counts.
  @inline(__always)
  mutating func endField(_ field: LoanField) {
    guard record.isEmpty(field) else {
      count = fieldStart
      return
    }
    if !isNormalized { normalizeSpace() }
    record.set(field, fieldStart..<count)
  }

  /// Replaces a field's text, or removes it.
  mutating func replace(_ field: LoanField, with text: String?) {
    record.remove(field)
    guard let text else { return }
    beginField()
    append(text.utf8.span)
    endField(field)
  }

  /// Ends what was begun as a field but is none, and removes its text.
  mutating func removeField() -> String {
    normalizeSpace()
    defer { count = fieldStart }
    return record.texts.text(in: fieldStart..<count)
  }

  /// Whether the field has no white space but single spaces inside, as most have.
  @inline(__always)
  private var isNormalized: Bool {
    if count == fieldStart { return true }
    var isAfterSpace = true
    for index in fieldStart..<count {
      let byte = unsafe start[index]
      if byte < 0x20 || byte == 0x20 && isAfterSpace { return false }
      isAfterSpace = byte == 0x20
    }
    return !isAfterSpace
  }

  @inline(never)
  private mutating func normalizeSpace() {
    let buffer = unsafe UnsafeMutableBufferPointer(start: start, count: count)
    var texts = unsafe buffer.mutableSpan
    count = texts.normalizeSpace(from: fieldStart)
  }
}

extension UnsafeBufferPointer<UInt8> {
  /// Whether each byte is of ASCII, printed, and no space.
  @inline(__always)
  var isVisible: Bool {
    unsafe allSatisfy { $0 &- 0x21 <= 0x5D }
  }
}
