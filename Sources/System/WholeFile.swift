internal import Glibc
package import SystemPackage

/// A small file that is read whole, such as one with settings.
package enum WholeFile {
  /// Why a file is not read.
  package enum Failure: Error {
    /// There is none.
    case missing
    /// The system refuses it.
    case system(Errno)
    /// It is something else, "a directory" for example.
    case notAFile(String)
    /// It has more bytes than allowed.
    case tooLong
    /// Any user may change it.
    case writableByAll
  }

  /// The bytes of a file; `/dev/null` has none.
  ///
  /// - Parameters:
  ///   - limit: the most bytes that it may have.
  ///   - mayBeWritableByAll: whether it does no harm that any user could have changed it.
  package static func bytes(
    of path: String, limit: Int, mayBeWritableByAll: Bool = false
  ) throws(Failure) -> [UInt8] {
    try read {
      // Without waiting: a named pipe may have nobody at its other end.
      let file = try OpenFile(path, followsLinks: true)
      let status = try file.status
      if let kind = status.kindOfNoFile, !isNull(status) { throw Failure.notAFile(kind) }
      let isWritableByAll = status.type == .regular && status.permissions.contains(.otherWrite)
      if isWritableByAll && !mayBeWritableByAll { throw Failure.writableByAll }
      return try file.descriptor.readToEnd(limit: limit)
    }
  }

  /// The bytes of a file, or of a pipe to its end.
  ///
  /// - Parameters:
  ///   - path: `-` for standard input.
  ///   - limit: the most bytes that there may be.
  package static func allBytes(of path: String, limit: Int) throws(Failure) -> [UInt8] {
    try read {
      if path == "-" { return try FileDescriptor.standardInput.readToEnd(limit: limit) }
      let file = try OpenFile(path, followsLinks: true, waits: true)
      return try file.descriptor.readToEnd(limit: limit)
    }
  }

  private static func read(_ body: () throws -> [UInt8]?) throws(Failure) -> [UInt8] {
    do {
      guard let bytes = try body() else { throw Failure.tooLong }
      return bytes
    } catch let error as Failure {
      throw error
    } catch {
      let error = error as? Errno ?? .ioError
      throw error.isMissing ? .missing : .system(error)
    }
  }

  private static func isNull(_ status: Stat) -> Bool {
    status.type == .characterSpecial
      && status.specialDeviceID == (try? Stat(of: "/dev/null"))?.specialDeviceID
  }
}
