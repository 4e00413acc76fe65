import Glibc

/// Reading a small file whole.
enum WholeFile {
  /// Why a file cannot be read.
  enum Failure: Error {
    /// There is none.
    case missing
    /// The system's word for it.
    case system(String)
    /// It is something else, "a directory" for example.
    case notAFile(String)
    /// It is longer than allowed.
    case tooLong
    /// Anybody may change it.
    case writableByAll
  }

  /// What a file holds; `/dev/null` holds nothing.
  ///
  /// - Parameter limit: the most bytes that it may have.
  /// - SeeAlso: `open(2)`, `fstat(2)`, `read(2)`.
  static func bytes(of path: String, limit: Int) throws(Failure) -> [UInt8] {
    // Without O_NONBLOCK, a named pipe would be waited for.
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard descriptor >= 0 else { throw Failure(errno) }
    defer { close(descriptor) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { throw Failure(errno) }
    if let kind = kind(status) { throw .notAFile(kind) }
    if status.st_mode & S_IFMT == S_IFREG && status.st_mode & 0o002 != 0 { throw .writableByAll }
    return try bytes(from: descriptor, limit: limit)
  }

  /// What a file, a pipe or standard input holds, to its end.
  ///
  /// - Parameters:
  ///   - path: `-` is standard input.
  ///   - limit: the most bytes that it may have.
  /// - SeeAlso: `open(2)`, `read(2)`.
  static func allBytes(of path: String, limit: Int) throws(Failure) -> [UInt8] {
    if path == "-" { return try bytes(from: STDIN_FILENO, limit: limit) }
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else { throw Failure(errno) }
    defer { close(descriptor) }
    return try bytes(from: descriptor, limit: limit)
  }

  private static func bytes(from descriptor: Int32, limit: Int) throws(Failure) -> [UInt8] {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = unsafe read(descriptor, &chunk, chunk.count)
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else { throw Failure(errno) }
      if count == 0 { return bytes }
      bytes += chunk[..<count]
      if bytes.count > limit { throw .tooLong }
    }
  }

  /// What it is, if it is neither a file nor `/dev/null`.
  private static func kind(_ status: stat) -> String? {
    switch status.st_mode & S_IFMT {
    case S_IFREG: return nil
    case S_IFDIR: return "a directory"
    case S_IFIFO: return "a named pipe"
    case S_IFSOCK: return "a socket"
    default:
      var null = stat()
      let isNull = unsafe stat("/dev/null", &null) == 0 && null.st_rdev == status.st_rdev
      return isNull && status.st_mode & S_IFMT == S_IFCHR ? nil : "a device"
    }
  }

  /// Whether there is anything of this name, be it a link to nowhere.
  ///
  /// - SeeAlso: `lstat(2)`.
  static func exists(_ path: String) -> Bool {
    var status = stat()
    return unsafe lstat(path, &status) == 0
  }

  /// Whether it is a directory, or a link to one.
  ///
  /// - SeeAlso: `stat(2)`.
  static func isDirectory(_ path: String) -> Bool {
    var status = stat()
    return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }
}

extension WholeFile.Failure {
  fileprivate init(_ number: Int32) {
    self = number == ENOENT || number == ENOTDIR ? .missing : .system(systemWords(number))
  }
}
