internal import Loans

/// A button on a notification, and the program that is run when it is pressed.
///
/// The program is run without shell, in a process group of its own and with nothing on standard
/// input, its output thrown away, for as long as it likes. Its environment is that given to
/// ``NotificationActions``, with the loan in `CHECK_LOANS_ID`, `_TITLE`, `_AUTHOR`, `_ISBN`,
/// `_BARCODE`, `_BORROWER`, `_EMAIL`, `_EXPIRATION` (`2026-11-22`), `_KIND` (`reminder` or
/// `expired`), `_CATALOGUE` and `_LIBRARY`; what the catalogue does not give is not set. For a digest
/// it is the loan that is named first. `CHECK_LOANS_COUNT` is the number of notices.
public struct NotificationAction: Sendable, Hashable, CustomStringConvertible {
  /// The button's text, one harmless line.
  public let label: String
  /// An absolute path, or a name in PATH.
  public let program: String
  /// The arguments of the program, without its name.
  public let arguments: [String]
  /// The action as it was given, `LABEL=COMMAND`.
  public let description: String

  /// Reads `LABEL=COMMAND`, for example `View=xdg-open "https://example.org/my loans"`.
  ///
  /// The command is split into words at spaces, tabs and line breaks, where these are not quoted as
  /// in a POSIX shell: everything within `'…'`; within `"…"` everything but a backslash before `"`,
  /// `\`, `$` or a backquote; one character after a backslash. Nothing is expanded. The label ends
  /// at the first `=`.
  ///
  /// - Throws: ``NotificationActionError``.
  public init(argument: String) throws(NotificationActionError) {
    do throws(NotificationActionError.Code) {
      guard let end = argument.firstIndex(of: "=") else { throw .noCommand }
      let words = try Self.words(of: argument[argument.index(after: end)...])
      label = String(argument[..<end]).desktopLine(limit: 60)
      if label.isEmpty { throw .emptyLabel }
      program = words.first ?? ""
      if program.isEmpty { throw .emptyCommand }
      arguments = Array(words.dropFirst())
      description = argument
    } catch {
      throw NotificationActionError(code: error, text: argument)
    }
  }

  private static func words(of command: Substring) throws(NotificationActionError.Code) -> [String]
  {
    var words: [String] = []
    /// The word that is being read; an empty one can be quoted into being.
    var word: String?
    var quote: Unicode.Scalar?
    var rest = command.unicodeScalars
    while let scalar = rest.popFirst() {
      switch scalar {
      case quote:
        quote = nil
      case "'" where quote == nil, "\"" where quote == nil:
        quote = scalar
        word = word ?? ""
      case "\\" where quote != "'":
        guard let next = rest.popFirst() else {
          throw quote.map { .unbalancedQuote($0) } ?? .trailingBackslash
        }
        let isKept = quote != nil && !"\"\\$`\n".unicodeScalars.contains(next)
        if isKept { word = (word ?? "") + "\\" }
        // A line break that is quoted this way joins two lines.
        if next != "\n" { word = (word ?? "") + String(next) }
      case " " where quote == nil, "\t" where quote == nil, "\n" where quote == nil:
        if let word { words.append(word) }
        word = nil
      default:
        word = (word ?? "") + String(scalar)
      }
    }
    if let quote { throw .unbalancedQuote(quote) }
    if let word { words.append(word) }
    return words
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

  /// One line, `expected LABEL=COMMAND, for example "View=xdg-open …": "View" has no =`.
  public var description: String {
    let reason =
      switch code {
      case .noCommand: "has no ="
      case .emptyLabel: "has no label before the ="
      case .emptyCommand: "has no command after the ="
      case .unbalancedQuote(let mark): "lacks a closing \(mark)"
      case .trailingBackslash: "ends in a backslash"
      }
    return "expected LABEL=COMMAND, for example View=xdg-open: \(text.quoted()) \(reason)"
  }
}

/// A button on a notification that runs a command with the numbers of its loans, as their schedule has
/// them, after other arguments.
public struct NotificationButton: Sendable, Hashable {
  /// The name by which notify-send(1) says that it was pressed, unlike that of other buttons.
  let name: String
  /// The button's text.
  package let label: String
  /// An absolute path, or a name in PATH.
  let program: String
  /// The arguments before the numbers.
  let arguments: [String]
  /// Whether a message about several loans does without it.
  let isForOneLoan: Bool
  private(set) var takesNumbers = true

  /// A button.
  public init(
    name: String, label: String, program: String, arguments: [String], isForOneLoan: Bool = false
  ) {
    self.name = name
    self.label = label
    self.program = program
    self.arguments = arguments
    self.isForOneLoan = isForOneLoan
  }

  /// The user's own button, whose program knows its loans by the environment.
  init(_ action: NotificationAction) {
    self.init(
      name: "open", label: action.label, program: action.program, arguments: action.arguments)
    takesNumbers = false
  }
}
