import Glibc
import System

/// Names of files with the wildcards `*`, `?` and `[…]`.
enum FilePattern {
  /// The files that a path of the settings stands for: itself, the XML files of a folder, or those
  /// that fit a pattern.
  ///
  /// - Parameter mayBeNone: whether nothing is missing if there are none; else the pattern stands
  ///   for itself, which is then missing.
  static func files(at path: String, mayBeNone: Bool) -> [String] {
    let isFolder = FileSystem.isDirectory(path)
    if !isFolder && (FileSystem.exists(path) || !isPattern(path)) { return [path] }
    let pattern = isFolder ? xmlFiles(in: path) : path
    let files = files(fitting: pattern)
    return files.isEmpty && !mayBeNone ? [isFolder ? "\(path)/*.xml" : path] : files
  }

  /// The pattern of the XML files in a folder, whatever its name.
  static func xmlFiles(in folder: String) -> String {
    folder.reduce(into: "") { $0 += "*?[\\".contains($1) ? "\\\($1)" : String($1) } + "/*.xml"
  }

  /// Whether a path fits a pattern; a wildcard stands for no slash.
  ///
  /// - SeeAlso: `fnmatch(3)`.
  static func fits(_ path: String, _ pattern: String) -> Bool {
    unsafe fnmatch(pattern, path, FNM_PATHNAME) == 0
  }

  private static func isPattern(_ path: String) -> Bool { path.contains { "*?[".contains($0) } }

  /// The files that fit a pattern, in order.
  ///
  /// - SeeAlso: `glob(3)`.
  static func files(fitting pattern: String) -> [String] {
    var found = unsafe glob_t()
    defer { unsafe globfree(&found) }
    _ = unsafe glob(pattern, 0, nil, &found)
    return unsafe (0..<Int(found.gl_pathc)).compactMap { index in
      unsafe found.gl_pathv[index].flatMap { unsafe String(validatingCString: $0) }
    }
  }
}
