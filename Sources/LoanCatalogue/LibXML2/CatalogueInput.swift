import Glibc

/// The bytes of the open catalogue, read in large pieces and handed on in libxml2's small ones.
@safe struct CatalogueInput: ~Copyable {
  private static let pieceSize = 128 * 1024
  private var file: CatalogueFile?
  private let piece: UnsafeMutableRawBufferPointer
  private var unread = 0..<0
  private var failure: Int32?
  private var isClosed = false

  init() {
    unsafe piece = .allocate(byteCount: Self.pieceSize, alignment: 16)
  }

  deinit {
    unsafe piece.deallocate()
  }

  mutating func open(_ file: consuming CatalogueFile) {
    self.file = consume file
  }

  /// From now on there is nothing more to read, so that the parser comes to its end.
  mutating func close() { isClosed = true }

  /// - Returns: the number of bytes, 0 at the end, -1 on a failure that ``checkAfterwards()`` tells.
  @unsafe mutating func read(into target: UnsafeMutableRawBufferPointer) -> Int {
    guard !isClosed else { return 0 }
    if unread.isEmpty {
      let count = unsafe file?.read(into: piece) ?? 0
      guard count > 0 else {
        if count < 0 { failure = errno }
        return count
      }
      unread = 0..<count
    }
    let count = min(unread.count, target.count)
    unsafe target.copyMemory(
      from: UnsafeRawBufferPointer(rebasing: piece[unread.lowerBound..<unread.lowerBound + count]))
    unread = unread.lowerBound + count..<unread.upperBound
    return count
  }

  /// - Throws: ``CatalogueError`` if reading failed, or the file is no longer the one opened.
  func checkAfterwards() throws(CatalogueError) {
    if let failure { throw Self.error(failure, file) }
    try Self.check(file)
  }

  private static func error(_ code: Int32, _ file: borrowing CatalogueFile?) -> CatalogueError {
    switch file {
    case .some(let file): file.inputOutputError(code)
    case .none: CatalogueError(code: .inputOutput, path: "", message: "not open", underlying: code)
    }
  }

  private static func check(_ file: borrowing CatalogueFile?) throws(CatalogueError) {
    switch file {
    case .some(let file): try file.checkUnchanged()
    case .none: break
    }
  }
}
