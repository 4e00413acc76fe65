import Glibc
import System

extension Environment {
  /// The environment that the process was started with, and the user it runs as.
  ///
  /// - SeeAlso: `getenv(3)`, `environ(7)`, `geteuid(2)`, `getcwd(3)`, `realpath(3)`,
  ///   `getpwuid(3)`.
  static func ofProcess() -> Environment {
    Environment(
      userID: geteuid(), lookUp: variable, allVariables: variables, homeOfUser: homeOfUser,
      workingDirectory: workingDirectory, realDirectory: realDirectory)
  }

  @Sendable private static func variable(_ name: String) -> String? {
    guard let value = unsafe getenv(name) else { return nil }
    // What is not UTF-8 must not become another name.
    return unsafe String(validatingCString: value)
  }

  @Sendable private static func variables() -> [String: String] {
    var variables: [String: String] = [:]
    var entry = unsafe environ
    while let text = unsafe entry.pointee {
      let pair = unsafe String(cString: text)
      if let sign = pair.utf8.firstIndex(of: UInt8(ascii: "=")) {
        variables[String(pair[..<sign])] = String(pair[pair.utf8.index(after: sign)...])
      }
      unsafe entry += 1
    }
    return variables
  }

  @Sendable private static func homeOfUser() -> String? {
    guard let user = unsafe getpwuid(geteuid()), let home = unsafe user.pointee.pw_dir else {
      return nil
    }
    return unsafe String(cString: home)
  }

  @Sendable private static func realDirectory(_ path: String) -> String? {
    FileSystem.realPath(of: path)
  }

  @Sendable private static func workingDirectory() -> String? {
    guard let path = unsafe getcwd(nil, 0) else { return nil }
    defer { unsafe free(path) }
    return unsafe String(validatingCString: path)
  }
}
