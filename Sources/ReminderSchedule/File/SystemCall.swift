internal import Glibc
internal import Loans

/// The raw calls of this module: a result, or the value of `errno`.
enum SystemCall {
  /// An `errno` value.
  struct Failure: Error, Equatable {
    var number: Int32

    /// The failure of the call that has just returned.
    static var last: Failure { Failure(number: errno) }

    /// Whether it is for want of descriptors or memory (`EMFILE`, `ENFILE`, `ENOMEM`).
    var isSystemLimit: Bool { [EMFILE, ENFILE, ENOMEM].contains(number) }

    /// Whether it is a matter of permission: `EACCES`, `EPERM` or `EROFS`.
    var forbids: Bool { [EACCES, EPERM, EROFS].contains(number) }

    /// The system's sentence for it.
    var sentence: String { systemMessage(for: number) }
  }

  /// What is at a path or open as a descriptor.
  struct Status {
    var mode: mode_t
    var owner: uid_t
    var links: nlink_t
    /// The number of bytes.
    var size: Int
    /// Which file it is, whatever its name.
    var file: FileNumber

    fileprivate init(_ status: stat) {
      mode = status.st_mode
      owner = status.st_uid
      links = status.st_nlink
      size = Int(status.st_size)
      file = FileNumber(device: status.st_dev, inode: status.st_ino)
    }

    var isRegular: Bool { mode & S_IFMT == S_IFREG }
    var isSymbolicLink: Bool { mode & S_IFMT == S_IFLNK }
    var isDirectory: Bool { mode & S_IFMT == S_IFDIR }
    var isWritableByOthers: Bool { mode & (S_IWGRP | S_IWOTH) != 0 }
  }

  /// What tells a file from every other.
  struct FileNumber: Equatable, Sendable {
    var device: dev_t
    var inode: ino_t
  }

  /// The user whose rights the process has (`geteuid`).
  static var user: uid_t { geteuid() }

  /// The status of what is at a path itself, never of a link's target (`lstat`).
  static func status(ofLink path: String) throws(Failure) -> Status {
    var result = stat()
    guard unsafe lstat(path, &result) == 0 else { throw .last }
    return Status(result)
  }

  /// Whether there is anything at a path, be it a link to nowhere.
  static func exists(_ path: String) -> Bool { (try? status(ofLink: path)) != nil }

  /// The status of what a path leads to (`stat`).
  static func status(of path: String) throws(Failure) -> Status {
    var result = stat()
    guard unsafe stat(path, &result) == 0 else { throw .last }
    return Status(result)
  }

  /// The status of an open file (`fstat`).
  static func status(of descriptor: Int32) throws(Failure) -> Status {
    var result = stat()
    guard unsafe fstat(descriptor, &result) == 0 else { throw .last }
    return Status(result)
  }

  /// Opens a file that children do not inherit, following no link in the last component
  /// (`open`).
  static func open(_ path: String, _ flags: Int32, mode: mode_t) throws(Failure) -> Int32 {
    while true {
      let descriptor = unsafe Glibc.open(path, flags | O_CLOEXEC | O_NOFOLLOW, mode)
      if descriptor >= 0 { return descriptor }
      let failure = Failure.last
      guard failure.number == EINTR else { throw failure }
    }
  }

  /// Closes a descriptor (`close`).
  static func close(_ descriptor: Int32) {
    _ = Glibc.close(descriptor)
  }

  /// Reads at most so many bytes from a file's beginning (`pread`).
  static func read(_ count: Int, from descriptor: Int32) throws(Failure) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    while true {
      let result = unsafe pread(descriptor, &bytes, count, 0)
      if result >= 0 { return Array(bytes.prefix(result)) }
      let failure = Failure.last
      guard failure.number == EINTR else { throw failure }
    }
  }

  /// Reads at most so many bytes from the beginning of the file at a path, never of a link's target.
  static func read(_ count: Int, fromFileAt path: String) throws(Failure) -> [UInt8] {
    let descriptor = try open(path, O_RDONLY | O_NONBLOCK, mode: 0)
    defer { close(descriptor) }
    return try read(count, from: descriptor)
  }

  /// Reads the file at a path to its end (`pread`).
  static func readWhole(_ path: String) throws(Failure) {
    let descriptor = try open(path, O_RDONLY | O_NONBLOCK, mode: 0)
    defer { close(descriptor) }
    let size = 1 << 20
    var bytes = [UInt8](repeating: 0, count: size)
    var offset = 0
    while true {
      let result = unsafe pread(descriptor, &bytes, size, off_t(offset))
      if result == 0 { return }
      if result > 0 {
        offset += result
      } else if Failure.last.number != EINTR {
        throw .last
      }
    }
  }

  /// Writes bytes at a file's beginning, in one piece (`pwrite`).
  static func write(_ bytes: [UInt8], to descriptor: Int32) throws(Failure) {
    while true {
      let result = unsafe pwrite(descriptor, bytes, bytes.count, 0)
      if result == bytes.count { return }
      if result >= 0 { throw Failure(number: ENOSPC) }
      let failure = Failure.last
      guard failure.number == EINTR else { throw failure }
    }
  }

  /// Changes who may do what with a file (`chmod`).
  static func setMode(_ mode: mode_t, of path: String) throws(Failure) {
    guard unsafe chmod(path, mode) == 0 else { throw .last }
  }

  /// Gives a file another name (`rename`).
  static func rename(_ path: String, to other: String) throws(Failure) {
    guard unsafe Glibc.rename(path, other) == 0 else { throw .last }
  }

  /// Whether the process can open one more file (`open`).
  static var hasDescriptor: Bool {
    do {
      close(try open("/", O_RDONLY | O_DIRECTORY, mode: 0))
      return true
    } catch {
      return !error.isSystemLimit
    }
  }

  /// Whether nothing forbids to write a file or directory; also if there is none (`faccessat`).
  static func mayWrite(_ path: String) -> Bool {
    if unsafe faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0 { return true }
    return !Failure.last.forbids
  }

  /// Makes a directory (`mkdir`).
  static func makeDirectory(_ path: String, mode: mode_t) throws(Failure) {
    guard unsafe mkdir(path, mode) == 0 else { throw .last }
  }

  /// Takes an exclusive lock on an open file without waiting (`flock`).
  ///
  /// - Returns: whether the lock was free.
  static func lock(_ descriptor: Int32) throws(Failure) -> Bool {
    if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return true }
    let failure = Failure.last
    guard [EWOULDBLOCK, EINTR].contains(failure.number) else { throw failure }
    return false
  }

  /// Sleeps, perhaps a little less when a signal comes (`usleep`).
  static func sleep(milliseconds: UInt32) {
    usleep(milliseconds * 1_000)
  }
}
