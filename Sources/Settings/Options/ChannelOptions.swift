package import ArgumentParser
package import CommandOutput
package import LoanRules

/// The options for the times at which notices are sent.
package struct DeliveryTimeOptions: ParsableArguments, DescribedOptions {
  package init() {}

  package static let facts: [OptionFact] = [
    OptionFact("deliver-between", .text, .file), OptionFact("hold-when-closed", .flag, .file),
  ]

  @Option(
    help: ArgumentHelp(
      """
      Deliver only between these times of day, as in 08:00-20:00; hold notices at other times. \
      (default: all day)
      """, valueName: "HH:MM-HH:MM"), transform: DailyHours.parse)
  package var deliverBetween: DailyHours?

  @Flag(help: "Hold notices on closed days.")
  package var holdWhenClosed = false
}

/// The options for the channels of notices.
package struct ChannelOptions: ParsableArguments, DescribedOptions {
  package init() {}

  package static let facts: [OptionFact] =
    [
      OptionFact("notify", .list, .file, path: .channel), OptionFact("backlog", .text, .run),
      OptionFact("exec-timeout", .number, .file), OptionFact("titles", .list, .file),
    ] + MailOptions.facts + DeliveryTimeOptions.facts

  @Option(
    help: ArgumentHelp(
      "Deliver due notices through this channel. Can be repeated.", valueName: "channel")
  )
  package var notify: [ChannelChoice] = []

  @Option(
    help: ArgumentHelp(
      """
      Send old notices, mark them as delivered, or mark all due notices. (default: hold more than 50)
      """,
      valueName: "send|mark|mark-all"))
  package var backlog: BacklogChoice?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Stop a program of exec: after N seconds, 1 to 3600. (default: 10)",
      valueName: "seconds", visibility: .hidden),
    transform: number(1...3_600))
  package var execTimeout = 10

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      """
      How much notices show of titles and authors: full, initials or none; after CHANNEL=, for one \
      channel. Can be repeated. (default: full)
      """, valueName: "[channel=]detail", visibility: .hidden))
  package var titles: [TitleChoice] = []

  @OptionGroup(visibility: .hidden) package var mail: MailOptions

  @OptionGroup(visibility: .hidden) package var times: DeliveryTimeOptions

  /// What to do with old notices, if that was said.
  ///
  /// - Throws: ``CommandError`` if notices are to be marked where none can be, or all that are due other than
  ///   by the command line: a variable would have every run do so.
  package func backlog(
    through channels: [ChannelName], hasSchedule: Bool, _ environment: Environment
  ) throws(CommandError) -> BacklogChoice? {
    guard let backlog, backlog.marks else { return backlog }
    var status = ExitStatus.usage
    let words: String
    if channels.isEmpty {
      words = "--backlog marks notices of a channel, and none is named; add --notify"
    } else if !hasSchedule {
      words = "--backlog marks notices in the schedule, and there is none; leave out --state none"
    } else if channels.contains(.mailRedirect) {
      words = "--backlog marks nothing in a trial; leave out --backlog, or --mail-redirect"
    } else if backlog == .markAll, environment.given["backlog"]?.isFromCommandLine != true {
      (words, status) = ("mark-all is for one run; give it on the command line", .badSetting)
    } else {
      return backlog
    }
    throw CommandError(status, words).located(at: "backlog", [], environment.given)
  }

  package func validate() throws {
    if notify.contains(.none) && notify.contains(where: { $0 != .none }) {
      throw ValidationError("none means no channel, and cannot be given together with one")
    }
  }

  /// The channels, each once, in the order given.
  ///
  /// - Parameter standard: the channels if none is given, not even that there be none.
  /// - Throws: ``CommandError`` with the status `badSetting` for a name that is none's.
  package func channels(
    _ environment: Environment, otherwise standard: [ChannelName] = []
  ) throws(CommandError) -> [ChannelName] {
    try checkTitles(environment)
    if notify.isEmpty { return standard }
    var channels: [ChannelName] = []
    for case .channel(let given) in notify {
      var channel = environment.resolved(given)
      try environment.checkKnown(channel, at: "notify")
      if mail.mailRedirect != nil, channel == .mail { channel = .mailRedirect }
      if !channels.contains(channel) { channels.append(channel) }
    }
    return channels
  }

  /// Checks that there is a channel for each choice: a misspelt one would leave the channel without it.
  ///
  /// - Throws: ``CommandError`` with the status `badSetting`.
  package func checkTitles(_ environment: Environment) throws(CommandError) {
    for case let channel? in titles.map(\.channel) {
      try environment.checkKnown(channel, at: "titles")
    }
  }
}

extension Environment {
  /// The channel by the one name that it has in the ledger, however it was given: that of a program
  /// is its absolute path, so that a PATH or a directory of another run makes no other channel of it.
  ///
  /// One that is not found keeps its name, and fails.
  package func resolved(_ channel: ChannelName) -> ChannelName {
    resolved(channel, in: workingDirectory)
  }

  /// The same for a channel in a file of the directory.
  package func resolved(_ channel: ChannelName, in directory: String) -> ChannelName {
    switch channel {
    case .exec(let program): .exec(programPath(program, in: directory))
    case .maildir(let path): .maildir(absolutePath(absolute(path, in: directory)))
    default: channel
    }
  }
}
