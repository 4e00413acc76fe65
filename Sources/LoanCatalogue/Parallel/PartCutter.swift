import Loans

/// Cuts a document into parts where records begin, each with its place in the document.
struct PartCutter {
  /// A part of a document.
  struct Part: Sendable {
    var start: SplitPoint
    /// Its end, in bytes of the file.
    var end: Int
    /// Whether the file ends with it.
    var isLast: Bool
  }

  private let file: CatalogueFile
  private let size: Int
  private let leastLength: Int
  /// Bytes of a part of a large file: fewer the more threads there are, since all of them hold one.
  private let usualLength: Int
  /// The beginning of the next part; `nil` after the last one.
  private(set) var next: SplitPoint?
  /// Longer parts are not read as a whole: libxml2 limits what it looks at to 10 MB only where it
  /// asks for the bytes piece by piece.
  private static let longestPart = 8_000_000
  /// Bytes within which there is a record's start in a usual document.
  private static let margin = 16_384

  /// - Parameters:
  ///   - partSize: bytes of a part, at least.
  ///   - jobs: how many threads read.
  init(_ file: CatalogueFile, from start: SplitPoint, partSize: Int, jobs: Int) {
    self.file = file
    size = file.size ?? 0
    leastLength = partSize
    usualLength = jobs > 1 ? partSize * 32 / jobs : partSize
    next = start
  }

  /// Reads the next part.
  ///
  /// - Returns: `nil` after the last one, and where there is none that could be read.
  mutating func cut(into buffer: inout PartBuffer) -> Part? {
    guard let start = next else { return nil }
    // Where there is none, no other thread need try.
    next = nil
    // The more was read, the longer: for each part two threads may wait for each other, but at the
    // end of a small file long ones would let one of them wait longer.
    let length = max(leastLength, min(start.offset / 64, usualLength))
    var count = length + Self.margin
    while true {
      let end = min(start.offset + count, size)
      let tail = start.frame.tail
      guard
        buffer.read(
          start.offset..<end, of: file, after: start.frame.head, tailCount: tail.count)
      else { return nil }
      if let cut = buffer.recordStart(from: length, start.frame.recordStart) {
        let place = buffer.location(ofByte: cut, from: start.location)
        next = SplitPoint(offset: start.offset + cut, location: place, frame: start.frame)
        buffer.end(after: cut, with: tail)
        return Part(start: start, end: start.offset + cut, isLast: false)
      }
      if end == size {
        buffer.end(after: end - start.offset, with: [])
        return Part(start: start, end: size, isLast: true)
      }
      if count >= Self.longestPart { return nil }
      count = min(count * 2, Self.longestPart)
    }
  }
}

/// A record's start directly inside the root element, from which on the document can be read in
/// parts.
struct SplitPoint: Sendable {
  /// Bytes of the file before the record's start tag.
  var offset: Int
  /// The place of the start tag.
  var location: SourceLocation
  var frame: PartFrame
}

/// The tags around a part of a document with which it can be read like a whole one.
struct PartFrame: Sendable {
  /// The root element's start tag, after an XML declaration if the document declares its encoding.
  var head: [UInt8]
  /// The root element's end tag.
  var tail: [UInt8]
  /// The beginning of a record: `<` and its name.
  var recordStart: [UInt8]
  /// On which line the root element begins.
  var rootLine: Int
}
