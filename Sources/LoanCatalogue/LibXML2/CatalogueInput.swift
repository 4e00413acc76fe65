import Glibc

/// The bytes of the open catalogue from its document's beginning on, read in large pieces and handed
/// on in libxml2's small ones.
@safe struct CatalogueInput: ~Copyable {
  private static let pieceSize = 128 * 1024
  private var catalogue: OpenCatalogue?
  private let piece: UnsafeMutableRawBufferPointer
  private var unread = 0..<0
  /// Where reading goes on, if that does not depend on what others read.
  private var offset: Int?
  /// `errno` of the read that failed.
  private(set) var failure: Int32?
  private var isClosed = false
  /// Bytes read so far.
  private(set) var total = 0

  init() {
    unsafe piece = .allocate(byteCount: Self.pieceSize, alignment: 16)
  }

  deinit {
    unsafe piece.deallocate()
  }

  mutating func open(_ catalogue: OpenCatalogue) {
    self.catalogue = catalogue
    catalogue.rewind()
  }

  /// Begins with these bytes, and goes on with what stands in the file from an offset on.
  mutating func open(_ catalogue: OpenCatalogue, at offset: Int, behind head: [UInt8]) {
    precondition(head.count <= Self.pieceSize, "\(head.count) bytes before the catalogue")
    self.catalogue = catalogue
    self.offset = offset
    unsafe piece.copyBytes(from: head)
    unread = 0..<head.count
  }

  /// Whether the document can be read from its beginning again.
  var keepsBeginning: Bool { catalogue?.keepsBeginning ?? false }

  /// Bytes of the file; `nil` for standard input.
  var size: Int? { catalogue?.bytes?.size }

  /// From now on nothing is read twice.
  func forgetBeginning() { catalogue?.forgetBeginning() }

  /// From now on there is nothing more to read, so that the parser comes to its end.
  mutating func close() { isClosed = true }

  /// - Returns: the number of bytes, 0 at the end, -1 on a failure that ``checkAfterwards()`` tells.
  ///
  /// The target is filled as long as there is something to come: libxml2 looks no further ahead
  /// than what one call gives it, and would take a tag or a character cut in two for a broken one.
  @unsafe mutating func read(into target: UnsafeMutableRawBufferPointer) -> Int {
    guard !isClosed else { return 0 }
    var filled = 0
    while filled < target.count {
      if unread.isEmpty {
        let count = unsafe readPiece()
        if count < 0 { failure = errno }
        guard count > 0 else { return failure == nil ? filled : -1 }
        unread = 0..<count
        total += count
      }
      let count = min(unread.count, target.count - filled)
      let source = unread.lowerBound..<unread.lowerBound + count
      unsafe UnsafeMutableRawBufferPointer(rebasing: target[filled...])
        .copyMemory(from: UnsafeRawBufferPointer(rebasing: piece[source]))
      unread = source.upperBound..<unread.upperBound
      filled += count
    }
    return filled
  }

  @unsafe private mutating func readPiece() -> Int {
    guard let offset else { return unsafe catalogue?.read(into: piece) ?? 0 }
    let count = unsafe catalogue?.bytes?.file.read(at: offset, into: piece) ?? 0
    self.offset = offset + max(0, count)
    return count
  }

  /// - Throws: ``CatalogueError`` if reading failed, or the file is no longer the one opened.
  func checkAfterwards() throws(CatalogueError) {
    if let failure, let catalogue { throw catalogue.inputOutputError(failure) }
    try catalogue?.checkUnchanged()
  }
}
