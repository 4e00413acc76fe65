package import System

/// The terminal at standard output, as far as it decides how results look.
package struct Terminal {
  /// Its columns; `nil` for no limit.
  package let columns: Int?
  /// Its rows; `nil` if results do not go to a terminal.
  package let rows: Int?

  /// The terminal; elsewhere `COLUMNS` alone decides.
  ///
  /// - Parameter variables: those of the environment.
  package init(_ variables: [String: String]) {
    let size = ProcessSetup.isOutputATerminal ? ProcessSetup.terminalSize(at: 1) : nil
    columns =
      size?.columns ?? variables["COLUMNS"].flatMap(Int.init).flatMap { $0 > 0 ? $0 : nil }
    rows = size?.rows
  }
}

/// The program that shows what is longer than the terminal.
package struct Pager {
  /// The rows that need no pager.
  package let rows: Int
  package let path: String
  private let arguments: [String]
  private let variables: [String: String]

  /// - Parameter command: the program and its arguments, with spaces between them.
  /// - Returns: `nil` where results do not go to a terminal that can move its cursor, or the command is
  ///   empty, `cat` or `none`, or not found.
  package init?(_ command: String, _ terminal: Terminal, _ variables: [String: String]) {
    guard let rows = terminal.rows, variables["TERM"] ?? "dumb" != "dumb" else { return nil }
    let words = command.split(separator: " ").map(String.init)
    guard let name = words.first, name != "cat" && name != "none",
      let path = try? ChildProcess.path(
        of: name, in: variables["PATH"] ?? ChildProcess.standardPath)
    else { return nil }
    (self.rows, self.path) = (rows, path)
    arguments = Array(words.dropFirst())
    // As git has it: colours are shown, and a text that fits the screen stays there.
    let standard = ["LESS": "FRX", "LV": "-c"]
    self.variables = variables.merging(standard) { own, _ in own }
  }

  /// Starts it; `nil` if that fails, since results can be shown without it.
  package func start() -> TerminalReader? {
    try? TerminalReader(path, arguments, environment: variables)
  }
}
