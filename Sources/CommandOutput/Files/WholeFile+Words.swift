import System
import SystemPackage

extension WholeFile.Failure {
  /// Why a file is not read.
  ///
  /// - Parameters:
  ///   - name: what the file should be.
  ///   - harm: what somebody could do who may write to it.
  package func words(_ name: String, limit: Int, harm: String) -> String {
    switch self {
    case .missing: "cannot read the \(name): no such file"
    case .system(let error): "cannot read the \(name): \(error.words)"
    case .notAFile(let kind): "this is \(kind), not a \(name)"
    case .tooLong: "the \(name) is longer than \(limit) bytes"
    case .writableByAll: "the \(name) is writable by everyone, and \(harm); use chmod o-w"
    }
  }
}

extension OpenFile {
  /// A path by which the file can be opened once more, even if it has no name; see proc(5).
  package var pathOfDescriptor: String { "/proc/self/fd/\(descriptor.rawValue)" }
}
