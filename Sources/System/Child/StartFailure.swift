package import SystemPackage

/// Why a program could not be started.
package enum StartFailure: Error {
  /// The system has run out of something: `because too many files are open; …`.
  case shortage(String)
  /// There is none at the path given, or in these directories.
  case missing(directories: [String])
  /// The file at this path is meant, but may not be run.
  case notExecutable(String)
  /// It is a script for a program that is not there, or has gone meanwhile.
  case noInterpreter
  /// Anything else, in a few words.
  case other(String)

  /// The failure of a call that it takes to start one.
  package init(_ error: Errno) {
    switch error {
    case .tooManyOpenFiles, .tooManyOpenFilesInSystem:
      self = .shortage("because too many files are open; raise the limit, ulimit -n")
    case .resourceTemporarilyUnavailable:
      self = .shortage("because too many programs are running; end some, or raise ulimit -u")
    case .noMemory, .noBufferSpace, .noSpace:
      self = .shortage("because the system has no memory left for it; end other programs")
    case .noSuchFileOrDirectory, .notDirectory, .permissionDenied: self = .noInterpreter
    default: self = .other(error.words)
    }
  }
}

extension ChildProcess {
  /// The search path where PATH is not set.
  package static let standardPath = "/usr/local/bin:/usr/bin:/bin"

  /// The path of a program, given by it, or by a name that is looked for in the absolute entries of
  /// `path`.
  ///
  /// Entries that are relative or empty are left out: the working directory must not decide what is
  /// run. A file that cannot be run is passed over for one that can.
  package static func path(of program: String, in path: String?) throws(StartFailure) -> String {
    let directories = (path ?? "").split(separator: ":").filter { $0.hasPrefix("/") }
    let places = program.contains("/") ? [program] : directories.map { "\($0)/\(program)" }
    let files = places.filter { (try? Stat(of: $0))?.type == .regular }
    if let found = files.first(where: FileSystem.mayRun) { return found }
    if let file = files.first { throw .notExecutable(file) }
    throw .missing(directories: directories.map(String.init))
  }
}
