import CLinux
import Glibc
import Loans
import Notifiers

/// The file that takes results instead of standard output: whole, or as it was before.
///
/// What is no regular file, `/dev/stdout` or a pipe, is written to as it comes.
final class ResultsFile {
  private let path: String
  private let temporary: String?
  private let descriptor: Int32
  let output: CheckedOutput
  private var isCommitted = false

  /// - Throws: ``CommandError`` with the status `cannotCreate`.
  /// - SeeAlso: `stat(2)`, `open(2)`, `mkostemp(3)`.
  init(_ given: String) throws(CommandError) {
    // A link stays, and leads to the results.
    let path = SymbolicLink.realPath(of: given) ?? given
    self.path = path
    var status = stat()
    let isThere = unsafe stat(path, &status) == 0
    guard !isThere || status.st_mode & 0o222 != 0 else {
      throw CommandError(
        .cannotCreate, "\(path.visible): this file is read-only; name another one for the results")
    }
    if isThere && status.st_mode & S_IFMT != S_IFREG {
      temporary = nil
      descriptor = unsafe open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY)
    } else {
      var name = Array("\(path).XXXXXX".utf8CString)
      descriptor = unsafe check_loans_mkostemp(&name)
      temporary = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
      if descriptor >= 0 {
        fchmod(descriptor, isThere ? status.st_mode & 0o777 : 0o666 & ~Self.mask)
      }
    }
    let number = errno
    guard descriptor >= 0 else {
      throw CommandError(
        .cannotCreate,
        "\(path.visible): cannot create the file for the results: \(systemWords(number))")
    }
    output = CheckedOutput(descriptor: descriptor)
  }

  /// Whether two paths lead to the same file.
  ///
  /// - SeeAlso: `stat(2)`.
  static func isSame(_ path: String, _ other: String) -> Bool {
    var (one, two) = (stat(), stat())
    return unsafe stat(path, &one) == 0 && stat(other, &two) == 0 && one.st_dev == two.st_dev
      && one.st_ino == two.st_ino && one.st_mode & S_IFMT == S_IFREG
  }

  deinit {
    close(descriptor)
    if let temporary, !isCommitted { unsafe unlink(temporary) }
  }

  /// Puts the file in its place.
  ///
  /// - Throws: ``CommandError`` with the status `inputOutput`.
  /// - SeeAlso: `rename(2)`.
  func commit() throws(CommandError) {
    do throws(OutputError) { try output.flush() } catch { throw failure("\(error)") }
    guard let temporary else { return }
    guard fsync(descriptor) == 0, unsafe rename(temporary, path) == 0 else {
      throw failure(systemWords(errno))
    }
    isCommitted = true
  }

  func failure(_ words: String) -> CommandError {
    CommandError(.inputOutput, "\(path.visible): cannot write the results: \(words)")
  }

  /// - SeeAlso: `umask(2)`, which can only be read by being set.
  private static var mask: mode_t {
    let mask = umask(0)
    umask(mask)
    return mask
  }
}
