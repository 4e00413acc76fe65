/// Where a program is, or why there is none.
package enum ProgramSearch: Hashable, Sendable {
  /// It can be run from this absolute path.
  case found(String)
  /// The file at this path is meant, but may not be run.
  case notExecutable(String)
  /// There is none at the path given, or in these directories.
  case missing(directories: [String])
  /// What was given is neither an absolute path nor a name.
  case unclear

  /// What PATH is taken for where it is not set.
  package static let standardPath = "/usr/local/bin:/usr/bin:/bin"

  /// Looks for a program by its absolute path, or by its name in the absolute entries of `path`.
  ///
  /// An entry that is relative, or empty, would make it depend on the working directory what is
  /// run. A file that cannot be run is passed over for one that can.
  package init(_ program: String, path: String) {
    if program.contains("/") {
      self.init(path: program)
    } else if program.isEmpty {
      self = .unclear
    } else {
      self.init(name: program, path: path)
    }
  }

  /// The path of a program, given by it or by its name in the PATH of the environment.
  static func path(
    of program: String, in environment: [String: String]
  ) throws(StartFailure) -> String {
    if program.contains("/") { return program }
    guard case .found(let path) = ProgramSearch(program, path: environment["PATH"] ?? "") else {
      throw .notFound
    }
    return path
  }

  private init(path: String) {
    guard path.hasPrefix("/"), !path.hasSuffix("/") else {
      self = .unclear
      return
    }
    switch ProgramFile(at: path) {
    case .executable: self = .found(path)
    case .notExecutable: self = .notExecutable(path)
    case .missing: self = .missing(directories: [])
    }
  }

  private init(name: String, path: String) {
    let directories = path.split(separator: ":").filter { $0.hasPrefix("/") }.map(String.init)
    var unusable: String?
    for directory in directories {
      let candidate = directory.hasSuffix("/") ? directory + name : "\(directory)/\(name)"
      switch ProgramFile(at: candidate) {
      case .executable:
        self = .found(candidate)
        return
      case .notExecutable: unusable = unusable ?? candidate
      case .missing: break
      }
    }
    self = unusable.map { .notExecutable($0) } ?? .missing(directories: directories)
  }
}
