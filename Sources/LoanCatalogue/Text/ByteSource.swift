/// Bytes that come piece by piece.
protocol ByteSource: ~Copyable {
  associatedtype Failure: Error
  /// The next bytes; none at the end.
  mutating func nextPiece() throws(Failure) -> [UInt8]
}

/// Bytes that a closure gives.
struct GivenPieces<Failure: Error>: ByteSource {
  /// Gives the next bytes; none at the end.
  var give: () throws(Failure) -> [UInt8]

  func nextPiece() throws(Failure) -> [UInt8] { try give() }
}

/// A window of a source's bytes that moves on.
struct ByteWindow<Source: ByteSource & ~Copyable>: ~Copyable {
  private var source: Source
  private(set) var bytes: [UInt8] = []
  /// The next byte in ``bytes``.
  private(set) var index = 0
  private var base = 0
  private var isEnded = false

  init(_ source: consuming Source) {
    self.source = source
  }

  /// Bytes before the next one, in the whole source.
  var offset: Int { base + index }

  /// Makes room for looking ahead.
  ///
  /// - Returns: how many bytes there are to look at: `count`, or fewer at the end.
  @inline(__always)
  mutating func look(_ count: Int) throws(Source.Failure) -> Int {
    if bytes.count - index < count && !isEnded { try fill(count) }
    return min(count, bytes.count - index)
  }

  private mutating func fill(_ count: Int) throws(Source.Failure) {
    base += index
    bytes.removeFirst(index)
    index = 0
    while bytes.count < count && !isEnded {
      let piece = try source.nextPiece()
      isEnded = piece.isEmpty
      bytes += piece
    }
  }

  /// The byte so many places ahead, which must have been looked at.
  @inline(__always)
  subscript(_ ahead: Int) -> UInt8 { bytes[index + ahead] }

  @inline(__always)
  mutating func move(by count: Int) { index += count }

  /// Moves on behind the next line feeds, as far as the bytes at hand reach.
  ///
  /// - Returns: how many they were.
  mutating func skip(lineFeeds count: Int) -> Int {
    var found = 0
    var next = index
    do {
      let bytes = bytes.span
      while next < bytes.count && found < count {
        if bytes[next] == 0x0A { found += 1 }
        next += 1
      }
    }
    index = next
    return found
  }
}
