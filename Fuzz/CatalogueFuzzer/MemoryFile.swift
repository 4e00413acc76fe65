import Glibc

/// A regular file without a place on a disk, so that the reader opens and checks what it reads as
/// it does any catalogue.
struct MemoryFile: Sendable {
  /// The one file that every input is written to in turn.
  static let shared = MemoryFile()

  private let descriptor: Int32

  /// - SeeAlso: `shm_open(3)`.
  private init() {
    let name = "/check-loans-fuzz-\(getpid())"
    descriptor = unsafe shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0o600)
    precondition(descriptor >= 0, "no file in memory: error \(errno)")
    unsafe shm_unlink(name)
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
