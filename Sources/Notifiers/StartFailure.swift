internal import Subprocess

/// Why a program could not be started.
enum StartFailure {
  /// There are too few descriptors for it.
  case descriptorShortage
  /// It is not there or may not be run; or it is a script of a program that is not there.
  case notFound
  /// Anything else, in one harmless line.
  case other(String)

  /// What an error of ``ChildProcess/run(onLine:)`` means.
  init(_ error: any Error) {
    if error is DescriptorShortage {
      self = .descriptorShortage
    } else if (error as? SubprocessError)?.code == .executableNotFound {
      self = .notFound
    } else {
      self = .other("\(error)".desktopLine(limit: 200, byteLimit: 800))
    }
  }
}
