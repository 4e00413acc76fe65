import Loans
import Notifiers
import System
import SystemPackage

/// Writes the units into the user's systemd directory, and has systemd load or forget them.
struct UnitInstaller {
  let units: TimerUnits
  /// Absolute.
  let directory: String
  let environment: Environment
  let console: Console
  /// The time that systemctl may take for each call.
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

  /// Writes the units and has systemd start the timer.
  ///
  /// - Throws: ``CommandError``: `cannotCreate` if a file is not to be written, `unavailable` if
  ///   systemd cannot be reached.
  func install() throws(CommandError) {
    guard environment.program(named: "systemctl") != nil else {
      throw CommandError(
        .unavailable,
        """
        systemctl was not found, and nothing was changed; without systemd, use check-loans timer \
        --cron
        """)
    }
    for file in files { try checkIsOurs(file.path) }
    try makeDirectory()
    for file in files { try write(file.content, to: file.path) }
    do throws(Failure) {
      try systemctl("daemon-reload")
      // A timer that was there before runs by its old times until it is started again.
      try systemctl("enable", timer)
      try systemctl("restart", timer)
    } catch {
      let names = files.map { $0.path.visible }.joined(separator: " and ")
      throw CommandError(
        .unavailable,
        """
        \(error.words); \(error.advice), and run the command again; \(names) remain until \
        check-loans timer --uninstall\(units.named)
        """)
    }
    console.printError("installed \(timer); see systemctl --user list-timers")
  }

  /// Removes the files, even if systemd cannot be reached.
  ///
  /// - Throws: ``CommandError``: `cannotCreate` if a file is not to be removed, `unavailable` if
  ///   systemd cannot be reached.
  func uninstall() throws(CommandError) {
    let present = files.map(\.path).filter(FileSystem.exists)
    if present.isEmpty {
      console.printError("\(timer) is not installed in \(directory.quoted(limit: 200))")
      return
    }
    for path in present { try checkIsOurs(path) }
    var failure: Failure?
    do throws(Failure) { try systemctl("disable", "--now", timer) } catch { failure = error }
    for path in present {
      do throws(Errno) { try FileSystem.remove(path) } catch {
        throw cannot("remove", path, error)
      }
    }
    do throws(Failure) { if failure == nil { try systemctl("daemon-reload") } } catch {
      failure = error
    }
    console.printError("removed \(timer) and its service")
    guard let failure else { return }
    throw CommandError(
      .unavailable,
      """
      \(failure.words); the timer may run until the user logs out or systemctl --user stop \(timer)
      """)
  }

  /// - Throws: ``CommandError`` if there is a file that check-loans has not written.
  private func checkIsOurs(_ path: String) throws(CommandError) {
    let words: String
    do throws(Errno) {
      switch try Stat(ofLink: path).type {
      case .regular:
        let bytes = try? WholeFile.bytes(of: path, limit: 1_048_576)
        if bytes?.starts(with: TimerUnits.marker.utf8) == true { return }
        words = "was not written by check-loans"
      case .symbolicLink: words = "is a symbolic link"
      default: words = "is not a file"
      }
    } catch .noSuchFileOrDirectory, .notDirectory {
      return
    } catch {
      words = "cannot be examined (\(error.words))"
    }
    throw CommandError(
      .cannotCreate,
      "\(path.quoted(limit: 200)) \(words); move it away, or choose another --name")
  }

  /// Makes the directory and those above it, as far as they are missing.
  private func makeDirectory() throws(CommandError) {
    var current = ""
    for part in directory.split(separator: "/") {
      current += "/\(part)"
      do throws(Errno) {
        // As the XDG Base Directory Specification has it.
        try FileSystem.makeDirectory(current, permissions: .ownerReadWriteExecute)
      } catch .fileExists {
        continue
      } catch {
        throw cannot("write", current, error)
      }
    }
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

  /// Why systemd could not be reached.
  private struct Failure: Error {
    var words: String
    var isLate = false

    var advice: String {
      isLate
        ? "see in systemctl --user list-jobs what keeps systemd busy, or log in again"
        : "run this in a login session of the user who owns the timer, not with su or sudo"
    }
  }

  private func systemctl(_ words: String...) throws(Failure) {
    guard let program = environment.program(named: "systemctl") else {
      throw Failure(words: "systemctl was not found")
    }
    let arguments = ["--user"] + words
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
