internal import CLinux
internal import Glibc
package import SystemPackage

extension Stat {
  /// The status of what a path leads to.
  ///
  /// - SeeAlso: `stat(2)`.
  package init(of path: String) throws(Errno) {
    self = try unsafe Stat(path)
  }

  /// The status of what is at a path itself, which may be a link.
  ///
  /// - SeeAlso: `lstat(2)`.
  package init(ofLink path: String) throws(Errno) {
    self = try unsafe Stat(path, followTargetSymlink: false)
  }

  /// The file itself, whatever its names and its content.
  package var fileID: FileID { FileID(device: deviceID, inode: inode) }

  /// The number of bytes of a regular file.
  package var regularSize: Int? { type == .regular ? Int(size) : nil }

  /// Whether nobody has the permission to write it.
  package var isReadOnly: Bool { permissions.rawValue & 0o222 == 0 }

  /// Whether it is the same file with the same content, its permissions, owner and names included.
  package func isUnchanged(since earlier: Stat?) -> Bool {
    guard let earlier else { return false }
    return fileID == earlier.fileID && hasContent(of: earlier)
      && (st_ctim.tv_sec, st_ctim.tv_nsec) == (earlier.st_ctim.tv_sec, earlier.st_ctim.tv_nsec)
  }

  /// Whether nobody has written to the file since; its permissions and names may be others.
  package func hasContent(of earlier: Stat) -> Bool {
    (size, st_mtim.tv_sec, st_mtim.tv_nsec)
      == (earlier.size, earlier.st_mtim.tv_sec, earlier.st_mtim.tv_nsec)
  }

  /// The kind of what is no regular file: "a directory" for example.
  package var kindOfNoFile: String? {
    switch type {
    case .regular: nil
    case .directory: "a directory"
    case .fifo: "a named pipe"
    case .socket: "a socket"
    default: "a device"
    }
  }
}

/// The file that a name leads to.
package struct FileID: Hashable, Sendable {
  fileprivate let device: DeviceID
  fileprivate let inode: Inode
}

extension UserID {
  /// The user whose rights the process has.
  ///
  /// - SeeAlso: `geteuid(2)`.
  package static var current: UserID { UserID(geteuid()) }
  /// The superuser.
  package static let root = UserID(0)

  /// The user's name; `nil` for one whom the user database does not have.
  ///
  /// - SeeAlso: `getpwuid(3)`.
  package var name: String? {
    guard let user = unsafe getpwuid(rawValue), let name = unsafe user.pointee.pw_name else {
      return nil
    }
    return unsafe String(cString: name)
  }
}

/// Calls that take a path.
package enum FileSystem {
  /// Whether there is anything at a path, even a link to nowhere, or what may not be looked at.
  package static func exists(_ path: String) -> Bool {
    Errno.of { _ = try Stat(ofLink: path) }?.isMissing != true
  }

  /// Whether a path leads to a directory.
  package static func isDirectory(_ path: String) -> Bool {
    (try? Stat(of: path))?.type == .directory
  }

  /// The name of the network file system that a path is on; `nil` for a disk of this host, and for a
  /// program of FUSE that is not known.
  ///
  /// - SeeAlso: `statfs(2)`, `proc(5)`.
  package static func networkFileSystem(of path: String) -> String? {
    let type = unsafe check_loans_file_system_type(path)
    if type != fuse { return networkFileSystems[type] }
    guard let device = (try? Stat(of: path))?.deviceID.rawValue,
      let mounts = try? WholeFile.bytes(of: "/proc/self/mountinfo", limit: 16 << 20)
    else { return nil }
    let numbers = (check_loans_device_major(device), check_loans_device_minor(device))
    return networkProgram(ofDevice: numbers, in: String(decoding: mounts, as: UTF8.self))
  }

  /// The program of FUSE that has mounted a device, if it gets the files from other hosts; "FUSE" for one without
  /// a name.
  ///
  /// - Parameter mounts: lines as of `/proc/self/mountinfo`, see proc(5): in the third field the device, and
  ///   after a field `-` the type, such as `fuse.sshfs`, and the source.
  package static func networkProgram(
    ofDevice device: (major: UInt32, minor: UInt32), in mounts: String
  ) -> String? {
    let wanted = "\(device.major):\(device.minor)"
    for line in mounts.split(separator: "\n") {
      let fields = line.split(separator: " ")
      guard fields.count > 2, fields[2] == wanted, let end = fields.firstIndex(of: "-") else {
        continue
      }
      let mounted = fields[(end + 1)...].prefix(2).map(String.init)
      guard mounted.count == 2 else { return nil }
      let (type, source) = (mounted[0], mounted[1])
      // Some, davfs2 among them, have no type of their own.
      if type == "fuse" { return source.contains("://") ? "FUSE" : nil }
      let program = String(type.trimmingPrefix("fuse."))
      return networkPrograms.contains(program) ? program : nil
    }
    return nil
  }

  /// The type of FUSE, in `<linux/magic.h>`.
  private static let fuse: UInt32 = 0x6573_5546

  private static let networkPrograms: Set = [
    "ceph", "ceph-fuse", "curlftpfs", "glusterfs", "gvfsd-fuse", "juicefs", "mfs", "rclone",
    "s3fs", "smbnetfs", "sshfs",
  ]

  /// As in `<linux/magic.h>` and statfs(2).
  private static let networkFileSystems: [UInt32: String] = [
    0x0000_6969: "NFS", 0xFF53_4D42: "SMB", 0xFE53_4D42: "SMB", 0x0000_517B: "SMB",
    0x5346_414F: "AFS", 0x6B41_4653: "AFS", 0x00C3_6400: "Ceph", 0x7375_7245: "Coda",
    0x0BD0_0BD0: "Lustre", 0x1983_0326: "BeeGFS", 0x4750_4653: "GPFS", 0x0116_1970: "GFS2",
    0x7461_636F: "OCFS2",
  ]

  /// The absolute path of what is there, without any link in it; `nil` if there is nothing, or its
  /// name is not UTF-8.
  ///
  /// - SeeAlso: `realpath(3)`.
  package static func realPath(of path: String) -> String? {
    guard let real = unsafe realpath(path, nil) else { return nil }
    defer { unsafe free(real) }
    return unsafe String(validatingCString: real)
  }

  /// The file, or the first directory above it, that somebody other than root can write to; `nil` if there
  /// is none.
  package static func pathOthersCanWrite(above path: String) -> String? {
    var place = FilePath(path)
    repeat {
      guard let status = try? Stat(of: place.string), status.userID == .root,
        status.permissions.isDisjoint(with: [.groupWrite, .otherWrite])
      else { return place.string }
    } while place.removeLastComponent()
    return nil
  }

  /// The path that a symbolic link holds; `nil` for anything else.
  ///
  /// - SeeAlso: `readlink(2)`.
  package static func linkTarget(of path: FilePath) -> FilePath? {
    var target = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
    let length = unsafe path.withPlatformString { unsafe readlink($0, &target, Int(PATH_MAX)) }
    return length > 0 ? FilePath(platformString: target) : nil
  }

  /// Gives an open file a name, the first for one that has none.
  ///
  /// - SeeAlso: `linkat(2)`, `proc(5)`.
  package static func link(_ file: FileDescriptor, to path: String) throws(Errno) {
    let open = "/proc/self/fd/\(file.rawValue)"
    try Errno.check(unsafe linkat(AT_FDCWD, open, AT_FDCWD, path, AT_SYMLINK_FOLLOW))
  }

  /// Removes a file.
  ///
  /// - SeeAlso: `unlink(2)`.
  package static func remove(_ path: String) throws(Errno) {
    try Errno.check(unsafe unlink(path))
  }

  /// Sets the permissions of a file.
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

  /// Makes a directory and those above it for this user alone, as far as they are missing.
  ///
  /// - Returns: the one that cannot be made, and why; `nil` if all are there.
  /// - SeeAlso: `mkdir(2)`.
  package static func makeDirectories(_ path: FilePath) -> (path: String, error: Errno)? {
    if path.isEmpty || (try? Stat(of: path.string)) != nil { return nil }
    if let failure = makeDirectories(path.removingLastComponent()) { return failure }
    let error = Errno.of { try Errno.check(unsafe mkdir(path.string, S_IRWXU)) }
    // Somebody else may have made it since.
    guard let error, error != .fileExists else { return nil }
    return (path.string, error)
  }

  /// Whether this user may run a file.
  ///
  /// - SeeAlso: `access(2)`.
  package static func mayRun(_ path: String) -> Bool { unsafe access(path, X_OK) == 0 }

  /// Whether nothing forbids writing to a file or directory, or there is none.
  ///
  /// - SeeAlso: `faccessat(2)`.
  package static func mayWrite(_ path: String) -> Bool {
    let error = Errno.of { try Errno.check(unsafe faccessat(AT_FDCWD, path, W_OK, AT_EACCESS)) }
    return error?.isPermission != true
  }

  /// Whether the process can open one more file.
  package static var canOpenOneMore: Bool {
    Errno.of { _ = try OpenFile("/", options: .directory) }?.isSystemLimit != true
  }
}
