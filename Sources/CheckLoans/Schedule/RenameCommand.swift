import ArgumentParser
import CommandOutput
import Loans
import ReminderSchedule
import Runs
import Settings
import System

/// `check-loans schedule rename-channel`.
struct RenameChannelCommand: ScheduleChange {
  static let configuration = CommandConfiguration(
    commandName: "rename-channel",
    abstract: "Rename a channel, and keep its history.",
    discussion: """
      For a program with a new path, or a channel with a new name in the settings file: otherwise \
      the channel counts as new, and every due notice is sent again. If the new name is in use, \
      the two histories become one.

      Example:
        check-loans schedule rename-channel exec:/srv/old-script exec:/srv/new-script
      """)

  static let facts: [OptionFact] = StateOptions.facts + QuietOptions.facts

  @Argument(help: ArgumentHelp("Name in the schedule.", valueName: "old"))
  var old: ChannelName

  @Argument(help: ArgumentHelp("New name.", valueName: "new"))
  var new: ChannelName

  @OptionGroup var state: StateOptions

  @OptionGroup var quiet: QuietOptions

  func change(
    _ schedule: Schedule, _ environment: Environment, _ changes: inout ScheduleChanges
  ) throws {
    try environment.checkKnown(new)
    let (old, new) = (environment.resolved(old).name, environment.resolved(new).name)
    if let count = try schedule.rename(channel: old, to: new) {
      changes.done = ["\(old.visible) is now \(new.visible), with \(counted(count, "notice"))"]
    } else {
      changes.complaints = [
        old == new
          ? "the channel \(old.visible) has this name"
          : "nothing was ever sent through the channel \(old.visible)"
      ]
    }
  }
}

/// `check-loans schedule rename-catalogue`.
struct RenameCatalogueCommand: ScheduleChange {
  static let configuration = CommandConfiguration(
    commandName: "rename-catalogue",
    abstract: "Rename a catalogue, and keep its history.",
    discussion: """
      For a file that was moved or renamed: otherwise its loans count as new, and every due notice \
      is sent again. If the schedule already has the new name, the two histories become one, with \
      the loans that were read last. A name without a slash is one given with check --name, \
      unless it ends in .xml or there is a file with that name.

      Example:
        check-loans schedule rename-catalogue /srv/old/books.xml /srv/new/books.xml
      """)

  static let facts: [OptionFact] = StateOptions.facts + QuietOptions.facts

  @Argument(
    help: ArgumentHelp("Name in the schedule.", valueName: "old"),
    completion: .custom { _, _, word in ScheduleCompletion.catalogues(of: word) })
  var old: String

  @Argument(help: ArgumentHelp("New name.", valueName: "new"), completion: .file())
  var new: String

  @OptionGroup var state: StateOptions

  @OptionGroup var quiet: QuietOptions

  func change(
    _ schedule: Schedule, _ environment: Environment, _ changes: inout ScheduleChanges
  ) throws {
    let known = try schedule.reader.catalogues()
    guard let name = environment.name(of: old, in: known) else {
      changes.complaints = [known.unknownWords(old)]
      return
    }
    // A file has a path, and is still to be moved there perhaps; anything else is the name of what is
    // fetched, or comes by standard input.
    let isFile = new.contains("/") || FileSystem.exists(new) || new.hasSuffix(".xml")
    let isName = environment.isFetched(new) || !isFile
    if isName, !new.isCatalogueName {
      throw CommandError(
        .usage, "\(new.quoted()) cannot name a catalogue; give a file's path, or a name as in opac")
    }
    let newName = isName ? new : environment.catalogueName(new)
    guard let count = try schedule.rename(catalogue: name, to: newName) else {
      changes.complaints = ["the catalogue \(old.visible) has this name"]
      return
    }
    // Otherwise it would stay; under its new name the catalogue is fetched again.
    let path = try state.path(environment)
    try? FileSystem.remove(CatalogueFetch.file(of: name, besideSchedule: path))
    let input = isName && !environment.isFetched(new) ? ", a catalogue on standard input" : ""
    changes.done = [
      "\(old.visible) is now \(new.visible)\(input), with \(counted(count, "loan"))"
    ]
  }
}
