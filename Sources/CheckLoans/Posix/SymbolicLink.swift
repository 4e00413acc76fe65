import Glibc

/// Where symbolic links lead.
enum SymbolicLink {
  /// What a link says, in bytes, as the system has paths; `nil` for anything else.
  ///
  /// - SeeAlso: `readlink(2)`.
  static func target(of path: [UInt8]) -> [UInt8]? {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let length = unsafe readlink(path.cString, &buffer, buffer.count)
    guard length > 0 else { return nil }
    return buffer.prefix(length).map { UInt8(bitPattern: $0) }
  }

  /// The absolute path of what is there, without any link in it; `nil` if there is nothing, or its
  /// name is not UTF-8.
  ///
  /// - SeeAlso: `realpath(3)`.
  static func realPath(of path: String) -> String? {
    guard let real = unsafe realpath(path, nil) else { return nil }
    defer { unsafe free(real) }
    return unsafe String(validatingCString: real)
  }

  /// What a link says; `nil` for anything else.
  static func target(of path: String) -> String? {
    target(of: Array(path.utf8)).map { String(decoding: $0, as: UTF8.self) }
  }
}

extension [UInt8] {
  /// The bytes as a string of C, which has a zero at its end.
  var cString: [CChar] { map { CChar(bitPattern: $0) } + [0] }
}
