package import System

/// The outputs of the command: standard output for results, standard error for everything else.
package struct Console: Sendable {
  package let output: CheckedOutput
  private let errors: CheckedOutput
  /// The line that shows progress while nothing else is printed.
  package let statusLine = StatusLine()
  /// Whether standard output is a terminal too, whose last line is that of ``statusLine``.
  private let sharesTerminal = ProcessSetup.isOutputATerminal

  /// Outputs that are given up once a stop is requested while nobody reads.
  package init() {
    let isStopRequested = { @Sendable in StopSignals.isStopRequested }
    output = CheckedOutput(descriptor: 1, isStopRequested: isStopRequested)
    errors = CheckedOutput(
      descriptor: 2, timeout: .seconds(10), isStopRequested: isStopRequested)
  }

  /// Writes a line of the results.
  ///
  /// - Throws: ``CommandError`` with the status `inputOutput`.
  package func print(line: String) throws(CommandError) {
    try print(line)
    try print("\n")
  }

  /// Writes a part of the results.
  ///
  /// - Throws: ``CommandError`` with the status `inputOutput`.
  package func print(_ text: String) throws(CommandError) { try print(text.utf8.span) }

  /// Writes a part of the results, as UTF-8.
  ///
  /// - Throws: ``CommandError`` with the status `inputOutput`.
  package func print(_ text: Span<UInt8>) throws(CommandError) {
    // Of results only a part may have been written, which must not be written over.
    if sharesTerminal && !text.isEmpty { statusLine.forbid() }
    do throws(OutputError) { try output.write(text) } catch { throw CommandError(error) }
  }

  /// - Throws: ``CommandError`` with the status `inputOutput`.
  package func flush() throws(CommandError) {
    do throws(OutputError) { try output.flush() } catch { throw CommandError(error) }
  }

  /// Prints one line about a problem, `check-loans: …`.
  package func printError(_ message: String) { printError(line: "check-loans: \(message)") }

  /// Prints a line as it is to standard error; where that fails, nobody can be told.
  package func printError(line: String) {
    statusLine.whileHidden {
      try? errors.write("\(line)\n")
      try? errors.flush()
    }
  }
}
