import LoanCatalogue
import Loans
import ReminderSchedule
import ReminderService

/// The result of one reading of a catalogue, and what there is to say about it, as lines for standard
/// error.
struct CatalogueFindings {
  let path: String
  /// Whether warnings are shown that hide no loan.
  let showsAll: Bool
  private(set) var lines: [String] = []
  /// Whether the catalogue could be read, to its end or not.
  private(set) var isReadable = true
  /// Whether the catalogue's part of the schedule is what it says.
  private(set) var isUsable = false
  /// The number of its loans, if it is usable.
  private(set) var loans = 0

  private static let most = 1_000

  init(path: String, showsAll: Bool) {
    self.path = path
    self.showsAll = showsAll
  }

  mutating func note(_ diagnostic: Diagnostic) {
    guard showsAll || diagnostic.mayHideALoan, lines.count <= Self.most else { return }
    if lines.count == Self.most {
      add("there is more; see check-loans validate")
    } else {
      lines.append(LocatedDiagnostic(path: path, diagnostic: diagnostic).line)
    }
  }

  mutating func note(_ report: ReloadReport) {
    switch report.outcome {
    case .replaced(let summary):
      isUsable = true
      loans = summary.loans
    case .refusedEmpty(let stored):
      add(emptinessWords(stored: stored))
    case .kept:
      add("its reminders are unchanged until it is fixed")
    }
  }

  mutating func note(_ error: CatalogueError) {
    isReadable = false
    lines.append("check-loans: \(error); its reminders are unchanged")
  }

  private mutating func add(_ words: String) {
    lines.append("check-loans: \(path.visible): \(words)")
  }
}
