public import Loans

/// A button on a notification, and what happens when it is pressed.
public struct NotificationAction: Sendable {
  /// What happens when the button is pressed.
  public enum Response: Sendable {
    /// This program, an absolute path or a name in PATH, is run with these arguments.
    ///
    /// It runs without shell, in a process group of its own and with nothing on standard input,
    /// its output thrown away, for as long as it likes. Its environment is that given to
    /// ``NotificationActions``, with the loan in `CHECK_LOANS_ID`, `_TITLE`, `_AUTHOR`, `_ISBN`,
    /// `_BARCODE`, `_BORROWER`, `_EMAIL`, `_EXPIRATION` (`2026-11-22`), `_KIND` (`reminder` or
    /// `expired`), `_CATALOGUE` and `_LIBRARY`; what the catalogue does not give is not set. For a digest it
    /// is the loan that is named first. `CHECK_LOANS_COUNT` is the number of notices.
    case command(program: String, arguments: [String])
    /// This is called with the message's notices, in the order in which a digest names them.
    case handler(@Sendable ([Notice]) async -> Void)
  }

  /// The button's text, one harmless line.
  public let label: String
  /// What happens when it is pressed.
  public let response: Response

  /// A button that is labelled `label`.
  ///
  /// - Throws: ``NotificationActionError`` if nothing of the label can be shown, or the program
  ///   has no name.
  public init(label: String, response: Response) throws(NotificationActionError) {
    self.label = label.desktopLine(limit: 60, byteLimit: 600)
    self.response = response
    if self.label.isEmpty { throw NotificationActionError(.emptyLabel, in: label) }
    if case .command(program: "", _) = response {
      throw NotificationActionError(.emptyCommand, in: label)
    }
  }

  /// Reads `LABEL=COMMAND`, for example `View=xdg-open "https://example.org/my loans"`.
  ///
  /// The command is split into words at spaces, tabs and line breaks, where these are not quoted as
  /// in a POSIX shell: everything within `'…'`; within `"…"` everything but a backslash before `"`,
  /// `\`, `$` or a backquote; one character after a backslash. Nothing is expanded. The label ends
  /// at the first `=`.
  ///
  /// - Throws: ``NotificationActionError``.
  public init(argument: String) throws(NotificationActionError) {
    guard let end = argument.firstIndex(of: "=") else {
      throw NotificationActionError(.noCommand, in: argument)
    }
    var splitter = CommandSplitter()
    for scalar in argument[argument.index(after: end)...].unicodeScalars { splitter.read(scalar) }
    let words: [String]
    switch splitter.finish() {
    case .success(let split): words = split
    case .failure(let code): throw NotificationActionError(code, in: argument)
    }
    guard let program = words.first else {
      throw NotificationActionError(.emptyCommand, in: argument)
    }
    let response = Response.command(program: program, arguments: Array(words.dropFirst()))
    do {
      try self.init(label: String(argument[..<end]), response: response)
    } catch {
      throw NotificationActionError(error.code, in: argument)
    }
  }
}

/// Why something is not an action.
public struct NotificationActionError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What kind of mistake it is.
  public enum Code: Error, Sendable, Hashable {
    /// There is no `=`.
    case noCommand
    /// Nothing of the label can be shown.
    case emptyLabel
    /// There is no program after the `=`.
    case emptyCommand
    /// This quotation mark has no counterpart.
    case unbalancedQuote(Unicode.Scalar)
    /// The command ends in a backslash, which would quote what follows.
    case trailingBackslash
  }

  /// What kind of mistake it is.
  public let code: Code

  /// What was given.
  public let text: String

  init(_ code: Code, in text: String) {
    self.code = code
    self.text = text
  }

  /// One line, `expected LABEL=COMMAND, for example "View=xdg-open …": "View" has no =`.
  public var description: String {
    "expected LABEL=COMMAND, for example View=xdg-open: \(text.quoted()) \(reason)"
  }

  private var reason: String {
    switch code {
    case .noCommand: "has no ="
    case .emptyLabel: "has no label before the ="
    case .emptyCommand: "has no command after the ="
    case .unbalancedQuote(let mark): "lacks a closing \(mark)"
    case .trailingBackslash: "ends in a backslash"
    }
  }
}
