import ArgumentParser
import CommandOutput
import Loans
import ReminderSchedule
import Settings
import System

/// `check-loans schedule rename-channel`.
struct RenameChannelCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "rename-channel",
    abstract: "Give a channel a new name, under which what was delivered counts.",
    discussion: """
      For a program that has another path, or a channel that has another name in the settings file: \
      otherwise it would count as new, and everything that is due would be sent once more. If the new name \
      is in use, what was delivered through one of the two counts.

      Example:
        check-loans schedule rename-channel exec:/srv/old-script exec:/srv/new-script
      """)

  static let facts: [OptionFact] = StateOptions.facts + QuietOptions.facts

  @Argument(help: ArgumentHelp("The name that the schedule has.", valueName: "old"))
  var old: ChannelName

  @Argument(help: ArgumentHelp("The new name.", valueName: "new"))
  var new: ChannelName

  @OptionGroup var state: StateOptions

  @OptionGroup var quiet: QuietOptions

  func run(_ environment: Environment, _ console: Console) throws -> ExitStatus {
    try environment.refuseDryRun()
    let schedule = try Schedule(opening: state.path(environment))
    try environment.checkKnown(new)
    let (old, new) = (environment.resolved(old).name, environment.resolved(new).name)
    guard let count = try schedule.rename(channel: old, to: new) else {
      console.printError(
        old == new
          ? "the channel \(old.visible) has this name"
          : "nothing was ever sent through the channel \(old.visible)")
      return .usage
    }
    if !quiet.quiet {
      try console.print(
        line: "\(old.visible) is now \(new.visible), with \(counted(count, "notice"))")
    }
    return .done
  }
}

/// `check-loans schedule rename-catalogue`.
struct RenameCatalogueCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "rename-catalogue",
    abstract: "Give a catalogue a new name, under which what was delivered counts.",
    discussion: """
      For a file that was moved or renamed: otherwise its loans would count as new, and what is due would \
      be sent once more. If the schedule has the new name already, what was delivered of one of the two \
      counts. A name without a slash, where no such file is, is one of check --name.

      Example:
        check-loans schedule rename-catalogue /srv/old/books.xml /srv/new/books.xml
      """)

  static let facts: [OptionFact] = StateOptions.facts + QuietOptions.facts

  @Argument(
    help: ArgumentHelp("The name that the schedule has.", valueName: "old"),
    completion: .custom { _, _, word in ScheduleCompletion.catalogues(of: word) })
  var old: String

  @Argument(help: ArgumentHelp("The new name.", valueName: "new"), completion: .file())
  var new: String

  @OptionGroup var state: StateOptions

  @OptionGroup var quiet: QuietOptions

  func run(_ environment: Environment, _ console: Console) throws -> ExitStatus {
    try environment.refuseDryRun()
    let path = try state.path(environment)
    let schedule = try Schedule(opening: path)
    let known = try schedule.reader.catalogues()
    guard let name = environment.name(of: old, in: known) else {
      console.printError(known.unknownWords(old))
      return .usage
    }
    // A file has a path; anything else is the name of what is fetched, or comes by standard input.
    let isName = !new.contains("/") && !FileSystem.exists(new)
    let newName = isName ? new : environment.catalogueName(new)
    guard let count = try schedule.rename(catalogue: name, to: newName) else {
      console.printError("the catalogue \(old.visible) has this name")
      return .usage
    }
    // Otherwise it would stay; under its new name the catalogue is fetched again.
    try? FileSystem.remove(CatalogueFetch.file(of: name, besideSchedule: path))
    if !quiet.quiet {
      let input = isName && !environment.isFetched(new) ? ", a catalogue on standard input" : ""
      try console.print(
        line: "\(old.visible) is now \(new.visible)\(input), with \(counted(count, "loan"))")
    }
    return .done
  }
}
