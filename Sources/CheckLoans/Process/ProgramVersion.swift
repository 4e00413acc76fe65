/// Which `check-loans` this is.
enum ProgramVersion {
  /// By the rules of semver.org.
  static let number = "0.1.0"
}
