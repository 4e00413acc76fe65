import Loans

/// Cuts a file into parts where records seem to begin.
///
/// What looks like a record's start may stand in a comment or in a CDATA section. So a part counts
/// only once the one before it has been read, and turned out to end directly inside the root
/// element.
struct PartCutter {
  /// A part of a file.
  struct Part: Sendable {
    var range: Range<Int>
    /// Whether it ends with the file.
    var isLast: Bool
  }

  private let file: FileBytes
  private let pattern: [UInt8]
  private let size: Int
  private let settings: SplitSettings
  private var next: Int
  private var piece: [UInt8]
  /// Longer parts are not read as a whole: libxml2 limits what it looks at to 10 MB only where it
  /// asks for the bytes piece by piece.
  private static let longestPart = 8_000_000

  /// - Parameter start: where a record begins.
  init(
    _ file: FileBytes, size: Int, from start: Int, recordStart: [UInt8], _ settings: SplitSettings
  ) {
    self.file = file
    self.size = size
    self.settings = settings
    pattern = recordStart
    next = start
    piece = [UInt8](repeating: 0, count: max(16_384, pattern.count * 2))
  }

  /// The next part.
  ///
  /// - Returns: `nil` behind the last one, and where there is none that could be read.
  mutating func nextPart() -> Part? {
    guard next < size else { return nil }
    let start = next
    // The more was read, the longer: for each part two threads may wait for each other, but at the end
    // of a small file long ones would let one of them wait longer.
    let length = max(settings.partSize, min(start / 64, settings.longestPartSize))
    guard let end = recordStart(from: start + length, before: start + Self.longestPart) else {
      return nil
    }
    next = end
    return Part(range: start..<end, isLast: end == size)
  }

  /// Where the next record seems to begin, or the file's end.
  private mutating func recordStart(from start: Int, before limit: Int) -> Int? {
    var offset = start
    while offset < size {
      if offset >= limit { return nil }
      let count = file.read(at: offset, into: &piece)
      guard count > 0 else { return nil }
      if let place = place(in: count) { return offset + place }
      if offset + count >= size { return size }
      // What stands at the piece's end may begin what is looked for.
      offset += max(1, count - pattern.count)
    }
    return size
  }

  /// Where the record's name stands behind a `<`, and behind it what can follow a name.
  private func place(in count: Int) -> Int? {
    let bytes = piece.span
    let last = count - pattern.count - 1
    var index = 0
    while index <= last {
      if bytes[index] == pattern[0], matches(bytes, at: index) { return index }
      index &+= 1
    }
    return nil
  }

  private func matches(_ bytes: Span<UInt8>, at index: Int) -> Bool {
    for offset in pattern.indices where bytes[index + offset] != pattern[offset] { return false }
    let next = bytes[index + pattern.count]
    return next.isXMLWhiteSpace || next == UInt8(ascii: ">") || next == UInt8(ascii: "/")
  }
}
