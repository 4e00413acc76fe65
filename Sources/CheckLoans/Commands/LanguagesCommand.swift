import ArgumentParser
import CommandOutput
import Languages
import Settings

/// `check-loans languages`.
struct LanguagesCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "languages",
    abstract: "List the languages of reports and notices.",
    discussion: """
      Prints one line for each language: its tag, the share of messages that are translated (the \
      others are in English), and its own name.

      To add a language, save the template, translate it, for example with Poedit, and name the \
      file with --translation.

      Examples:
        check-loans languages
        check-loans languages template > sk.po
        check-loans languages --translation sk.po
        check-loans --translation sk.po books.xml
      """)

  static let facts: [OptionFact] = TranslationOptions.facts

  @Argument(
    help: "template prints a PO file without translations, to begin a new one.",
    completion: .list(["template"]))
  var action: String?

  @OptionGroup var own: TranslationOptions

  func validate() throws {
    if let action, action != "template" {
      throw ValidationError("write template, or nothing for a list")
    }
  }

  func run(_ environment: Environment, _ console: Console) throws -> ExitStatus {
    if action != nil {
      try console.print(KnownLanguages.template.span)
      return .done
    }
    let messages = try KnownLanguages.messages()
    let known = try own.known(environment)
    var tags = KnownLanguages.builtInTags
    if let tag = known.own?.tag, !tags.contains(tag) { tags.append(tag) }
    for language in tags.compactMap(known.language) {
      let translated = messages.count { language.translates($0) }
      let share = language.tag == "en" ? 100 : translated * 100 / messages.count
      try console.print(
        line: "\(language.tag.padded(to: 6)) \(share) %  \(language.text(.languageName))")
    }
    return .done
  }
}
