package import LoanCatalogue
package import Loans

/// A diagnostic together with the catalogue it is about.
package struct LocatedDiagnostic {
  /// The catalogue as it was given.
  package var path: String
  /// The catalogue as its repository knows it, with `/` between directories; ``path`` where there
  /// is none.
  package var repositoryPath: String
  package var diagnostic: Diagnostic
  /// The line of the catalogue at which the diagnostic is, where it is known.
  package var excerpt: SourceExcerpt?

  package init(path: String, repositoryPath: String? = nil, diagnostic: Diagnostic) {
    self.path = path
    self.repositoryPath = repositoryPath ?? path
    self.diagnostic = diagnostic
  }

  /// `FILE:LINE:COLUMN: error: message [code]`, as compilers write it and editors read it.
  package var line: String { "\(place): \(diagnostic.severity.rawValue): \(words)" }

  /// `FILE:LINE:COLUMN`.
  ///
  /// The text never begins with `:` or `#`, nor with white space before them, which a CI system could
  /// mistake for a command.
  package var place: String {
    let file = path.visible
    let prefix = file.first.map { $0 == ":" || $0 == "#" || $0.isWhitespace } == true ? "./" : ""
    return "\(prefix)\(file):\(diagnostic.location.line):\(diagnostic.location.column)"
  }

  /// `message [code]`.
  package var words: String { "\(diagnostic.message) [\(diagnostic.code.rawValue)]" }

  package var json: JSONValue { .object(jsonMembers) }

  /// The members of ``json``.
  package var jsonMembers: [(key: String, value: JSONValue)] {
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

extension JSONValue {
  /// The catalogues that could not be read, with the reason why.
  ///
  /// - Parameter files: each with its failure, or `nil` if it was read.
  package static func unread(_ files: [(path: String, failure: String?)]) -> JSONValue {
    .array(
      files.compactMap { path, failure in
        failure.map { ["path": .string(path), "message": .string($0)] }
      })
  }
}
