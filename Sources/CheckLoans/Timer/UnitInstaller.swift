import Loans
import Notifiers
import System

/// Writes the units into the user's systemd directory, and has systemd take them up or let them go.
struct UnitInstaller {
  let units: TimerUnits
  /// Absolute.
  let directory: String
  let environment: Environment
  let console: Console
  /// How long systemctl may take each time.
  var deadline = Duration.seconds(30)

  private var files: [(path: String, content: String)] {
    [
      ("\(directory)/\(units.name).service", units.service),
      ("\(directory)/\(units.name).timer", units.timer),
    ]
  }

  private var timer: String { "\(units.name).timer" }

  /// Both files with their names above them, as `systemctl cat` shows them.
  var listing: String {
    files.map { "# \($0.path.visible)\n\($0.content)" }.joined(separator: "\n")
  }

  /// - Throws: ``CommandError``: `cannotCreate` if a file is not to be written, `unavailable` if
  ///   systemd cannot be told.
  func install() throws(CommandError) {
    let systemctl = try systemctl()
    for file in files { try check(file.path) }
    do throws(UnitFile.Failure) {
      try UnitFile.makeDirectory(directory)
      for file in files { try UnitFile.write(file.content, to: file.path) }
    } catch {
      throw CommandError(
        .cannotCreate, "cannot write \(error.path.quoted(limit: 200)): \(error.words)")
    }
    do throws(Failure) {
      try run(systemctl, ["daemon-reload"])
      // A timer that was there before runs by its old times until it is started again.
      try run(systemctl, ["enable", timer])
      try run(systemctl, ["restart", timer])
    } catch {
      let names = files.map { $0.path.visible }.joined(separator: " and ")
      throw CommandError(
        .unavailable,
        """
        \(error.words); \(error.advice), and run the command again; \(names) stay until \
        check-loans timer --uninstall\(units.named)
        """)
    }
    console.complain("installed \(timer); see systemctl --user list-timers")
  }

  /// Removes the files even if systemd cannot be told.
  ///
  /// - Throws: ``CommandError``: `cannotCreate` if a file is not to be removed, `unavailable` if
  ///   systemd cannot be told.
  func uninstall() throws(CommandError) {
    let present = files.map(\.path).filter(WholeFile.exists)
    if present.isEmpty {
      console.complain("\(timer) is not installed in \(directory.quoted(limit: 200))")
      return
    }
    for path in present { try check(path) }
    var failure = tellSystemd(["disable", "--now", timer])
    do throws(UnitFile.Failure) {
      for path in present { try UnitFile.remove(path) }
    } catch {
      throw CommandError(
        .cannotCreate, "cannot remove \(error.path.quoted(limit: 200)): \(error.words)")
    }
    if failure == nil { failure = tellSystemd(["daemon-reload"]) }
    console.complain("removed \(timer) and its service")
    guard let failure else { return }
    throw CommandError(
      .unavailable,
      """
      \(failure.words); the timer may run until the user logs out or systemctl --user stop \(timer)
      """)
  }

  /// Makes sure that a file is ours, or is not there.
  private func check(_ path: String) throws(CommandError) {
    let state = UnitFile.state(of: path, marker: TimerUnits.marker)
    switch state {
    case .missing, .ours: return
    case .foreign(let words):
      throw CommandError(
        .cannotCreate,
        "\(path.quoted(limit: 200)) \(words); move it away, or choose another --name")
    }
  }

  /// Why systemd could not be told.
  private struct Failure: Error {
    var words: String
    var isLate = false

    var advice: String {
      isLate
        ? "see in systemctl --user list-jobs what keeps systemd busy, or log in anew"
        : "log in as the user whose timer it shall be, not by su or sudo"
    }
  }

  private func tellSystemd(_ arguments: [String]) -> Failure? {
    guard let systemctl = environment.program(named: "systemctl") else {
      return Failure(words: "systemctl was not found")
    }
    do throws(Failure) { try run(systemctl, arguments) } catch { return error }
    return nil
  }

  private func systemctl() throws(CommandError) -> String {
    if let path = environment.program(named: "systemctl") { return path }
    throw CommandError(
      .unavailable,
      "systemctl was not found, and nothing was changed; without systemd, use check-loans timer --cron"
    )
  }

  private func run(_ program: String, _ arguments: [String]) throws(Failure) {
    let arguments = ["--user"] + arguments
    let name = "systemctl \(arguments.joined(separator: " "))"
    StartedChild.endWithThisProcess()
    let report: ChildProcess.Report
    do throws(StartFailure) {
      report = try ChildProcess(
        program, arguments, environment: environment.variables, timeout: deadline
      ).runBlocking()
    } catch {
      throw Failure(words: "\(name) \(error.words)")
    }
    if report.timedOut {
      throw Failure(words: "\(name) did not finish within \(deadline.words)", isLate: true)
    }
    if !report.ending.isSuccess { throw Failure(words: "\(name) \(report.failure)") }
  }
}
