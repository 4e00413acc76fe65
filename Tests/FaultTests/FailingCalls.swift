import TestSupport

/// The libraries that make system calls fail; see `Shim/failing-io.c`, `Shim/failing-start.c`
/// and `Shim/failing-memory.c`.
enum FailingCalls {
  /// An error of errno(3), as far as storage brings it about.
  enum Fault: Int, CaseIterable, Sendable {
    case inputOutput = 5
    case tooManyFiles = 24
    case noSpace = 28
    case readOnly = 30
    case quota = 122

    /// The exit statuses that the README documents for it; 0 where the call was not needed.
    var statuses: Set<Int32> {
      switch self {
      case .inputOutput, .noSpace, .quota: [0, 73, 74]
      // Where opening fails but once, nobody can tell afterwards why.
      case .tooManyFiles: [0, 71, 74]
      case .readOnly: [0, 73, 74, 77]
      }
    }
  }

  private static let compiled = Task { () async throws -> ScratchFolder in
    let folder = try ScratchFolder()
    let sources = "\(projectDirectory)/Tests/FaultTests/Shim"
    let compile = """
      cc=$(command -v cc || command -v clang) && for name in failing-io failing-start failing-memory; do
        "$cc" -shared -fPIC -Wall -Wextra -Werror -o $name.so "$0/$name.c" || exit
      done
      """
    let result = try await Command(
      "/bin/sh", ["-c", compile, sources],
      environment: ["PATH": testVariable("PATH") ?? "/usr/bin:/bin"], directory: folder.path
    ).run()
    guard result.status == 0 else { throw Unexpected("no C compiler, cc or clang", result) }
    return folder
  }

  /// An error of errno(3) with which a read of a file may fail that is not damaged.
  enum ReadFault: Int, CaseIterable, Sendable {
    case inputOutput = 5
    case tryAgain = 11
    case noMemory = 12
    case staleHandle = 116
  }

  /// The environment that makes the n-th read of a file in a trial's schedule fail.
  static func variables(
    _ fault: ReadFault, at number: Int, _ trial: Trial
  ) async throws -> [String: String] {
    var variables = try await variables(.inputOutput, at: number, stays: false, trial)
    variables["FAULT_ERRNO"] = String(fault.rawValue)
    variables["FAULT_READS"] = "1"
    return variables
  }

  /// The environment that makes the n-th call fail which changes something in a trial's schedule.
  ///
  /// - Parameter stays: whether all later ones fail too.
  static func variables(
    _ fault: Fault, at number: Int, stays: Bool, _ trial: Trial
  ) async throws -> [String: String] {
    [
      "LD_PRELOAD": "\(try await compiled.value.path)/failing-io.so",
      "FAULT_BELOW": "\(trial.folder.path)/state", "FAULT_ERRNO": String(fault.rawValue),
      "FAULT_AT": String(number), "FAULT_STAYS": stays ? "1" : "0",
      "FAULT_REPORT": "\(trial.folder.path)/faults",
    ]
  }

  /// The environment that makes the opening of a file fail, for want of descriptors.
  static func variables(opening path: String, report: String) async throws -> [String: String] {
    [
      "LD_PRELOAD": "\(try await compiled.value.path)/failing-io.so", "FAULT_BELOW": path,
      "FAULT_ERRNO": String(Fault.tooManyFiles.rawValue), "FAULT_AT": "1", "FAULT_REPORT": report,
    ]
  }

  /// The environment that puts a directory on a file system of this type.
  static func variables(type: UInt32, below path: String) async throws -> [String: String] {
    [
      "LD_PRELOAD": "\(try await compiled.value.path)/failing-io.so", "FAULT_BELOW": path,
      "FAULT_SYSTEM": String(type),
    ]
  }

  /// The environment that makes the n-th allocation of libxml2 fail.
  ///
  /// - Parameters:
  ///   - stays: whether all later ones fail too.
  ///   - report: the file that is there afterwards if one has failed.
  static func variables(
    allocation number: Int, stays: Bool, report: String
  ) async throws -> [String: String] {
    [
      "LD_PRELOAD": "\(try await compiled.value.path)/failing-memory.so",
      "FAULT_AT": String(number), "FAULT_STAYS": stays ? "1" : "0", "FAULT_REPORT": report,
    ]
  }

  /// The environment that makes the n-th call of this name fail, of those that start a child.
  static func variables(
    _ call: String, at number: Int, error: Int
  ) async throws -> [String: String] {
    [
      "LD_PRELOAD": "\(try await compiled.value.path)/failing-start.so", "FAULT_CALL": call,
      "FAULT_AT": String(number), "FAULT_ERRNO": String(error),
    ]
  }
}
