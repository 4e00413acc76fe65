internal import CLinux
internal import Glibc
internal import SystemPackage

/// A program at the same terminal that is written to until it has ended, as a pager is.
package struct TerminalReader: ~Copyable {
  /// What it reads.
  private var input: OpenFile?
  private let number: pid_t
  /// What Ctrl-C did to this process before.
  private let onInterrupt: sighandler_t?

  /// The descriptor to write to, which does not block.
  package var descriptor: Int32 { input?.descriptor.rawValue ?? -1 }

  /// Starts a program with the standard output and error of this process; until it has ended, Ctrl-C is
  /// for it alone.
  ///
  /// - Parameters:
  ///   - program: its path.
  ///   - arguments: those after the name.
  ///   - environment: its whole environment.
  /// - SeeAlso: `signal(2)`.
  package init(
    _ program: String, _ arguments: [String], environment: [String: String]
  ) throws(StartFailure) {
    let pipe: (reading: OpenFile, writing: OpenFile)
    do throws(Errno) { pipe = try OpenFile.pipe() } catch { throw StartFailure(error) }
    pipe.reading.block()
    let reading = pipe.reading.descriptor.rawValue
    let onInterrupt = signal(SIGINT, SIG_IGN)
    let result = unsafe ChildProcess.withCStrings([program] + arguments, environment) {
      unsafe check_loans_start_in_foreground(program, $0, $1, reading)
    }
    guard result > 0 else {
      signal(SIGINT, onInterrupt)
      throw StartFailure(Errno(rawValue: -result))
    }
    (input, number) = (pipe.writing, result)
    self.onInterrupt = onInterrupt
  }

  /// Returns once the program has read all that was written, and has ended.
  ///
  package consuming func end() -> ChildProcess.Ending {
    input = nil
    defer { signal(SIGINT, onInterrupt) }
    return ChildProcess.Ending(of: number)
  }
}
