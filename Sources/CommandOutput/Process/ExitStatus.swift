/// The exit status of the command; see sysexits.h.
package enum ExitStatus: Int32, CaseIterable, Sendable {
  /// All was done; loans may have expired.
  case done = 0
  /// `--exit-code` and a loan has, or `validate` found an error.
  case findings = 1
  /// The command line is wrong.
  case usage = 64
  /// A catalogue is malformed or has invalid dates; the rest was processed.
  case invalidData = 65
  /// An input cannot be read.
  case noInput = 66
  /// A notifier failed; its notices stay pending.
  case unavailable = 69
  /// The system is out of file descriptors, processes or memory.
  case systemLimit = 71
  /// The state cannot be created.
  case cannotCreate = 73
  /// Reading or writing failed, standard output included.
  case inputOutput = 74
  /// Another run holds the lock, or the catalogue changed while it was read: try again.
  case tryAgain = 75
  /// The state may not be used.
  case noPermission = 77
  /// A setting is wrong, an unknown time zone for example.
  case badSetting = 78

  /// The more urgent of two: what keeps the most from being done comes first.
  package func worse(_ other: ExitStatus) -> ExitStatus {
    let order: [ExitStatus] = [
      .systemLimit, .inputOutput, .cannotCreate, .noPermission, .badSetting, .tryAgain, .noInput,
      .unavailable, .invalidData, .usage, .findings, .done,
    ]
    return order.first { $0 == self || $0 == other } ?? self
  }
}
