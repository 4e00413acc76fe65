internal import SystemPackage

/// Why a program could not be started.
package enum StartFailure: Error {
  /// The system has run out of something: `because too many files are open; …`.
  case shortage(String)
  /// It is not there or may not be run; or it is a script for a program that is not there.
  case notFound
  /// Anything else, in a few words.
  case other(String)

  init(_ error: Errno) {
    switch error {
    case .tooManyOpenFiles, .tooManyOpenFilesInSystem:
      self = .shortage("because too many files are open; raise the limit, ulimit -n")
    case .resourceTemporarilyUnavailable:
      self = .shortage("because too many programs are running; end some, or raise ulimit -u")
    case .noMemory, .noBufferSpace, .noSpace:
      self = .shortage("because the system has no memory left for it; end other programs")
    case .noSuchFileOrDirectory, .notDirectory, .permissionDenied: self = .notFound
    default: self = .other(error.words)
    }
  }
}
