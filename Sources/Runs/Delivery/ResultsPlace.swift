package import CommandOutput
import Loans
import Settings
import System
import SystemPackage

extension Environment {
  /// The path of the file that takes results; `nil` for standard output.
  ///
  /// - Parameters:
  ///   - output: what was given as it.
  ///   - catalogues: the paths of files whose place it must not take, besides that of the settings and those
  ///     that options name.
  ///   - state: the schedule's path, whose place and those of the files that belong to it are spared too.
  /// - Throws: ``CommandError`` with the status `usage`.
  package func output(
    _ output: String?, sparing catalogues: [String], state: String? = nil
  ) throws(CommandError) -> String? {
    guard let output, output != "-" && output != "/dev/stdout" else { return nil }
    if output.isEmpty { throw CommandError(.usage, "--output needs the name of a file") }
    let ofState = state.map { state in
      ["", ".lock", "-journal", "-wal", "-shm"].map { state + $0 }
        + SecretKey.Use.allCases.map { SecretKey($0, besideSchedule: state).path.string }
        + given.tables.filter(\.isFetched).compactMap(\.name)
        .map { CatalogueFetch.file(of: $0, besideSchedule: state) }
    }
    let spared =
      catalogues + [given.file?.path].compactMap(\.self) + (ofState ?? []) + given.namedFiles
    let file = try? Stat(of: output)
    let name = catalogueName(output)
    // A file that is still to be made is known by its name alone.
    let taken = spared.first { path in
      guard let file else { return catalogueName(path).utf8.elementsEqual(name.utf8) }
      let other = try? Stat(of: path == "-" ? "/dev/stdin" : path)
      return file.type == .regular && other?.fileID == file.fileID
    }
    if let taken {
      throw CommandError(
        .usage,
        """
        --output would overwrite \(taken == "-" ? "standard input" : taken.visible), which is needed; \
        choose another file
        """)
    }
    return output
  }
}
