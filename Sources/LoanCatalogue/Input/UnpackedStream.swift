import CLinux
import CZlib
import Glibc

/// The document in an open file: the file itself, or what is in it if it begins like a gzip file
/// or a ZIP archive.
struct UnpackedStream: ~Copyable {
  private var stream: ByteStream
  private var inflater: Inflater?
  private(set) var isPacked = false
  /// The reason why nothing more can be unpacked.
  private(set) var fault: String?
  /// The CRC-32 of a document in an archive, and of what was read of it.
  private var checksum: (whole: UInt, read: UInt)?
  /// The file in memory with an archive that came through standard input.
  private var memory: Int32 = -1
  private static let longestInMemory = 256 << 20

  /// - Parameter size: how many bytes there are; `nil` for standard input.
  init(_ descriptor: Int32, size: Int?) {
    stream = ByteStream(descriptor)
    // A file that is not packed is read from its beginning, at any place.
    switch stream.lookAhead(4) {
    case [0x50, 0x4B, 3, 4], [0x50, 0x4B, 5, 6]:
      isPacked = true
      do throws(UnpackingError) {
        if let size {
          try open(descriptor, size)
        } else {
          memory = check_loans_make_memory_file()
          try open(memory, keepInMemory())
        }
      } catch {
        fault = error.message
      }
    case let start where start.starts(with: [0x1F, 0x8B]):
      isPacked = true
      inflater = Inflater(stream, of: "gzip file")
    default:
      break
    }
  }

  deinit { if memory >= 0 { close(memory) } }

  /// Reads what comes next of the document.
  ///
  /// - Returns: the bytes read, 0 at the end, or -1 with ``fault`` or `errno` set.
  @unsafe mutating func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    if fault != nil { return -1 }
    do throws(UnpackingError) {
      let count = unsafe try inflater?.read(into: buffer) ?? stream.read(into: buffer)
      unsafe try check(buffer, count)
      return count
    } catch {
      fault = error.message
      return -1
    }
  }

  /// - SeeAlso: `crc32`.
  @unsafe private mutating func check(
    _ buffer: UnsafeMutableRawBufferPointer, _ count: Int
  ) throws(UnpackingError) {
    guard let checksum else { return }
    if count == 0 && checksum.read != checksum.whole { throw ZIPArchive.damaged }
    let bytes = unsafe buffer.baseAddress?.assumingMemoryBound(to: UInt8.self)
    self.checksum?.read = unsafe crc32(checksum.read, bytes, UInt32(max(0, count)))
  }

  private mutating func open(_ descriptor: Int32, _ size: Int) throws(UnpackingError) {
    let entry = try ZIPArchive(descriptor, size: size).document()
    lseek(descriptor, entry.bytes.lowerBound, SEEK_SET)
    stream = ByteStream(descriptor, count: entry.bytes.count)
    checksum = (entry.checksum, 0)
    if entry.isDeflated { inflater = Inflater(stream, isInArchive: true, of: ZIPArchive.name) }
  }

  /// Keeps what comes through standard input, since an archive's list is at its end.
  ///
  /// - Returns: how many bytes there are.
  private mutating func keepInMemory() throws(UnpackingError) -> Int {
    var size = 0
    var piece = [UInt8](repeating: 0, count: 64 * 1_024)
    while size <= Self.longestInMemory {
      let count = unsafe piece.withUnsafeMutableBytes { unsafe stream.read(into: $0) }
      if count <= 0 { return size }
      guard unsafe pwrite(memory, piece, count, size) == count else { break }
      size += count
    }
    throw UnpackingError(
      message: """
        this \(ZIPArchive.name) is too long to come through standard input; give its path instead
        """)
  }
}
