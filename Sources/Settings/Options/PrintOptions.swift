package import ArgumentParser
package import CommandOutput

/// Whether the last line is left out.
package struct QuietOptions: ParsableArguments, DescribedOptions {
  package init() {}

  package static let facts: [OptionFact] = [OptionFact("quiet", .flag, .file, short: "q")]

  @Flag(name: .shortAndLong, help: "Leave out the summary.")
  package var quiet = false
}

/// Whether more is printed.
package struct VerboseOptions: ParsableArguments, DescribedOptions {
  package init() {}

  package static let facts: [OptionFact] = [OptionFact("verbose", .flag, .file, short: "v")]

  @Flag(name: .shortAndLong, help: "Print progress and all warnings.")
  package var verbose = false
}

/// Whether nothing is changed.
package struct DryRunOptions: ParsableArguments, DescribedOptions {
  package init() {}

  package static let facts: [OptionFact] = [OptionFact("dry-run", .flag, .run)]

  @Flag(help: "Write and deliver nothing; report what would be done.")
  package var dryRun = false
}

/// Whether results are coloured.
package struct ColorOptions: ParsableArguments, DescribedOptions {
  package init() {}

  package static let facts: [OptionFact] = [OptionFact("color", .text, .file)]

  @Option(help: ArgumentHelp("When to colour the results.", valueName: "when"))
  package var color = ColorChoice.auto

  /// Whether to colour: what is asked for, else if standard output is a terminal that can and
  /// `NO_COLOR` is not set.
  package func isColored(_ environment: Environment) -> Bool {
    switch color {
    case .always: true
    case .never: false
    case .auto:
      (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
        && environment["TERM"] != nil && ProcessSetup.isOutputATerminal
    }
  }
}

/// Whether long results are shown in a pager.
package struct PagerOptions: ParsableArguments, DescribedOptions {
  package init() {}

  package static let facts: [OptionFact] = [OptionFact("pager", .text, .file)]

  @Option(
    help: ArgumentHelp(
      "Pager for output that is longer than the terminal, or none. (default: PAGER, or less)",
      valueName: "command"))
  package var pager: String?

  /// The pager for results; `nil` for none.
  package func pager(_ terminal: Terminal, _ environment: Environment) -> Pager? {
    Pager(pager ?? environment["PAGER"] ?? "less", terminal, environment.variables)
  }
}

/// The options for what is printed.
package struct PrintOptions: ParsableArguments, DescribedOptions {
  package init() {}

  package static let facts: [OptionFact] =
    QuietOptions.facts + VerboseOptions.facts + ColorOptions.facts

  @OptionGroup package var quiet: QuietOptions
  @OptionGroup package var verbose: VerboseOptions
  @OptionGroup package var color: ColorOptions
}

/// The option for the number of threads.
package struct JobOptions: ParsableArguments, DescribedOptions {
  package init() {}

  package static let facts: [OptionFact] = [OptionFact("jobs", .number, .file)]

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Threads that read catalogues, 1 to 256. (default: the number of processors)",
      valueName: "number", visibility: .hidden), transform: range)
  package var jobs: Int?

  package static let range = number(1...256)

  /// The most threads that read.
  package var count: Int { jobs ?? SystemLimits.processors }
}
