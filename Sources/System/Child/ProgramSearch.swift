internal import SystemPackage

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

  /// The search path where PATH is not set.
  package static let standardPath = "/usr/local/bin:/usr/bin:/bin"

  /// Looks for a program by its absolute path, or by its name in the absolute entries of `path`.
  ///
  /// Entries that are relative or empty are left out: the working directory must not decide what is
  /// run. A file that cannot be run is passed over for one that can.
  package init(_ program: String, path: String) {
    if program.contains("/") {
      let isClear = program.hasPrefix("/") && !program.hasSuffix("/")
      self = isClear ? Self.file(at: program) ?? .missing(directories: []) : .unclear
      return
    }
    guard !program.isEmpty else {
      self = .unclear
      return
    }
    let directories = path.split(separator: ":").filter { $0.hasPrefix("/") }.map(String.init)
    let files = directories.compactMap { directory in
      Self.file(at: directory.hasSuffix("/") ? directory + program : "\(directory)/\(program)")
    }
    self = files.first(where: \.isFound) ?? files.first ?? .missing(directories: directories)
  }

  private var isFound: Bool { if case .found = self { true } else { false } }

  private static func file(at path: String) -> ProgramSearch? {
    guard let status = try? Stat(of: path), status.type == .regular else { return nil }
    return FileSystem.mayRun(path) ? .found(path) : .notExecutable(path)
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
}
