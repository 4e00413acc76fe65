import Glibc

/// Which file it is, whatever its name.
struct FileIdentity: Equatable {
  private let device: dev_t
  private let inode: ino_t

  /// The file at a path, links followed; `nil` if there is none.
  ///
  /// - SeeAlso: `stat(2)`.
  init?(of path: String) {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return nil }
    device = status.st_dev
    inode = status.st_ino
  }
}
