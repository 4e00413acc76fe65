internal import Glibc
package import SystemPackage

extension Errno {
  /// The system's words for it, as they stand within a sentence: `no space left on device`.
  package var words: String { description.lowercased() }

  /// Whether it is for want of descriptors or memory (`EMFILE`, `ENFILE`, `ENOMEM`).
  package var isSystemLimit: Bool {
    [.tooManyOpenFiles, .tooManyOpenFilesInSystem, .noMemory].contains(self)
  }

  /// Whether it is a matter of permission: `EACCES`, `EPERM` or `EROFS`.
  package var isPermission: Bool {
    [.permissionDenied, .notPermitted, .readOnlyFileSystem].contains(self)
  }

  /// Whether nothing has the name: `ENOENT` or `ENOTDIR`.
  package var isMissing: Bool { [.noSuchFileOrDirectory, .notDirectory].contains(self) }

  /// The error of the system call that has just failed.
  package static var last: Errno { Errno(rawValue: errno) }

  /// The result of what throws nothing else.
  package static func thrown<Value>(_ body: () throws -> Value) throws(Errno) -> Value {
    do {
      return try body()
    } catch {
      throw error as? Errno ?? .ioError
    }
  }

  /// The error that is thrown, if one is.
  static func of(_ body: () throws -> Void) -> Errno? {
    do { try body() } catch { return error as? Errno ?? .ioError }
    return nil
  }

  /// Throws the error of a call that has just returned, unless that is 0.
  package static func check(_ result: Int32) throws(Errno) {
    if result != 0 { throw last }
  }
}
