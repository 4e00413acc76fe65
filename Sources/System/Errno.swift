internal import Glibc
package import SystemPackage

extension Errno {
  /// Whether it is for want of descriptors or memory (`EMFILE`, `ENFILE`, `ENOMEM`).
  package var isSystemLimit: Bool {
    [.tooManyOpenFiles, .tooManyOpenFilesInSystem, .noMemory].contains(self)
  }

  /// Whether it is a matter of permission: `EACCES`, `EPERM` or `EROFS`.
  package var isPermission: Bool {
    [.permissionDenied, .notPermitted, .readOnlyFileSystem].contains(self)
  }

  /// The result of what throws nothing else.
  static func thrown<Value>(_ body: () throws -> Value) throws(Errno) -> Value {
    do {
      return try body()
    } catch {
      throw error as? Errno ?? .ioError
    }
  }

  /// Throws the error of a call that has just returned, if it has failed.
  static func check(_ result: Int32) throws(Errno) {
    if result != 0 { throw Errno(rawValue: errno) }
  }
}
