public import Loans

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
///
/// What the program answers decides what counts as delivered: the lines
///
///     ok 0
///     ok 2
///
/// on standard output are the first and the third of the notices; without any such line, status 0 is
/// all of them.
public struct ExecNotifier: Notifier {
  /// `exec:` and the program, as it was given.
  public var channel: String { program.channel }

  /// The most bytes that the notices of a message have in its document; the rest of 8 MB is for what
  /// is around them.
  package var mostBytes = NoticeDocument.mostBytes

  private let program: ChannelProgram

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
    self.program = ChannelProgram(
      channel: "exec:\(program)", program: program, environment: environment, timeout: timeout,
      advice: .exec)
  }

  /// Up to 1,000 notices in each message, and up to 8 MB in its document, unless a single notice is
  /// longer.
  public func messages(for notices: [Notice]) -> [ArraySlice<Notice>] {
    NoticeDocument.messages(for: notices, mostBytes: mostBytes)
  }

  /// Runs the program and waits for its end; status 0 means delivered, whatever it has read, unless it
  /// has answered which notices were.
  ///
  /// The rest of its output is discarded, except the first line of a failure. A process that it leaves
  /// in the background is not waited for.
  ///
  /// - Throws: ``NotifierError`` with the code `unavailable`, `failed`, `timedOut` or `systemLimit`.
  public func send(
    _ message: ArraySlice<Notice>, in context: DeliveryContext
  ) throws(NotifierError) {
    if message.isEmpty { return }
    let document = NoticeDocument.text(of: message, channel: channel, context)
    try program.run(input: document, about: message.count)
  }
}
