package import CommandOutput
package import Loans
import ReminderService
package import Settings

/// The options that `check` and `watch` share.
package protocol RunOptions {
  var catalogues: [String] { get }
  var channels: ChannelOptions { get }
  var stale: StaleOptions { get }
  var catalogue: CatalogueOptions { get }
  var state: StateOptions { get }
  var language: LanguageOptions { get }
}

/// A run of `check` or `watch` as it was asked for, with everything looked up that its options name.
package struct RunSettings {
  package var catalogues: [CatalogueToRead]
  package let channels: [ChannelName]
  /// What to do with old notices; `nil` to hold many.
  let backlog: BacklogChoice?
  /// The clock of what is no catalogue's.
  var clock: LocalClock
  package let now: CivilDateTime
  /// Where the schedule is kept; `nil` for no schedule.
  package let state: String?
  let notifiers: ChannelNotifiers

  /// - Parameters:
  ///   - given: the time to take for now.
  ///   - standard: the channels if none is given.
  ///   - makesSecrets: whether a secret is made that is needed and not there.
  ///   - example: shows how to name a catalogue.
  /// - Throws: ``CommandError`` if something that an option names is not there, or no catalogue is named.
  package init(
    _ options: some RunOptions, _ environment: Environment, now given: CivilDateTime? = nil,
    otherwise standard: [ChannelName] = [], makesSecrets: Bool = true, example: String
  ) throws(CommandError) {
    clock = try options.catalogue.zone.clock(environment)
    now = try clock.now(given)
    state = try options.state.optionalPath(environment)
    let channels = try options.channels.channels(environment, otherwise: standard)
    self.channels = environment.isOnlyLooking(hasSchedule: state != nil) ? standard : channels
    backlog = try options.channels.backlog(
      through: self.channels, hasSchedule: state != nil, environment)
    notifiers = try ChannelNotifiers(
      self.channels, options.channels, options.language, environment, state: options.state,
      makesSecrets: makesSecrets)
    catalogues = try environment.catalogues(
      options.catalogues, options.catalogue, stale: options.stale, now: given, schedule: state,
      example: example)
  }

  /// Has each catalogue read by one thread.
  mutating func readByOneThread() {
    for index in catalogues.indices { catalogues[index].settings.jobs = 1 }
  }

  /// - Throws: ``CommandError`` if a later run would fail, or have no standard input.
  package func checkRepeatable() throws(CommandError) {
    if let fault = catalogues.lazy.compactMap(\.fault).first { throw fault }
    if catalogues.contains(where: { $0.path == "-" }) {
      throw CommandError(
        .usage, "standard input is there only for one run; name a catalogue's file")
    }
  }
}

extension Environment {
  /// Whether the command line leaves the schedule out, and names no channel: then the channels of the
  /// settings are for other runs, since each notice would be sent again.
  fileprivate func isOnlyLooking(hasSchedule: Bool) -> Bool {
    !hasSchedule && given["state"]?.isFromCommandLine == true
      && given["notify"]?.isFromCommandLine != true
  }
}
