import ArgumentParser
import Loans
import System

/// Whether long results are shown in a pager.
struct PagerOptions: ParsableArguments, DescribedOptions {
  static let facts: [OptionFact] = [OptionFact("pager", .text, .file)]

  @Option(
    help: ArgumentHelp(
      "Program that shows what is longer than the terminal, or none. (default: PAGER, or less)",
      valueName: "command"))
  var pager: String?

  /// The pager for results; `nil` for none.
  func pager(_ terminal: Terminal, _ environment: Environment) -> Pager? {
    Pager(pager ?? environment["PAGER"] ?? "less", terminal, environment)
  }
}

/// The terminal at standard output, as far as it decides how results look.
struct Terminal {
  /// Its columns; `nil` for no limit.
  let columns: Int?
  /// Its rows; `nil` if results do not go to a terminal.
  let rows: Int?

  /// The terminal; elsewhere `COLUMNS` alone decides.
  init(_ environment: Environment) {
    let size = ProcessSetup.isOutputATerminal ? ProcessSetup.terminalSize(at: 1) : nil
    columns =
      size?.columns ?? environment["COLUMNS"].flatMap(Int.init).flatMap { $0 > 0 ? $0 : nil }
    rows = size?.rows
  }
}

/// The program that shows what is longer than the terminal.
struct Pager {
  /// The rows that need no pager.
  let rows: Int
  let path: String
  private let arguments: [String]
  private let environment: [String: String]

  /// - Parameter command: the program and its arguments, with spaces between them.
  /// - Returns: `nil` where results do not go to a terminal that can move its cursor, or the command is
  ///   empty, `cat` or `none`, or not found.
  init?(_ command: String, _ terminal: Terminal, _ environment: Environment) {
    guard let rows = terminal.rows, environment["TERM"] ?? "dumb" != "dumb" else { return nil }
    let words = command.split(separator: " ").map(String.init)
    guard let name = words.first, name != "cat" && name != "none",
      let path = environment.program(named: name)
    else { return nil }
    (self.rows, self.path) = (rows, path)
    arguments = Array(words.dropFirst())
    // As git has it: colours are shown, and a text that fits the screen stays there.
    let standard = ["LESS": "FRX", "LV": "-c"]
    self.environment = environment.variables.merging(standard) { own, _ in own }
  }

  /// Starts it; `nil` if that fails, since results can be shown without it.
  func start() -> TerminalReader? {
    try? TerminalReader(path, arguments, environment: environment)
  }
}
