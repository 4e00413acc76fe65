import Glibc
import Loans
import System
import SystemPackage

/// The state of the process at its start, made safe to work in.
package enum ProcessSetup {
  /// Makes sure that the descriptors 0 to 2 are open, and that losing a reader or hitting a size
  /// limit is an error instead of a signal.
  ///
  /// A missing descriptor would be given to the next file opened, the schedule perhaps. It is
  /// filled such that using it fails: output on one open for reading, input on one for writing.
  ///
  /// - SeeAlso: `fcntl(2)`, `open(2)`, `signal(2)`.
  package static func run() {
    CheckedOutput.ignoreBrokenPipeSignal()
    signal(SIGXFSZ, SIG_IGN)
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
      _ = unsafe open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
  }

  /// The arguments of the command line, without the program's name.
  ///
  /// Read here, since Swift takes a command line that it does not find for an empty one, and an
  /// empty one delivers.
  ///
  /// - Throws: ``CommandError`` with the status `usage` for one that is not UTF-8: such a name cannot
  ///   be passed on as it is, and must not become another one. With `inputOutput` if there is no
  ///   `/proc`.
  /// - SeeAlso: `proc_pid_cmdline(5)`.
  package static func arguments() throws(CommandError) -> [String] {
    let bytes = (try? WholeFile.bytes(of: "/proc/self/cmdline", limit: 16_777_216)) ?? []
    let words = bytes.split(separator: 0, omittingEmptySubsequences: false)
    guard words.count > 1 else {
      throw CommandError(
        .inputOutput, "/proc/self/cmdline cannot be read, and so the command line; mount /proc")
    }
    var arguments: [String] = []
    for word in words.dropFirst().dropLast() {
      guard let argument = String(validating: word, as: UTF8.self) else {
        let shown = String(decoding: word, as: UTF8.self).quoted()
        throw CommandError(
          .usage, "the argument \(shown) is not UTF-8; rename the file, or pipe it to -")
      }
      arguments.append(argument)
    }
    return arguments
  }

  /// The program's absolute path; `nil` if it is gone.
  ///
  /// - SeeAlso: `proc(5)`.
  package static var ownPath: String? {
    let path = FileSystem.linkTarget(of: "/proc/self/exe")?.string
    return path?.hasSuffix(" (deleted)") == true ? nil : path
  }

  /// Whether standard output is a terminal.
  ///
  /// - SeeAlso: `isatty(3)`.
  package static var isOutputATerminal: Bool { isatty(STDOUT_FILENO) == 1 }

  /// Whether standard error is a terminal.
  ///
  /// - SeeAlso: `isatty(3)`.
  package static var isErrorATerminal: Bool { isatty(STDERR_FILENO) == 1 }

  /// The size of the terminal at a descriptor, if there is one and it is known.
  ///
  /// - SeeAlso: `ioctl_tty(2)`.
  package static func terminalSize(at descriptor: Int32) -> (columns: Int, rows: Int)? {
    var size = winsize()
    let result = unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size)
    return result == 0 && size.ws_col > 0 ? (Int(size.ws_col), Int(size.ws_row)) : nil
  }
}
