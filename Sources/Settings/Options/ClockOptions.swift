package import ArgumentParser
package import CommandOutput
package import Loans

/// The option for the library's time zone.
package struct ZoneOptions: ParsableArguments, DescribedOptions {
  package init() {}

  package static let facts: [OptionFact] = [OptionFact("time-zone", .text, .table)]

  @Option(
    help: ArgumentHelp(
      "The library's time zone, as in Europe/Budapest. (default: TZ, then the system's)",
      valueName: "zone"),
    completion: .custom { _, _, _ in TimeZoneNames.all })
  package var timeZone: String?

  /// A clock in the zone.
  ///
  /// - Parameter own: what a catalogue has of its own.
  /// - Throws: ``CommandError`` with the status `badSetting`, for a zone that is unknown after the
  ///   place where it is set.
  package func clock(
    _ environment: Environment, own: [Setting] = []
  ) throws(CommandError) -> LocalClock {
    do throws(CommandError) {
      return try LocalClock(timeZone ?? environment["TZ"], environment.variables)
    } catch {
      throw error.located(at: "time-zone", own, environment.given)
    }
  }
}

extension LocalClock {
  /// The time in the zone, or the one to take for it.
  ///
  /// - Throws: ``CommandError`` with the status `badSetting` if the system's clock makes no sense.
  package func now(_ given: CivilDateTime?) throws(CommandError) -> CivilDateTime {
    if let now = given ?? read()?.now { return now }
    throw CommandError(
      .badSetting, "the system's clock is outside the years 1 to 9999; set it, or use --now")
  }

  /// The time at which a run began, with the zone.
  package func words(for now: CivilDateTime) -> String {
    "now is \(now) in the time zone \(name.visible)"
  }
}

/// A time to use instead of the system's.
package struct NowOptions: ParsableArguments, DescribedOptions {
  package init() {}

  package static let facts: [OptionFact] = [OptionFact("now", .text, .run)]

  @Option(
    help: ArgumentHelp(
      "Use this as the current time: YYYY-MM-DD[THH:MM[:SS]].", valueName: "time",
      visibility: .hidden),
    transform: CivilDateTime.parse)
  package var now: CivilDateTime?
}

/// The options for the time and the time zone.
package struct ClockOptions: ParsableArguments, DescribedOptions {
  package init() {}

  package static let facts: [OptionFact] = ZoneOptions.facts + NowOptions.facts

  @OptionGroup package var zone: ZoneOptions
  @OptionGroup package var now: NowOptions

  /// Reads the clock, once for the whole run.
  package func read(
    _ environment: Environment
  ) throws(CommandError) -> (now: CivilDateTime, clock: LocalClock) {
    let clock = try zone.clock(environment)
    return (try clock.now(now.now), clock)
  }
}
