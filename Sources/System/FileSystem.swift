internal import Glibc
package import SystemPackage

/// What tells a file from every other, whatever its name.
package struct FileID: Hashable, Sendable {
  private let device: DeviceID
  private let inode: Inode

  /// Which file a status is of.
  package init(_ status: Stat) {
    (device, inode) = (status.deviceID, status.inode)
  }
}

extension Stat {
  /// What a path leads to.
  ///
  /// - SeeAlso: `stat(2)`.
  package init(of path: String) throws(Errno) {
    self = try unsafe Stat(path)
  }

  /// What is at a path itself, be it a link.
  ///
  /// - SeeAlso: `lstat(2)`.
  package init(ofLink path: String) throws(Errno) {
    self = try unsafe Stat(path, followTargetSymlink: false)
  }
}

extension UserID {
  /// The user whose rights the process has.
  ///
  /// - SeeAlso: `geteuid(2)`.
  package static var current: UserID { UserID(geteuid()) }
  /// The superuser.
  package static let root = UserID(0)
}

/// Calls about what has a name.
package enum FileSystem {
  /// Whether there is anything at a path, be it a link to nowhere.
  package static func exists(_ path: String) -> Bool { (try? Stat(ofLink: path)) != nil }

  /// Changes who may do what with a file.
  ///
  /// - SeeAlso: `chmod(2)`.
  package static func setPermissions(
    _ permissions: FilePermissions, of path: String
  ) throws(Errno) {
    try Errno.check(unsafe chmod(path, permissions.rawValue))
  }

  /// Gives a file another name.
  ///
  /// - SeeAlso: `rename(2)`.
  package static func rename(_ path: String, to other: String) throws(Errno) {
    try Errno.check(unsafe Glibc.rename(path, other))
  }

  /// Makes a directory.
  ///
  /// - SeeAlso: `mkdir(2)`.
  package static func makeDirectory(
    _ path: String, permissions: FilePermissions
  ) throws(Errno) {
    try Errno.check(unsafe mkdir(path, permissions.rawValue))
  }

  /// Whether nothing forbids to write a file or directory; also if there is none.
  ///
  /// - SeeAlso: `faccessat(2)`.
  package static func mayWrite(_ path: String) -> Bool {
    do {
      try Errno.check(unsafe faccessat(AT_FDCWD, path, W_OK, AT_EACCESS))
      return true
    } catch {
      return !error.isPermission
    }
  }

  /// Whether the process can open one more file.
  package static var canOpenOneMore: Bool {
    do {
      _ = try OpenFile("/", options: .directory)
      return true
    } catch {
      return !error.isSystemLimit
    }
  }
}
