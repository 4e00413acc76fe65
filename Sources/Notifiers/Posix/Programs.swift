internal import Glibc

/// What is found where a program should be.
enum ProgramFile: Hashable, Sendable {
  /// Nothing, or no regular file.
  case missing
  /// A file that this user may not run.
  case notExecutable
  /// A file that this user may run.
  case executable

  /// Looks at `path`, through links.
  ///
  /// - SeeAlso: `stat(2)`, `access(2)`.
  init(at path: String) {
    var status = stat()
    if unsafe stat(path, &status) != 0 || status.st_mode & S_IFMT != S_IFREG {
      self = .missing
    } else {
      self = unsafe access(path, X_OK) == 0 ? .executable : .notExecutable
    }
  }
}
