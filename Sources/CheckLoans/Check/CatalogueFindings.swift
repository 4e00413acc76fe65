import CommandOutput
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
  /// Whether it is read into a schedule, where it has reminders.
  var hasReminders = true
  /// Whether it is said when most loans are gone.
  var warnsOfLoss = false
  var lines: [String] = []
  /// Whether the catalogue could be read, to its end or not.
  var isReadable = true
  /// Whether the catalogue's part of the schedule is what it says.
  var isUsable = false
  /// The number of its loans, if it is usable.
  var loans = 0

  private static let most = 1_000

  mutating func note(_ diagnostic: Diagnostic) {
    guard showsAll || diagnostic.mayHideALoan, lines.count <= Self.most else { return }
    if lines.count == Self.most {
      add("there is more; see check-loans validate")
    } else {
      lines.append(LocatedDiagnostic(path: path, diagnostic: diagnostic).line)
    }
  }

  mutating func note(_ report: ReloadReport) {
    if let words = report.closedForLongWords { add(words) }
    switch report.outcome {
    case .replaced(let summary):
      (isUsable, loans) = (true, summary.loans)
      if warnsOfLoss, let words = summary.lossWords { add(words) }
    case .refusedEmpty(let stored):
      add(emptinessWords(stored: stored, mayBeEmpty: report.summary.mayBeEmpty))
    case .kept where hasReminders && !report.summary.answer.isBorrowerUnknown:
      add("its reminders are unchanged until it is fixed")
    case .kept: isUsable = report.isUsable && !report.summary.isUndated
    }
  }

  mutating func note(_ error: CatalogueError) {
    isReadable = false
    lines.append("check-loans: \(error)\(hasReminders ? "; its reminders are unchanged" : "")")
  }

  private mutating func add(_ words: String) {
    lines.append("check-loans: \(path.visible): \(words)")
  }
}
