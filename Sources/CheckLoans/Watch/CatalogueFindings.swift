import LoanCatalogue
import Loans
import ReminderSchedule
import ReminderService

/// What came out of one reading of a catalogue, and what there is to tell about it, as lines for
/// standard error.
struct CatalogueFindings {
  let path: String
  /// Whether warnings are told that hide no loan.
  let showsAll: Bool
  private(set) var lines: [String] = []
  /// Whether the catalogue could be read, to its end or not.
  private(set) var isReadable = true
  /// Whether the catalogue's part of the schedule is what it says.
  private(set) var isUsable = false
  /// How many loans it has, if it is usable.
  private(set) var loans = 0

  private static let most = 1_000

  init(path: String, showsAll: Bool) {
    self.path = path
    self.showsAll = showsAll
  }

  mutating func note(_ diagnostic: Diagnostic) {
    guard showsAll || diagnostic.mayHideALoan, lines.count <= Self.most else { return }
    if lines.count == Self.most {
      complain("there is more; see check-loans validate")
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
      complain(emptinessWords(stored: stored))
    case .kept:
      complain("its reminders stay as they were until it is mended")
    }
  }

  mutating func note(_ error: CatalogueError) {
    isReadable = false
    lines.append("check-loans: \(error); its reminders stay as they were")
  }

  private mutating func complain(_ words: String) {
    lines.append("check-loans: \(path.visible): \(words)")
  }
}
