import CommandOutput
import Loans
import Notifiers
import Settings
import System
import SystemPackage

/// Writes units where systemd looks for them, and has systemd load or forget them.
struct UnitInstaller {
  /// Whether they are the machine's, not a user's.
  var isSystem = false
  /// The units' name, without suffix.
  let name: String
  /// The absolute path of the directory for the units.
  let directory: String
  let environment: Environment
  let console: Console
  /// The time that systemctl may take for each call.
  var timeout = Duration.seconds(30)

  private func path(_ suffix: String) -> String { "\(directory)/\(name).\(suffix)" }
  private var scope: [String] { isSystem ? [] : ["--user"] }
  /// The command by which people call systemctl.
  private var systemctl: String { (["systemctl"] + scope).joined(separator: " ") }

  /// The files with their names above them, as `systemctl cat` shows them.
  func listing(_ units: TimerUnits) -> String {
    zip(units.suffixes, units.contents).map { "# \(path($0).visible)\n\($1)" }
      .joined(separator: "\n")
  }

  /// Writes the units and has systemd start the timer, or the service without one.
  ///
  /// - Throws: ``CommandError``: `cannotCreate` if a file is not to be written, `unavailable` if
  ///   systemd cannot be reached.
  func install(_ units: TimerUnits) throws(CommandError) {
    guard environment.program(named: "systemctl") != nil else {
      throw CommandError(
        .unavailable,
        """
        systemctl was not found, and nothing was changed; without systemd, use \
        \(units.kind == .watch ? "the autostart of your desktop" : "crontab -e")
        """)
    }
    let paths = units.suffixes.map(path)
    for path in paths { try checkIsOurs(path) }
    if let (path, error) = FileSystem.makeDirectories(FilePath(directory)) {
      throw cannot("write", path, error)
    }
    for (path, content) in zip(paths, units.contents) { try write(content, to: path) }
    let unit = "\(name).\(units.suffixes.last ?? "")"
    // A timer that was there before runs by its old times until it is started again.
    let failure =
      systemctl("daemon-reload") ?? systemctl("enable", unit) ?? systemctl("restart", unit)
    if let failure {
      throw CommandError(
        .unavailable,
        """
        \(failure.message); \(failure.advice.map { "\($0), and run this again" } ?? advice); \
        \(paths.map(\.visible).joined(separator: " and ")) \(paths.count == 1 ? "remains" : "remain") until \
        \(units.removal)
        """)
    }
    // The first run may have a question.
    let next =
      units.kind == .watch
      ? "see \(systemctl) status \(unit)" : "try it now: \(systemctl) start \(name).service"
    console.printError("installed \(unit); \(next)")
  }

  /// Removes the files, even if systemd cannot be reached.
  ///
  /// - Throws: ``CommandError``: `cannotCreate` if a file is not to be removed, `unavailable` if
  ///   systemd cannot be reached.
  func uninstall() throws(CommandError) {
    let suffixes = ["timer", "service"].filter { FileSystem.exists(path($0)) }
    guard let suffix = suffixes.first else {
      console.printError(
        "there is no unit \(name) in \(directory.quoted(limit: 200)); nothing was removed")
      return
    }
    let unit = "\(name).\(suffix)"
    for suffix in suffixes { try checkIsOurs(path(suffix)) }
    var failure = systemctl("disable", "--now", unit)
    // A run that has failed may wait to be tried again.
    if suffix == "timer" { failure = failure ?? systemctl("stop", "\(name).service") }
    for path in suffixes.map(path) {
      do throws(Errno) { try FileSystem.remove(path) } catch {
        throw cannot("remove", path, error)
      }
    }
    failure = failure ?? systemctl("daemon-reload")
    console.printError("removed \(unit)\(suffixes.count == 1 ? "" : " and its service")")
    guard let failure else { return }
    throw CommandError(
      .unavailable,
      """
      \(failure.message); \(unit) may run until \(isSystem ? "" : "the user logs out or ")\
      \(systemctl) stop \(unit)
      """)
  }

  /// - Throws: ``CommandError`` if there is something that check-loans has not written.
  private func checkIsOurs(_ path: String) throws(CommandError) {
    // Where nobody may look, nothing can be written or removed either.
    guard let type = try? Stat(ofLink: path).type else { return }
    let bytes = type == .regular ? try? WholeFile.bytes(of: path, limit: 1_048_576) : nil
    if bytes?.starts(with: TimerUnits.marker.utf8) == true { return }
    throw CommandError(
      .cannotCreate,
      """
      \(path.quoted(limit: 200)) is not a file that check-loans has written; move it away, or choose \
      another --name
      """)
  }

  private func write(_ content: String, to path: String) throws(CommandError) {
    do throws(FileReplacement.Failure) {
      let replacement = try FileReplacement.begin(at: path)
      try replacement.write(Array(content.utf8))
      // systemd reads it, whatever the umask.
      try replacement.setPermissions([.ownerReadWrite, .groupRead, .otherRead])
      try replacement.commit()
    } catch {
      throw cannot("write", path, error.errno)
    }
  }

  private func cannot(_ verb: String, _ path: String, _ error: Errno) -> CommandError {
    CommandError(.cannotCreate, "cannot \(verb) \(path.quoted(limit: 200)): \(error.words)")
  }

  private var advice: String {
    isSystem
      ? "see in systemctl status what is wrong with systemd"
      : "run this again in a login session of the user who owns the timer, not with su or sudo"
  }

  /// Why systemd could not be reached, and what to do.
  private struct Failure {
    let message: String
    var advice: String?
  }

  private func systemctl(_ arguments: String...) -> Failure? {
    guard let program = environment.program(named: "systemctl") else {
      return Failure(message: "systemctl was not found")
    }
    let arguments = scope + arguments
    let name = "systemctl \(arguments.joined(separator: " "))"
    ChildProcess.endWithThisProcess()
    do throws(StartFailure) {
      var child = try ChildProcess(program, arguments, environment: environment.variables)
      let report = child.untilEnd(within: timeout)
      if report.timedOut {
        return Failure(
          message: "\(name) did not finish within \(timeout.words)",
          advice: "see in \(systemctl) list-jobs what keeps systemd busy, or log in again")
      }
      return report.ending.isSuccess ? nil : Failure(message: "\(name) \(report.failure)")
    } catch {
      return Failure(message: "\(name) \(error.words)")
    }
  }
}
