internal import Glibc

/// The raw calls of this module: a result, or the value of `errno`.
enum SystemCall {
  /// An `errno` value.
  struct Failure: Error, Equatable {
    var number: Int32

    /// The failure of the call that has just returned.
    static var last: Failure { Failure(number: errno) }

    /// The system's sentence for it (`strerror_r`).
    var sentence: String {
      var buffer = [CChar](repeating: 0, count: 128)
      guard unsafe strerror_r(number, &buffer, buffer.count) == 0 else { return "error \(number)" }
      return String(
        decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
  }

  /// What is at a path or behind a descriptor.
  struct Status {
    var mode: mode_t
    var owner: uid_t
    var links: nlink_t

    fileprivate init(_ status: stat) {
      mode = status.st_mode
      owner = status.st_uid
      links = status.st_nlink
    }

    var isRegular: Bool { mode & S_IFMT == S_IFREG }
    var isSymbolicLink: Bool { mode & S_IFMT == S_IFLNK }
    var isDirectory: Bool { mode & S_IFMT == S_IFDIR }
    var isSticky: Bool { mode & S_ISVTX != 0 }
    var isWritableByOthers: Bool { mode & (S_IWGRP | S_IWOTH) != 0 }
  }

  /// The user whose rights the process has (`geteuid`).
  static var user: uid_t { geteuid() }

  /// The status of what is at a path itself, never of a link's target (`lstat`).
  static func status(ofLink path: String) throws(Failure) -> Status {
    var result = stat()
    guard unsafe lstat(path, &result) == 0 else { throw .last }
    return Status(result)
  }

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
