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

  /// Reads what stands at an offset, as much as there is room for.
  func read(at offset: Int, into bytes: inout [UInt8]) -> Int {
    unsafe bytes.withUnsafeMutableBytes { unsafe read(at: offset, into: $0) }
  }
}

/// A part of a document between the tags of its root element, as libxml2 reads it from memory.
@safe struct PartBuffer: ~Copyable {
  private var start: UnsafeMutablePointer<UInt8>
  private var capacity: Int
  /// Bytes of the part and of what stands around it.
  private(set) var count = 0

  init(capacity: Int) {
    self.capacity = capacity
    unsafe start = .allocate(capacity: capacity)
  }

  deinit {
    unsafe start.deallocate()
  }

  /// Reads a part of a file.
  ///
  /// - Returns: whether the whole part was there.
  mutating func read(_ part: PartCutter.Part, of file: FileBytes, in frame: PartFrame) -> Bool {
    let tail = part.isLast ? [] : frame.tail
    let size = frame.head.count + part.range.count + tail.count
    if capacity <= size { grow(to: size) }
    let buffer = unsafe UnsafeMutableRawBufferPointer(start: start, count: size)
    unsafe buffer.copyBytes(from: frame.head)
    let body = frame.head.count..<frame.head.count + part.range.count
    let target = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[body])
    guard unsafe file.read(at: part.range.lowerBound, into: target) == body.count else {
      return false
    }
    unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[body.upperBound...]).copyBytes(from: tail)
    // libxml2 takes that for the end.
    unsafe start[size] = 0
    count = size
    return true
  }

  private mutating func grow(to size: Int) {
    unsafe start.deallocate()
    capacity = size + size / 4 + 1
    unsafe start = .allocate(capacity: capacity)
  }

  /// Calls `body` with the bytes.
  @unsafe func withBytes<Result>(_ body: (UnsafePointer<CChar>, Int32) -> Result) -> Result {
    unsafe start.withMemoryRebound(to: CChar.self, capacity: count + 1) {
      unsafe body($0, Int32(count))
    }
  }
}
