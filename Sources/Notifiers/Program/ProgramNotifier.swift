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
    /// The document of ``ExecNotifier``.
    case json
    case none
  }

  /// The name that somebody gave it.
  public var channel: String { program.channel }

  private let program: ChannelProgram
  private let arguments: [ArgumentTemplate]
  private let scope: Scope
  private let input: Input
  private let language: @Sendable (Notice) -> Language

  /// A notifier that runs a program for every message, as ``ExecNotifier`` does.
  ///
  /// - Parameters:
  ///   - command: the program, a path or a name to be found in `PATH`, and its arguments.
  ///   - scope: the notices that one run is about.
  ///   - input: what the program reads. If it is JSON, the program can answer as that of
  ///     ``ExecNotifier`` does.
  ///   - environment: where its variables are taken from.
  ///   - names: the variables that it gets besides the few that every program gets.
  ///   - timeout: how long one run may take before the program is stopped.
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

  /// By the borrower where one run is about one borrower.
  public var grouping: Grouping { scope == .borrower ? .byBorrower : .together }

  /// One notice in each message, or as many as ``ExecNotifier`` has in one.
  public func messages(for notices: [Notice]) -> [ArraySlice<Notice>] {
    scope == .notice
      ? notices.indices.map { notices[$0...$0] } : NoticeDocument.messages(for: notices)
  }

  /// Runs the program and waits for its end.
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
  /// A line for each notice.
  let lines: [String]

  /// The message about these notices, or `nil` if there is none.
  init?(_ notices: ArraySlice<Notice>, today: CivilDate, in language: Language) {
    guard let summary = DesktopMessage(notices, today: today, in: language) else { return nil }
    self.notices = notices
    self.summary = summary
    lines = notices.map { $0.line(today: today, in: language) }
  }

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
