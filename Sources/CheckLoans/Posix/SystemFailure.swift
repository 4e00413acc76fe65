import Glibc

/// A system call that failed where the program cannot go on without it.
struct SystemFailure: Error {
  /// The number of errno(3).
  let number: Int32

  /// The failure of the call that has just returned.
  static var last: SystemFailure { SystemFailure(number: errno) }

  /// Whether something has run out.
  var isLimit: Bool { [EMFILE, ENFILE, ENOSPC].contains(number) }

  /// The system's words for it.
  var words: String { systemWords(number) }
}
