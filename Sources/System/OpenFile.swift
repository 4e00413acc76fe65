internal import CLinux
internal import Glibc
package import SystemPackage

/// An open file or the end of a pipe, closed once nobody has it any longer; children do not inherit
/// it.
package final class OpenFile: Sendable {
  /// Open as long as this object is there.
  package let descriptor: FileDescriptor

  /// Takes over a descriptor that is closed on execve(2).
  init(_ descriptor: FileDescriptor) { self.descriptor = descriptor }

  /// Opens a file, without waiting for anybody unless `waits`.
  ///
  /// - Parameters:
  ///   - followsLinks: whether the last component of the path may be a symbolic link.
  ///   - waits: whether to wait until somebody has opened the other end of a named pipe.
  ///   - permissions: those of a file that is made.
  /// - SeeAlso: `open(2)`.
  package init(
    _ path: String, _ mode: FileDescriptor.AccessMode = .readOnly,
    options: FileDescriptor.OpenOptions = [], followsLinks: Bool = false,
    waits: Bool = false, permissions: FilePermissions = []
  ) throws(Errno) {
    let noTerminal = FileDescriptor.OpenOptions(rawValue: O_NOCTTY)
    var options = options.union([.closeOnExec, noTerminal])
    if !waits { options.insert(.nonBlocking) }
    if !followsLinks { options.insert(.noFollow) }
    descriptor = try Errno.thrown {
      unsafe try FileDescriptor.open(path, mode, options: options, permissions: permissions)
    }
  }

  /// Makes a file without a name, which is gone once it is closed.
  package static func temporary(in directory: String) throws(Errno) -> OpenFile {
    let name = "\(directory)/check-loans-\(String(UInt64.random(in: 0...(.max)), radix: 36))"
    let file = try OpenFile(
      name, .readWrite, options: [.create, .exclusiveCreate], permissions: .ownerReadWrite)
    try FileSystem.remove(name)
    return file
  }

  /// Makes a file without a name that is kept in memory.
  ///
  /// - SeeAlso: `memfd_create(2)`.
  package static func inMemory() throws(Errno) -> OpenFile {
    let file = check_loans_make_memory_file()
    if file < 0 { throw .last }
    return OpenFile(FileDescriptor(rawValue: file))
  }

  deinit { try? descriptor.close() }

  /// Gives the file the time of modification that a status has.
  ///
  /// - SeeAlso: `futimens(3)`.
  package func setModified(as status: Stat) throws(Errno) {
    let times = [status.st_mtim, status.st_mtim]
    if unsafe futimens(descriptor.rawValue, times) != 0 { throw .last }
  }

  /// The status of the open file.
  ///
  /// - SeeAlso: `fstat(2)`.
  package var status: Stat {
    get throws(Errno) { try Stat(descriptor) }
  }

  /// This many bytes from an offset on, or as many as there are up to the end.
  package func read(_ count: Int, at offset: Int = 0) throws(Errno) -> [UInt8] {
    try Errno.thrown {
      unsafe try [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
        filled = unsafe try read(into: UnsafeMutableRawBufferPointer(buffer), at: offset)
      }
    }
  }

  /// Reads from an offset on, as much as there is room for, or up to the end.
  ///
  /// - Returns: the number of bytes.
  /// - SeeAlso: `pread(2)`.
  @unsafe package func read(
    into buffer: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(Errno) -> Int {
    try Errno.thrown {
      var filled = 0
      while filled < buffer.count {
        let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
        let count = unsafe try descriptor.read(
          fromAbsoluteOffset: Int64(offset + filled), into: rest)
        if count == 0 { break }
        filled += count
      }
      return filled
    }
  }

  /// Writes bytes from an offset on.
  ///
  /// - SeeAlso: `pwrite(2)`.
  package func write(_ bytes: [UInt8], at offset: Int = 0) throws(Errno) {
    try Errno.thrown { _ = try descriptor.writeAll(toAbsoluteOffset: Int64(offset), bytes) }
  }

  /// Returns once what was written, or a directory's names, would outlast a power cut.
  ///
  /// - SeeAlso: `fsync(2)`.
  package func sync() throws(Errno) { try Errno.check(fsync(descriptor.rawValue)) }

  /// Takes the exclusive lock of the file, which is freed when it is closed, trying every 50
  /// milliseconds until `timeout` has passed.
  ///
  /// - Returns: whether the lock was obtained in time.
  /// - SeeAlso: `flock(2)`.
  package func lock(within timeout: Duration) throws(Errno) -> Bool {
    let end = ContinuousClock.now + timeout
    while true {
      do {
        try Errno.check(flock(descriptor.rawValue, LOCK_EX | LOCK_NB))
        return true
      } catch {
        guard [.wouldBlock, .interrupted].contains(error) else { throw error }
      }
      guard ContinuousClock.now < end else { return false }
      usleep(50_000)
    }
  }
}

extension FileDescriptor {
  /// Everything from here to the end, or `nil` if that is more than `limit` bytes.
  ///
  /// - SeeAlso: `read(2)`.
  package func readToEnd(limit: Int) throws(Errno) -> [UInt8]? {
    var bytes: [UInt8] = []
    while true {
      let piece = try read(65_536)
      if piece.isEmpty { return bytes }
      bytes += piece
      if bytes.count > limit { return nil }
    }
  }

  /// The next bytes, at most this many; none at the end.
  ///
  /// - SeeAlso: `read(2)`.
  package func read(_ count: Int) throws(Errno) -> [UInt8] {
    try Errno.thrown {
      unsafe try [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
        filled = unsafe try read(into: UnsafeMutableRawBufferPointer(buffer))
      }
    }
  }
}
