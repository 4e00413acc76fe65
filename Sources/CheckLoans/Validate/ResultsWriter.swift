import Notifiers

/// Writes the results in one form, with as many findings as are to be shown.
struct ResultsWriter {
  /// The contribution of one catalogue, or of a part of it.
  struct Piece: Sendable {
    var head = ""
    var findings: [String] = []
    /// Findings that were counted but not kept, since there are too many before them.
    var dropped = 0
    var tail = ""
    /// A part of a diff, which is a result by itself.
    var bytes: [UInt8] = []
    /// Lines for standard error.
    var messages: [String] = []
    /// The catalogue's numbers, once it is finished.
    var tally: FileTally?
    /// The status of anything that went wrong beside what the catalogue holds.
    var status = ExitStatus.done
    /// Dates that `--fix` has fixed.
    var fixed = 0
    /// Dates that `--fix` would fix.
    var fixable = 0
  }

  private let form: any FindingsForm
  private let console: Console
  private let file: ResultsFile?
  /// Results after a head that takes the numbers of all; `nil` if the form has no such head.
  private var held: [UInt8]?
  /// The number of findings that may still be shown.
  private var room: Int
  private var isFirst = true
  private(set) var tally = FindingsTally()
  /// The worst that went wrong beside what the catalogues hold.
  private(set) var status = ExitStatus.done

  init(_ plan: ValidationPlan, _ console: Console) throws(CommandError) {
    form = plan.form
    self.console = console
    file = try plan.output.map(ResultsFile.init)
    held = form.needsTally ? [] : nil
    room = plan.limit ?? .max
    if held == nil { try write(form.head(tally)) }
  }

  mutating func add(_ piece: Piece) throws(CommandError) {
    try put(piece.head)
    for finding in piece.findings { try put(finding: finding) }
    tally.omitted += piece.dropped
    try put(piece.tail)
    try write(piece.bytes.span)
    for message in piece.messages { console.printError(line: message) }
    status = status.worse(piece.status)
    tally.fixed += piece.fixed
    tally.fixable += piece.fixable
    if let file = piece.tally { tally.add(file) }
  }

  private mutating func put(finding: String) throws(CommandError) {
    guard room > 0 else {
      tally.omitted += 1
      return
    }
    room -= 1
    if !isFirst { try put(form.separator) }
    isFirst = false
    try put(finding)
  }

  /// Writes what takes the numbers of all catalogues.
  mutating func end() throws(CommandError) {
    if let held {
      try write(form.head(tally))
      try write(held.span)
    }
    try write(form.tail(tally))
    try file?.commit()
    try console.flush()
  }

  private mutating func put(_ text: String) throws(CommandError) {
    if held == nil { try write(text) } else { held?.append(contentsOf: text.utf8) }
  }

  private func write(_ text: String) throws(CommandError) { try write(text.utf8.span) }

  private func write(_ text: Span<UInt8>) throws(CommandError) {
    guard let file else { return try console.print(text) }
    do throws(OutputError) { try file.output.write(text) } catch { throw file.failure("\(error)") }
  }
}
