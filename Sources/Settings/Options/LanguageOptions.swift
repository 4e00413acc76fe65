package import ArgumentParser
package import CommandOutput
package import Languages
import Loans
import System

/// The option for a translation from a file.
package struct TranslationOptions: ParsableArguments, DescribedOptions {
  package init() {}

  package static let facts: [OptionFact] = [OptionFact("translation", .text, .file, path: .file)]

  @Option(
    help: ArgumentHelp(
      "Use the translation in this PO file, unless --language names another language.",
      valueName: "file", visibility: .hidden), completion: .file(extensions: ["po"]))
  package var translation: String?

  /// More than any translation needs.
  private static let limit = 1_000_000

  /// The languages, with that of the file.
  ///
  /// - Parameter settings: what the settings file gives, while that is read.
  /// - Throws: ``CommandError`` for a file that cannot be read, or is wrong.
  package func known(
    _ environment: Environment, reading settings: [Setting] = []
  ) throws(CommandError) -> KnownLanguages {
    guard let translation else { return KnownLanguages() }
    let bytes: [UInt8]
    do throws(WholeFile.Failure) {
      bytes = try WholeFile.bytes(of: translation, limit: Self.limit)
    } catch {
      let words = error.words("translation", limit: Self.limit, harm: "goes out in every notice")
      let fault = CommandError(.noInput, "\(translation.visible): \(words)")
      throw fault.located(at: "translation", settings, environment.given)
    }
    do throws(TranslationError) { return KnownLanguages(own: try Language(reading: bytes)) } catch {
      let place = "\(translation.visible):\(error.line)"
      throw CommandError(.badSetting, "\(place): \(error.message)")
    }
  }
}

/// The options for the language in which people are written to.
package struct LanguageOptions: ParsableArguments, DescribedOptions {
  package init() {}

  package static let facts: [OptionFact] =
    [OptionFact("language", .text, .file)] + TranslationOptions.facts

  @Option(
    help: ArgumentHelp(
      "Language of reports and notices; see check-loans languages.", valueName: "language"),
    completion: .list([automatic] + KnownLanguages.builtInTags))
  package var language = automatic

  @OptionGroup package var own: TranslationOptions

  /// The value that takes the language from the environment.
  private static let automatic = "auto"

  /// The language in which whoever runs the command is written to.
  ///
  /// - Throws: ``CommandError`` for a language that is not known, after the place where it is set, or
  ///   for a file that cannot be used.
  package func language(_ environment: Environment) throws(CommandError) -> Language {
    try language(environment, among: own.known(environment))
  }

  /// The same, where the languages are known already.
  package func language(
    _ environment: Environment, among known: KnownLanguages
  ) throws(CommandError) -> Language {
    if language == Self.automatic {
      return environment.worded(known.own ?? known.language(of: environment.variables))
    }
    if let language = known.language(for: language) { return environment.worded(language) }
    let tags = KnownLanguages.builtInTags.joined(separator: ", ")
    let fault = CommandError(
      .usage,
      """
      the language \(language.quoted()) is unknown; there are \(tags), and --translation adds one from \
      a PO file
      """)
    throw fault.located(at: "language", [], environment.given)
  }
}
