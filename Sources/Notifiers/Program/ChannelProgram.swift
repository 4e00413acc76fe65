internal import Loans
internal import System

/// A program that a channel hands notices to.
struct ChannelProgram: Sendable {
  /// What to do about failures, by where the program is named.
  struct Advice: Sendable {
    let naming: String
    let failure: String
    let lateness: String
    /// What to do if a name is not found in `PATH`.
    var installation: String?

    /// For a program that `--notify exec:` names.
    static let exec = Advice(
      naming: "correct the path in --notify", failure: "if this persists, fix the program",
      lateness: "raise --exec-timeout, or have it print ok INDEX for each notice that it has sent")
    /// For a program that a table of the settings file names.
    static let table = Advice(
      naming: "correct run in its [[channel]] table",
      failure: "if this persists, correct its [[channel]] table",
      lateness: "raise timeout in its [[channel]] table")
    /// For a program that takes mail.
    static let mail = Advice(
      naming: "correct mail-program", failure: "if this persists, check the mail system",
      lateness: "check the mail system")
    /// For that of the mail system, which nobody has named.
    static let sendmail = Advice(
      naming: mail.naming, failure: mail.failure, lateness: mail.lateness,
      installation: """
        install a mail system (Debian: apt install msmtp-mta), or name a program with mail-program
        """)
  }

  /// The name of the channel.
  let channel: String
  private let program: String
  private let environment: [String: String]
  private let timeout: Duration
  private let advice: Advice
  private let failureCode: NotifierError.Code

  /// - Parameters:
  ///   - program: an absolute path; or a name, looked for in the absolute entries of `PATH` each time.
  ///   - environment: where the few variables are taken from that every program gets.
  ///   - names: further variables that it gets.
  ///   - failureCode: the kind of failure if it ends with another status than 0.
  init(
    channel: String, program: String, environment: [String: String], passing names: [String] = [],
    timeout: Duration, advice: Advice, failureCode: NotifierError.Code = .failed
  ) {
    self.channel = channel
    self.program = program
    let further = environment.filter { names.contains($0.key) }
    self.environment = environment.passedOn.merging(further) { $1 }
      .merging(["CHECK_LOANS_CHANNEL": channel]) { $1 }
    self.timeout = timeout
    (self.advice, self.failureCode) = (advice, failureCode)
  }

  /// Runs it once, without a shell, and waits for its end.
  ///
  /// Status 0 is success, unless it answers by lines `ok INDEX` which notices were sent: then that alone
  /// counts, even if it had to be stopped.
  ///
  /// - Parameters:
  ///   - input: what it reads from standard input, if anything.
  ///   - count: the number of notices it can answer about; 0 for none.
  func run(
    _ arguments: [String] = [], input: String?, about count: Int
  ) throws(NotifierError) {
    var sent: Set<Int> = []
    let report = try report(of: arguments, input: input.map { Array($0.utf8) }) { line in
      if let index = line.answeredIndex, index < count { sent.insert(index) }
      return .nothing
    }
    let hasSucceeded = report.ending.isSuccess && !report.timedOut
    // Of a program that was cut off, the last line may be too.
    if hasSucceeded, let index = report.unendedLine.answeredIndex, index < count {
      sent.insert(index)
    }
    if sent.isEmpty ? hasSucceeded : sent.count == count { return }
    throw failure(report, sent.sorted(), of: count)
  }

  /// Runs it once, without a shell, and waits for its end, whatever that is.
  func report(
    of arguments: [String], input: [UInt8]?,
    onLine: (String) -> ChildProcess.LineMeaning = { _ in .nothing }
  ) throws(NotifierError) -> ChildProcess.Report {
    let isName = !program.isEmpty && !program.contains("/")
    guard program.hasPrefix("/") && !program.hasSuffix("/") || isName else {
      throw error(
        .unavailable, "does not name a program; give an absolute path, or a name in PATH")
    }
    do throws(StartFailure) {
      var child = try ChildProcess(program, arguments, environment: environment, input: input)
      return child.untilEnd(within: timeout, onLine: onLine)
    } catch {
      throw self.error(error)
    }
  }
}

// MARK: - Failures

extension ChannelProgram {
  func error(
    _ code: NotifierError.Code, _ words: String, delivered: [Int] = []
  ) -> NotifierError {
    let subject = channel.hasPrefix("exec:") ? channel : "\(channel): \(program)"
    return NotifierError(
      code, channel: channel, message: "\(subject.visible) \(words)", delivered: delivered)
  }

  /// The failure of a run that was stopped because its time was over.
  var lateness: String { "\(timeout.lateness); \(advice.lateness)" }

  private func failure(
    _ report: ChildProcess.Report, _ sent: [Int], of count: Int
  ) -> NotifierError {
    if report.timedOut {
      return error(.timedOut, lateness, delivered: sent)
    }
    let words =
      report.ending.isSuccess
      ? "printed ok for \(sent.count) of \(count) notices" : report.failure
    return error(failureCode, "\(words); \(advice.failure)", delivered: sent)
  }

  private func error(_ failure: StartFailure) -> NotifierError {
    let words: String
    switch failure {
    case .shortage: return error(.systemLimit, failure.words)
    case .notExecutable(let path):
      words = "is not executable; if it is your program, use chmod +x \(path.visible)"
    case .missing where program.hasPrefix("/"):
      words = "was not found; \(advice.naming)"
    case .missing where advice.installation != nil:
      words = "was not found; \(advice.installation ?? advice.naming)"
    case .missing(directories: []):
      words = "was not found in PATH, which has no absolute entry; install it, or give its path"
    case .missing(let directories):
      let places = directories.joined(separator: ":").shortened(to: 200).visible
      words = "was not found in PATH, which is \(places); install it, or give its path"
    case .noInterpreter:
      words = """
        could not be run; if it is a script, check that its first line, #!, names a program that \
        exists
        """
    case .other:
      let path = try? ChildProcess.path(of: program, in: environment["PATH"])
      words = """
        \(failure.words); check that \((path ?? program).visible) is a program, or a script whose \
        first line is #! with one
        """
    }
    return error(.unavailable, words)
  }
}

extension StringProtocol {
  /// The place that a line `ok INDEX` is about; `nil` for any other line.
  var answeredIndex: Int? {
    let words = split(whereSeparator: \.isWhitespace)
    guard words.count == 2, words[0] == "ok",
      words[1].utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
    else { return nil }
    return Int(words[1])
  }
}
