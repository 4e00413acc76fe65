/// The names of files in their repository, so that a CI system finds them.
struct RepositoryPath {
  /// Directories, the one to prefer first.
  private let roots: [String]
  private let environment: Environment

  init(_ environment: Environment) {
    self.environment = environment
    let named = ["GITHUB_WORKSPACE", "CI_PROJECT_DIR"].compactMap { environment[$0] }
    roots = (named.filter { $0.hasPrefix("/") } + [environment.workingDirectory])
      .map(environment.absolutePath)
  }

  /// The path below the repository's directory, as the CI system names it, else below the working
  /// directory; a path outside both, and standard input, stays as it is.
  func of(_ path: String) -> String {
    guard path != "-" else { return path }
    let absolute = environment.absolutePath(path)
    for root in roots where absolute.hasPrefix(root == "/" ? root : "\(root)/") {
      return String(absolute.dropFirst(root == "/" ? 1 : root.count + 1))
    }
    return path.hasPrefix("/") ? absolute : path
  }
}
