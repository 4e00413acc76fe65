import LoanCatalogue
import Loans

/// A catalogue as fixing leaves it.
struct Fixed {
  let bytes: [UInt8]
  private let reading: Reading
  private let fixes: CatalogueFixes

  /// Fixes what the reading of a catalogue found, as `check-loans validate --fix` does.
  ///
  /// - Returns: nil if nothing is to be fixed.
  init?(_ original: [UInt8], _ reading: Reading) {
    let fixes = CatalogueFixes(reading.fixable, in: original)
    if fixes.edits.isEmpty { return nil }
    bytes = fixes.edits.applied(to: original[...])
    (self.reading, self.fixes) = (reading, fixes)
  }

  /// - Returns: one sentence for each property that does not hold.
  func faults(inReading fixed: Reading) -> [String] {
    let again = Fixed(bytes, fixed)
    let isWhole = fixed.summary.isComplete == reading.summary.isComplete
    let isSame = isWhole && fixed.summary.records == reading.summary.records
    let left = reading.fixable.count - fixes.edits.count
    return (again == nil ? [] : ["fixing again changes something: \(reading)"])
      + (isSame ? [] : ["fixing changed more than dates: \(reading) and \(fixed)"])
      + (fixed.fixable.count == left ? [] : ["\(left) were to be left: \(reading) and \(fixed)"])
  }
}

extension Reading {
  /// What there is to fix in it.
  fileprivate var fixable: [Diagnostic] { diagnostics.filter { $0.replacement != nil } }
}
