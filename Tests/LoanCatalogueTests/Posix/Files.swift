import Glibc

/// What is in the file system already.
enum Files {
  /// The names of a directory's files, sorted; opendir(3), readdir(3).
  static func names(in directory: String) -> [String] {
    guard let stream = unsafe opendir(directory) else { return [] }
    defer { unsafe closedir(stream) }
    var names: [String] = []
    while let entry = unsafe readdir(stream) {
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) {
        unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      if !name.hasPrefix(".") { names.append(name) }
    }
    return names.sorted()
  }

  /// A file's bytes, or `nil` if it cannot be read; open(2), read(2).
  static func bytes(of path: String) -> [UInt8]? {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65_536)
    while case let count = unsafe read(descriptor, &piece, piece.count), count > 0 {
      bytes += piece[..<count]
    }
    return bytes
  }
}
