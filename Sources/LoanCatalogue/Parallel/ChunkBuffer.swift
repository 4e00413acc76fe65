import Glibc
import Loans

/// A chunk of a document between the tags of its root element, as libxml2 reads it from memory.
@safe struct ChunkBuffer: ~Copyable {
  /// What comes before the chunk, the chunk, what comes after it, and room.
  private var bytes: [UInt8] = []
  /// Bytes of what comes before the chunk.
  private var headCount = 0
  /// Bytes of the chunk and of what is around it.
  private(set) var count = 0

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
    let size = count + tailCount + 1
    if bytes.count < size { bytes = [UInt8](repeating: 0, count: size + size / 4) }
    bytes.replaceSubrange(..<headCount, with: head)
    return unsafe bytes.withUnsafeMutableBytes { bytes in
      let body = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[headCount..<count])
      return unsafe file.read(at: range.lowerBound, into: body) == body.count
    }
  }

  /// Ends the chunk after some bytes of the file.
  mutating func end(after length: Int, with tail: [UInt8]) {
    let end = headCount + length
    count = end + tail.count
    bytes.replaceSubrange(end..<count, with: tail)
    // libxml2 takes that for the end.
    bytes[count] = 0
  }

  /// Calls `body` with the bytes.
  @unsafe func withBytes<Result>(_ body: (UnsafePointer<CChar>, Int32) -> Result) -> Result {
    unsafe bytes.withUnsafeBytes { bytes in
      let start = unsafe bytes.baseAddress.unsafelyUnwrapped
      return unsafe body(start.assumingMemoryBound(to: CChar.self), Int32(count))
    }
  }
}

// MARK: - Where it can be cut

extension ChunkBuffer {
  /// The distance to a record's start: a `<`, a name, and something that can follow a name.
  ///
  /// It may be in a comment or a CDATA section. Then the chunk before it does not end there, so that it cannot
  /// be read on its own.
  ///
  /// - Parameters:
  ///   - length: how far it has to be.
  ///   - pattern: the `<` and the name.
  /// - Returns: `nil` if it is not in the buffer.
  func recordStart(from length: Int, _ pattern: [UInt8]) -> Int? {
    var start = min(headCount + length, count)
    while let found = place(of: pattern[0], from: start), found + pattern.count < count {
      start = found + 1
      let byte = bytes[found + pattern.count]
      if bytes[found...].starts(with: pattern), byte.isXMLWhiteSpace || ">/".utf8.contains(byte) {
        return found - headCount
      }
    }
    return nil
  }

  /// - SeeAlso: `memchr(3)`.
  private func place(of byte: UInt8, from start: Int) -> Int? {
    unsafe bytes.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress,
        let found = unsafe memchr(base + start, Int32(byte), count - start)
      else { return nil }
      return unsafe UnsafeRawPointer(found) - base
    }
  }

  /// The place of a byte in the document, if the first one is at a place.
  func location(ofByte index: Int, from place: SourceLocation) -> SourceLocation {
    place.moved(over: bytes.span.extracting(headCount..<headCount + index))
  }
}
