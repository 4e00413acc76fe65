import LoanCatalogue
import Loans
import ReminderService

/// A run of `check` as it was asked for, with everything looked up that its options name.
struct CheckPlan {
  let options: CheckOptions
  let catalogues: [CatalogueToRead]
  let channels: [ChannelName]
  let clock: LocalClock
  let now: CivilDateTime
  /// Where the schedule is kept; `nil` for no schedule.
  let state: String?
  let isColored: Bool

  /// - Throws: ``CommandError`` if something that an option names is not there, or no catalogue is
  ///   named.
  init(_ options: CheckOptions, _ environment: Environment) throws(CommandError) {
    self.options = options
    clock = try options.catalogue.zone.clock(environment)
    now = try clock.now(options.now.now)
    channels = options.channels.channels(environment)
    state = options.noState ? nil : try options.state.path(environment)
    isColored = options.printing.color.isColored(environment)
    catalogues = try environment.catalogues(
      options.catalogues, options.catalogue, now: options.now.now, jobs: options.jobs.count,
      schedule: state,
      example: "check-loans books.xml")
  }

  /// Whether the report goes to standard output, rather than notices.
  var reports: Bool { channels.isEmpty || options.format == .json }
}
