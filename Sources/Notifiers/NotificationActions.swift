internal import Loans
internal import Synchronization
internal import System

/// The notifications with a button that are waiting for their reader, and what the button does.
///
/// For each of them a notify-send(1) runs in the background until the notification is closed; none
/// blocks another message. At most `limit` wait at a time: one more ends the oldest, whose button
/// then does nothing. Call ``close()`` before the process ends.
public final class NotificationActions: Sendable {
  /// The action's name on the bus, which notify-send prints when it is chosen.
  private static let name = "open"

  private struct State {
    var isClosed = false
    var hasReported = false
    var next = 0
    /// In the order in which they were sent.
    var waiting: [(number: Int, task: Task<Void, Never>)] = []
    var ending: [Int: Task<Void, Never>] = [:]
  }

  private let action: NotificationAction
  private let environment: [String: String]
  private let limit: Int
  private let report: @Sendable (String) -> Void
  private let state = Mutex(State())

  /// The notifications that have `action` as their button.
  ///
  /// - Parameters:
  ///   - action: the button, and what it does.
  ///   - environment: the variables of the command, all of the process's own, since it is the
  ///     user's own desktop program.
  ///   - limit: how many notifications can wait at a time.
  ///   - report: is called with one line if the command cannot be run, or fails, and if messages
  ///     get no button, because stdbuf(1) of the GNU coreutils is not there.
  public init(
    _ action: NotificationAction, environment: [String: String], limit: Int = 50,
    report: @escaping @Sendable (String) -> Void
  ) {
    precondition(limit > 0, "no notification could wait: the limit is \(limit)")
    self.action = action
    self.environment = environment
    self.limit = limit
    self.report = report
  }

  /// How many notifications are waiting now.
  public var waitingCount: Int { state.withLock { $0.waiting.count } }

  /// Ends every notify-send that still waits: SIGTERM to its group, and SIGKILL two seconds later.
  ///
  /// Returns when all have ended. Commands that were started go on. Messages that are sent later
  /// have no button.
  public func close() async {
    let tasks = state.withLock { state in
      state.isClosed = true
      return state.waiting.map(\.task) + state.ending.values
    }
    tasks.forEach { $0.cancel() }
    for task in tasks { await task.value }
  }

  /// Shows a message with the button, and leaves notify-send running.
  ///
  /// - Parameters:
  ///   - child: notify-send with the arguments of the message alone.
  ///   - notices: the notices of the message, in its order.
  /// - Returns: `nil` once the message has an id, or else the report of notify-send.
  func show(
    _ child: ChildProcess, about notices: [Notice]
  ) async throws(StartFailure) -> ChildProcess.Report? {
    let (starts, start) = AsyncStream.makeStream(of: Start.self)
    guard let waiting = withButton(child), let task = launch(waiting, notices, start) else {
      return try await child.run()
    }
    for await start in starts {
      guard case .ended(let result) = start else { return nil }
      // After that it is no longer among those that wait.
      await task.value
      return try result.get()
    }
    // The task that sends it was cancelled.
    task.cancel()
    await task.value
    return ChildProcess.Report(ending: .signaled(15))
  }
}

extension NotificationActions {
  /// The beginning of a notification: it is shown, or notify-send has ended before that.
  private enum Start: Sendable {
    case shown
    case ended(Result<ChildProcess.Report, StartFailure>)
  }

  /// The same message with the button, or `nil` if that is impossible.
  ///
  /// notify-send(1) keeps the id in its buffer until it ends, unless it is made to write line by
  /// line; that is what stdbuf(1) is for.
  private func withButton(_ child: ChildProcess) -> ChildProcess? {
    let path = child.environment["PATH"] ?? ""
    guard case .found(let program) = ProgramSearch(child.program, path: path) else { return nil }
    guard case .found(let buffering) = ProgramSearch("stdbuf", path: path) else {
      reportMissingBuffering()
      return nil
    }
    var waiting = child
    waiting.program = buffering
    waiting.arguments =
      ["-oL", program, "--action=\(Self.name)=\(action.label)", "--print-id"] + child.arguments
    return waiting
  }

  private func reportMissingBuffering() {
    let isFirst = state.withLock { state in
      defer { state.hasReported = true }
      return !state.hasReported
    }
    guard isFirst else { return }
    report(
      "the action \(action.label.quoted()) is left out, because stdbuf was not found in PATH; "
        + "install coreutils")
  }

  private func launch(
    _ child: ChildProcess, _ notices: [Notice], _ start: AsyncStream<Start>.Continuation
  ) -> Task<Void, Never>? {
    let (task, oldest) = state.withLock { state -> (Task<Void, Never>?, Task<Void, Never>?) in
      if state.isClosed { return (nil, nil) }
      let number = state.next
      state.next += 1
      let task = Task {
        await self.run(child, notices, start)
        self.forget(number)
      }
      state.waiting.append((number, task))
      guard state.waiting.count > limit else { return (task, nil) }
      let oldest = state.waiting.removeFirst()
      state.ending[oldest.number] = oldest.task
      return (task, oldest.task)
    }
    oldest?.cancel()
    return task
  }

  private func forget(_ number: Int) {
    state.withLock { state in
      state.waiting.removeAll { $0.number == number }
      state.ending[number] = nil
    }
  }

  private func run(
    _ child: ChildProcess, _ notices: [Notice], _ start: AsyncStream<Start>.Continuation
  ) async {
    let progress = Mutex(Progress())
    do throws(StartFailure) {
      let report = try await child.run { line in
        switch progress.withLock({ $0.read(line) }) {
        case .shown:
          start.yield(.shown)
          return .unlimited
        case .chosen: self.respond(notices)
        case .failed: return .failed
        case nil: break
        }
        return .nothing
      }
      start.yield(.ended(.success(report)))
    } catch {
      start.yield(.ended(.failure(error)))
    }
    start.finish()
  }

  /// Does what the button is for, apart from everything else: it may take as long as it likes.
  private func respond(_ notices: [Notice]) {
    switch action.response {
    case .handler(let handler): Task { await handler(notices) }
    case .command(let program, let arguments):
      guard let notice = notices.first else { return }
      let command = ActionCommand(
        program: program, arguments: arguments,
        environment: environment.describing(notice, count: notices.count))
      Task {
        if let failure = await command.run() {
          report("the action \(action.label.quoted()): \(failure)")
        }
      }
    }
  }

  /// What notify-send has printed.
  private struct Progress {
    enum Step {
      case shown
      case chosen
      case failed
    }

    private var isShown = false
    private var isChosen = false

    mutating func read(_ line: String) -> Step? {
      if !isShown {
        guard let number = UInt32(line) else { return nil }
        // It prints 0 where it has failed, and 0.8.1 then waits all the same.
        if number == 0 { return .failed }
        isShown = true
        return .shown
      }
      guard line == NotificationActions.name, !isChosen else { return nil }
      isChosen = true
      return .chosen
    }
  }
}
