internal import Loans
package import System

extension ChildProcess.Report {
  /// How the program failed, harmless on a terminal: `failed with exit status 3: no such user`, with
  /// the first line of standard error, else of standard output.
  package var failure: String {
    let lines = [errors, output].flatMap { $0.split(whereSeparator: \.isNewline) }
    guard let line = lines.first(where: { !$0.allSatisfy(\.isWhitespace) }) else {
      return ending.words
    }
    return "\(ending.words): \(String(line).shortened(to: 300).visible)"
  }
}

extension StartFailure {
  /// Why a program was not run: `could not be run, because …`.
  package var words: String {
    switch self {
    case .shortage(let reason): "could not be run, \(reason)"
    case .notFound:
      "was not found, or may not be run; give the path of a program, or its name in PATH"
    case .other(let reason): "could not be run (\(reason))"
    }
  }
}

extension Duration {
  /// `10 s`, or with a fraction where there is one.
  package var words: String {
    components.attoseconds == 0 ? "\(components.seconds) s" : "\(self / .seconds(1)) s"
  }
}

extension StartedChild.Ending {
  /// `failed with exit status 3`, `was ended by signal 9`.
  var words: String {
    switch self {
    case .exited(let code): "failed with exit status \(code)"
    case .signaled(let signal): "was ended by signal \(signal)"
    case .lost: "has ended, and the system does not say how"
    }
  }
}
