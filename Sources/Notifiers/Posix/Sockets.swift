internal import Glibc

/// Whether `path` is itself, not through a link, a socket that belongs to `userID`.
///
/// - SeeAlso: `lstat(2)`.
func isSocket(_ path: String, ownedBy userID: UInt32) -> Bool {
  var status = stat()
  return unsafe lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
    && status.st_uid == userID
}
