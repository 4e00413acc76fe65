import CLinux
import Glibc
import Loans

/// A new file that takes the place of another one once it is whole, or leaves nothing behind.
///
/// It has no name before that, where the file system can do so: then not even a run that is killed
/// leaves anything. Symbolic links stay, and lead to the new file.
struct FileReplacement: ~Copyable {
  private let path: String
  private let directory: Int32
  /// The file's name in its directory.
  private let name: [CChar]
  private let temporary: [CChar]
  private let file: Int32
  /// Whether the new file has the name ``temporary``.
  private var isNamed: Bool

  private init(
    path: String, directory: Int32, name: [CChar], temporary: [CChar], file: Int32, isNamed: Bool
  ) {
    self.path = path
    self.directory = directory
    self.name = name
    self.temporary = temporary
    self.file = file
    self.isNamed = isNamed
  }

  deinit {
    if isNamed { unsafe unlinkat(directory, temporary, 0) }
    close(file)
    close(directory)
  }

  /// Appends to the new file.
  ///
  /// - Throws: ``CommandError`` with the status `inputOutput`.
  /// - SeeAlso: `write(2)`.
  func write(_ bytes: [UInt8]) throws(CommandError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes {
        unsafe Glibc.write(file, $0.baseAddress, $0.count)
      }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { throw Self.failure(path, "the mended catalogue cannot be written") }
      rest = rest.dropFirst(count)
    }
  }

  /// Puts the new file in the place of the old one, and returns when it is there for good.
  ///
  /// - Parameter version: what the old one still has to be.
  /// - Throws: ``CommandError`` with the status `tryAgain` if it is not, else `inputOutput`.
  /// - SeeAlso: `fsync(2)`, `linkat(2)`, `renameat(2)`.
  consuming func commit(replacing version: FileVersion) throws(CommandError) {
    guard fsync(file) == 0 else {
      throw Self.failure(path, "the mended catalogue cannot be written")
    }
    guard FileVersion(of: path) == version else { throw Self.changed(path) }
    if !isNamed {
      let link = Self.link(to: file)
      guard unsafe linkat(AT_FDCWD, link, directory, temporary, AT_SYMLINK_FOLLOW) == 0 else {
        throw Self.failure(path, "the mended catalogue gets no name")
      }
      isNamed = true
    }
    guard unsafe renameat(directory, temporary, directory, name) == 0 else {
      throw Self.failure(path, "it cannot be replaced")
    }
    isNamed = false
    // The new file is in its place already; a directory that cannot do this has done what it can.
    _ = fsync(directory)
  }
}

// The beginning.
extension FileReplacement {
  /// A new file, with nothing in it yet, beside the one to be replaced.
  ///
  /// - Parameters:
  ///   - path: the file to be replaced.
  ///   - version: what it has to be.
  /// - Throws: ``CommandError`` with the status `noPermission`, `tryAgain` or `inputOutput`.
  /// - SeeAlso: `realpath(3)`, `open(2)`.
  static func begin(
    of path: String, version: FileVersion
  ) throws(CommandError) -> FileReplacement {
    try checkPermission(path, version)
    guard let real = realPath(path), let slash = real.lastIndex(of: slash) else {
      throw failure(path, "it cannot be found")
    }
    let directory = unsafe open(Array(real[...slash]) + [0], O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard directory >= 0 else { throw failure(path, "its directory cannot be opened") }
    let temporary = temporaryName()
    var file = openNameless(directory)
    let isNamed = file < 0
    if isNamed {
      let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
      file = unsafe openat(directory, temporary, flags, 0o600)
    }
    guard file >= 0 else {
      let failure = failure(path, "a new file cannot be made beside it")
      close(directory)
      throw failure
    }
    let replacement = FileReplacement(
      path: path, directory: directory, name: Array(real[(slash + 1)...]) + [0],
      temporary: temporary, file: file, isNamed: isNamed)
    try replacement.keepAccess(version)
    return replacement
  }

  private static let slash = CChar(bitPattern: UInt8(ascii: "/"))

  /// A file that must not be written is not replaced either, be it by root.
  ///
  /// - SeeAlso: `open(2)`.
  private static func checkPermission(
    _ path: String, _ version: FileVersion
  ) throws(CommandError) {
    guard version.links == 1 else {
      throw CommandError(
        .inputOutput,
        """
        \(path.visible): this file has \(version.links) names (hard links), and mending would \
        leave the others with the old content; it was left as it was, put a copy in its place first
        """)
    }
    guard version.mode & 0o222 != 0 else {
      throw CommandError(
        .noPermission,
        "\(path.visible): this file is read-only, so it was left as it was; allow writing first")
    }
    let descriptor = unsafe open(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard descriptor >= 0 else { throw failure(path, "it may not be written") }
    defer { close(descriptor) }
    guard FileVersion(of: descriptor) == version else { throw changed(path) }
  }

  private static func realPath(_ path: String) -> [CChar]? {
    guard let real = unsafe realpath(path, nil) else { return nil }
    defer { unsafe free(real) }
    return unsafe Array(UnsafeBufferPointer(start: real, count: strlen(real)))
  }

  private static func temporaryName() -> [CChar] {
    let number = String(UInt64.random(in: 0...(.max)), radix: 36)
    return Array(".check-loans-\(number).tmp".utf8).cString
  }

  /// - Returns: -1 where the file system has no files without a name, or they could not get one.
  /// - SeeAlso: `open(2)`, `proc(5)`.
  private static func openNameless(_ directory: Int32) -> Int32 {
    // O_TMPFILE, which Swift does not see.
    let flags = 0o20_000_000 | O_DIRECTORY | O_WRONLY | O_CLOEXEC
    let file = unsafe openat(directory, ".", flags, 0o600)
    guard file >= 0 else { return -1 }
    if unsafe access(link(to: file), F_OK) == 0 { return file }
    close(file)
    return -1
  }

  private static func link(to file: Int32) -> String { "/proc/self/fd/\(file)" }

  /// Gives the new file the owner and the permissions of the old one; where the group cannot be
  /// kept, nobody gets to do more than all could.
  ///
  /// - SeeAlso: `fchown(2)`, `fchmod(2)`.
  private func keepAccess(_ version: FileVersion) throws(CommandError) {
    guard let new = FileVersion(of: file) else { throw Self.failure(path, "cannot be looked at") }
    var mode = version.mode
    if new.owner != version.owner, fchown(file, version.owner, gid_t.max) != 0 { mode &= 0o1777 }
    if new.group != version.group, fchown(file, uid_t.max, version.group) != 0 {
      mode &= 0o1707 | (mode & 0o7) << 3
    }
    guard fchmod(file, mode) == 0 else {
      throw Self.failure(path, "the permissions cannot be kept")
    }
    guard unsafe check_loans_copy_attributes(path, file) == 0 else {
      throw Self.failure(path, "its access control list or other attributes cannot be kept")
    }
  }

  private static func changed(_ path: String) -> CommandError {
    CommandError(
      .tryAgain, "\(path.visible): the file was changed meanwhile; nothing was mended, try again")
  }

  /// What the last call failed with.
  private static func failure(_ path: String, _ what: String) -> CommandError {
    let number = errno
    let status: ExitStatus =
      [EACCES, EPERM, EROFS].contains(number) ? .noPermission : .inputOutput
    return CommandError(
      status, "\(path.visible): \(what): \(systemWords(number)); the catalogue was left as it was")
  }
}
