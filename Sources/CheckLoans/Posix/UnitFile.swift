import Glibc

/// Files that the command writes for systemd.
enum UnitFile {
  /// What failed with which file.
  struct Failure: Error {
    var path: String
    var words: String

    init(_ path: String, _ number: Int32) {
      self.path = path
      words = systemWords(number)
    }
  }

  /// Whose a file is.
  enum State {
    case missing, ours
    /// Why it is not ours.
    case foreign(String)
  }

  /// Whether there is a file, and whether its first line begins with the marker.
  ///
  /// - SeeAlso: `lstat(2)`.
  static func state(of path: String, marker: String) -> State {
    var status = stat()
    guard unsafe lstat(path, &status) == 0 else {
      return errno == ENOENT || errno == ENOTDIR ? .missing : .foreign("cannot be looked at")
    }
    switch status.st_mode & S_IFMT {
    case S_IFREG: break
    case S_IFLNK: return .foreign("is a symbolic link")
    default: return .foreign("is not a file")
    }
    guard let bytes = try? WholeFile.bytes(of: path, limit: 1_048_576),
      bytes.starts(with: marker.utf8)
    else { return .foreign("was not written by check-loans") }
    return .ours
  }

  /// Makes a directory and those above it, as far as they are missing.
  ///
  /// - SeeAlso: `mkdir(2)`.
  static func makeDirectory(_ path: String) throws(Failure) {
    var current = ""
    for part in path.split(separator: "/") {
      current += "/\(part)"
      // 0700, as the XDG Base Directory Specification has it.
      if unsafe mkdir(current, 0o700) != 0 && errno != EEXIST { throw Failure(current, errno) }
    }
  }

  /// Puts a file in the place of another, or of none: whole, or not at all.
  ///
  /// - SeeAlso: `open(2)`, `fchmod(2)`, `fsync(2)`, `rename(2)`.
  static func write(_ content: String, to path: String) throws(Failure) {
    let temporary = "\(path).\(getpid())"
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
    let descriptor = unsafe open(temporary, flags, 0o600)
    guard descriptor >= 0 else { throw Failure(temporary, errno) }
    var failure: Failure?
    do throws(Failure) {
      try write(Array(content.utf8), to: descriptor, temporary)
      if fchmod(descriptor, 0o644) != 0 || fsync(descriptor) != 0 {
        throw Failure(temporary, errno)
      }
    } catch {
      failure = error
    }
    close(descriptor)
    if failure == nil, unsafe rename(temporary, path) != 0 { failure = Failure(path, errno) }
    guard let failure else { return }
    unsafe unlink(temporary)
    throw failure
  }

  private static func write(
    _ bytes: [UInt8], to descriptor: Int32, _ path: String
  ) throws(Failure) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes {
        unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
      }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { throw Failure(path, errno) }
      rest = rest.dropFirst(count)
    }
  }

  /// Removes a file.
  ///
  /// - SeeAlso: `unlink(2)`.
  static func remove(_ path: String) throws(Failure) {
    if unsafe unlink(path) != 0 && errno != ENOENT { throw Failure(path, errno) }
  }
}
