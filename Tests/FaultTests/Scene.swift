import Loans
import TestSupport

/// A run of the command that can be repeated from the same beginnings as often as one likes.
///
/// The catalogue and the channels' programs are in the scene's folder, where all trials use them;
/// the schedule is copied for each.
struct Scene: Sendable {
  /// What happens in it.
  enum Plot: String, CaseIterable, Sendable {
    case firstLoad, reload, unchangedReload, fewDue, deliver, cancel, cancelSome
    /// The run before was killed while it sent messages.
    case recovery
    /// One of the channels does not work.
    case failure
    /// The library has a calendar of its closed days.
    case closedDays

    /// What the run ends with.
    var status: Int32 { self == .failure ? 69 : 0 }
  }

  let plot: Plot
  let folder: ScratchFolder
  let channels: [Channel]
  /// What the command is told, but for the schedule's file.
  let arguments: [String]
  /// What each channel shall have told in the end.
  private(set) var expected: [Channel: Set<Tiding>]
  /// The schedule before and after the run.
  private(set) var before: Set<Plan> = []
  private(set) var after: Set<Plan> = []
  /// The places that the run passes, in order.
  private(set) var trace: [String] = []
  /// How long the run takes.
  private(set) var duration = Duration.zero
  /// The library's catalogue.
  let library: Library

  private static let daysFromTheFirstTo2026November21 = 739_940

  /// The day of the run; the day before is that of earlier ones.
  static let today = CivilDate.first.adding(days: daysFromTheFirstTo2026November21)
  static let yesterday = today.adding(days: -1)

  /// Sets the scene: makes the files that the run begins with, and tries it once.
  init(_ plot: Plot, loans: Int, channels: [Channel] = Channel.all) async throws {
    self.plot = plot
    self.channels =
      switch plot {
      case .cancel, .cancelSome: []
      case .failure: [.broken, .stdout]
      default: channels
      }
    folder = try ScratchFolder()
    try Channel.install(in: folder)
    try folder.makeDirectory("state")
    let programs = folder.path
    let notify = self.channels.flatMap { ["--notify", $0.name(programs: programs)] }
    let catalogue = "\(folder.path)/books.xml"
    var library = Library(loans: loans, today: Self.today)
    var told: [Channel: Set<Tiding>] = [:]
    switch plot {
    case .firstLoad:
      arguments = notify + [catalogue]
    case .reload:
      library = Library(loans: loans, today: Self.yesterday)
      try folder.write(library.xml, to: "books.xml")
      try await Self.prepare(notify + [catalogue], folder)
      for channel in channels { told[channel] = library.due(today: Self.yesterday) }
      library = library.edited()
      arguments = notify + [catalogue]
    case .unchangedReload, .deliver, .cancel, .cancelSome:
      try folder.write(library.xml, to: "books.xml")
      try folder.write("catalogues = [\"\(catalogue)\"]\n", to: "listed.toml")
      try await Self.prepare(["-q", catalogue], folder)
      arguments =
        switch plot {
        case .deliver: ["deliver", "--config", "\(folder.path)/listed.toml"] + notify
        case .cancel: ["schedule", "cancel", "--all"]
        case .cancelSome: ["schedule", "cancel", "3", "1", "4"]
        default: notify + [catalogue]
        }
    case .recovery:
      try folder.write(library.xml, to: "books.xml")
      arguments = notify + [catalogue]
      told = try await Self.prepareKilled(arguments, folder)
    case .failure:
      arguments = notify + [catalogue]
    case .closedDays:
      // No loan expires on that day, so the calendar changes no notice.
      try folder.write(Self.calendar, to: "closed.ics")
      arguments = notify + ["--closed-calendars", "\(folder.path)/closed.ics", catalogue]
    case .fewDue:
      library = Library(loans: loans, due: 4, today: Self.today)
      arguments = notify + [catalogue]
    }
    self.library = library
    try folder.write(library.xml, to: "books.xml")
    let due = library.due(today: Self.today)
    expected = [:]
    for channel in self.channels { expected[channel] = due.subtracting(told[channel] ?? []) }
    try await rehearse()
  }

  private static let calendar = """
    BEGIN:VCALENDAR\r
    VERSION:2.0\r
    PRODID:-//test//EN\r
    BEGIN:VEVENT\r
    UID:1\r
    DTSTAMP:20260101T000000Z\r
    DTSTART;VALUE=DATE:20300101\r
    SUMMARY:New Year\r
    END:VEVENT\r
    END:VCALENDAR\r

    """

  /// A run on the day before, whose messages nobody counts.
  private static func prepare(_ arguments: [String], _ folder: ScratchFolder) async throws {
    let trial = try Trial(in: folder, schedule: nil)
    let result = try await trial.run(arguments, phase: "earlier", on: yesterday)
    guard result.status == 0 else { throw Unexpected("the scene is not set", result) }
    try keepSchedule(of: trial, folder)
  }

  /// A run that is killed when it has sent three lines.
  ///
  /// - Returns: what it has told.
  private static func prepareKilled(
    _ arguments: [String], _ folder: ScratchFolder
  ) async throws -> [Channel: Set<Tiding>] {
    let trial = try Trial(in: folder, schedule: nil)
    let result = try await trial.run(
      arguments, phase: "earlier", variables: ["CHECK_LOANS_FAILPOINT": "sent-noted:3=kill"])
    guard result.ending == .signaled(9) else { throw Unexpected("it was not killed", result) }
    try keepSchedule(of: trial, folder)
    let told = Set(trial.heard(.stdout, "earlier").flatMap(\.self))
    guard told.count == 3 else { throw Unexpected("\(told.count) lines were told, not 3") }
    return [.stdout: told]
  }

  private static func keepSchedule(of trial: Trial, _ folder: ScratchFolder) throws {
    try File.copyAll(in: "\(trial.folder.path)/state", to: "\(folder.path)/state")
  }

  /// Runs it once undisturbed, to know what it does.
  private mutating func rehearse() async throws {
    let trial = try trial()
    before = try await trial.plans()
    let result = try await trial.run(
      arguments, phase: "only",
      variables: ["CHECK_LOANS_FAILPOINT_TRACE": "\(trial.folder.path)/trace"])
    guard result.status == plot.status else { throw Unexpected("the rehearsal failed", result) }
    after = try await trial.plans()
    duration = result.elapsed
    trace = trial.folder.contents(of: "trace").split(separator: "\n").map(String.init)
    guard !trace.isEmpty else { throw Unexpected("the command was not built with FAILPOINTS=1") }
    // How a digest is worded is another test's matter.
    for channel in channels where trial.heard(channel, "only").first?.first?.kind == "digest" {
      expected[channel] = Set(trial.heard(channel, "only").flatMap(\.self))
    }
  }

  /// A fresh copy of the beginnings.
  func trial() throws -> Trial { try Trial(in: folder, schedule: "\(folder.path)/state") }
}

extension Set<Plan> {
  /// The plans without the reminders that were overtaken by their loans' end: those are listed
  /// only while the ledger knows of them.
  var withoutPast: Set<Plan> {
    filter { $0.kind != "reminder" || $0.expiration >= "\(Scene.today)" }
  }
}

/// What a schedule plans for a loan, whatever became of it.
struct Plan: Hashable, Sendable {
  var kind: String
  var expiration: String
  /// The fire date, whether it is cancelled, the catalogue, and the loan's fields.
  var rest: [String]

  /// - Parameter line: fields with tabs between them.
  init(line: String) {
    let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
    precondition(fields.count == 9, "\(line) is no entry")
    (kind, expiration, rest) = (fields[0], fields[1], Array(fields[2...]))
  }
}

/// What makes a test meaningless.
struct Unexpected: Error, CustomStringConvertible {
  let description: String

  init(_ what: String, _ result: CommandResult? = nil) {
    let end = result.map { ": \($0.ending), \($0.errorText.prefix(500))" } ?? ""
    description = what + end
  }
}

/// Sets each scene once, for all tests.
actor Scenes {
  static let shared = Scenes()

  private var scenes: [String: Task<Scene, any Error>] = [:]

  private static let loans = Effort.isFull ? 2_000 : 500

  /// The scene of a plot.
  func scene(_ plot: Scene.Plot, loans: Int = loans) async throws -> Scene {
    let key = "\(plot) \(loans)"
    let task = scenes[key] ?? Task { try await Scene(plot, loans: loans) }
    scenes[key] = task
    return try await task.value
  }
}
