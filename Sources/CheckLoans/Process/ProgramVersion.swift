/// Which `check-loans` this is.
enum ProgramVersion {
  /// By the rules of semver.org.
  static let number = "0.1.0"

  /// The line that `--version` prints.
  static let text = "check-loans \(number)"
}
