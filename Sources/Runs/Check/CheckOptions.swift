package import ArgumentParser
package import CommandOutput
import Loans
package import Reports
package import Settings

/// The options of `check` that make no sense in a run that is repeated.
package struct OneRunOptions: ParsableArguments, DescribedOptions {
  package init() {}

  package static let facts: [OptionFact] = NowOptions.facts + DryRunOptions.facts

  @OptionGroup package var now: NowOptions
  @OptionGroup var dryRun: DryRunOptions
}

/// The options of `check` that make sense in repeated runs too, which other commands share.
package struct CheckOptions: ParsableArguments, DescribedOptions, RunOptions {
  package init() {}

  package static let facts: [OptionFact] =
    ChannelOptions.facts + StaleOptions.facts + CatalogueOptions.facts + StateOptions.facts
    + ReportOptions.facts + LanguageOptions.facts + PrintOptions.facts
    + [OptionFact("exit-code", .flag, .file)]

  @Argument(
    help: "Catalogues to read. (default: those of the settings file)",
    completion: .file())
  package var catalogues: [String] = []

  @OptionGroup(title: "Report") package var report: ReportOptions

  @OptionGroup(title: "Notices") package var channels: ChannelOptions

  @OptionGroup(visibility: .hidden) package var stale: StaleOptions

  @OptionGroup(title: "Catalogues") package var catalogue: CatalogueOptions

  @OptionGroup(title: "Files") package var state: StateOptions

  @OptionGroup(title: "Output") package var language: LanguageOptions

  @OptionGroup(title: "Output") var printing: PrintOptions

  @Flag(help: "Exit with status 1 if a loan has expired.")
  var exitCode = false

  /// The format of the report: a settings file's gives way where notices need standard output.
  ///
  /// - Throws: ``CommandError`` if two things need standard output.
  package func format(_ environment: Environment) throws(CommandError) -> ReportFormat {
    guard report.format != .text, report.output ?? "-" == "-",
      channels.notify.contains(.channel(.stdout))
    else { return report.format }
    let given = environment.given
    let (format, notify) = (given["format"], given["notify"])
    if format?.isFromFile == true { return .text }
    let isOfLine = format?.isFromCommandLine == true || notify?.isFromCommandLine == true
    let place = [notify, format].lazy.compactMap(\.self).first { !$0.isFromCommandLine }?.place
    throw CommandError(
      isOfLine ? .usage : .badSetting,
      """
      \(place.map { "\($0.visible): " } ?? "")--notify stdout and --format \(report.format) both need \
      standard output; choose one, perhaps with --notify none or --output
      """)
  }
}
