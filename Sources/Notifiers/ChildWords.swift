internal import Loans

extension ChildProcess.Report {
  /// The first line of standard error, else of standard output, made harmless and preceded by
  /// `: `; nothing if there is neither.
  var complaintWords: String {
    for text in [complaint, output] {
      if let line = text.split(whereSeparator: \.isNewline).first(where: { !$0.isBlank }) {
        return ": \(line.shortened(to: 300).visible)"
      }
    }
    return ""
  }
}

extension Duration {
  /// `10 s`, or with a fraction where there is one.
  var words: String {
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

extension Substring {
  fileprivate var isBlank: Bool { allSatisfy(\.isWhitespace) }

  fileprivate func shortened(to limit: Int) -> String { String(self).shortened(to: limit) }
}
