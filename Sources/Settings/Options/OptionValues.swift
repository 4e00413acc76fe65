import ArgumentParser
package import LoanRules
package import Loans

// MARK: - Parsers

/// Reads a whole number in a range.
package func number(_ range: ClosedRange<Int>) -> @Sendable (String) throws -> Int {
  { text in
    guard let number = Int(text), range.contains(number) else {
      throw ValidationError("give a number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }
}

/// Reads one of the texts of an enumeration.
@Sendable package func choice<Choice: CaseIterable & RawRepresentable<String>>(
  _ text: String
) throws -> Choice {
  if let choice = Choice(rawValue: text) { return choice }
  let known = Choice.allCases.map(\.rawValue).joined(separator: ", ")
  throw ValidationError("give one of \(known)")
}

extension CivilTime {
  /// Reads a time of day as `HH:MM`.
  @Sendable package static func parse(_ text: String) throws -> CivilTime {
    if text.utf8.count == 5, let time = CivilTime(iso: text.utf8) { return time }
    if let time = CivilTime(iso: "0\(text)".utf8), text.utf8.count == 4 {
      throw ValidationError("write it as HH:MM: \(time)")
    }
    throw ValidationError("give a time of day from 00:00 to 23:59")
  }
}

extension DailyHours {
  /// Reads hours as `HH:MM-HH:MM`.
  @Sendable package static func parse(_ text: String) throws -> DailyHours {
    let times = text.split(separator: "-", omittingEmptySubsequences: false)
    guard times.count == 2 else { throw ValidationError("write it as HH:MM-HH:MM: 08:00-20:00") }
    let (start, end) = try (CivilTime.parse(String(times[0])), CivilTime.parse(String(times[1])))
    guard let hours = DailyHours(from: start, to: end) else {
      throw ValidationError("the two times are equal; leave the option out for all day")
    }
    return hours
  }
}

extension CivilDateTime {
  /// Reads a day, also as catalogues write it, and perhaps a time after it.
  @Sendable package static func parse(_ text: String) throws -> CivilDateTime {
    let day = String(text.prefix(10).map { $0 == "." ? "-" : $0 })
    let isDotted = text.prefix(10).filter { $0 == "." }.count == 2
    let iso = isDotted ? day + text.dropFirst(10) : text
    guard let time = CivilDateTime(iso: iso) else {
      if iso.wholeMatch(of: #/\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d)?)?/#) != nil {
        throw ValidationError("there is no such day or time")
      }
      throw ValidationError("write it as YYYY-MM-DD or YYYY-MM-DDTHH:MM, for example 2026-12-01")
    }
    return time
  }
}

/// A channel through which notices are sent.
package enum ChannelName: Hashable, Sendable, ExpressibleByArgument {
  case stdout
  case notifySend
  /// A program, by its absolute path or by a name to be looked for in PATH.
  case exec(String)
  case mail
  /// Mail that goes to somebody else, for a trial: nothing then counts as delivered to those for whom it
  /// is.
  case mailRedirect
  /// A Maildir, by its absolute path.
  case maildir(String)
  /// A program to which the settings file gives this name.
  case named(String)

  init?(argument: String) {
    switch argument {
    case "stdout": self = .stdout
    case "notify-send": self = .notifySend
    case _ where argument.hasPrefix("exec:"):
      let program = String(argument.dropFirst("exec:".count))
      if program.isEmpty || program.hasSuffix("/") { return nil }
      self = .exec(program)
    case "mail": self = .mail
    case _ where argument.hasPrefix("maildir:"):
      let directory = String(argument.dropFirst("maildir:".count))
      if directory.isEmpty { return nil }
      self = .maildir(directory)
    case _ where !Self.builtIn.contains(argument) && Self.isPlain(argument):
      self = .named(argument)
    default: return nil
    }
  }

  /// The channel's name, in the ledger too.
  package var name: String {
    switch self {
    case .stdout: "stdout"
    case .notifySend: "notify-send"
    case .exec(let program): "exec:\(program)"
    case .mail: "mail"
    case .mailRedirect: "mail-redirect"
    case .maildir(let directory): "maildir:\(directory)"
    case .named(let name): name
    }
  }

  /// Whether it writes to borrowers' addresses.
  package var isMail: Bool {
    switch self {
    case .mail, .mailRedirect, .maildir: true
    default: false
    }
  }

  package var defaultValueDescription: String { name }

  /// The names that the settings file cannot give.
  static let builtIn = ["stdout", "notify-send", "exec", "mail", "maildir", "none"]

  /// The channels that are meant by names which are not like theirs.
  static let otherNames = [
    "smtp": "mail", "sendmail": "mail", "desktop": "notify-send", "libnotify": "notify-send",
  ]

  /// Whether the settings file can give the name: it has only `a-z`, `0-9` and hyphens after the first.
  package static func isPlain(_ name: String) -> Bool {
    name.wholeMatch(of: #/[a-z0-9][a-z0-9-]*/#.matchingSemantics(.unicodeScalar)) != nil
  }

  static let allValueStrings = [
    "stdout", "notify-send", "mail", "maildir:DIR", "exec:PROGRAM", "NAME",
  ]
  fileprivate static let completions = ["stdout", "notify-send", "mail", "maildir:", "exec:"]
  static let defaultCompletionKind = CompletionKind.list(completions)

  // A path is bytes: names that Unicode takes for equal are different programs.
  package static func == (left: ChannelName, right: ChannelName) -> Bool {
    left.name.utf8.elementsEqual(right.name.utf8)
  }

  package func hash(into hasher: inout Hasher) {
    for byte in name.utf8 { hasher.combine(byte) }
  }
}

/// A channel as the command line names it, or that there is to be none.
package enum ChannelChoice: Hashable, Sendable, ExpressibleByArgument {
  case none
  case channel(ChannelName)

  init?(argument: String) {
    if argument == "none" {
      self = .none
    } else if let channel = ChannelName(argument: argument) {
      self = .channel(channel)
    } else {
      return nil
    }
  }

  var defaultValueDescription: String {
    if case .channel(let channel) = self { channel.name } else { "none" }
  }

  static let allValueStrings = ChannelName.allValueStrings + ["none"]
  static let defaultCompletionKind = CompletionKind.list(ChannelName.completions + ["none"])
}

/// The form of the results.
package enum OutputFormat: String, CaseIterable, ExpressibleByArgument {
  case text
  case json
}

/// When to colour the report.
package enum ColorChoice: String, CaseIterable, ExpressibleByArgument {
  case auto
  case always
  case never
}

/// What is done with notices that are old, and that nobody may expect.
package enum BacklogChoice: String, CaseIterable, ExpressibleByArgument {
  case send
  case mark
  /// All that is due is marked, old or not, as after restoring a schedule.
  case markAll = "mark-all"

  /// Whether notices are marked as delivered.
  package var marks: Bool { self != .send }
}
