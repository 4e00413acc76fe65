import LoanCatalogue
import LoanRules
import Notifiers

/// An option that the environment and the settings file can set too.
struct Setting: Sendable {
  /// What its value is in the settings file.
  enum Kind: Sendable {
    case text, number, toggle, list

    /// The type's name in messages.
    var words: String {
      switch self {
      case .text: "a string"
      case .number: "an integer"
      case .toggle: "true or false"
      case .list: "a list of strings"
      }
    }
  }

  /// What relative paths in the settings file are relative to its directory.
  enum Paths: Sendable { case none, catalogues, files, programs, profiles }

  /// The option's long name, which is the key in the settings file.
  let name: String
  let kind: Kind
  var paths = Paths.none
  /// What makes sense, in words.
  let expected: String
  /// A line of the settings file.
  let example: String
  /// What it is for, for the example file.
  let purpose: String
  /// The value where nothing sets it; `nil` if there is none.
  var standard: String?
  /// Whether it is for a single run only, and has no place in a file.
  var isForOneRun = false
  /// Whether a text makes sense.
  let accepts: @Sendable (String, Environment) -> Bool

  /// The name of its environment variable.
  var variable: String { Self.variablePrefix + Self.variableName(name) }

  static let variablePrefix = "CHECK_LOANS_"

  /// `TIME_ZONE` for `time-zone`.
  static func variableName(_ name: String) -> String {
    String(name.uppercased().map { $0 == "-" ? "_" : $0 })
  }

  /// `time-zone` for `TIME_ZONE`.
  static func name(ofVariable name: String) -> String {
    String(name.lowercased().map { $0 == "_" ? "-" : $0 })
  }
}

extension Setting {
  /// All, in the order in which they are shown.
  static let all: [Setting] = [
    Setting(
      name: "catalogues", kind: .list, paths: .catalogues, expected: "file names",
      example: #"catalogues = ["/srv/library/books.xml"]"#,
      purpose: "The catalogues to read where the command line names none.",
      accepts: { text, _ in !text.isEmpty }),
    Setting(
      name: "notify", kind: .list, paths: .programs,
      expected: "stdout, notify-send or exec:PROGRAM",
      example: #"notify = ["notify-send", "exec:/usr/local/bin/tell"]"#,
      purpose: "Deliver what is due through these channels.",
      accepts: { text, _ in ChannelName(argument: text) != nil }),
    Setting(
      name: "action", kind: .text, expected: "LABEL=COMMAND",
      example: #"action = "View=xdg-open https://library.example/loans""#,
      purpose: "For watch: a button on the notification, and the command that it runs.",
      accepts: { text, _ in (try? NotificationAction(argument: text)) != nil }),
    Setting(
      name: "remind", kind: .number, expected: "a number of days from 0 to 3650",
      example: "remind = 1", purpose: "Remind so many days before the expiration.",
      standard: "1", accepts: { text, _ in LeadDays(argument: text) != nil }),
    Setting(
      name: "at", kind: .text, expected: "a time of day from 00:00 to 23:59",
      example: #"at = "00:00""#, purpose: "Remind at this time of day.", standard: "00:00",
      accepts: { text, _ in TimeOfDay(argument: text) != nil }),
    Setting(
      name: "repeat-expired", kind: .number, expected: "a number of days from 1 to 3650",
      example: "repeat-expired = 7",
      purpose: "Tell again of a loan that has expired, every so many days.",
      accepts: { text, _ in RepetitionDays(argument: text) != nil }),
    Setting(
      name: "profile", kind: .text, paths: .profiles,
      expected: "a name that check-loans profiles lists, or a file name that ends with .xml",
      example: #"profile = "koha-ilsdi""#,
      purpose: "Read catalogues by this profile; auto is to find it out from each of them.",
      standard: "auto",
      accepts: { text, _ in
        ([NamedProfile.automatic] + BuiltInProfiles.names).contains(text)
          || NamedProfile.isPath(text)
      }),
    Setting(
      name: "loan-days", kind: .number, expected: "a number of days from 1 to 3650",
      example: "loan-days = 28",
      purpose: "Loans are for so many days, where a catalogue only tells when they began.",
      accepts: { text, _ in LoanDays(argument: text) != nil }),
    Setting(
      name: "jobs", kind: .number, expected: "a number from 1 to 256", example: "jobs = 2",
      purpose: "Read large catalogues with so many threads; by itself, with all cores.",
      accepts: { text, _ in JobCount(argument: text) != nil }),
    Setting(
      name: "time-zone", kind: .text,
      expected: "a time zone of /usr/share/zoneinfo (Debian: apt install tzdata)",
      example: #"time-zone = "Europe/Budapest""#, purpose: "The library's time zone.",
      accepts: { text, environment in
        !text.isEmpty && (try? LocalClock(text, environment)) != nil
      }),
    Setting(
      name: "now", kind: .text, expected: "a time in the form YYYY-MM-DD[THH:MM[:SS]]",
      example: #"now = "2026-11-21T07:00""#,
      purpose: "Take this for the time now; only to try things out.", isForOneRun: true,
      accepts: { text, _ in Moment(argument: text) != nil }),
    Setting(
      name: "state", kind: .text, paths: .files, expected: "a file name",
      example: #"state = "~/.local/state/check-loans/schedule.sqlite""#,
      purpose: "Keep the schedule in this file.", accepts: { text, _ in !text.isEmpty }),
    .toggle("no-state", "Keep no schedule: what is due is delivered each time."),
    .toggle(
      "dry-run", "Write nothing and deliver nothing; say what would be done.", isForOneRun: true),
    .choice("format", OutputFormat.self, "The form of the report.", standard: .text),
    .toggle("all", "Report every loan, not only those that need attention."),
    .toggle("quiet", "Leave out the summary."),
    .toggle("verbose", "Say on standard error what is done, and show all warnings."),
    .choice("color", ColorChoice.self, "Whether to colour the report.", standard: .auto),
    .choice("fail-on", FailureCondition.self, "End with status 1 if a loan has expired."),
    .toggle("require-expiration", "A book without <expiration> is an error."),
    .toggle(
      "allow-empty", "Let a catalogue without any record replace one that had loans."),
  ]

  /// The one with this name.
  static func named(_ name: String) -> Setting? { all.first { $0.name == name } }

  private static func toggle(
    _ name: String, _ purpose: String, isForOneRun: Bool = false
  ) -> Setting {
    Setting(
      name: name, kind: .toggle, expected: "true or false", example: "\(name) = false",
      purpose: purpose, standard: "false", isForOneRun: isForOneRun, accepts: { _, _ in true })
  }

  private static func choice<Value: CaseIterable & RawRepresentable<String> & Sendable>(
    _ name: String, _ type: Value.Type, _ purpose: String, standard: Value? = nil
  ) -> Setting {
    let values = Value.allCases.map(\.rawValue)
    return Setting(
      name: name, kind: .text, expected: values.joined(separator: ", "),
      example: "\(name) = \"\((standard?.rawValue ?? values.first) ?? "")\"", purpose: purpose,
      standard: standard?.rawValue, accepts: { text, _ in Value(rawValue: text) != nil })
  }

  /// A settings file with every option in it, each as a comment.
  static var exampleFile: String {
    var text = """
      # Settings of check-loans, as TOML (https://toml.io). The standard place of this file is
      # $XDG_CONFIG_HOME/check-loans/config.toml, or ~/.config/check-loans/config.toml; another
      # one is named by --config or CHECK_LOANS_CONFIG.
      #
      # Every option but --now and --dry-run has its long name here. An option on the command line
      # wins over its environment variable (CHECK_LOANS_TIME_ZONE and so on), and that one over this
      # file. What is switched on here is switched off for one run by its variable:
      # CHECK_LOANS_VERBOSE=0.
      #
      # A relative path is relative to the directory of this file; ~/ is the home.

      """
    for setting in all where !setting.isForOneRun {
      text += "\n# \(setting.purpose)\n#\(setting.example)\n"
    }
    return text
  }
}
