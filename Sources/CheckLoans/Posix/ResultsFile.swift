import Glibc
import Loans
import Notifiers

/// The file that takes results instead of standard output: whole, or as it was before.
///
/// What is no regular file, `/dev/stdout` or a pipe, is written to as it comes.
final class ResultsFile {
  private let path: String
  private var replacement: FileReplacement?
  /// What is written to as it comes.
  private let device: Int32?
  let output: CheckedOutput

  /// - Throws: ``CommandError`` with the status `cannotCreate`.
  /// - SeeAlso: `open(2)`.
  init(_ path: String) throws(CommandError) {
    self.path = path
    let version = FileVersion(of: path)
    if let version, version.mode & 0o222 == 0 {
      throw CommandError(
        .cannotCreate, "\(path.visible): this file is read-only; name another one for the results")
    }
    if let version, !version.isRegular {
      let device = unsafe open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY)
      guard device >= 0 else { throw Self.cannotCreate(path, errno) }
      self.device = device
      output = CheckedOutput(descriptor: device)
      return
    }
    device = nil
    do throws(FileReplacement.Failure) {
      let replacement = try FileReplacement.begin(at: path, like: version)
      output = CheckedOutput(descriptor: replacement.descriptor)
      self.replacement = consume replacement
    } catch {
      throw Self.cannotCreate(path, error.number)
    }
  }

  deinit {
    if let device { close(device) }
  }

  /// Whether two paths lead to the same regular file.
  static func isSame(_ path: String, _ other: String) -> Bool {
    guard let one = FileVersion(of: path), let two = FileVersion(of: other) else { return false }
    return one.isRegular && one.isSameFile(as: two)
  }

  /// Puts the file in its place.
  ///
  /// - Throws: ``CommandError`` with the status `inputOutput`.
  func commit() throws(CommandError) {
    do throws(OutputError) { try output.flush() } catch { throw failure("\(error)") }
    guard let replacement = replacement.take() else { return }
    do throws(FileReplacement.Failure) {
      try replacement.commit()
    } catch {
      throw failure(systemWords(error.number))
    }
  }

  func failure(_ words: String) -> CommandError {
    CommandError(.inputOutput, "\(path.visible): cannot write the results: \(words)")
  }

  private static func cannotCreate(_ path: String, _ number: Int32) -> CommandError {
    CommandError(
      .cannotCreate,
      "\(path.visible): cannot create the file for the results: \(systemWords(number))")
  }
}
