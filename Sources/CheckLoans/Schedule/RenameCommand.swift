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
    abstract: "Give a channel a new name, under which what was delivered counts.",
    discussion: """
      For a program that has another path, or a channel that has another name in the settings file: \
      otherwise it would count as new, and everything that is due would be sent once more. If the new name \
      is in use, what was delivered through one of the two counts.

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
    abstract: "Give a catalogue a new name, under which what was delivered counts.",
    discussion: """
      For a file that was moved or renamed: otherwise its loans would count as new, and what is due would \
      be sent once more. If the schedule has the new name already, what was delivered of one of the two \
      counts. A name without a slash is one of check --name, unless it ends in .xml or such a file is \
      there.

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
