import LoanCatalogue
import Loans

/// A diagnostic together with the catalogue it is about.
struct LocatedDiagnostic {
  /// The catalogue as it was given.
  var path: String
  /// The catalogue as its repository knows it, with `/` between directories; ``path`` where there
  /// is none.
  var repositoryPath: String
  var diagnostic: Diagnostic
  /// The line of the catalogue at which the diagnostic is, where it is known.
  var excerpt: SourceExcerpt?

  init(path: String, repositoryPath: String? = nil, diagnostic: Diagnostic) {
    self.path = path
    self.repositoryPath = repositoryPath ?? path
    self.diagnostic = diagnostic
  }

  /// `FILE:LINE:COLUMN: error: message [code]`, as compilers write it and editors read it.
  var line: String { "\(place): \(diagnostic.severity.rawValue): \(words)" }

  /// `FILE:LINE:COLUMN`.
  ///
  /// The text never begins with `:` or `#`, nor with white space before them, which a CI system could
  /// mistake for a command.
  var place: String {
    let file = path.visible
    let prefix = file.first.map { $0 == ":" || $0 == "#" || $0.isWhitespace } == true ? "./" : ""
    return "\(prefix)\(file):\(diagnostic.location.line):\(diagnostic.location.column)"
  }

  /// `message [code]`.
  var words: String { "\(diagnostic.message) [\(diagnostic.code.rawValue)]" }

  var json: JSONValue { .object(jsonMembers) }

  /// The members of ``json``.
  var jsonMembers: [(key: String, value: JSONValue)] {
    [
      ("path", .string(path)),
      ("line", .int(diagnostic.location.line)),
      ("column", .int(diagnostic.location.column)),
      ("endColumn", JSONValue(diagnostic.endColumn)),
      ("severity", .string(diagnostic.severity.rawValue)),
      ("code", .string(diagnostic.code.rawValue)),
      ("message", .string(diagnostic.message)),
      ("value", JSONValue(diagnostic.value)),
      ("loan", JSONValue(diagnostic.loan)),
    ]
  }
}
