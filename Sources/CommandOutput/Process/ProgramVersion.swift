/// Which `check-loans` this is.
package enum ProgramVersion {
  /// By the rules of semver.org.
  package static let number = "0.1.0"

  /// The line that `--version` prints.
  package static let text = "check-loans \(number)"
}
