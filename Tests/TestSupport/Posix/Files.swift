internal import Glibc

/// Files by their paths, wherever they are.
public enum File {
  /// Whether there is anything at a path; access(2).
  public static func exists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }

  /// What a file holds; read(2).
  ///
  /// - Throws: ``SystemFailure``.
  public static func bytes(of path: String) throws -> [UInt8] {
    let descriptor = try open(path, O_RDONLY)
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = unsafe read(descriptor, &chunk, chunk.count)
      guard count >= 0 else { throw SystemFailure("\(path) not read") }
      if count == 0 { return bytes }
      bytes += chunk[..<count]
    }
  }

  /// What a text file holds.
  ///
  /// - Throws: ``SystemFailure``.
  public static func text(of path: String) throws -> String {
    String(decoding: try bytes(of: path), as: UTF8.self)
  }

  /// The names in a directory, sorted, without `.` and `..`; readdir(3).
  ///
  /// - Throws: ``SystemFailure``.
  public static func names(in path: String) throws -> [String] {
    guard let directory = unsafe opendir(path) else { throw SystemFailure("\(path) not listed") }
    defer { unsafe closedir(directory) }
    var names: [String] = []
    while let entry = unsafe readdir(directory) {
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  /// The paths of all files in a directory and in those below it.
  ///
  /// - Throws: ``SystemFailure``.
  public static func names(below path: String) throws -> [String] {
    try names(in: path).flatMap { name in
      let inner = "\(path)/\(name)"
      return (try? names(below: inner)) ?? [inner]
    }
  }

  /// Copies the files in a directory, but none of the directories, into another, whose files of
  /// the same names they replace; a copy can be read and written by this user alone.
  ///
  /// - Throws: ``SystemFailure``.
  public static func copyAll(in path: String, to target: String) throws {
    for name in try names(in: path) {
      let descriptor = try open("\(target)/\(name)", O_WRONLY | O_CREAT | O_TRUNC)
      defer { close(descriptor) }
      let bytes = try bytes(of: "\(path)/\(name)")
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = unsafe rest.withUnsafeBytes {
          unsafe write(descriptor, $0.baseAddress, $0.count)
        }
        guard count > 0 else { throw SystemFailure("\(name) not copied") }
        rest = rest.dropFirst(count)
      }
    }
  }

  static func open(_ path: String, _ flags: Int32) throws -> Int32 {
    let descriptor = unsafe Glibc.open(path, flags | O_CLOEXEC | O_NOCTTY, 0o600)
    guard descriptor >= 0 else { throw SystemFailure("\(path) not opened") }
    return descriptor
  }
}

/// What a file is, as far as tests ask.
public struct FileStatus: Sendable, Hashable {
  /// The permission bits.
  public var mode: UInt32
  /// Its length in bytes.
  public var size: Int
  /// When its content was last changed, in nanoseconds since 1970.
  public var modified: Int
  /// Which file it is, whatever its name.
  public var inode: UInt
}

extension ScratchFolder {
  /// The permissions, length and time of a file, not of what a link points to; lstat(2).
  ///
  /// - Throws: ``SystemFailure``.
  public func status(of name: String) throws -> FileStatus {
    var status = stat()
    guard unsafe lstat("\(path)/\(name)", &status) == 0 else {
      throw SystemFailure("\(name) not looked at")
    }
    return FileStatus(
      mode: status.st_mode & 0o7777, size: Int(status.st_size),
      modified: status.st_mtim.tv_sec * 1_000_000_000 + status.st_mtim.tv_nsec,
      inode: UInt(status.st_ino))
  }

  /// Removes a file; unlink(2).
  ///
  /// - Throws: ``SystemFailure``.
  public func remove(_ name: String) throws {
    guard unsafe unlink("\(path)/\(name)") == 0 else { throw SystemFailure("\(name) not removed") }
  }
}

/// The lock that a run of the command takes, held by the test.
public final class HeldLock: Sendable {
  private let descriptor: Int32

  /// Takes the lock of a file at once; flock(2).
  ///
  /// - Throws: ``SystemFailure`` if somebody else has it.
  public init(_ path: String) throws {
    descriptor = try File.open(path, O_RDWR | O_CREAT)
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      throw SystemFailure("\(path) not locked")
    }
  }

  deinit {
    close(descriptor)
  }

  /// Lets go of the lock, which until then is surely held.
  public func release() { flock(descriptor, LOCK_UN) }
}

extension File {
  /// A file's path without symbolic links in it; realpath(3).
  public static func realPath(of path: String) -> String {
    guard let real = unsafe realpath(path, nil) else { return path }
    defer { unsafe free(real) }
    return unsafe String(cString: real)
  }
}
