internal import Glibc
package import SystemPackage

/// The file that a name leads to, whatever its names and its content.
package struct FileID: Hashable, Sendable {
  private let device: DeviceID
  private let inode: Inode

  /// The file whose status this is.
  package init(_ status: Stat) {
    (device, inode) = (status.deviceID, status.inode)
  }
}

/// A file with its content at one moment: equal to a later one unless somebody has written to it or
/// put another file in its place.
package struct FileVersion: Sendable, Equatable {
  /// The status of the file at that moment.
  package let status: Stat

  /// The version that an open file, or the file at a path, has now.
  package init(_ status: Stat) { self.status = status }

  /// The version of the file that a path leads to; `nil` if there is none.
  package init?(of path: String) {
    guard let status = try? Stat(of: path) else { return nil }
    self.init(status)
  }

  /// The file, whatever its content.
  package var id: FileID { FileID(status) }

  /// Whether it is a regular file, rather than a directory, a pipe or a device.
  package var isRegular: Bool { status.type == .regular }

  /// The number of bytes of a regular file.
  package var regularSize: Int? { isRegular ? Int(status.size) : nil }

  /// Whether nobody has the permission to write it.
  package var isReadOnly: Bool { status.permissions.rawValue & 0o222 == 0 }

  private var changes: [Int] {
    let (modified, changed) = (status.st_mtim, status.st_ctim)
    return [modified.tv_sec, modified.tv_nsec, changed.tv_sec, changed.tv_nsec]
  }

  package static func == (left: FileVersion, right: FileVersion) -> Bool {
    left.id == right.id && left.status.size == right.status.size && left.changes == right.changes
  }
}
