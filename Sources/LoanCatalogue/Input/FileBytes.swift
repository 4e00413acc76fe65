import Glibc

/// The bytes of an open regular file, for several threads at once; good as long as the file is open.
struct FileBytes: Sendable {
  private let descriptor: Int32

  init(descriptor: Int32) {
    self.descriptor = descriptor
  }

  /// Reads what stands at an offset, as much as there is room for.
  ///
  /// - Returns: the number of bytes, less than asked for only at the file's end, or -1 with `errno`
  ///   set.
  /// - SeeAlso: `pread(2)`.
  @unsafe func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) -> Int {
    var filled = 0
    while filled < buffer.count {
      let count = unsafe pread(
        descriptor, buffer.baseAddress.map { unsafe $0 + filled }, buffer.count - filled,
        offset + filled)
      if count == 0 { break }
      if count > 0 {
        filled += count
      } else if errno != EINTR {
        return -1
      }
    }
    return filled
  }
}
