import LoanCatalogue
import Loans

/// How lines of a catalogue are shown.
struct ExcerptStyle: Sendable {
  var isColored: Bool
}

/// The lines of a catalogue that findings are about, each with a caret below the place.
struct SourceExcerpt {
  init(of path: String, _ style: ExcerptStyle) {}

  func text(for diagnostic: Diagnostic) -> String { "" }
}
