internal import Dispatch
internal import Loans
internal import Synchronization
internal import System
internal import SystemPackage

/// The notifications with a button that are waiting for their reader, and what the button does.
///
/// For each of them a notify-send(1) runs in the background until the notification is closed; none
/// blocks another message. At most `limit` wait at a time: one more ends the oldest, whose button
/// then does nothing. Call ``close()`` before the process ends.
public final class NotificationActions: Sendable {
  private struct State {
    var isClosed = false
    var hasReported = false
    /// For each notification, in the order in which they were sent, a pipe; once its writing end is
    /// closed, notify-send is ended.
    var waiting: [(reading: OpenFile, writing: OpenFile)] = []
  }

  private let buttons: [NotificationButton]
  private let environment: [String: String]
  private let limit: Int
  private let report: @Sendable (String) -> Void
  private let state = Mutex(State())
  /// The threads that wait for a notify-send.
  private let threads = DispatchGroup()

  /// The notifications that have these buttons.
  ///
  /// - Parameters:
  ///   - action: the user's own button, and what it does.
  ///   - buttons: buttons that run a command with the numbers of loans.
  ///   - environment: the variables of the command, all of the process's own, since it is the
  ///     user's own desktop program.
  ///   - limit: how many notifications can wait at a time.
  ///   - report: is called with one line if the command cannot be run, or fails, and if messages
  ///     get no button that works, because stdbuf(1) of the GNU coreutils is not there, or the system
  ///     allows no more threads.
  public init(
    _ action: NotificationAction?, buttons: [NotificationButton] = [],
    environment: [String: String], limit: Int = 50, report: @escaping @Sendable (String) -> Void
  ) {
    precondition(limit > 0, "no notification could wait: the limit is \(limit)")
    self.buttons = [action.map(NotificationButton.init)].compactMap(\.self) + buttons
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
  public func close() {
    state.withLock { state in
      state.isClosed = true
      state.waiting = []
    }
    threads.wait()
  }

  /// Shows a message with the button, and leaves notify-send running.
  ///
  /// - Parameters:
  ///   - arguments: those of the message alone.
  ///   - variables: the environment of notify-send.
  ///   - timeout: how long it may take until the message has an id.
  ///   - notices: the notices of the message, in its order.
  /// - Returns: `nil` once the message has an id, or else the report of notify-send.
  func show(
    _ arguments: [String], _ variables: [String: String], within timeout: Duration,
    about notices: [Notice]
  ) throws(StartFailure) -> ChildProcess.Report? {
    let program = try ChildProcess.path(of: "notify-send", in: variables["PATH"])
    let shown = buttons.filter { notices.count == 1 || !$0.isForOneLoan }
    guard !shown.isEmpty, !state.withLock(\.isClosed),
      let buffering = buffering(in: variables["PATH"])
    else {
      var child = try ChildProcess(program, arguments, environment: variables)
      return child.untilEnd(within: timeout)
    }
    let button =
      ["-oL", program] + shown.map { "--action=\($0.name)=\($0.label)" } + ["--print-id"]
    let pipe: (reading: OpenFile, writing: OpenFile)
    do throws(Errno) { pipe = try OpenFile.pipe() } catch { throw StartFailure(error) }
    var child = try ChildProcess(buffering, button + arguments, environment: variables)
    let report = child.untilEnd(within: timeout) { line in
      // It prints 0 where it has failed, and 0.8.1 then waits all the same.
      UInt32(line).map { $0 == 0 ? .failed : .ready } ?? .nothing
    }
    guard report.ending == .running else { return report }
    state.withLock { state in
      if state.isClosed { return }
      state.waiting.append(pipe)
      if state.waiting.count > limit { state.waiting.removeFirst() }
    }
    threads.enter()
    do throws(Errno) {
      try SystemThread { [child, end = pipe.reading] in
        self.wait(for: child, until: end, about: notices)
        self.threads.leave()
      }.detach()
    } catch {
      // The message has been shown.
      state.withLock { state in state.waiting.removeAll { $0.reading === pipe.reading } }
      _ = child.untilEnd(within: .zero)
      threads.leave()
      reportOnce(
        """
        has no effect, because the system allows no more threads; end other programs, or raise the \
        limit with ulimit -u, or TasksMax= in a systemd unit
        """)
    }
    return nil
  }
}

extension NotificationActions {
  /// The path of stdbuf(1): notify-send(1) keeps the id in its buffer until it ends, unless it is made
  /// to write line by line.
  private func buffering(in path: String?) -> String? {
    if let program = try? ChildProcess.path(of: "stdbuf", in: path) { return program }
    reportOnce("is left out, because stdbuf was not found in PATH; install coreutils")
    return nil
  }

  /// Reports, the first time, that a message has no button that works.
  private func reportOnce(_ words: String) {
    let isFirst = state.withLock { state in
      defer { state.hasReported = true }
      return !state.hasReported
    }
    if isFirst { report("the action \(buttons.first?.label.quoted() ?? "") \(words)") }
  }

  /// Waits on this thread until the notification is closed, or `stop` can be read from.
  private func wait(for child: ChildProcess, until stop: OpenFile, about notices: [Notice]) {
    var child = child
    var isChosen = false
    _ = child.untilEnd(within: nil, stop: stop) { line in
      if let button = buttons.first(where: { $0.name == line }), !isChosen {
        isChosen = true
        respond(to: notices, as: button)
      }
      return .nothing
    }
    state.withLock { state in state.waiting.removeAll { $0.reading === stop } }
  }

  /// Runs the command, apart from everything else: it may take as long as it likes, and outlives this
  /// process.
  private func respond(to notices: [Notice], as button: NotificationButton) {
    let numbers = button.takesNumbers ? notices.compactMap(\.number).map(String.init) : []
    do throws(Errno) {
      try SystemThread { [self] in
        do throws(StartFailure) {
          var child = try ChildProcess(
            button.program, button.arguments + numbers,
            environment: environment.describing(notices), outlivesUs: true)
          let ending = child.untilEnd(within: nil).ending
          if !ending.isSuccess { reportFailure(of: button, ending.words) }
        } catch {
          reportFailure(of: button, error.words)
        }
      }.detach()
    } catch {
      reportFailure(of: button, StartFailure(error).words)
    }
  }

  private func reportFailure(of button: NotificationButton, _ words: String) {
    report("the action \(button.label.quoted()): \(button.program.visible) \(words)")
  }
}

extension [String: String] {
  /// The variables that a program can be given, and those that describe the first of some notices.
  fileprivate func describing(_ notices: [Notice]) -> [String: String] {
    let (notice, loan) = (notices.first, notices.first?.loan)
    let described = [
      ("ID", loan?.id), ("TITLE", loan?.title), ("AUTHOR", loan?.author), ("ISBN", loan?.isbn),
      ("BARCODE", loan?.barcode), ("BORROWER", loan?.borrower), ("EMAIL", loan?.email),
      ("BORROWER_LANGUAGE", loan?.language), ("CATEGORY", loan?.category), ("TYPE", loan?.type),
      ("RENEWABLE", loan?.renewable.map(String.init)),
      ("EXPIRATION", loan?.expiration.description), ("KIND", notice?.kind.rawValue),
      ("CATALOGUE", notice?.catalogue), ("LIBRARY", notice?.library),
      ("COUNT", String(notices.count)),
    ]
    // A shell passes names on that begin with a digit, or have none; no program expects them.
    var variables = filter { name, value in
      name.first.map { !$0.isNumber } == true && !"\(name)\(value)".utf8.contains(0)
    }
    for (name, value) in described {
      // NUL would end it, and execve(2) allows 128 KB.
      variables["CHECK_LOANS_\(name)"] = value.map { value in
        String(value.unicodeScalars.filter { $0 != "\0" }).shortened(to: 4_090)
      }
    }
    variables["PATH"] = variables["PATH"] ?? ChildProcess.standardPath
    return variables
  }
}
