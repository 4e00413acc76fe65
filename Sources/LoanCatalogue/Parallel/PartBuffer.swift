import Glibc
import Loans

/// A part of a document between the tags of its root element, as libxml2 reads it from memory.
@safe struct PartBuffer: ~Copyable {
  private var start: UnsafeMutablePointer<UInt8>
  private var capacity: Int
  /// Bytes of what comes before the part.
  private var headCount = 0
  /// Bytes of the part and of what is around it.
  private(set) var count = 0

  /// - Parameter capacity: bytes that there will be, about.
  init(capacity: Int) {
    self.capacity = capacity
    unsafe start = allocateBytes(capacity)
  }

  deinit {
    unsafe free(start)
  }

  /// Reads bytes of a catalogue.
  ///
  /// - Parameters:
  ///   - head: comes before them.
  ///   - tailCount: bytes that there must be room for after them.
  /// - Returns: whether all of them were there.
  mutating func read(
    _ range: Range<Int>, of file: CatalogueFile, after head: [UInt8], tailCount: Int
  ) -> Bool {
    headCount = head.count
    count = headCount + range.count
    if capacity <= count + tailCount { grow(to: count + tailCount) }
    let buffer = unsafe UnsafeMutableRawBufferPointer(start: start, count: count)
    unsafe buffer.copyBytes(from: head)
    let body = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[headCount...])
    return unsafe file.read(at: range.lowerBound, into: body) == body.count
  }

  private mutating func grow(to size: Int) {
    unsafe free(start)
    capacity = size + size / 4 + 1
    unsafe start = allocateBytes(capacity)
  }

  /// Ends the part after some bytes of the file.
  mutating func end(after length: Int, with tail: [UInt8]) {
    let end = headCount + length
    unsafe UnsafeMutableRawBufferPointer(start: start + end, count: tail.count)
      .copyBytes(from: tail)
    count = end + tail.count
    // libxml2 takes that for the end.
    unsafe start[count] = 0
  }

  /// Calls `body` with the bytes.
  @unsafe func withBytes<Result>(_ body: (UnsafePointer<CChar>, Int32) -> Result) -> Result {
    unsafe start.withMemoryRebound(to: CChar.self, capacity: count + 1) {
      unsafe body($0, Int32(count))
    }
  }
}

// MARK: - What is in it

extension PartBuffer {
  /// The bytes of the file.
  private var body: UnsafeBufferPointer<UInt8> {
    unsafe UnsafeBufferPointer(start: start + headCount, count: count - headCount)
  }

  /// The distance to a byte.
  ///
  /// - SeeAlso: `memchr(3)`.
  private func first(_ byte: UInt8, from index: Int) -> Int? {
    let body = unsafe body
    guard index < body.count, let base = body.baseAddress,
      let found = unsafe memchr(base + index, Int32(byte), body.count - index)
    else { return nil }
    return unsafe UnsafeRawPointer(found) - UnsafeRawPointer(base)
  }

  /// The distance to a text.
  private func first(_ text: [UInt8], from index: Int) -> Int? {
    var next = index
    while let found = first(text[0], from: next) {
      if unsafe body[found...].starts(with: text) { return found }
      next = found + 1
    }
    return nil
  }

  /// The distance to a record's start that is outside comments, CDATA sections and processing
  /// instructions; `nil` if that is not in the buffer.
  ///
  /// - Parameters:
  ///   - length: how far it has to be.
  ///   - pattern: how a record begins.
  func recordStart(from length: Int, _ pattern: [UInt8]) -> Int? {
    var record = tag(pattern, from: length)
    var next = 0
    var marks = (markup: opening("!", from: 0), instruction: opening("?", from: 0))
    while let found = record {
      if marks.markup < next { marks.markup = opening("!", from: next) }
      if marks.instruction < next { marks.instruction = opening("?", from: next) }
      let mark = min(marks.markup, marks.instruction)
      if mark > found { break }
      guard let end = sectionEnd(at: mark) else { return nil }
      next = end
      if end > found { record = tag(pattern, from: end) }
    }
    return record
  }

  /// The distance to a `<`, a name, and something that can follow a name.
  private func tag(_ pattern: [UInt8], from index: Int) -> Int? {
    var next = index
    while let found = first(pattern, from: next) {
      let after = found + pattern.count
      guard unsafe after < body.count else { return nil }
      let byte = unsafe body[after]
      if byte.isXMLWhiteSpace || byte == UInt8(ascii: ">") || byte == UInt8(ascii: "/") {
        return found
      }
      next = after
    }
    return nil
  }

  /// The distance to a `<` with a character after it; `.max` if there is none.
  private func opening(_ character: Unicode.Scalar, from index: Int) -> Int {
    var next = index
    while let found = first(UInt8(ascii: character), from: next) {
      if found > 0, unsafe body[found - 1] == UInt8(ascii: "<") { return found - 1 }
      next = found + 1
    }
    return .max
  }

  /// The end of the comment, section or instruction that begins at a place; `nil` if it is not in
  /// the buffer.
  private func sectionEnd(at index: Int) -> Int? {
    let rest = unsafe body[(index + 1)...]
    var end = "?>"
    if unsafe rest.starts(with: "!--".utf8) { end = "-->" }
    if unsafe rest.starts(with: "![CDATA[".utf8) { end = "]]>" }
    return first(Array(end.utf8), from: index + 2).map { $0 + end.utf8.count }
  }

  /// The number of line feeds.
  @unsafe private static func lineFeeds(in text: UnsafeBufferPointer<UInt8>) -> Int {
    var (count, index) = (0, 0)
    while index < text.count {
      // Counted in a byte as long as it cannot overflow, many are compared at once.
      let end = min(text.count, index + 255)
      var found: UInt8 = 0
      while index < end {
        found &+= unsafe text[index] == 0x0A ? 1 : 0
        index &+= 1
      }
      count += Int(found)
    }
    return count
  }

  /// The place of a byte in the document, if the first one is at a place.
  func location(ofByte index: Int, from place: SourceLocation) -> SourceLocation {
    let before = unsafe UnsafeBufferPointer(rebasing: body[..<index])
    let lines = unsafe Self.lineFeeds(in: before)
    let lineStart = lines == 0 ? 0 : (unsafe before.lastIndex(of: 0x0A) ?? 0) + 1
    let columns = unsafe before[lineStart...].count { $0 & 0xC0 != 0x80 }
    return SourceLocation(
      line: place.line + lines, column: (lines == 0 ? place.column : 1) + columns)
  }
}
