import Glibc

/// Which file it is, and which content it has, as far as the system tells.
struct FileVersion: Equatable {
  private let device: dev_t
  private let inode: ino_t
  private let size: Int
  private let modified: timespec
  private let changed: timespec
  /// How many names the file has.
  let links: Int
  /// The permission bits.
  let mode: mode_t
  let isRegular: Bool
  let owner: uid_t
  let group: gid_t

  /// The file at a path, links followed; `nil` if there is none.
  ///
  /// - SeeAlso: `stat(2)`.
  init?(of path: String) {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return nil }
    self.init(status)
  }

  /// The file at a path, links followed, which may be written.
  ///
  /// - Throws: ``SystemFailure`` if it may not.
  /// - SeeAlso: `open(2)`.
  init?(ofWritable path: String) throws(SystemFailure) {
    let descriptor = unsafe open(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard descriptor >= 0 else { throw .last }
    defer { close(descriptor) }
    self.init(of: descriptor)
  }

  /// An open file.
  ///
  /// - SeeAlso: `fstat(2)`.
  init?(of descriptor: Int32) {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { return nil }
    self.init(status)
  }

  /// Bytes of a regular file.
  var regularSize: Int? { isRegular ? size : nil }

  /// Whether it is a file that is read in no time.
  var isSmall: Bool { isRegular && size <= 1_000_000 }

  private init(_ status: stat) {
    device = status.st_dev
    inode = status.st_ino
    size = Int(status.st_size)
    modified = status.st_mtim
    changed = status.st_ctim
    links = Int(status.st_nlink)
    mode = status.st_mode & 0o7777
    isRegular = status.st_mode & S_IFMT == S_IFREG
    owner = status.st_uid
    group = status.st_gid
  }

  /// Whether it is the same file, whatever is in it.
  func isSameFile(as other: FileVersion) -> Bool { identity == other.identity }

  /// Which file it is, whatever is in it.
  var identity: [UInt64] { [UInt64(device), UInt64(inode)] }

  /// Whether it is the same file with the same content.
  static func == (left: FileVersion, right: FileVersion) -> Bool {
    left.isSameFile(as: right) && left.size == right.size
      && left.modified.tv_sec == right.modified.tv_sec
      && left.modified.tv_nsec == right.modified.tv_nsec
      && left.changed.tv_sec == right.changed.tv_sec
      && left.changed.tv_nsec == right.changed.tv_nsec
  }
}
