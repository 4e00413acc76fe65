package import CommandOutput
import Loans
import System

/// A list of catalogues in a file, for `--files-from`.
package enum FileList {
  /// More than any list of files has.
  private static let longest = 64 * 1_024 * 1_024

  /// The paths in a list: each on a line, or, if the list holds a NUL character, each before one, as
  /// `git diff --name-only -z` and `find -print0` write them.
  ///
  /// - Parameter path: `-` is standard input.
  /// - Throws: ``CommandError`` with the status `noInput` if the list cannot be read, `usage` if a
  ///   path in it is not UTF-8.
  package static func read(_ path: String) throws(CommandError) -> [String] {
    let bytes: [UInt8]
    do throws(WholeFile.Failure) {
      bytes = try WholeFile.allBytes(of: path, limit: longest)
    } catch {
      let words = error.words("list of files", limit: longest, harm: "names what is checked")
      throw CommandError(.noInput, "\(path.visibleCatalogue): \(words)")
    }
    return try paths(in: bytes, of: path)
  }

  package static func paths(in bytes: [UInt8], of list: String) throws(CommandError) -> [String] {
    let hasNull = bytes.contains(0)
    var paths: [String] = []
    // Editors elsewhere put a byte order mark before a text.
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let text = bytes.starts(with: mark) ? bytes.dropFirst(3) : bytes[...]
    for part in text.split(separator: hasNull ? 0 : 0x0A) {
      let isWindowsLine = !hasNull && part.last == 0x0D
      let name = isWindowsLine ? part.dropLast() : part
      guard !name.isEmpty else { continue }
      guard let path = String(validating: name, as: UTF8.self) else {
        let shown = String(decoding: name, as: UTF8.self).quoted()
        throw CommandError(
          .usage, "\(list.visibleCatalogue): the path \(shown) is not UTF-8; rename the file")
      }
      paths.append(path)
    }
    return paths
  }
}
