public import Loans
internal import System

/// Hands notices to a program as one JSON document on its standard input.
///
/// The document is one line; its keys are only ever added to:
///
/// ```json
/// {"version":1,"now":"2026-11-21T07:00:00","channel":"exec:tell","openCount":12,"notices":[
///   {"kind":"reminder","urgency":"normal",
///    "text":"\"Abigél\" expires tomorrow (2026.11.22), by Szabó Magda, lent to Kovács Anna",
///    "expiration":"2026-11-22","daysLeft":1,"catalogue":"/srv/books.xml",
///    "loan":{"id":"bk101","title":"Abigél","author":"Szabó Magda","isbn":null,"barcode":null,
///            "borrower":"Kovács Anna","email":"anna@example.org"},
///    "expirationTime":null,"library":null}]}
/// ```
///
/// `kind` is `reminder` or `expired`, `urgency` is `normal` or `critical`, and `daysLeft` is
/// negative once the loan has expired. `library` is what people call it, `the Central Library`, if it
/// was named. A field that the catalogue does not give is null. `text` is
/// harmless on a terminal; the fields of the loan are as the catalogue has them.
public struct ExecNotifier: Notifier {
  /// `exec:` and the program, as it was given.
  public let channel: String

  private static let mostNotices = 1_000
  /// The most bytes that the notices of a message have in its document; the rest of 8 MB is for what
  /// is around them.
  package var mostBytes = 7_900_000

  private let program: String
  private let environment: [String: String]
  private let timeout: Duration

  /// A notifier that runs `program` once for every message: without shell and arguments, in a
  /// process group of its own, with no descriptors but the first three.
  ///
  /// The program gets these variables, where they are set: `PATH`, `HOME`, `USER`, `LOGNAME`,
  /// `LANG`, `LANGUAGE`, `LC_…`, `TZ`, `TMPDIR`, `XDG_CONFIG_HOME`, `XDG_RUNTIME_DIR`,
  /// `DBUS_SESSION_BUS_ADDRESS`, `DISPLAY`, `WAYLAND_DISPLAY` and `XAUTHORITY`: what it needs to
  /// find its settings, its user's desktop and the time zone. Besides, `CHECK_LOANS_CHANNEL` is
  /// ``channel``.
  ///
  /// - Parameters:
  ///   - program: an absolute path; or a name, looked for in the absolute entries of `PATH` each
  ///     time.
  ///   - environment: where these variables are taken from.
  ///   - timeout: how long one message may take before the program is stopped with its group:
  ///     SIGTERM, and SIGKILL two seconds later.
  public init(
    program: String, environment: [String: String], timeout: Duration = .seconds(10)
  ) {
    channel = "exec:\(program)"
    self.program = program
    self.environment = Self.childEnvironment(from: environment, channel: channel)
    self.timeout = timeout
  }

  /// Up to 1,000 notices in each message, and up to 8 MB in its document, unless a single notice is
  /// longer.
  public func messages(for notices: [Notice]) -> [ArraySlice<Notice>] {
    var messages: [ArraySlice<Notice>] = []
    var (start, bytes) = (0, 0)
    for (index, notice) in notices.enumerated() {
      let more = NoticeDocument.mostBytes(of: notice)
      if index - start == Self.mostNotices || index > start && bytes + more > mostBytes {
        messages.append(notices[start..<index])
        (start, bytes) = (index, 0)
      }
      bytes += more
    }
    if start < notices.count { messages.append(notices[start...]) }
    return messages
  }

  /// Runs the program and waits for its end; status 0 means delivered, whatever it has read.
  ///
  /// Its output is discarded, except the first line of a failure. A process that it leaves in the
  /// background is not waited for.
  ///
  /// - Throws: ``NotifierError`` with the code `unavailable`, `failed`, `timedOut` or `systemLimit`.
  public func send(
    _ message: ArraySlice<Notice>, in context: DeliveryContext
  ) async throws(NotifierError) {
    guard !message.isEmpty else { return }
    let document = NoticeDocument(notices: message, context: context, channel: channel)
    let child = ChildProcess(
      try locate(), environment: environment, input: document.bytes, timeout: timeout)
    let report: ChildProcess.Report
    do throws(StartFailure) {
      report = try await child.run()
    } catch {
      throw self.error(error, of: child.program)
    }
    if report.timedOut { throw lateness }
    if !report.ending.isSuccess { throw failure(report) }
  }
}

extension ExecNotifier {
  private static let passedOn: Set = [
    "PATH", "HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "TZ", "TMPDIR", "XDG_CONFIG_HOME",
    "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY",
  ]

  private static func childEnvironment(
    from environment: [String: String], channel: String
  ) -> [String: String] {
    var child = environment.filter { name, value in
      !value.isEmpty && (passedOn.contains(name) || name.hasPrefix("LC_"))
    }
    child["PATH"] = environment["PATH"] ?? ProgramSearch.standardPath
    child["CHECK_LOANS_CHANNEL"] = channel
    return child
  }
}

extension ExecNotifier {
  private func error(_ code: NotifierError.Code, _ message: String) -> NotifierError {
    NotifierError(code, channel: channel, message: message)
  }

  private var name: String { channel.visible }

  private func locate() throws(NotifierError) -> String {
    switch ProgramSearch(program, path: environment["PATH"] ?? "") {
    case .found(let path): return path
    case .notExecutable(let path):
      throw error(
        .unavailable,
        "\(name) is not executable; if it is your program, use chmod +x \(path.visible)")
    case .missing(directories: []) where program.contains("/"):
      throw error(
        .unavailable, "\(name) was not found; correct the path in --notify")
    case .missing(let directories):
      let places = directories.isEmpty ? "has no absolute entry" : directories.places
      throw error(
        .unavailable, "\(name) was not found in PATH, which \(places); install it, or give its path"
      )
    case .unclear:
      throw error(
        .unavailable,
        "\(name) does not name a program; give exec: an absolute path, or a name in PATH")
    }
  }

  private func error(_ failure: StartFailure, of path: String) -> NotifierError {
    switch failure {
    case .shortage: error(.systemLimit, "\(name) \(failure.words)")
    case .notFound:
      error(
        .unavailable,
        "\(name) could not be run; if it is a script, check that its first line, #!, "
          + "names a program that exists")
    case .other:
      error(
        .unavailable,
        "\(name) \(failure.words); check that \(path.visible) is a program, "
          + "or a script whose first line is #! with one")
    }
  }

  private var lateness: NotifierError {
    error(
      .timedOut,
      "\(name) did not finish within \(timeout.words) and was stopped; "
        + "make it faster, or let it only queue the notices for another program")
  }

  private func failure(_ report: ChildProcess.Report) -> NotifierError {
    error(
      .failed,
      "\(name) \(report.failure); if this persists, fix the program")
  }
}

extension [String] {
  /// `is /usr/local/bin:/usr/bin`, shortened to a readable length.
  fileprivate var places: String { "is \(joined(separator: ":").shortened(to: 200).visible)" }
}
