extension FindingsTally {
  /// `2 files, 35 books, 30 loans, 1 left out: 1 error, 0 warnings, 1 fixable with --fix`, for
  /// people; the books are counted where not all of them are loans.
  var words: String {
    var findings = "no problems"
    if errors + warnings > 0 || files == 0 {
      findings = "\(counted(errors, "error")), \(counted(warnings, "warning"))"
    }
    if omitted > 0 { findings += " (\(omitted) not shown, because of --max-diagnostics)" }
    if fixed > 0 { findings += ", \(counted(fixed, "date")) fixed" }
    if fixable > 0 { findings += ", \(fixable) fixable with --fix" }
    if !unread.isEmpty { findings += ", \(counted(unread.count, "file")) not read" }
    var profiles: [String] = []
    for profile in read.compactMap(\.profile) where !profiles.contains(profile) {
      profiles.append(profile)
    }
    let books = records == loans ? "" : "\(counted(records, "book")), "
    let missing = leftOut > 0 ? ", \(leftOut) left out" : ""
    return "\(counted(files, "file")), \(books)\(counted(loans, "loan"))\(missing): \(findings)"
      + profiles.foreignWords
  }
}
