import Loans
import TestSupport
import Testing

@testable import Languages

/// The languages that come with the program, but English.
let translated = KnownLanguages.builtInTags.filter { $0 != "en" }

/// One of the languages that come with the program.
func language(_ tag: String) throws -> Language {
  try #require(KnownLanguages().language(for: tag))
}

extension Loan {
  /// The line of a notice about the loan.
  func line(
    today: CivilDate, library: String? = nil, openDays: OpenDays? = nil,
    in language: Language = .english
  ) -> String {
    Notice(rung: -1, loan: self, catalogue: "-", library: library, openDays: openDays)
      .line(today: today, in: language)
  }
}

/// A PO file with these entries after a header.
func translation(
  _ entries: String, plural: String = "nplurals=2; plural=n != 1;", tag: String = "xx"
) -> String {
  """
  msgid ""
  msgstr ""
  "Language: \(tag)\\n"
  "Content-Type: text/plain; charset=UTF-8\\n"
  "Plural-Forms: \(plural)\\n"

  \(entries)
  """
}

/// The language of a PO file.
func reading(_ text: String) throws -> Language { try Language(reading: Array(text.utf8)) }

/// Where the package's sources are.
let projectDirectory =
  #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3)
  .joined(separator: "/")

/// The lines that a script of Python prints, run by Debian's interpreter, which knows Debian's modules.
func python(_ script: String, _ arguments: String...) async throws -> [String] {
  let command = Command(
    "/usr/bin/python3", ["-I", "-B", "-c", script] + arguments,
    environment: ["LC_ALL": "C.UTF-8"], directory: "/")
  let result = try await command.run()
  try #require(result.status == 0, "\(result.errorText)")
  return result.lines
}
