import Notifiers

/// Puts the results together in one form, with as many findings as are to be shown.
final class ResultsSink {
  /// What one catalogue, or a part of it, contributes.
  struct Piece: Sendable {
    var head = ""
    var findings: [String] = []
    /// Findings that were counted but not kept, since there are too many before them.
    var dropped = 0
    var tail = ""
    /// Bytes that are results by themselves: a part of a diff.
    var bytes: [UInt8] = []
    /// Lines for standard error.
    var complaints: [String] = []
    /// What the catalogue adds to the numbers, once it is finished.
    var tally: FileTally?
    /// What went wrong beside what the catalogue holds.
    var status = ExitStatus.done
    var mended = 0
    /// Dates that `--fix` would mend.
    var mendable = 0
  }

  private let form: any FindingsForm
  private let console: Console
  private let file: ResultsFile?
  private let spool: Spool?
  private var room: Int
  private var isFirst = true
  private(set) var tally = FindingsTally()
  /// The worst that went wrong beside what the catalogues hold.
  private(set) var status = ExitStatus.done

  init(
    _ form: any FindingsForm, limit: Int?, console: Console, file: ResultsFile?,
    spoolDirectory: String
  ) {
    self.form = form
    self.console = console
    self.file = file
    spool = form.needsTally ? Spool(directory: spoolDirectory) : nil
    room = limit ?? .max
  }

  func begin() throws(CommandError) {
    if spool == nil { try write(form.head(FindingsTally())) }
  }

  func add(_ piece: Piece) throws(CommandError) {
    try put(piece.head)
    for finding in piece.findings { try put(finding: finding) }
    tally.omitted += piece.dropped
    try put(piece.tail)
    if !piece.bytes.isEmpty { try write(piece.bytes.span) }
    for complaint in piece.complaints { console.complain(line: complaint) }
    status = status.worse(piece.status)
    tally.mended += piece.mended
    tally.mendable += piece.mendable
    if let file = piece.tally { count(file) }
  }

  private func put(finding: String) throws(CommandError) {
    guard room > 0 else {
      tally.omitted += 1
      return
    }
    room -= 1
    if !isFirst { try put(form.separator) }
    isFirst = false
    try put(finding)
  }

  private func count(_ file: FileTally) {
    // Also of a catalogue that failed after something was found in it.
    tally.errors += file.errors
    tally.warnings += file.warnings
    guard file.failure == nil else {
      tally.unread.append(file)
      return
    }
    tally.files += 1
    tally.records += file.records
    tally.loans += file.loans
    tally.leftOut += file.leftOut
    tally.read.append((file.path, file.profile))
    if file.errors + file.warnings == 0 { tally.cleanFiles += 1 }
  }

  /// Writes what only the numbers tell.
  func end() throws(CommandError) {
    if let spool {
      try write(form.head(tally))
      try spool.forEach { piece throws(CommandError) in try write(piece) }
    }
    try write(form.tail(tally))
    try file?.commit()
    try console.flush()
  }

  private func put(_ text: String) throws(CommandError) {
    if text.isEmpty { return }
    if let spool { try spool.append(text) } else { try write(text) }
  }

  private func write(_ text: String) throws(CommandError) { try write(text.utf8.span) }

  private func write(_ text: Span<UInt8>) throws(CommandError) {
    guard let file else { return try console.print(text) }
    do throws(OutputError) { try file.output.write(text) } catch { throw file.failure("\(error)") }
  }
}
