internal import Glibc
package import SystemPackage

/// An open file, closed when the value goes away.
package struct OpenFile: ~Copyable {
  private let descriptor: FileDescriptor

  /// Opens a file, following no link in the last component and waiting for nobody; children do not
  /// inherit it.
  ///
  /// - Parameter permissions: what it gets where it is made.
  /// - SeeAlso: `open(2)`.
  package init(
    _ path: String, _ mode: FileDescriptor.AccessMode = .readOnly,
    options: FileDescriptor.OpenOptions = [], permissions: FilePermissions = []
  ) throws(Errno) {
    descriptor = try Errno.thrown {
      unsafe try FileDescriptor.open(
        path, mode, options: options.union([.noFollow, .nonBlocking, .closeOnExec]),
        permissions: permissions)
    }
  }

  deinit { try? descriptor.close() }

  /// What is open.
  ///
  /// - SeeAlso: `fstat(2)`.
  package var status: Stat {
    get throws(Errno) { try Stat(descriptor) }
  }

  /// At most this many bytes from an offset on.
  ///
  /// - SeeAlso: `pread(2)`.
  package func read(_ count: Int, at offset: Int = 0) throws(Errno) -> [UInt8] {
    try Errno.thrown {
      unsafe try [UInt8](unsafeUninitializedCapacity: count) { buffer, read in
        read = unsafe try descriptor.read(
          fromAbsoluteOffset: Int64(offset), into: UnsafeMutableRawBufferPointer(buffer))
      }
    }
  }

  /// Writes bytes at the file's beginning.
  ///
  /// - SeeAlso: `pwrite(2)`.
  package func write(_ bytes: [UInt8]) throws(Errno) {
    try Errno.thrown { _ = try descriptor.writeAll(toAbsoluteOffset: 0, bytes) }
  }

  /// Takes the exclusive lock of the file, which is freed when it is closed, trying every 50
  /// milliseconds until `timeout` has passed.
  ///
  /// - Returns: whether it was had in time.
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
