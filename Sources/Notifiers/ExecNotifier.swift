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
///            "borrower":"Kovács Anna","email":"anna@example.org","language":"hu",
///            "category":"student","type":null,"library":null,"renewable":true},
///    "expirationTime":null,"library":null,"rung":-1,"openDays":null}]}
/// ```
///
/// `kind` is `reminder` or `expired`, `urgency` is `normal` or `critical`, and `daysLeft` is
/// negative once the loan has expired. `library` is what people call it, `the Central Library`, if it
/// was named: the loan's own, or else the catalogue's. `rung` is the day of the ladder, −7 a week before
/// the expiration and 1 on the first day after it. `openDays` are the open days `before` and `after` an
/// expiration on which the library is closed. A field that the catalogue does not give is null. `text`
/// is harmless on a terminal; the fields of the loan are as the catalogue has them.
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
    self.environment = environment.passedOn.merging(["CHECK_LOANS_CHANNEL": channel]) { $1 }
    self.timeout = timeout
  }

  /// Up to 1,000 notices in each message, and up to 8 MB in its document, unless a single notice is
  /// longer.
  public func messages(for notices: [Notice]) -> [ArraySlice<Notice>] {
    var messages: [ArraySlice<Notice>] = []
    var (start, bytes) = (0, 0)
    for (index, notice) in notices.enumerated() {
      // A few more than it has: its text is longer on some days than on others.
      let more = notice.json(today: notice.loan.expiration).text.utf8.count + 64
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
  ) throws(NotifierError) {
    guard !message.isEmpty else { return }
    let isName = !program.isEmpty && !program.contains("/")
    guard program.hasPrefix("/") && !program.hasSuffix("/") || isName else {
      throw error(
        .unavailable, "does not name a program; give exec: an absolute path, or a name in PATH")
    }
    let document = document(message, context).text + "\n"
    let report: ChildProcess.Report
    do throws(StartFailure) {
      var child = try ChildProcess(program, environment: environment, input: Array(document.utf8))
      report = child.untilEnd(within: timeout)
    } catch {
      throw self.error(error)
    }
    if report.timedOut {
      throw lateness(
        after: timeout, "make it faster, or let it only queue the notices for another program")
    }
    if !report.ending.isSuccess {
      throw error(.failed, "\(report.failure); if this persists, fix the program")
    }
  }

  private func error(_ failure: StartFailure) -> NotifierError {
    let words: String
    switch failure {
    case .shortage: return error(.systemLimit, failure.words)
    case .notExecutable(let path):
      words = "is not executable; if it is your program, use chmod +x \(path.visible)"
    case .missing where program.hasPrefix("/"):
      words = "was not found; correct the path in --notify"
    case .missing(directories: []):
      words = "was not found in PATH, which has no absolute entry; install it, or give its path"
    case .missing(let directories):
      let places = directories.joined(separator: ":").shortened(to: 200).visible
      words = "was not found in PATH, which is \(places); install it, or give its path"
    case .noInterpreter:
      words = """
        could not be run; if it is a script, check that its first line, #!, names a program that \
        exists
        """
    case .other:
      let path = try? ChildProcess.path(of: program, in: environment["PATH"])
      words = """
        \(failure.words); check that \((path ?? program).visible) is a program, or a script whose \
        first line is #! with one
        """
    }
    return error(.unavailable, words)
  }

  private func document(_ notices: ArraySlice<Notice>, _ context: DeliveryContext) -> JSONValue {
    .object([
      ("version", .int(1)),
      ("now", .string(context.now.description)),
      ("channel", .string(channel)),
      ("openCount", .int(context.openCount)),
      ("notices", .array(notices.map { $0.json(today: context.now.date) })),
    ])
  }
}

extension Notice {
  fileprivate func json(today: CivilDate) -> JSONValue {
    .object([
      ("kind", .string(kind.rawValue)),
      ("urgency", .string(urgency.rawValue)),
      ("text", .string(line(today: today))),
      ("expiration", .string(loan.expiration.description)),
      ("daysLeft", .int(loan.daysLeft(today: today))),
      ("catalogue", .string(catalogue)),
      ("loan", .object(loan.members(library: library))),
      ("expirationTime", JSONValue(loan.expirationTime?.description)),
      ("library", JSONValue(library)),
      ("rung", .int(rung)),
      ("openDays", openDays?.json ?? .null),
    ])
  }
}
