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
    form = plan.form
  }

  /// - Throws: ``CommandError`` if nothing more can be done.
  func run(_ environment: Environment) throws(CommandError) -> ExitStatus {
    let sink = ResultsSink(
      form, limit: plan.limit, console: console, file: try plan.output.map(ResultsFile.init),
      spoolDirectory: environment.temporaryDirectory)
    let progress = plan.isQuiet ? nil : Progress(of: plan.catalogues, environment, console)
    try sink.begin()
    if plan.jobs < 2 {
      for number in plan.catalogues.indices { try check(number, into: sink, progress) }
      return try end(sink)
    }
    return try checkSideBySide(OrderedResults(sink), progress)
  }

  private func check(
    _ number: Int, into sink: ResultsSink, _ progress: Progress?
  ) throws(CommandError) {
    var check = CatalogueCheck(
      of: plan.catalogues[number], plan, onProgress: progress?.notes(of: number)
    ) { piece throws(CommandError) in
      try sink.add(piece)
    }
    try sink.add(try check.run())
  }

  private func end(_ sink: ResultsSink) throws(CommandError) -> ExitStatus {
    console.statusLine.clear()
    try sink.end()
    if !plan.isQuiet { console.complain(sink.tally.words) }
    return sink.status.worse(sink.tally.errors > 0 ? .findings : .done)
  }
}

// Several catalogues side by side.
extension Validation {
  /// How many catalogues a thread may be ahead of the one that is written.
  private static let lead = 16

  private func checkSideBySide(
    _ results: OrderedResults, _ progress: Progress?
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
        for _ in 0..<check(number, results, progress) { room.signal() }
      }
      room.signal()
    }
    return try results.end { sink throws(CommandError) in try end(sink) }
  }

  /// - Returns: how many catalogues are finished now that were not before.
  private func check(_ number: Int, _ results: OrderedResults, _ progress: Progress?) -> Int {
    if results.failure != nil { return results.finish(ResultsSink.Piece(), of: number) }
    var check = CatalogueCheck(
      of: plan.catalogues[number], plan, onProgress: progress?.notes(of: number)
    ) { piece throws(CommandError) in
      try results.add(piece, of: number)
    }
    do throws(CommandError) {
      return results.finish(try check.run(), of: number)
    } catch {
      results.fail(error)
      return results.finish(ResultsSink.Piece(), of: number)
    }
  }
}
