extension FindingsTally {
  /// `2 files, 30 loans: 1 error, 0 warnings`, for people.
  var words: String {
    var findings = "no problems"
    if errors + warnings > 0 || files == 0 {
      findings = "\(counted(errors, "error")), \(counted(warnings, "warning"))"
    }
    if omitted > 0 { findings += " (\(omitted) not shown, because of --max-diagnostics)" }
    if mended > 0 { findings += ", \(counted(mended, "date")) mended" }
    if mendable > 0 { findings += ", \(counted(mendable, "date")) to be mended by --fix" }
    if !unread.isEmpty { findings += ", \(counted(unread.count, "file")) not read" }
    var profiles: [String] = []
    for profile in read.compactMap(\.profile) where !profiles.contains(profile) {
      profiles.append(profile)
    }
    return "\(counted(files, "file")), \(counted(loans, "loan")): \(findings)"
      + profiles.foreignWords
  }
}
