import Glibc
import LoanCatalogue
import Loans
import System

/// Why the command cannot go on, and the exit status that says so.
package struct CommandError: Error {
  package var status: ExitStatus
  /// One line for standard error; `nil` if nobody is left to read it, or everything was said.
  package var message: String?

  package init(_ status: ExitStatus, _ message: String?) {
    self.status = status
    self.message = message
  }

  /// Any error that the rooms below throw.
  package init(_ error: any Error) {
    switch error {
    case let error as CommandError: self = error
    case let error as any EndsCommand: self = error.commandError
    case let error as OutputError:
      self.init(.inputOutput, error.isBrokenPipe || error.isByStop ? nil : "\(error)")
    default: self.init(.inputOutput, String(describing: error).visible)
    }
  }
}

/// An error of a room that says with which status the command ends.
package protocol EndsCommand: Error {
  var commandError: CommandError { get }
}

extension CatalogueError: EndsCommand {
  package var commandError: CommandError { CommandError(code.status, "\(self)\(advice)") }
}

extension CatalogueError {
  /// The words to add where the file is missing: that the path is a pattern, or that another file is named
  /// nearly like it.
  package var advice: String {
    guard underlying == ENOENT else { return "" }
    if FilePattern.isPattern(path) {
      return FilePattern.files(fitting: path).isEmpty
        ? "; no file matches this pattern"
        : "; remove the quotation marks, and the shell expands the pattern"
    }
    return FilePattern.file(namedLike: path).map { "; did you mean \($0.visible)?" } ?? ""
  }
}

extension CatalogueError.Code {
  fileprivate var status: ExitStatus {
    switch self {
    case .cannotRead: .noInput
    case .inputOutput: .inputOutput
    case .changedWhileReading: .tryAgain
    case .profileFailed: .badSetting
    case .systemLimit: .systemLimit
    }
  }
}
