import CommandOutput

/// The numbers of what was found in one catalogue.
package struct FileTally: Sendable {
  /// The catalogue as it was given.
  var path: String
  /// The catalogue as its repository knows it, with `/` between directories.
  var repositoryPath: String
  /// The name of the profile that it was read with; `nil` if none fits.
  var profile: String?
  var records = 0
  var loans = 0
  /// Books left out because their expiration is unusable.
  var leftOut = 0
  var errors = 0
  var warnings = 0
  /// Dates that were fixed, and are no longer findings.
  var fixed = 0
  /// Dates that `--fix` would fix.
  var fixable = 0
  /// Why the catalogue could not be read, harmless on a terminal; `nil` if it was.
  var failure: String?
}

/// The numbers of what was found in all catalogues.
package struct FindingsTally: Sendable {
  var files: [FileTally] = []
  /// Errors and warnings that are left out of the results.
  var omitted = 0

  var read: [FileTally] { files.filter { $0.failure == nil } }
  package var unread: [FileTally] { files.filter { $0.failure != nil } }
  // Also of catalogues that failed after something was found in them.
  var errors: Int { sum(\.errors) }
  var warnings: Int { sum(\.warnings) }
  var loans: Int { sum(\.loans) }

  private func sum(_ number: (FileTally) -> Int) -> Int { files.reduce(0) { $0 + number($1) } }

  /// `2 files, 35 books, 30 loans, 1 left out: 1 error, 0 warnings, 1 fixable with --fix`, for
  /// people; the books are counted where not all of them are loans.
  var words: String {
    let (records, leftOut) = (sum(\.records), sum(\.leftOut))
    let (fixed, fixable, unread) = (sum(\.fixed), sum(\.fixable), unread.count)
    var findings = "no problems"
    if errors + warnings > 0 || read.isEmpty {
      findings = "\(counted(errors, "error")), \(counted(warnings, "warning"))"
    }
    if omitted > 0 { findings += " (\(omitted) not shown, because of --max-diagnostics)" }
    if fixed > 0 { findings += ", \(counted(fixed, "date")) fixed" }
    if fixable > 0 { findings += ", \(fixable) fixable with --fix" }
    if unread > 0 { findings += ", \(counted(unread, "file")) not read" }
    let books = records == loans ? "" : "\(counted(records, "book")), "
    let missing = leftOut > 0 ? ", \(leftOut) left out" : ""
    return
      "\(counted(read.count, "file")), \(books)\(counted(loans, "loan"))\(missing): \(findings)"
      + read.compactMap(\.profile).foreignWords()
  }
}
