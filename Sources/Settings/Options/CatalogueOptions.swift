package import ArgumentParser
package import CommandOutput
package import LoanCatalogue
import LoanRules
import Loans
package import ReminderService

/// The options for how catalogues are read, and when their loans are reminded of.
package struct CatalogueOptions: ParsableArguments, DescribedOptions {
  package init() {}

  package static let facts: [OptionFact] =
    LadderOptions.facts + ClosedDayOptions.facts + RecordOptions.facts + ProfileOptions.facts
    + ZoneOptions.facts + JobOptions.facts

  @OptionGroup package var ladder: LadderOptions

  @OptionGroup(visibility: .hidden) package var closed: ClosedDayOptions

  @OptionGroup package var records: RecordOptions

  @OptionGroup package var form: ProfileOptions

  @OptionGroup package var zone: ZoneOptions

  @OptionGroup package var jobs: JobOptions

  /// How the catalogue is read into the schedule.
  package func reloadSettings(_ profile: CatalogueProfile?) -> ReloadSettings {
    var settings = ReloadSettings(policy: ReminderPolicy(ladder.ladder))
    settings.requiresExpiration = records.requireExpiration
    settings.allowsEmpty = records.allowEmpty
    settings.profile = profile
    settings.loanDays = form.loanDays
    settings.jobs = jobs.count
    return settings
  }
}

/// The switches that decide what is an error in a catalogue.
package struct RecordOptions: ParsableArguments, DescribedOptions {
  package init() {}

  package static let facts: [OptionFact] = [
    OptionFact("require-expiration", .flag, .table), OptionFact("allow-empty", .flag, .table),
  ]

  @Flag(help: "Treat a book without <expiration> as an error.")
  package var requireExpiration = false

  @Flag(help: "Accept a catalogue without loans.")
  package var allowEmpty = false
}

/// The options for the form of catalogues.
package struct ProfileOptions: ParsableArguments, DescribedOptions {
  package init() {}

  package static let facts: [OptionFact] = [
    OptionFact("profile", .text, .table, path: .profile), OptionFact("loan-days", .number, .table),
  ]

  @Option(
    help: ArgumentHelp(
      "Read catalogues by this profile; see check-loans profiles. (default: auto)",
      valueName: "name|file"),
    completion: .custom { _, _, word in NamedProfile.completions(of: word) },
    transform: NamedProfile.checkedName)
  package var profile = NamedProfile.automatic

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Loan period in days, 1 to 3650, for catalogues that record only the start.",
      valueName: "days", visibility: .hidden),
    transform: period)
  package var loanDays: Int?

  package static let period = number(1...3_650)

  /// The profile to read by; `nil` to detect it.
  ///
  /// - Parameter own: what a catalogue has of its own.
  /// - Throws: ``CommandError`` for one that cannot be read, after the place where it is set.
  package func profile(
    _ environment: Environment, own: [Setting] = []
  ) throws(CommandError) -> NamedProfile? {
    if profile == NamedProfile.automatic { return nil }
    do throws(CommandError) { return try NamedProfile(profile, environment) } catch {
      throw error.located(at: "profile", own, environment.given)
    }
  }
}

/// The option for the age of a catalogue's file.
package struct StaleOptions: ParsableArguments, DescribedOptions {
  package init() {}

  package static let facts: [OptionFact] = [OptionFact("stale-after", .text, .table)]

  @Option(
    help: ArgumentHelp(
      """
      Hold expired notices while the catalogue's file is older than this, as in 36h or 8d. \
      (default: no limit)
      """, valueName: "age"), transform: TimeSpan.parse)
  package var staleAfter: TimeSpan?
}
