import LoanCatalogue
import Loans
import ReminderService

/// A run of `check` as it was asked for, with everything looked up that its options name.
struct CheckPlan {
  let options: CheckOptions
  let catalogues: [CatalogueToRead]
  let channels: [ChannelName]
  let zone: TimeZoneSetting
  let now: CivilDateTime
  /// Where the schedule is kept; `nil` for no schedule.
  let state: String?
  let isColored: Bool

  /// - Throws: ``CommandError`` if something that an option names is not there, or no catalogue is
  ///   named.
  init(_ options: CheckOptions, _ environment: Environment) throws(CommandError) {
    self.options = options
    zone = try options.catalogue.zone.zone(inherited: environment["TZ"], environment)
    now = try zone.now(options.now.now)
    channels = options.channels.channels(environment)
    state = options.noState ? nil : try options.state.path(environment)
    isColored = options.color.isColored(environment)
    catalogues = try environment.catalogues(
      options.catalogues, options.catalogue, now: options.now.now, jobs: options.jobs.count,
      example: "check-loans books.xml")
  }

  /// Whether the report goes to standard output, rather than notices.
  var reports: Bool { channels.isEmpty || options.format == .json }

  /// The catalogues of each time zone, those of a zone together, for there it is the same time.
  var cataloguesByTime: [(now: CivilDateTime, names: [String])] {
    catalogues.reduce(into: []) { groups, catalogue in
      let index = groups.firstIndex { $0.now == catalogue.now } ?? groups.endIndex
      if index == groups.endIndex { groups.append((catalogue.now, [])) }
      groups[index].names.append(catalogue.source.name)
    }
  }
}
