import Dispatch
import Loans
import Synchronization

/// One run of `validate`: reads catalogues and tells what is wrong with them.
struct Validation {
  let plan: ValidationPlan
  let console: Console
  private let form: any FindingsForm

  init(_ plan: ValidationPlan, _ console: Console) {
    self.plan = plan
    self.console = console
    form = plan.format.form
  }

  /// - Throws: ``CommandError`` if nothing more can be done.
  func run(_ environment: Environment) throws(CommandError) -> ExitStatus {
    let sink = ResultsSink(
      form, limit: plan.limit, console: console, file: try plan.output.map(ResultsFile.init),
      spoolDirectory: environment["TMPDIR"] ?? "/tmp")
    try sink.begin()
    if plan.jobs < 2 {
      for path in plan.catalogues { try check(path, into: sink) }
      return try end(sink)
    }
    return try checkSideBySide(OrderedResults(sink))
  }

  private func check(_ path: String, into sink: ResultsSink) throws(CommandError) {
    var check = CatalogueCheck(of: path, plan, form) { piece throws(CommandError) in
      try sink.add(piece)
    }
    try sink.add(try check.run())
  }

  private func end(_ sink: ResultsSink) throws(CommandError) -> ExitStatus {
    try sink.end()
    if !plan.isQuiet { console.complain(summary(sink)) }
    if sink.hasReadingFailed { return .inputOutput }
    if !sink.tally.unread.isEmpty { return .noInput }
    return sink.tally.errors > 0 ? .findings : .done
  }

  private func summary(_ sink: ResultsSink) -> String {
    let tally = sink.tally
    var words = "no problems"
    if tally.errors + tally.warnings > 0 || tally.files == 0 {
      words = "\(counted(tally.errors, "error")), \(counted(tally.warnings, "warning"))"
    }
    if tally.omitted > 0 {
      words += " (\(tally.omitted) not shown, because of --max-diagnostics)"
    }
    if sink.mended > 0 { words += ", \(counted(sink.mended, "date")) mended" }
    if !tally.unread.isEmpty { words += ", \(counted(tally.unread.count, "file")) not read" }
    return "\(counted(tally.files, "file")), \(counted(tally.loans, "loan")): \(words)"
  }
}

// Several catalogues side by side.
extension Validation {
  /// How many catalogues a thread may be ahead of the one that is written.
  private static let lead = 16

  private func checkSideBySide(
    _ results: OrderedResults
  ) throws(CommandError) -> ExitStatus {
    let next = Mutex(0)
    let room = DispatchSemaphore(value: 0)
    // A semaphore must not end below the value that it began with.
    for _ in 0..<plan.jobs * Self.lead { room.signal() }
    DispatchQueue.concurrentPerform(iterations: plan.jobs) { _ in
      while true {
        room.wait()
        let number = next.withLock { next in
          defer { next += 1 }
          return next
        }
        guard number < plan.catalogues.count else { break }
        for _ in 0..<check(number, results) { room.signal() }
      }
      room.signal()
    }
    return try results.end { sink throws(CommandError) in try end(sink) }
  }

  /// - Returns: how many catalogues are finished now that were not before.
  private func check(_ number: Int, _ results: OrderedResults) -> Int {
    if results.failure != nil { return results.finish(ResultsSink.Piece(), of: number) }
    var check = CatalogueCheck(of: plan.catalogues[number], plan, form) {
      piece throws(CommandError) in
      try results.add(piece, of: number)
    }
    do throws(CommandError) {
      return results.finish(try check.run(), of: number)
    } catch {
      // What failed is remembered there.
      return results.finish(ResultsSink.Piece(), of: number)
    }
  }
}
