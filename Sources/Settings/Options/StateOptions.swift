package import ArgumentParser
package import CommandOutput
import Loans
import System
import SystemPackage

/// The option that names the settings file.
package struct ConfigOptions: ParsableArguments, DescribedOptions {
  package init() {}

  package static let facts: [OptionFact] = [OptionFact("config", .text, .run, path: .fileOrNone)]

  @Option(
    help: ArgumentHelp(
      """
      Take settings from this file; none takes none. \
      (default: $XDG_CONFIG_HOME/check-loans/config.toml)
      """, valueName: "file"), completion: .file())
  package var config: String?
}

/// The options that name the settings file and the schedule.
package struct StateOptions: ParsableArguments, DescribedOptions {
  package init() {}

  package static let facts: [OptionFact] =
    ConfigOptions.facts + [
      OptionFact("state", .text, .file, path: .fileOrNone),
      OptionFact("network-state", .flag, .file),
    ]

  @OptionGroup package var settings: ConfigOptions

  @Option(
    help: ArgumentHelp(
      """
      Keep the schedule in this file; none keeps none. \
      (default: $XDG_STATE_HOME/check-loans/schedule.sqlite)
      """, valueName: "file"), completion: .file())
  package var state: String?

  @Flag(
    help: ArgumentHelp(
      "Allow the schedule on a network file system; no other host may use it.",
      visibility: .hidden))
  package var networkState = false

  /// The path of the schedule; `nil` for none.
  ///
  /// - Throws: as ``path(_:)``.
  package func optionalPath(_ environment: Environment) throws(CommandError) -> String? {
    state == "none" ? nil : try path(environment)
  }

  /// The path of the schedule.
  ///
  /// The directory of a file that somebody has named must exist: one that is misspelt must not be
  /// made. The standard place is made, also where it is named.
  ///
  /// - Throws: ``CommandError`` with the status `cannotCreate` if the directory does not exist, and with
  ///   `badSetting` if other hosts may use it.
  package func path(_ environment: Environment) throws(CommandError) -> String {
    guard let state else { return try checked(environment.standardStateFile()) }
    if state == "none" {
      throw CommandError(.usage, "this needs a schedule, and --state none keeps none; leave it out")
        .located(at: "state", [], environment.given)
    }
    let directory = FilePath(state).removingLastComponent().string
    if !directory.isEmpty, !state.hasSuffix("/\(Environment.stateFile)"),
      !FileSystem.exists(directory)
    {
      throw CommandError(
        .cannotCreate,
        """
        the directory \(directory.quoted(limit: 200)) does not exist; create it, or \
        name another file for the schedule
        """)
    }
    return try checked(state)
  }

  /// Refuses a schedule where another host may use it at the same time.
  private func checked(_ path: String) throws(CommandError) -> String {
    if networkState { return path }
    var place = FilePath(path).removingLastComponent()
    while !place.isEmpty, !FileSystem.exists(place.string) { place.removeLastComponent() }
    // A file may be mounted from elsewhere itself.
    let places = [place.isEmpty ? "." : place.string, path]
    guard let system = places.lazy.compactMap(FileSystem.networkFileSystem).first else {
      return path
    }
    throw CommandError(
      .badSetting,
      """
      the schedule \(path.quoted(limit: 200)) is on a network file system (\(system)), where locks cannot be \
      trusted; name a file on a disk of this host with --state, or, if no other host uses it, \
      set network-state = true
      """)
  }
}

/// The options of what is changed in the schedule at some time.
package struct ChangeOptions: ParsableArguments, DescribedOptions {
  package init() {}

  package static let facts: [OptionFact] =
    ClockOptions.facts + StateOptions.facts + QuietOptions.facts

  @OptionGroup package var clock: ClockOptions
  @OptionGroup package var state: StateOptions
  @OptionGroup package var quiet: QuietOptions
}
