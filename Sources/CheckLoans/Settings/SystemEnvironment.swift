import Glibc

extension Environment {
  /// The environment of the process now, and the user it runs as.
  ///
  /// - SeeAlso: `environ(7)`, `geteuid(2)`.
  static func ofProcess() -> Environment {
    var variables: [String: String] = [:]
    var entry = unsafe environ
    while let text = unsafe entry.pointee {
      unsafe entry += 1
      // What is not UTF-8 must not become another name.
      guard let pair = unsafe String(validatingCString: text),
        let sign = pair.utf8.firstIndex(of: UInt8(ascii: "="))
      else { continue }
      variables[String(pair[..<sign])] = String(pair[pair.utf8.index(after: sign)...])
    }
    return Environment(variables: variables, userID: geteuid())
  }

  /// The home that the user database has.
  ///
  /// - SeeAlso: `getpwuid(3)`.
  static var homeOfUser: String? {
    guard let user = unsafe getpwuid(geteuid()), let home = unsafe user.pointee.pw_dir else {
      return nil
    }
    return unsafe String(cString: home)
  }

  /// The working directory; `nil` if it is gone, or its name is not UTF-8.
  ///
  /// - SeeAlso: `getcwd(3)`.
  static var currentDirectory: String? {
    guard let path = unsafe getcwd(nil, 0) else { return nil }
    defer { unsafe free(path) }
    return unsafe String(validatingCString: path)
  }
}
