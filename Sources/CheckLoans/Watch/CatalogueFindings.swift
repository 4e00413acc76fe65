import LoanCatalogue
import Loans
import ReminderSchedule
import ReminderService

/// What there is to tell about one reading of a catalogue, as lines for standard error.
struct CatalogueFindings {
  let path: String
  /// Whether warnings are told that hide no loan.
  let showsAll: Bool
  private(set) var lines: [String] = []

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

  /// - Returns: whether the catalogue's part of the schedule is what it says.
  mutating func note(_ report: ReloadReport) -> Bool {
    switch report.outcome {
    case .replaced:
      return true
    case .refusedEmpty(let stored):
      complain(emptinessWords(stored: stored))
    case .kept:
      complain("its reminders stay as they were until it is mended")
    }
    return false
  }

  mutating func note(_ error: CatalogueError) {
    lines.append("check-loans: \(error); its reminders stay as they were")
  }

  private mutating func complain(_ words: String) {
    lines.append("check-loans: \(path.visible): \(words)")
  }
}
