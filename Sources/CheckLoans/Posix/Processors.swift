import CLinux

/// What the machine computes with.
enum Processors {
  /// How many threads can run at once, at least 1.
  ///
  /// - SeeAlso: `sched_getaffinity(2)`.
  static var count: Int {
    max(1, Int(check_loans_processor_count()))
  }
}
