import Glibc

/// A catalogue that has been opened, and whose beginning can be read more than once: also that of
/// standard input, which cannot be wound back.
final class OpenCatalogue {
  private let file: CatalogueFile
  /// What has been read so far, as long as it may be read again.
  private var beginning: [UInt8] = []
  /// Whether the document can be read from its beginning again.
  private(set) var keepsBeginning = true
  /// Whether nothing but the beginning is to be read.
  var endsWithBeginning = false
  /// Whether the end was met: at a terminal it would have to be typed again.
  private var isAtEnd = false
  /// Where reading goes on.
  private var position = 0
  /// Where the document begins; what comes before are the headers that it came with.
  var documentStart = 0
  /// How much is looked at to find out what a document is.
  static let longestBeginning = 1 << 20

  /// - Throws: ``CatalogueError`` with the code `cannotRead`.
  init(_ path: String) throws(CatalogueError) {
    file = try CatalogueFile(opening: path)
  }

  /// How many bytes there were when the file was opened, and how to read any of them; `nil` for
  /// standard input.
  var bytes: (file: FileBytes, size: Int)? { file.bytes }

  /// The first bytes, as many as there are of so many.
  ///
  /// - Throws: ``CatalogueError`` with the code `inputOutput`.
  func firstBytes(_ count: Int) throws(CatalogueError) -> ArraySlice<UInt8> {
    while beginning.count < count && !isAtEnd {
      var piece = [UInt8](repeating: 0, count: 65_536)
      let length = unsafe piece.withUnsafeMutableBytes { unsafe file.read(into: $0) }
      if length < 0 { throw file.inputOutputError(errno) }
      if length == 0 {
        isAtEnd = true
        break
      }
      beginning += piece[..<length]
    }
    return beginning.prefix(count)
  }

  /// Goes back to the document's beginning.
  func rewind() { position = documentStart }

  /// From now on nothing is read twice.
  func forgetBeginning() { keepsBeginning = false }

  /// Reads what comes next.
  ///
  /// - Returns: the bytes read, 0 at the end, or -1 with `errno` set.
  @unsafe func read(into target: UnsafeMutableRawBufferPointer) -> Int {
    if position < beginning.count {
      let count = min(target.count, beginning.count - position)
      unsafe target.copyBytes(from: beginning[position..<position + count])
      position += count
      if !keepsBeginning && position == beginning.count { beginning = [] }
      return count
    }
    if isAtEnd { return 0 }
    if !keepsBeginning { return unsafe readOn(into: target) }
    if beginning.count >= Self.longestBeginning {
      if endsWithBeginning { return 0 }
      beginning = []
      forgetBeginning()
      return unsafe readOn(into: target)
    }
    let count = unsafe readOn(into: target)
    guard count > 0 else { return count }
    unsafe beginning.append(contentsOf: target[..<count])
    position = beginning.count
    return count
  }

  @unsafe private func readOn(into target: UnsafeMutableRawBufferPointer) -> Int {
    let count = unsafe file.read(into: target)
    if count == 0 { isAtEnd = true }
    return count
  }

  /// Checks that the file is the one that was opened, unchanged.
  ///
  /// - Throws: ``CatalogueError`` with the code `changedWhileReading`.
  func checkUnchanged() throws(CatalogueError) { try file.checkUnchanged() }

  /// A failure of reading on the way.
  func inputOutputError(_ code: Int32) -> CatalogueError { file.inputOutputError(code) }
}
