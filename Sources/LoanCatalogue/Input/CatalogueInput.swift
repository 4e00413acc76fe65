import Glibc
import Loans
import SystemPackage

/// The bytes of an open catalogue that libxml2 reads: from some place on, after some others.
struct CatalogueInput {
  /// The catalogue's path.
  let path: String
  private(set) var catalogue: CatalogueFile?
  private var head: ArraySlice<UInt8> = []
  /// The place of the next bytes in the file.
  private var offset = 0
  /// The error of the read that failed.
  private(set) var failure: Errno?
  private var isClosed = false

  init(path: String) { self.path = path }

  /// Begins with some bytes, and goes on with what the file has from an offset on.
  mutating func open(_ catalogue: CatalogueFile, at offset: Int, after head: [UInt8]) {
    self.catalogue = catalogue
    self.offset = offset
    self.head = head[...]
  }

  /// From now on there is nothing more to read, so that the parser comes to its end.
  mutating func close() { isClosed = true }

  /// Reads what comes next.
  ///
  /// The target is filled if so much is to come: libxml2 looks no further ahead than one call gives
  /// it, and would take a tag or a character cut in two for a broken one.
  ///
  /// - Returns: the number of bytes, 0 at the end, -1 on a failure that
  ///   ``checkAfterwards(isBroken:)`` reports.
  @unsafe mutating func read(into target: UnsafeMutableRawBufferPointer) -> Int {
    guard !isClosed else { return 0 }
    var filled = min(head.count, target.count)
    unsafe target.copyBytes(from: head.prefix(filled))
    head.removeFirst(filled)
    while filled < target.count {
      let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: target[filled...])
      let count = unsafe catalogue?.read(at: offset, into: rest) ?? 0
      if count < 0 { failure = Errno(rawValue: errno) }
      guard count > 0 else { return failure == nil || filled > 0 ? filled : -1 }
      offset += count
      filled += count
    }
    return filled
  }

  /// - Parameter isBroken: whether the parser found that the document is not XML.
  /// - Throws: ``CatalogueError`` if reading failed, or the file is no longer the one opened.
  func checkAfterwards(isBroken: Bool) throws(CatalogueError) {
    guard let catalogue else { return }
    // Whether a compressed file is whole shows only at its end.
    if catalogue.isPacked, !isClosed || isBroken {
      while try !catalogue.piece(at: .max).isEmpty {}
    }
    if let failure, catalogue.unpackingError == nil { throw catalogue.inputOutputError(failure) }
    try catalogue.checkUnchanged()
  }
}
