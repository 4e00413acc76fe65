import Glibc
import System
import SystemPackage

/// Names of files with the wildcards `*`, `?` and `[…]`.
package enum FilePattern {
  /// The files that a path of the settings stands for: itself, the XML files of a folder, or those
  /// that fit a pattern.
  ///
  /// - Parameter mayBeNone: whether nothing is missing if there are none; else the pattern stands
  ///   for itself, which is then missing.
  package static func files(at path: String, mayBeNone: Bool) -> [String] {
    let isFolder = FileSystem.isDirectory(path)
    let isFile = !isFolder && !path.contains { "*?".contains($0) } && FileSystem.exists(path)
    if isFile || !isFolder && !isPattern(path) { return [path] }
    let pattern = isFolder ? xmlFiles(in: path) : pattern(path)
    let files = files(fitting: pattern)
    let isReadable = unsafe access(path, R_OK | X_OK) == 0
    if !files.isEmpty || mayBeNone && (isReadable || !isFolder) { return files }
    return [isFolder ? "\(path)/*.xml" : path]
  }

  /// The pattern in which the directories that are there by these very names have no `[` as a
  /// wildcard.
  package static func pattern(_ path: String) -> String {
    let names = path.split(separator: "/", omittingEmptySubsequences: false)
    var count = names.dropLast().prefix { !$0.contains { "*?".contains($0) } }.count
    while count > 1, !FileSystem.isDirectory(names[..<count].joined(separator: "/")) { count -= 1 }
    let directories = names[..<count].map { literal(String($0)) }
    return (directories + names[count...].map(String.init)).joined(separator: "/")
  }

  /// The pattern of the XML files in a folder, whatever its name.
  package static func xmlFiles(in folder: String) -> String { literal(folder) + "/*.xml" }

  /// The pattern that only this path fits.
  package static func literal(_ path: String) -> String {
    path.reduce(into: "") { $0 += isSpecial($1) ? "\\\($1)" : String($1) }
  }

  /// Whether only the path fits a pattern that is written as it.
  package static func isPath(_ pattern: String) -> Bool { !pattern.contains(where: isSpecial) }

  private static func isSpecial(_ character: Character) -> Bool { "*?[\\".contains(character) }

  /// The file of the same directory and kind whose name is nearly that of one which is not there.
  package static func file(namedLike path: String) -> String? {
    let start = path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex
    guard let end = path[start...].lastIndex(of: ".") else { return nil }
    let (directory, kind) = (path[..<start], path[end...])
    let files = files(fitting: "\(literal(String(directory)))*\(literal(String(kind)))")
    // Files with numbers are like each other, and no one is meant by another.
    let name = path[start..<end].filter { !$0.isNumber }
    let names = files.map { String($0.dropFirst(directory.count).dropLast(kind.count)) }
      .filter { $0.filter { !$0.isNumber } != name }
    return String(path[start..<end]).nearest(among: names).map { "\(directory)\($0)\(kind)" }
  }

  /// Whether a path fits a pattern; a wildcard stands for no slash.
  ///
  /// - SeeAlso: `fnmatch(3)`.
  package static func fits(_ path: String, _ pattern: String) -> Bool {
    unsafe fnmatch(pattern, path, FNM_PATHNAME) == 0
  }

  /// Whether a text, which is no path, begins as a pattern says.
  ///
  /// - SeeAlso: `fnmatch(3)`.
  package static func begins(_ text: String, like pattern: String) -> Bool {
    unsafe fnmatch(pattern + "*", text, 0) == 0
  }

  package static func isPattern(_ path: String) -> Bool { path.contains { "*?[".contains($0) } }

  /// The files that fit a pattern, in order, each by one name; a name that is not UTF-8 is that of no
  /// file then.
  ///
  /// - SeeAlso: `glob(3)`.
  package static func files(fitting pattern: String) -> [String] {
    var found = unsafe glob_t()
    defer { unsafe globfree(&found) }
    _ = unsafe glob(pattern, 0, nil, &found)
    let paths = unsafe (0..<Int(found.gl_pathc)).compactMap { index in
      unsafe found.gl_pathv[index].map { unsafe String(cString: $0) }
    }
    // A link to one of the others holds the same loans.
    let isLink = Dictionary(grouping: paths) { FileSystem.linkTarget(of: FilePath($0)) != nil }
    var files: Set<String> = []
    let kept = ((isLink[false] ?? []) + (isLink[true] ?? [])).filter { path in
      files.insert(FileSystem.realPath(of: path) ?? path).inserted
    }
    return kept.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }
}
