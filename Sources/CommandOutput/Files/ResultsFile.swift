import Loans
import System
package import SystemPackage

/// The file that takes results instead of standard output: whole, or as it was before.
///
/// Anything but a regular file, `/dev/stdout` or a pipe, is written to directly.
package final class ResultsFile {
  private let path: String
  private var replacement: FileReplacement?
  /// The device or pipe that is written to directly.
  private var device: OpenFile?
  private let output: CheckedOutput

  /// - Parameter permissions: those of a file that is not there yet; by default, what the umask leaves.
  /// - Throws: ``CommandError`` with the status `cannotCreate`.
  package init(_ path: String, permissions: FilePermissions? = nil) throws(CommandError) {
    self.path = path
    func refusal(_ words: String) -> CommandError {
      CommandError(
        .cannotCreate, "\(path.visible): cannot create the file for the results: \(words)")
    }
    if path.hasSuffix("/") { throw refusal("this is the path of a directory") }
    let old: Stat?
    do throws(Errno) { old = try Stat(of: path) } catch .noSuchFileOrDirectory { old = nil } catch {
      throw refusal(error.words)
    }
    if let old, old.isReadOnly {
      throw CommandError(
        .cannotCreate, "\(path.visible): this file is read-only; name another one for the results")
    }
    do {
      if let old, old.type != .regular {
        try FileReplacement.checkLinks(path)
        let device = try OpenFile(path, .writeOnly, followsLinks: true)
        output = CheckedOutput(descriptor: device.descriptor.rawValue)
        self.device = consume device
      } else {
        let replacement = try FileReplacement.begin(at: path, like: old)
        if old == nil, let permissions { try replacement.setPermissions(permissions) }
        output = CheckedOutput(descriptor: replacement.file.descriptor.rawValue)
        self.replacement = consume replacement
      }
    } catch {
      let words =
        switch error {
        case let failure as FileReplacement.Failure:
          failure.step == .link ? failure.step.rawValue : failure.errno.words
        case Errno.noSuchAddressOrDevice: "no program is reading this pipe or socket; name a file"
        default: (error as? Errno)?.words ?? ""
        }
      throw refusal(words)
    }
  }

  /// Writes a part of the results.
  ///
  /// - Throws: ``CommandError`` with the status `inputOutput`.
  package func write(_ text: Span<UInt8>) throws(CommandError) {
    do throws(OutputError) { try output.write(text) } catch { throw failure(error.errno) }
  }

  /// Puts the file in its place.
  ///
  /// - Throws: ``CommandError`` with the status `inputOutput`.
  package func commit() throws(CommandError) {
    do throws(OutputError) { try output.flush() } catch { throw failure(error.errno) }
    guard let replacement = replacement.take() else { return }
    do throws(FileReplacement.Failure) {
      try replacement.commit()
    } catch {
      throw failure(error.errno.rawValue)
    }
  }

  private func failure(_ number: Int32) -> CommandError {
    let words = Errno(rawValue: number).words
    return CommandError(.inputOutput, "\(path.visible): cannot write the results: \(words)")
  }
}
