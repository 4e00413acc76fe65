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
  /// - SeeAlso: `fchmod(2)`.
  static func write(_ content: String, to path: String) throws(Failure) {
    do throws(FileReplacement.Failure) {
      let replacement = try FileReplacement.begin(at: path)
      try replacement.write(Array(content.utf8))
      // systemd reads it, whatever the umask.
      guard fchmod(replacement.descriptor, 0o644) == 0 else {
        throw FileReplacement.Failure(.permissions)
      }
      try replacement.commit()
    } catch {
      throw Failure(path, error.number)
    }
  }

  /// Removes a file.
  ///
  /// - SeeAlso: `unlink(2)`.
  static func remove(_ path: String) throws(Failure) {
    if unsafe unlink(path) != 0 && errno != ENOENT { throw Failure(path, errno) }
  }
}
