/// Texts each of which is greater than the one before, with the lines that they stand on.
///
/// Greater are those behind in the order of bytes, or in that of lengths and then bytes, in which
/// numbers are in order that do not begin with zeros; it must be one of the two throughout.
///
/// Each is kept as what it does not have in common with the one before, which of a million numbers
/// that were given one after the other makes about 1.5 MB. A text that differs from the one before
/// in nothing but its last byte, greater by 1 to 4, and is at most 31 lines behind it, is one byte:
/// the high bit, two bits, five bits. Of others a byte has the number of shared bytes, up to 15, in
/// its upper five bits and that of the others, up to 7, below, or is 0 and these follow; then come
/// the other bytes, and by how many lines it is behind.
struct AscendingList {
  private var fullPieces: [[UInt8]] = []
  private var piece: [UInt8] = []
  private var last = [UInt8](repeating: 0, count: longest)
  private var lastCount = 0
  private var lastLine = 0
  /// The orders that they are in.
  private var isInByteOrder = true
  private var isInLengthOrder = true
  private static let pieceSize = 65_536
  /// What one text takes at most.
  private static let longestEntry = 160
  /// Longer texts are not worth it.
  private static let longest = 128

  /// Takes a text, unless it is not greater than the last one, or its line is before the last one's.
  ///
  /// - Returns: whether it was taken.
  mutating func append(_ text: Span<UInt8>, line: Int) -> Bool {
    guard text.count <= Self.longest, line >= lastLine else { return false }
    let shared = text.sharedCount(with: last.span.extracting(first: lastCount))
    if shared == text.count &- 1, let step = step(to: text, lines: line &- lastLine) {
      // That is greater in either order.
      if piece.count == Self.pieceSize { endPiece() }
      piece.append(step)
      last[shared] = text[shared]
      lastLine = line
      return true
    }
    guard isGreater(text, shared) else { return false }
    if piece.count > Self.pieceSize - Self.longestEntry { endPiece() }
    write(text, shared, lines: line &- lastLine)
    for index in shared..<text.count { last[index] = text[index] }
    lastCount = text.count
    lastLine = line
    return true
  }

  /// Whether a text is greater in an order in which all were so far.
  private mutating func isGreater(_ text: Span<UInt8>, _ shared: Int) -> Bool {
    guard shared < text.count else { return false }
    let isBehind = shared == lastCount || text[shared] > last[shared]
    let isInByteOrder = isInByteOrder && isBehind
    let isInLengthOrder =
      isInLengthOrder && (text.count == lastCount ? isBehind : text.count > lastCount)
    guard isInByteOrder || isInLengthOrder else { return false }
    self.isInByteOrder = isInByteOrder
    self.isInLengthOrder = isInLengthOrder
    return true
  }

  /// The byte that a text takes that differs in its last byte only, if it is one byte.
  @inline(__always)
  private func step(to text: Span<UInt8>, lines: Int) -> UInt8? {
    guard text.count == lastCount, lines < 32 else { return nil }
    // Of a smaller byte the difference is a great one.
    let step = text[text.count &- 1] &- last[text.count &- 1] &- 1
    return step < 4 ? 0x80 | step &<< 5 | UInt8(truncatingIfNeeded: lines) : nil
  }

  private mutating func write(_ text: Span<UInt8>, _ shared: Int, lines: Int) {
    let rest = text.count &- shared
    if shared < 16 && rest < 8 {
      piece.append(UInt8(truncatingIfNeeded: shared << 3 | rest))
    } else {
      piece.append(0)
      write(shared)
      write(rest)
    }
    for index in shared..<text.count { piece.append(text[index]) }
    write(lines)
  }

  private mutating func endPiece() {
    fullPieces.append(piece)
    piece = []
    piece.reserveCapacity(Self.pieceSize)
  }

  /// Writes a number, seven bits at a time, the lowest first.
  private mutating func write(_ number: Int) {
    var rest = number
    while rest > 127 {
      piece.append(UInt8(truncatingIfNeeded: rest) | 128)
      rest >>= 7
    }
    piece.append(UInt8(truncatingIfNeeded: rest))
  }

  /// Calls `body` with each text and its line, in order.
  func forEach(_ body: (ArraySlice<UInt8>, Int) -> Void) {
    var text: [UInt8] = []
    var line = 0
    for piece in fullPieces + [piece] {
      var reader = Reader(bytes: piece)
      while let head = reader.byte() {
        if head & 0x80 != 0 {
          text[text.count - 1] += (head >> 5 & 3) + 1
          line += Int(head & 31)
        } else {
          let isUnusual = head == 0
          let shared = isUnusual ? reader.number() : Int(head >> 3)
          let rest = isUnusual ? reader.number() : Int(head & 7)
          text.removeSubrange(shared...)
          for _ in 0..<rest { text.append(reader.byte() ?? 0) }
          line += reader.number()
        }
        body(text[...], line)
      }
    }
  }

  private struct Reader {
    let bytes: [UInt8]
    var index = 0

    mutating func byte() -> UInt8? {
      guard index < bytes.count else { return nil }
      defer { index += 1 }
      return bytes[index]
    }

    mutating func number() -> Int {
      var number = 0
      var shift = 0
      while let byte = byte() {
        number |= Int(byte & 127) << shift
        if byte < 128 { break }
        shift += 7
      }
      return number
    }
  }
}
