import Glibc
import Synchronization

/// A regular file without a place on a disk, so that the reader opens and checks what it reads as
/// it does any catalogue.
struct MemoryFile: ~Copyable, Sendable {
  private static let count = Atomic(0)

  private let descriptor: Int32

  /// - SeeAlso: `shm_open(3)`.
  init() {
    let number = Self.count.wrappingAdd(1, ordering: .relaxed).newValue
    let name = "/check-loans-\(getpid())-\(number)"
    descriptor = unsafe shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0o600)
    precondition(descriptor >= 0, "no file in memory: error \(errno)")
    unsafe shm_unlink(name)
  }

  deinit {
    close(descriptor)
  }

  /// Opens anew, from its beginning, each time that it is opened; proc(5).
  var path: String { "/proc/self/fd/\(descriptor)" }

  /// Puts these bytes in the place of what the file held; ftruncate(2), pwrite(2).
  func fill(with bytes: [UInt8]) {
    ftruncate(descriptor, 0)
    let written = unsafe pwrite(descriptor, bytes, bytes.count, 0)
    precondition(written == bytes.count, "the file in memory was not written: error \(errno)")
  }
}
