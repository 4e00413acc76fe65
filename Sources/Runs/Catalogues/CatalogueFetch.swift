import ArgumentParser
import CommandOutput
import Glibc
import LoanCatalogue
import Loans
import Notifiers
import ReminderService
import Settings
import System
import SystemPackage

/// A program that prints a catalogue, and what becomes of that.
///
/// What it prints replaces what it printed before only if it is a whole catalogue and the program ended
/// with status 0. The lock of the schedule is not needed for it: a server that does not answer keeps no
/// other run waiting.
package struct CatalogueFetch: Sendable {
  /// The name of the catalogue, in the schedule too.
  package let name: String
  /// The program's path, or its name where it is not found, and its arguments.
  let command: [String]
  /// The file with the last good catalogue; `nil` where no schedule is kept.
  package let file: String?
  private let profile: CatalogueProfile?
  private let environment: [String: String]
  private let temporaryDirectory: String
  /// The values of the variables that are the program's alone, which no message shows.
  private let secrets: [Substring]
  private let timeout: Duration
  private let every: Duration

  /// - Parameter schedule: the schedule's path, if there is one.
  init(
    _ name: String, _ options: FetchOptions, profile: CatalogueProfile?,
    besideSchedule schedule: String?, _ environment: Environment
  ) {
    (self.name, self.profile) = (name, profile)
    temporaryDirectory = environment.temporaryDirectory
    let program = options.run.prefix(1).map {
      environment.programPath($0, in: environment.given.file?.directory ?? "")
    }
    command = program + options.run.dropFirst()
    (timeout, every) = (.seconds(options.timeout), .seconds(options.every.seconds))
    file = schedule.map { Self.file(of: name, besideSchedule: $0) }
    let own = environment.variables.filter { options.environment.contains($0.key) }
    // The longest first: one may begin like another.
    secrets = own.values.flatMap { $0.split(whereSeparator: \.isNewline) }
      .sorted { $0.utf8.count > $1.utf8.count }
    self.environment = environment.variables.passedOn.merging(own) { $1 }
  }

  /// How long `watch` waits before it is run again.
  func pause(hasFailed: Bool) -> Duration { hasFailed ? min(every, .seconds(300)) : every }

  /// The file that keeps the last good catalogue of a name.
  package static func file(of name: String, besideSchedule schedule: String) -> String {
    "\(schedule).\(name).xml"
  }

  /// Runs the program, and keeps the catalogue.
  ///
  /// - Parameter keeps: whether the file has a name, and so is kept.
  /// - Returns: the file.
  /// - Throws: ``CommandError``, after which the last good catalogue is still there.
  func fetch(keeps: Bool) throws(CommandError) -> OpenFile {
    do {
      guard keeps, let file else {
        let file = try OpenFile.temporary(in: temporaryDirectory)
        try print(into: file)
        return file
      }
      let new = try FileReplacement.begin(at: file)
      try new.setPermissions(.ownerReadWrite)
      let printed = new.file
      // It is as old as its request, so that a slow response never replaces that to a later one.
      let begun = try printed.status
      try print(into: printed)
      try printed.setModified(as: begun)
      if let kept = try? Stat(of: file).st_mtim,
        (begun.st_mtim.tv_sec, begun.st_mtim.tv_nsec) < (kept.tv_sec, kept.tv_nsec)
      {
        return try OpenFile(file)
      }
      try new.commit()
      return printed
    } catch let error as FileReplacement.Failure {
      let place = (file ?? "").quoted(limit: 200)
      throw CommandError(
        .cannotCreate, "\(name.visible): cannot keep \(place): \(error.words)")
    } catch let error as Errno {
      let words = "cannot make a file in \(temporaryDirectory.visible): \(error.words)"
      throw CommandError(.inputOutput, "\(name.visible): \(words)")
    } catch { throw CommandError(error) }
  }

  private func print(into file: OpenFile) throws(CommandError) {
    let report: ChildProcess.Report
    do throws(StartFailure) {
      var child = try ChildProcess(
        command.first ?? "", Array(command.dropFirst()), environment: environment, output: file)
      report = child.untilEnd(within: timeout, unless: { StopSignals.isStopRequested })
    } catch { throw failure(error.words) }
    if report.timedOut {
      throw failure("\(timeout.lateness); raise timeout in its [[catalogue]] table")
    }
    guard report.ending.isSuccess else { throw failure(report.failure(shown: masked)) }
    if let fault = fault(in: file) { throw failure(masked(fault).shortened(to: 400).visible) }
  }

  /// Why what was printed is no catalogue; `nil` if it is one, or says that there is no such borrower.
  private func fault(in file: OpenFile) -> String? {
    if (try? file.status.size) == 0 { return "printed nothing" }
    var words = "did not print a whole catalogue"
    do throws(CatalogueError) {
      let reader = CatalogueReader(profile: profile)
      let reading = try reader.open(file.pathOfDescriptor)
      while let batch = try reading.next() {
        for found in batch.diagnostics where found.severity == .error {
          words = """
            did not print a whole catalogue: line \(found.location.line): \(found.message) \
            [\(found.code.rawValue)]
            """
        }
      }
      return reading.summary.isUsable || reading.summary.answer.isBorrowerUnknown ? nil : words
    } catch {
      return "printed something unreadable: \(error.message)"
    }
  }

  /// The text without the values that were given to the program alone.
  ///
  /// They are looked for by bytes: a combining mark after a value makes it no other.
  private func masked(_ text: String) -> String {
    let bytes = secrets.reduce(Array(text.utf8)) { $0.replacing($1.utf8, with: "…".utf8) }
    return String(decoding: bytes, as: UTF8.self)
  }

  private func failure(_ words: String) -> CommandError {
    let reminders = file == nil ? "" : "; its notices are unchanged"
    let subject = "\(name.visible): \((command.first ?? "").visible)"
    return CommandError(.noInput, "\(subject) \(words)\(reminders)")
  }
}
