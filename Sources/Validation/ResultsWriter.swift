import CommandOutput
import Loans

/// Writes the results in one form, with as many findings as are to be shown.
struct ResultsWriter {
  /// The contribution of one catalogue, or of a part of it.
  struct Piece: Sendable {
    /// What comes before the findings: the form's head of the file, or a diff.
    var text: [UInt8] = []
    var findings: [String] = []
    /// Lines for standard error.
    var messages: [String] = []
    /// The status of anything that went wrong beside what the catalogue holds.
    var status = ExitStatus.done
    /// The catalogue's numbers, once it is finished.
    var tally: FileTally?
  }

  private let form: any FindingsForm
  /// Whether the results are a diff, and findings are for standard error.
  private let isDiff: Bool
  private let console: Console
  private let output: ResultsOutput
  /// Results after a head that takes the numbers of all; `nil` if the form has no such head.
  private var held: [UInt8]?
  /// The number of findings that may still be shown.
  private var room: Int
  private var isFirst = true
  private(set) var tally = FindingsTally()
  /// The worst that went wrong beside what the catalogues hold.
  private(set) var status = ExitStatus.done

  init(_ request: ValidationRequest, _ console: Console) throws(CommandError) {
    form = request.form
    isDiff = request.fixing == .dryRun
    self.console = console
    output = try ResultsOutput(console, file: request.output)
    held = form.needsTally ? [] : nil
    room = request.limit
    if held == nil { try output.print(form.head(tally)) }
  }

  mutating func add(_ piece: Piece) throws(CommandError) {
    for message in piece.messages { console.printError(line: message) }
    status = status.worse(piece.status)
    try put(piece.text.span)
    for finding in piece.findings { try put(finding: finding) }
    guard let file = piece.tally else { return }
    try put(form.tail(ofFile: file).utf8.span)
    tally.files.append(file)
  }

  private mutating func put(finding: String) throws(CommandError) {
    guard room > 0 else {
      tally.omitted += 1
      return
    }
    room -= 1
    if isDiff { return console.printError(line: finding) }
    if !isFirst { try put(form.separator.utf8.span) }
    isFirst = false
    try put(finding.utf8.span)
  }

  /// Writes what takes the numbers of all catalogues.
  mutating func end() throws(CommandError) {
    if let held {
      try output.print(form.head(tally))
      try output.print(held.span)
    }
    try output.print(form.tail(tally))
    try output.commit()
  }

  private mutating func put(_ text: Span<UInt8>) throws(CommandError) {
    if held == nil { try output.print(text) } else { held? += [UInt8](copying: text) }
  }
}
