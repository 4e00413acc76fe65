import ArgumentParser
import LoanCatalogue
import Loans
import Notifiers
import ReminderService
import System
import SystemPackage

/// The keys of a table `[[catalogue]]` whose catalogue a program fetches.
struct FetchOptions: ParsableArguments {
  @Option
  var run: [String] = []

  @Option(transform: number(1...3_600))
  var timeout = 60

  @Option(transform: Age.parse)
  var every = Age(seconds: 3_600)

  @Option(transform: ChannelTable.checkedVariable)
  var environment: [String] = []
}

/// A program that prints a catalogue, and what becomes of that.
///
/// What it prints replaces what it printed before only if it is a whole catalogue and the program ended
/// with status 0. The lock of the schedule is not needed for it: a server that does not answer keeps no
/// other run waiting.
struct CatalogueFetch: Sendable {
  /// The name of the catalogue, in the schedule too.
  let name: String
  /// The program's path, or its name where it is not found, and its arguments.
  let command: [String]
  /// How long `watch` waits before it is run again.
  let pause: Duration
  /// The file with the last good catalogue; `nil` where no schedule is kept.
  let file: String?
  private let profile: CatalogueProfile?
  private let environment: [String: String]
  /// The values of the variables that are the program's alone, which no message shows.
  private let secrets: [Substring]
  private let timeout: Duration

  /// - Parameter schedule: the schedule's path, if there is one.
  init(
    _ name: String, _ options: FetchOptions, profile: CatalogueProfile?,
    besideSchedule schedule: String?, _ environment: Environment
  ) {
    (self.name, self.profile) = (name, profile)
    let program = options.run.prefix(1).map {
      environment.programPath($0, in: environment.given.file?.directory ?? "")
    }
    command = program + options.run.dropFirst()
    (timeout, pause) = (.seconds(options.timeout), .seconds(options.every.seconds))
    file = schedule.map { Self.file(of: name, besideSchedule: $0) }
    let own = environment.variables.filter { options.environment.contains($0.key) }
    // The longest first: one may begin like another.
    secrets = own.values.flatMap { $0.split(whereSeparator: \.isNewline) }
      .sorted { $0.utf8.count > $1.utf8.count }
    self.environment = environment.variables.passedOn.merging(own) { $1 }
  }

  /// The file that keeps the last good catalogue of a name.
  static func file(of name: String, besideSchedule schedule: String) -> String {
    "\(schedule).\(name).xml"
  }

  /// Runs the program, and keeps the catalogue.
  ///
  /// - Parameter stop: has it stopped once this can be read from.
  /// - Throws: ``CommandError``, after which the last good catalogue is still there.
  func keep(stop: OpenFile? = nil) throws(CommandError) {
    guard let file else { return }
    do {
      let new = try FileReplacement.begin(at: file)
      try new.setPermissions(.ownerReadWrite)
      try print(into: new.file, stop)
      try new.commit()
    } catch let error as FileReplacement.Failure {
      throw CommandError(
        .cannotCreate, "\(name.visible): cannot keep \(file.quoted(limit: 200)): \(error.words)")
    } catch { throw CommandError(error) }
  }

  /// Runs the program, and puts the catalogue into a file without a name.
  ///
  /// - Throws: ``CommandError``.
  func look(_ directory: String) throws(CommandError) -> OpenFile {
    do {
      let file = try OpenFile.temporary(in: directory)
      try print(into: file)
      return file
    } catch let error as Errno {
      let words = "cannot make a file in \(directory.visible): \(error.words)"
      throw CommandError(.inputOutput, "\(name.visible): \(words)")
    } catch { throw CommandError(error) }
  }

  private func print(into file: OpenFile, _ stop: OpenFile? = nil) throws(CommandError) {
    var last = ""
    func note(_ line: String) { if !line.allSatisfy(\.isWhitespace) { last = line } }
    let report: ChildProcess.Report
    do throws(StartFailure) {
      var child = try ChildProcess(
        command.first ?? "", Array(command.dropFirst()), environment: environment, output: file)
      report = child.untilEnd(within: timeout, stop: stop) { line in
        note(line)
        return .nothing
      }
    } catch { throw failure(error.words) }
    note(report.unendedLine)
    if report.timedOut {
      throw failure("\(timeout.lateness); raise timeout in its [[catalogue]] table")
    }
    guard report.ending.isSuccess else {
      throw failure(report.ending.words + (last.isEmpty ? "" : ": \(last)"))
    }
    if let fault = fault(in: file) { throw failure(fault) }
  }

  /// Why what was printed is no catalogue; `nil` if it is one.
  private func fault(in file: OpenFile) -> String? {
    if (try? file.status.size) == 0 { return "printed nothing" }
    var found: Diagnostic?
    do {
      let reader = CatalogueReader(profile: profile, detail: .diagnostics)
      let reading = try reader.open(file.pathOfDescriptor)
      while let events = try reading.next() {
        for case .diagnostic(let diagnostic) in events where diagnostic.severity == .error {
          found = diagnostic
        }
      }
      if reading.summary.isUsable { return nil }
    } catch {
      return "printed what cannot be read: \((error as? CatalogueError)?.message ?? "\(error)")"
    }
    let words = found.map { ": line \($0.location.line): \($0.message) [\($0.code.rawValue)]" }
    return "did not print a whole catalogue\(words ?? "")"
  }

  /// The failure, without the values that were given to the program alone.
  ///
  /// They are looked for by bytes: a combining mark after a value makes it no other.
  private func failure(_ words: String) -> CommandError {
    let bytes = secrets.reduce(Array(words.utf8)) { $0.replacing($1.utf8, with: "…".utf8) }
    let shown = String(decoding: bytes, as: UTF8.self).shortened(to: 400).visible
    let subject = "\(name.visible): \((command.first ?? "").visible)"
    let reminders = file == nil ? "" : "; its reminders are unchanged"
    return CommandError(.noInput, "\(subject) \(shown)\(reminders)")
  }
}

extension OpenFile {
  /// A path by which the open file can be opened once more, whether it has a name or not.
  ///
  /// - SeeAlso: `proc(5)`.
  var pathOfDescriptor: String { "/proc/self/fd/\(descriptor.rawValue)" }
}
