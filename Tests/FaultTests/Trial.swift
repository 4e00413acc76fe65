import Loans
import TestSupport

/// One try of a scene: a home directory with the schedule in it.
struct Trial: Sendable {
  let folder: ScratchFolder
  private let programs: String

  /// Where the schedule is, in the folder.
  static let schedule = "state/schedule.sqlite"

  /// - Parameters:
  ///   - scene: the folder with the channels' programs.
  ///   - schedule: a directory to be copied; `nil` to begin without a schedule.
  init(in scene: ScratchFolder, schedule: String?) throws {
    folder = try ScratchFolder()
    programs = scene.path
    try folder.makeDirectory("state")
    if let schedule { try File.copyAll(in: schedule, to: "\(folder.path)/state") }
  }

  /// Where the schedule is.
  var path: String { "\(folder.path)/\(Self.schedule)" }

  /// The command; what it tells goes to the files of a phase.
  ///
  /// A phase begins when no program of the one before is left.
  func command(
    _ arguments: [String], phase: String, on day: CivilDate = Scene.today,
    input: Command.Input = .nothing, variables: [String: String] = [:]
  ) throws -> Command {
    try folder.write("\(phase)\n", to: "phase")
    var command = Command(
      Command.checkLoans, arguments + ["--state", path, "--now", "\(day)T07:00"],
      environment: [
        "HOME": folder.path, "PATH": "\(programs):/usr/bin:/bin", "TZ": "UTC", "LC_ALL": "C",
        "CHECK_LOANS_BACKLOG": "send",
      ].merging(variables) { _, new in new },
      directory: folder.path)
    if arguments.starts(with: ["schedule", "cancel"]) {
      command.arguments.removeLast(2)
    }
    command.input = input
    command.output = .appended("\(folder.path)/stdout.\(phase)")
    return command
  }

  /// Runs the command to its end.
  @discardableResult
  func run(
    _ arguments: [String], phase: String, on day: CivilDate = Scene.today,
    input: Command.Input = .nothing, variables: [String: String] = [:]
  ) async throws -> CommandResult {
    try await command(arguments, phase: phase, on: day, input: input, variables: variables).run()
  }

  /// How many bytes there are in the schedule's directory.
  func size() throws -> Int {
    try File.names(in: "\(folder.path)/state").reduce(0) {
      $0 + (try folder.status(of: "state/\($1)").size)
    }
  }

  /// The messages that came through a channel in a phase.
  func heard(_ channel: Channel, _ phase: String) -> [[Tiding]] {
    channel.messages(in: folder.contents(of: "\(channel.rawValue).\(phase)"))
  }

  /// Waits until all that the run has started is gone.
  ///
  /// - Returns: the command lines of what does not go away.
  func leftovers(patience: Duration = .seconds(10)) async throws -> [String] {
    let end = ContinuousClock.now + patience
    while true {
      let processes = Processes.mentioning(folder.path)
      if processes.isEmpty { return [] }
      guard ContinuousClock.now < end else {
        for number in processes.keys { Processes.kill(number) }
        return Array(processes.values)
      }
      try await Task.sleep(for: .milliseconds(5))
    }
  }

  /// A copy of the schedule's directory, so that looking at it mends nothing.
  private func copy() throws -> ScratchFolder {
    let copy = try ScratchFolder()
    try copy.makeDirectory("state")
    try File.copyAll(in: "\(folder.path)/state", to: "\(copy.path)/state")
    return copy
  }

  /// What SQLite itself says of the file: `ok`, or what is wrong; `ok` also where there is none.
  func integrity() async throws -> String {
    let copy = try copy()
    guard copy.contains(Self.schedule) else { return "ok" }
    let result = try await Command(
      "/usr/bin/python3", ["-IS", "-c", Self.integrityCheck, "\(copy.path)/\(Self.schedule)"],
      environment: [:], directory: copy.path
    ).run()
    return result.lines.first ?? result.errorText
  }

  private static let integrityCheck = """
    import sqlite3, sys
    print(sqlite3.connect(sys.argv[1]).execute("PRAGMA integrity_check").fetchone()[0])
    """

  /// What `schedule list` says is planned.
  ///
  /// - Parameter ofCopy: whether a copy is to be looked at, rather than the schedule itself.
  func plans(ofCopy: Bool = true) async throws -> Set<Plan> {
    let copy = ofCopy ? try copy() : folder
    let result = try await Command(
      "/usr/bin/python3",
      ["-IS", "-c", Self.listing, Command.checkLoans, "\(copy.path)/\(Self.schedule)"],
      environment: ["HOME": copy.path, "TZ": "UTC"], directory: copy.path
    ).run()
    guard result.status == 0 else { throw Unexpected("the schedule is not listed", result) }
    return Set(result.lines.map(Plan.init(line:)))
  }

  /// Runs the command and prints a line for each entry, which Python is quicker at than a test.
  private static let listing = """
    import json, subprocess, sys
    command = [sys.argv[1], "schedule", "list", "--format", "json",
               "--now", "\(Scene.today)T07:00", "--state", sys.argv[2]]
    result = subprocess.run(command, stdout=subprocess.PIPE)
    if result.returncode:
        sys.exit(result.returncode)
    for entry in json.loads(result.stdout)["reminders"]:
        loan = [entry["loan"][key] or "-" for key in ("id", "title", "author", "borrower")]
        cancelled = "yes" if entry["state"] == "cancelled" else "no"
        fields = [entry["kind"], entry["expiration"], entry["fireAt"], cancelled, entry["catalogue"]]
        print("\\t".join(fields + loan))
    """
}
