/// Texts each of which is greater than the one before, with the lines that they stand on.
///
/// Each is kept as what it does not have in common with the one before, which of a million numbers
/// that were given one after the other makes about 4 MB.
struct AscendingList {
  private var fullPieces: [[UInt8]] = []
  private var piece: [UInt8] = []
  private var last = InlineArray<128, UInt8>(repeating: 0)
  private var lastCount = 0
  private var lastLine = 0
  private static let pieceSize = 65_536
  /// What one text takes at most.
  private static let longestEntry = 160
  /// Longer texts are not worth it.
  private static let longest = 128
  /// Stands where the numbers of shared and of other bytes do not fit into four bits each.
  private static let escape: UInt8 = 0xF0

  /// Takes a text, unless it is not greater than the last one, or its line is before the last one's.
  ///
  /// - Returns: whether it was taken.
  mutating func append(_ text: Span<UInt8>, line: Int) -> Bool {
    guard text.count <= Self.longest, line >= lastLine else { return false }
    let shared = sharedCount(text)
    guard shared < text.count, shared == lastCount || text[shared] > last.span[shared] else {
      return false
    }
    if piece.count > Self.pieceSize - Self.longestEntry { endPiece() }
    let rest = text.count &- shared
    if shared < 15 && rest < 16 {
      piece.append(UInt8(truncatingIfNeeded: shared << 4 | rest))
    } else {
      piece.append(Self.escape)
      write(shared)
      write(rest)
    }
    for index in shared..<text.count { piece.append(text[index]) }
    var last = last.mutableSpan
    for index in shared..<text.count { last[index] = text[index] }
    lastCount = text.count
    write(line &- lastLine)
    lastLine = line
    return true
  }

  private func sharedCount(_ text: Span<UInt8>) -> Int {
    let most = min(lastCount, text.count)
    let last = last.span
    var index = 0
    while index < most && last[index] == text[index] { index &+= 1 }
    return index
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
        let isUnusual = head == Self.escape
        let shared = isUnusual ? reader.number() : Int(head >> 4)
        let rest = isUnusual ? reader.number() : Int(head & 15)
        text.removeSubrange(shared...)
        for _ in 0..<rest { text.append(reader.byte() ?? 0) }
        line += reader.number()
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
