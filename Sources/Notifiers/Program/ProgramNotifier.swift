public import Languages
public import Loans

/// Hands notices to any program, by its arguments and its standard input.
///
/// ``ArgumentTemplate``s make the arguments, so that a program such as curl(1) needs no script:
///
///     curl -fsS -H "Title: {title}" -H "Priority: {priority}" --data-binary @- https://ntfy.sh/books
///
/// The values are one line each, of 4 KB at most, without anything that could steer what shows them.
public struct ProgramNotifier: Notifier {
  /// The notices that one run of the program is about.
  public enum Scope: String, CaseIterable, Sendable {
    /// All that are due.
    case run
    /// Those for one borrower.
    case borrower
    /// One.
    case notice
  }

  /// What the program reads from standard input.
  public enum Input: String, CaseIterable, Sendable {
    /// A line for each notice.
    case text
    /// A document that the program can answer.
    case json
    case none
  }

  /// The name that somebody gave it, or `exec:` and the program.
  public var channel: String { program.channel }

  private let program: ChannelProgram
  private let arguments: [ArgumentTemplate]
  private let scope: Scope
  private let input: Input
  private let language: @Sendable (Notice) -> Language

  /// The most bytes that the notices of a message have in a document.
  package var mostBytes = NoticeDocument.mostBytes

  /// A notifier that runs a program for every message: without shell, in a process group of its own, with
  /// no descriptors but the first three.
  ///
  /// The program gets these variables, where they are set: `PATH`, `HOME`, `USER`, `LOGNAME`, `LANG`,
  /// `LANGUAGE`, `LC_…`, `TZ`, `TMPDIR`, `CREDENTIALS_DIRECTORY`, `XDG_CONFIG_HOME`, `XDG_RUNTIME_DIR`,
  /// `DBUS_SESSION_BUS_ADDRESS`, `DISPLAY`, `WAYLAND_DISPLAY` and `XAUTHORITY`: what it needs to find its
  /// settings, its user's desktop and the time zone. Besides, `CHECK_LOANS_CHANNEL` is ``channel``.
  ///
  /// - Parameters:
  ///   - command: the program, a path or a name to be found in `PATH`, and its arguments.
  ///   - scope: the notices that one run is about.
  ///   - input: what the program reads. If it is JSON, the program can answer by lines `ok INDEX` which
  ///     notices were sent; without any, status 0 is all of them.
  ///   - environment: where its variables are taken from.
  ///   - names: the variables that it gets besides the few that every program gets.
  ///   - timeout: how long one run may take before the program is stopped with its group: SIGTERM, and
  ///     SIGKILL two seconds later.
  ///   - language: the language of a message, by its first notice.
  public init(
    channel: String, command: [ArgumentTemplate], per scope: Scope = .run, input: Input = .text,
    environment: [String: String], passing names: [String] = [], timeout: Duration = .seconds(30),
    language: @escaping @Sendable (Notice) -> Language = { _ in .english }
  ) {
    program = ChannelProgram(
      channel: channel, program: command.first?.text ?? "", environment: environment,
      passing: names, timeout: timeout, advice: .table,
      failureCode: scope == .run ? .failed : .temporary)
    arguments = Array(command.dropFirst())
    (self.scope, self.input, self.language) = (scope, input, language)
  }

  /// The notifier of the channel `exec:PROGRAM`, whose program reads a document and has no arguments.
  ///
  /// - Parameter program: an absolute path; or a name, looked for in the absolute entries of `PATH` each
  ///   time.
  public static func exec(
    _ program: String, environment: [String: String], timeout: Duration = .seconds(10)
  ) -> ProgramNotifier {
    ProgramNotifier(
      ChannelProgram(
        channel: "exec:\(program)", program: program, environment: environment, timeout: timeout,
        advice: .exec))
  }

  private init(_ program: ChannelProgram) {
    self.program = program
    (arguments, scope, input, language) = ([], .run, .json, { _ in .english })
  }

  /// By the borrower where one run is about one borrower at most, so that the notices for one whose runs
  /// fail come after those for others.
  public var grouping: Grouping { scope == .run ? .together : .byBorrower }

  /// Yes: the document has it.
  public var needsOpenCount: Bool { true }

  /// One notice in each message, or up to 1,000, and up to 8 MB unless a single notice is longer.
  public func messages(for notices: [Notice]) -> [ArraySlice<Notice>] {
    scope == .notice
      ? notices.indices.map { notices[$0...$0] }
      : NoticeDocument.messages(for: notices, mostBytes: mostBytes)
  }

  /// Runs the program and waits for its end; status 0 means delivered, whatever it has read.
  ///
  /// The rest of its output is discarded, except the first line of a failure. A process that it leaves
  /// in the background is not waited for.
  ///
  /// - Throws: ``NotifierError`` with the code `unavailable`, `failed`, `timedOut` or `systemLimit`; or
  ///   `temporary` if the program fails that runs for each borrower or notice.
  public func send(
    _ message: ArraySlice<Notice>, in context: DeliveryContext
  ) throws(NotifierError) {
    guard let first = message.first,
      let content = ProgramMessage(message, today: context.now.date, in: language(first))
    else { return }
    var given: [String] = []
    for (index, template) in arguments.enumerated() {
      guard let argument = template.argument({ content[$0] }) else {
        throw program.error(
          .failed,
          """
          was not run: its argument \(index + 1) would begin with - or @, \
          like an option; put a text before the placeholder, in run of its [[channel]] table
          """)
      }
      given.append(argument)
    }
    let text: String? =
      switch input {
      case .text: content.lines.map { $0 + "\n" }.joined()
      case .json: NoticeDocument.text(of: message, channel: channel, context)
      case .none: nil
      }
    try program.run(given, input: text, about: input == .json ? message.count : 0)
  }
}

/// The words of a message for a program.
private struct ProgramMessage {
  private let notices: ArraySlice<Notice>
  private let summary: DesktopMessage
  private let today: CivilDate
  private let language: Language

  /// The message about these notices, or `nil` if there is none.
  init?(_ notices: ArraySlice<Notice>, today: CivilDate, in language: Language) {
    guard let summary = DesktopMessage(notices, today: today, in: language) else { return nil }
    (self.notices, self.summary) = (notices, summary)
    (self.today, self.language) = (today, language)
  }

  /// A line for each notice.
  var lines: [String] { notices.map { $0.line(for: .message, today: today, in: language) } }

  /// A value as one harmless line.
  subscript(placeholder: ArgumentTemplate.Placeholder) -> String {
    switch placeholder {
    case .title: summary.summary.asValue
    case .text: lines.joined(separator: "; ").asValue
    case .count: "\(notices.count)"
    case .urgency: summary.urgency.rawValue
    // As ntfy, Gotify and others have them.
    case .priority: summary.urgency == .critical ? "4" : "3"
    case .borrower: common(\.borrower).asValue
    case .email: common(\.email).asValue
    }
  }

  /// What all loans have in common; else nothing.
  private func common(_ text: (Loan) -> String?) -> String {
    let texts = Set(notices.map { text($0.loan) })
    return texts.count == 1 ? texts.first.flatMap(\.self) ?? "" : ""
  }
}

extension String {
  /// The text as one line of at most 4 KB, without anything that could steer what shows it.
  fileprivate var asValue: String {
    let most = 4_096
    let line = desktopLine(limit: most)
    if line.utf8.count <= most { return line }
    var value = ""
    for character in line where value.utf8.count + character.utf8.count <= most - 3 {
      value.append(character)
    }
    return value + "…"
  }
}
