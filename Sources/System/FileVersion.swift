internal import Glibc
package import SystemPackage

/// The file behind a name, whatever its names and its content.
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
package struct FileVersion: Sendable, Hashable {
  /// The status of the file at that moment.
  package let status: Stat

  /// The version that an open file, or the file at a path, has now.
  package init(_ status: Stat) { self.status = status }

  /// The file, whatever its content.
  package var id: FileID { FileID(status) }

  private var changes: [Int] {
    let (modified, changed) = (status.st_mtim, status.st_ctim)
    return [modified.tv_sec, modified.tv_nsec, changed.tv_sec, changed.tv_nsec]
  }

  package static func == (left: FileVersion, right: FileVersion) -> Bool {
    left.id == right.id && left.status.size == right.status.size && left.changes == right.changes
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(id) }
}
