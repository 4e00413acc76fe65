import Glibc

/// An array of trivial values, in reusable memory of its own.
///
/// After the last value is room for eight bytes, so that as many can be loaded from anywhere.
@safe struct FlatArray<Element: BitwiseCopyable>: ~Copyable {
  private var start: UnsafeMutablePointer<Element>
  private var capacity = 0
  private(set) var count = 0

  private static var margin: Int { 8 }

  /// An array of nothing yet.
  init() {
    unsafe start = Self.grown(nil, to: 0)
  }

  deinit { unsafe free(start) }

  /// - SeeAlso: `realloc(3)`.
  @unsafe private static func grown(
    _ memory: UnsafeMutablePointer<Element>?, to capacity: Int
  ) -> UnsafeMutablePointer<Element> {
    let size = capacity * MemoryLayout<Element>.stride + margin
    guard let grown = unsafe realloc(memory, size) else { endWithoutMemory() }
    return unsafe grown.assumingMemoryBound(to: Element.self)
  }

  @inline(__always)
  subscript(index: Int) -> Element {
    get {
      precondition(UInt(bitPattern: index) < UInt(bitPattern: count))
      return unsafe start[index]
    }
    set {
      precondition(UInt(bitPattern: index) < UInt(bitPattern: count))
      unsafe start[index] = newValue
    }
  }

  @inline(__always)
  mutating func append(_ element: Element) {
    if count == capacity { grow(to: count + 1) }
    unsafe start[count] = element
    count &+= 1
  }

  @inline(__always)
  mutating func append(contentsOf elements: Span<Element>) {
    let end = count &+ elements.count
    if end > capacity { grow(to: end) }
    unsafe elements.withUnsafeBytes { bytes in
      guard let source = bytes.baseAddress else { return }
      unsafe UnsafeMutableRawPointer(start + count).copyMemory(from: source, byteCount: bytes.count)
    }
    count = end
  }

  @inline(never)
  private mutating func grow(to count: Int) {
    capacity = max(count, capacity * 2, 1_024)
    unsafe start = Self.grown(start, to: capacity)
  }

  /// Forgets the values from an index on; their memory stays.
  @inline(__always)
  mutating func removeAll(from index: Int = 0) {
    precondition(index <= count)
    count = index
  }

  /// Calls `body` with the values in a range.
  @inline(__always)
  func withSpan<Result, Failure: Error>(
    _ range: Range<Int>, _ body: (Span<Element>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    precondition(range.lowerBound >= 0 && range.upperBound <= count)
    let values = unsafe UnsafeBufferPointer(start: start + range.lowerBound, count: range.count)
    return try unsafe body(values.span)
  }
}

extension FlatArray<UInt8> {
  /// Whether the bytes from an index on have no white space but single spaces inside, as most texts have.
  ///
  /// Eight bytes are compared at once, each with the one before it.
  @inline(__always)
  func isNormalized(from start: Int) -> Bool {
    if start == count { return true }
    let (low, high) = (0x0101_0101_0101_0101 as UInt64, 0x8080_8080_8080_8080 as UInt64)
    var index = start
    // As if a space came before the text, and one after it.
    var spaceBefore: UInt64 = 0x80
    while true {
      var word = unsafe UnsafeRawPointer(self.start + index)
        .loadUnaligned(as: UInt64.self).littleEndian
      let left = count &- index
      if left < 8 {
        let rest = UInt64.max << UInt64(8 &* left)
        word = word & ~rest | rest & (low &* 0x20)
        let isEnd = UInt64(0x80) << UInt64(8 &* left)
        return Self.areNormalized(word, spaceBefore, within: isEnd | (isEnd &- 1), low, high)
      }
      if !Self.areNormalized(word, spaceBefore, within: ~0, low, high) { return false }
      spaceBefore = word >> 56 == 0x20 ? 0x80 : 0
      index &+= 8
      if index == count { return spaceBefore == 0 }
    }
  }

  /// Whether none of eight bytes is a control character, or a space after a space.
  @inline(__always)
  private static func areNormalized(
    _ word: UInt64, _ spaceBefore: UInt64, within mask: UInt64, _ low: UInt64, _ high: UInt64
  ) -> Bool {
    let controls = (word &- low &* 0x20) & ~word & high
    let differences = word ^ low &* 0x20
    let spaces = (differences &- low) & ~differences & high
    return (controls | spaces & (spaces << 8 | spaceBefore)) & mask == 0
  }

  /// Trims the text from an index on, and replaces each inner run of white space by one space.
  @inline(never)
  mutating func normalizeSpace(from index: Int) {
    let buffer = unsafe UnsafeMutableBufferPointer(start: start, count: count)
    var bytes = unsafe buffer.mutableSpan
    count = bytes.normalizeSpace(from: index)
  }
}
