internal import Loans
package import System

extension ChildProcess.Report {
  /// How the program failed, harmless on a terminal: `failed with exit status 3: no such user`, with
  /// the first line of standard error, else of standard output that is no answer.
  package var failure: String { failure(preferring: { _ in true }) }

  /// The same with the first line for which `isPreferred`, if there is one, as `shown` changes it.
  package func failure(
    preferring isPreferred: (Substring) -> Bool = { _ in true },
    shown: (String) -> String = { $0 }
  ) -> String {
    let lines = [errors, output].flatMap { $0.split(whereSeparator: \.isNewline) }
      .filter { !$0.allSatisfy(\.isWhitespace) && $0.answeredIndex == nil }
    guard let line = lines.first(where: isPreferred) ?? lines.first else { return ending.words }
    return "\(ending.words): \(shown(String(line.prefix(3_000))).shortened(to: 300).visible)"
  }
}

extension StartFailure {
  /// Why a program was not run: `could not be run, because …`.
  package var words: String {
    switch self {
    case .shortage(let reason): "could not be run, \(reason)"
    case .other(let reason): "could not be run (\(reason))"
    case .missing, .notExecutable, .noInterpreter:
      "was not found, or may not be run; give the path of a program, or its name in PATH"
    }
  }
}

extension Duration {
  /// `10 s`, or with a fraction where there is one.
  package var words: String {
    components.attoseconds == 0 ? "\(components.seconds) s" : "\(self / .seconds(1)) s"
  }

  /// The failure of a program that was stopped because its time was over.
  package var lateness: String { "did not finish within \(words) and was stopped" }
}

extension [String: String] {
  private static let passedOn: Set = [
    "PATH", "HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "TZ", "TMPDIR", "XDG_CONFIG_HOME",
    "CREDENTIALS_DIRECTORY", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS", "DISPLAY",
    "WAYLAND_DISPLAY", "XAUTHORITY",
  ]

  /// The few of these variables that a program of the user's needs, as far as they are set; nothing
  /// else, `LD_PRELOAD` for example, reaches it.
  package var passedOn: [String: String] {
    var passed = filter { name, value in
      !value.isEmpty && (Self.passedOn.contains(name) || name.hasPrefix("LC_"))
    }
    passed["PATH"] = self["PATH"] ?? ChildProcess.standardPath
    return passed
  }
}
