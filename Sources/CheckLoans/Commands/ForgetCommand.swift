import ArgumentParser
import Loans
import ReminderSchedule

/// `check-loans schedule forget`.
struct ForgetCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "forget",
    abstract: "Take catalogues or channels out of the schedule, with what was delivered.",
    discussion: """
      A catalogue that was only looked at, or whose file is gone, is no longer listed, counted or \
      delivered. A channel that was mistyped, or has a new name, no longer shows its failures. Named \
      again, a catalogue or channel counts as new, and what is due is sent.

      Examples:
        check-loans schedule forget old-books.xml
        check-loans schedule forget --channel exec:/srv/old-script
      """)

  @Argument(
    help: ArgumentHelp(
      "Catalogues, as schedule list shows them; - is standard input.", valueName: "catalogue"),
    completion: .file(extensions: ["xml"]))
  var catalogues: [String] = []

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp("Forget this channel. Can be given several times.", valueName: "channel"))
  var channel: [ChannelName] = []

  @OptionGroup var state: StateOptions

  @OptionGroup var quiet: QuietOptions

  func validate() throws {
    guard catalogues.isEmpty != channel.isEmpty else {
      throw ValidationError("give either catalogues or --channel")
    }
  }

  func run(_ environment: Environment, _ console: Console) throws -> ExitStatus {
    try environment.refuseDryRun()
    let schedule = try Schedule(opening: state.path(environment))
    var status = ExitStatus.done
    func report(_ sentence: String?, otherwise complaint: String) throws {
      if let sentence {
        if !quiet.quiet { try console.print(line: sentence) }
      } else {
        console.printError(complaint)
        status = .usage
      }
    }
    let known = try schedule.reader.catalogues().map(\.visibleCatalogue).joined(separator: ", ")
    for catalogue in catalogues {
      // A file that was known by a path that now leads elsewhere is taken at its word.
      let count =
        try schedule.forget(catalogue: environment.absolutePath(catalogue))
        ?? schedule.forget(catalogue: environment.catalogueName(catalogue))
      try report(
        count.map { "forgot \(catalogue.visible) with \(counted($0, "loan"))" },
        otherwise: """
          there is no catalogue \(catalogue.visible) in the schedule, which has \
          \(known.isEmpty ? "none" : known.shortened(to: 300))
          """)
    }
    for channel in channel.map(environment.resolved) {
      let name = channel.name.visible
      let count = try schedule.forget(channel: channel.name)
      try report(
        count.map { "forgot the channel \(name) with \(counted($0, "notice"))" },
        otherwise: "nothing was ever sent through the channel \(name)")
    }
    return status
  }
}
