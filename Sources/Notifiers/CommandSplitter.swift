/// Splits a command into words as a POSIX shell does, but expands nothing.
struct CommandSplitter {
  private enum State {
    case plain
    case escaped
    case single
    case double
    case doubleEscaped
  }

  private var words: [String] = []
  /// The word that is being read; an empty one can be quoted into being.
  private var word: String.UnicodeScalarView?
  private var state = State.plain

  /// Reads one more scalar.
  mutating func read(_ scalar: Unicode.Scalar) {
    switch state {
    case .plain: readPlain(scalar)
    case .single: if scalar == "'" { state = .plain } else { append(scalar) }
    case .double: readDoubleQuoted(scalar)
    case .escaped:
      // A line break that is quoted this way joins two lines.
      if scalar != "\n" { append(scalar) }
      state = .plain
    case .doubleEscaped:
      if !"\"\\$`\n".unicodeScalars.contains(scalar) { append("\\") }
      if scalar != "\n" { append(scalar) }
      state = .double
    }
  }

  /// The words, or what is not complete.
  mutating func finish() -> Result<[String], NotificationActionError.Code> {
    switch state {
    case .plain:
      endWord()
      return .success(words)
    case .single: return .failure(.unbalancedQuote("'"))
    case .double, .doubleEscaped: return .failure(.unbalancedQuote("\""))
    case .escaped: return .failure(.trailingBackslash)
    }
  }

  private mutating func readPlain(_ scalar: Unicode.Scalar) {
    switch scalar {
    case " ", "\t", "\n": endWord()
    case "\\": state = .escaped
    case "'", "\"":
      state = scalar == "'" ? .single : .double
      word = word ?? String.UnicodeScalarView()
    default: append(scalar)
    }
  }

  private mutating func readDoubleQuoted(_ scalar: Unicode.Scalar) {
    switch scalar {
    case "\"": state = .plain
    case "\\": state = .doubleEscaped
    default: append(scalar)
    }
  }

  private mutating func append(_ scalar: Unicode.Scalar) {
    word = word ?? String.UnicodeScalarView()
    word?.append(scalar)
  }

  private mutating func endWord() {
    if let word { words.append(String(word)) }
    word = nil
  }
}
