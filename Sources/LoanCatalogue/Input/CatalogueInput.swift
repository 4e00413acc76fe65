import Glibc
import Loans

/// The bytes of the open catalogue from some place on, read in large pieces and handed on in
/// libxml2's small ones.
@safe struct CatalogueInput: ~Copyable {
  private static let pieceSize = 128 * 1_024
  private let path: String
  private var catalogue: OpenCatalogue?
  private let piece: UnsafeMutableRawBufferPointer
  private var unread = 0..<0
  /// Where the next piece begins.
  private var offset = 0
  /// `errno` of the read that failed.
  private(set) var failure: Int32?
  private var isClosed = false
  /// Bytes read so far.
  private(set) var total = 0

  /// - Parameter path: the catalogue's.
  init(path: String) {
    self.path = path
    unsafe piece = .allocate(byteCount: Self.pieceSize, alignment: 16)
  }

  deinit {
    unsafe piece.deallocate()
  }

  /// Begins with some bytes, and goes on with what the file has from an offset on.
  mutating func open(_ catalogue: OpenCatalogue, at offset: Int, after head: [UInt8] = []) {
    precondition(head.count <= Self.pieceSize, "\(head.count) bytes before the catalogue")
    self.catalogue = catalogue
    self.offset = offset
    unsafe piece.copyBytes(from: head)
    unread = 0..<head.count
  }

  /// From now on there is nothing more to read, so that the parser comes to its end.
  mutating func close() { isClosed = true }

  /// - Returns: the number of bytes, 0 at the end, -1 on a failure that ``checkAfterwards(isBroken:)`` reports.
  ///
  /// The target is filled as long as there is something to come: libxml2 looks no further ahead
  /// than what one call gives it, and would take a tag or a character cut in two for a broken one.
  @unsafe mutating func read(into target: UnsafeMutableRawBufferPointer) -> Int {
    guard !isClosed else { return 0 }
    var filled = 0
    while filled < target.count {
      if unread.isEmpty {
        let count = unsafe catalogue?.read(at: offset, into: piece) ?? 0
        if count < 0 { failure = errno }
        guard count > 0 else { return failure == nil || filled > 0 ? filled : -1 }
        unread = 0..<count
        offset += count
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

  /// That a profile cannot be applied.
  func profileFailure(_ message: String, at location: SourceLocation) -> CatalogueError {
    CatalogueError(
      code: .profileFailed, path: path, message: message, underlying: nil, location: location)
  }

  /// What is read of the document, if it is an envelope.
  var payload: SOAPPayload? { catalogue?.payload }

  /// Why the document was not unpacked to its end.
  var fault: String? { catalogue?.fault }

  /// - Throws: ``CatalogueError`` if reading failed, or the file is no longer the one opened.
  ///
  /// - Parameter isBroken: whether the parser found that the document is not XML.
  mutating func checkAfterwards(isBroken: Bool) throws(CatalogueError) {
    // Whether it was unpacked as it had been packed shows only at the end.
    if isBroken { isClosed = false }
    while catalogue?.isPacked == true, unsafe read(into: piece) > 0 { unread = 0..<0 }
    if let failure, fault == nil, let catalogue { throw catalogue.inputOutputError(failure) }
    try catalogue?.checkUnchanged()
  }
}
