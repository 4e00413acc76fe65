import Glibc

/// A catalogue that has been opened, and whose beginning is kept: standard input cannot be wound
/// back.
final class OpenCatalogue: @unchecked Sendable {
  private var file: CatalogueFile
  /// What has been read to find out what the document is; complete before any thread is started.
  private var head: [UInt8] = []
  /// Where the document begins; what comes before are the headers that it came with.
  var documentStart = 0
  /// What is read of the document, if it is an envelope.
  var payload: SOAPPayload?

  /// - Throws: ``CatalogueError`` with the code `cannotRead`.
  init(_ path: String) throws(CatalogueError) {
    file = try CatalogueFile(opening: path)
  }

  /// How many bytes there were when the file was opened, and how to read any of them; `nil` for
  /// standard input and for what is packed.
  var bytes: (file: FileBytes, size: Int)? { file.bytes }

  /// Whether the document is inside a gzip file or a ZIP archive.
  var isPacked: Bool { file.isPacked }

  /// Why nothing more can be unpacked.
  var fault: String? { file.fault }

  /// The first bytes, as many as there are up to a count.
  ///
  /// - Throws: ``CatalogueError`` with the code `inputOutput`.
  func firstBytes(_ count: Int) throws(CatalogueError) -> ArraySlice<UInt8> {
    while head.count < count {
      var piece = [UInt8](repeating: 0, count: 65_536)
      let length = unsafe piece.withUnsafeMutableBytes { unsafe file.read(into: $0) }
      if length < 0 && fault == nil { throw file.inputOutputError(errno) }
      if length <= 0 { break }
      head += piece[..<length]
    }
    return head.prefix(count)
  }

  /// Reads what comes at an offset; of standard input and of what is packed, where the last read has
  /// ended.
  ///
  /// - Returns: the bytes read, 0 at the end, or -1 with `errno` set.
  @unsafe func read(at offset: Int, into target: UnsafeMutableRawBufferPointer) -> Int {
    if offset < head.count {
      let count = min(target.count, head.count - offset)
      unsafe target.copyBytes(from: head[offset..<offset + count])
      return count
    }
    if let bytes { return unsafe bytes.file.read(at: offset, into: target) }
    return unsafe file.read(into: target)
  }

  /// Checks that the file is the one that was opened, unchanged.
  ///
  /// - Throws: ``CatalogueError`` with the code `changedWhileReading`.
  func checkUnchanged() throws(CatalogueError) { try file.checkUnchanged() }

  /// A failure of reading on the way.
  func inputOutputError(_ code: Int32) -> CatalogueError { file.inputOutputError(code) }
}
