import Loans
import System
package import SystemPackage

/// Where results go: to standard output, or into a file.
package struct ResultsOutput {
  private let console: Console
  private let file: ResultsFile?
  /// What a long text is shown by; `nil` where there is nobody to look.
  private let pager: Pager?
  /// What the pager reads while it runs.
  private var paged: CheckedOutput?

  /// - Parameters:
  ///   - path: the file's; `nil` for standard output.
  ///   - permissions: those of a file that is not there yet; by default, what the umask leaves.
  ///   - pager: what shows a text that is longer than the terminal.
  /// - Throws: ``CommandError`` with the status `cannotCreate`.
  package init(
    _ console: Console, file path: String?, permissions: FilePermissions? = nil, pager: Pager? = nil
  ) throws(CommandError) {
    self.console = console
    self.pager = pager
    file = try path.map { path throws(CommandError) in
      try ResultsFile(path, permissions: permissions)
    }
  }

  /// Writes a part of the results.
  ///
  /// - Throws: ``CommandError`` with the status `inputOutput`.
  package func print(_ text: String) throws(CommandError) { try print(text.utf8.span) }

  /// Writes a part of the results, as UTF-8.
  ///
  /// - Throws: ``CommandError`` with the status `inputOutput`.
  package func print(_ text: Span<UInt8>) throws(CommandError) {
    if let file { return try file.write(text) }
    guard let paged else { return try console.print(text) }
    do throws(OutputError) { try paged.write(text) } catch { throw CommandError(error) }
  }

  /// Has results of this many lines shown by the pager if they do not fit the terminal, together with the
  /// line of the prompt.
  ///
  /// - Parameter body: writes them to the output that it is given.
  /// - Throws: what `body` throws, but not that the reader of the pager has left before the end.
  package func paging(
    _ lines: Int, _ body: (ResultsOutput) throws(CommandError) -> Void
  ) throws(CommandError) {
    guard file == nil, let pager, lines >= pager.rows, let reader = pager.start() else {
      return try body(self)
    }
    let output = CheckedOutput(descriptor: reader.descriptor)
    var copy = self
    copy.paged = output
    var failure: CommandError?
    do throws(CommandError) {
      try body(copy)
      do throws(OutputError) { try output.flush() } catch { throw CommandError(error) }
    } catch {
      failure = error
    }
    let ending = reader.end()
    if let failure, failure.message != nil { throw failure }
    if !ending.isSuccess {
      console.printError("\(pager.path.visible) \(ending.words); --pager none does without it")
    }
  }

  /// Has everything written, and the file put in its place.
  ///
  /// - Throws: ``CommandError`` with the status `inputOutput`.
  package func commit() throws(CommandError) {
    try file?.commit()
    try console.flush()
  }
}
