import LoanRules
import Loans

/// The numbers of a report.
enum Report {
  /// Loans expired, and so on, of one catalogue or of all.
  struct Counts {
    var loans = 0
    var onShelf = 0
    /// Loans of other forms without expiration.
    var withoutExpiration = 0
    /// Those of these that would have one if the days of a loan were known.
    var uncounted = 0
    /// Books whose expiration is unusable.
    var leftOut = 0
    var expired = 0
    var expiresToday = 0
    var scheduled = 0
    var diagnostics = 0

    static func + (left: Counts, right: Counts) -> Counts {
      Counts(
        loans: left.loans + right.loans, onShelf: left.onShelf + right.onShelf,
        withoutExpiration: left.withoutExpiration + right.withoutExpiration,
        uncounted: left.uncounted + right.uncounted,
        leftOut: left.leftOut + right.leftOut,
        expired: left.expired + right.expired,
        expiresToday: left.expiresToday + right.expiresToday,
        scheduled: left.scheduled + right.scheduled,
        diagnostics: left.diagnostics + right.diagnostics)
    }
  }
}
