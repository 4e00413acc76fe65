import Glibc

/// How long files may become that this process writes.
enum FileSizeLimit {
  /// Sets it; a write beyond fails with EFBIG, as one on a full disk does with ENOSPC.
  ///
  /// - SeeAlso: `setrlimit(2)`.
  static func set(_ bytes: UInt) {
    signal(SIGXFSZ, SIG_IGN)
    var limit = rlimit(rlim_cur: bytes, rlim_max: bytes)
    _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
  }
}
