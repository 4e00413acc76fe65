import TestSupport
import Testing

/// The same with real file systems, permissions and limits.
struct RealStorageTests {
  private static let loans = Effort.isFull ? 2_000 : 500

  /// Runs the scene's command through a line of shell, in which `"$@"` is the command.
  ///
  /// - Parameter shell: the program that gets the line, with its options.
  private func run(
    _ scene: Scene, _ trial: Trial, through line: String, shell: [String] = ["/bin/bash", "-c"]
  ) async throws -> CommandResult {
    var command = try trial.command(scene.arguments, phase: "one")
    command.arguments =
      Array(shell.dropFirst()) + [line, "sh", command.program] + command.arguments
    command.program = shell[0]
    command.environment["STATE"] = "\(trial.folder.path)/state"
    return try await command.run()
  }

  /// Runs a line of shell in a mount namespace of its own, so that nothing stays mounted.
  private static let inNamespace = ["/usr/bin/unshare", "--mount", "/bin/bash", "-euc"]

  private static let canMount = isRoot && File.exists("/usr/bin/unshare")

  /// Puts a small file system where the schedule is, with the schedule in it, and afterwards what
  /// it holds into its place.
  private static let smallFileSystem = """
    mkdir "$HOME/small"; mount -t tmpfs -o "$OPTIONS" none "$HOME/small"
    cp -a "$STATE/." "$HOME/small" 2>/dev/null || exit 99
    mount --bind "$HOME/small" "$STATE"
    result=0; "$@" || result=$?
    umount "$STATE"; rm -rf "$STATE"; cp -a "$HOME/small" "$STATE"; exit $result
    """

  @Test(
    .enabled(if: canMount, "only root can mount"),
    arguments: Effort.isFull ? [Scene.Plot.firstLoad, .reload, .unchangedReload] : [.reload])
  func `A small disk that is full`(plot: Scene.Plot) async throws {
    let scene = try await Scenes.shared.scene(plot, loans: Self.loans)
    // Kilobytes beyond what is there before.
    let room = Effort.isFull ? Array(stride(from: 0, through: 256, by: 8)) : [0, 8, 24, 64]
    let before = (try scene.trial().size() + 1_023) / 1_024
    let sizes = (room + [1_024]).map { "size=\(before + $0)k" }
    let statuses = Statuses()
    try await forEach(sizes + ["nr_inodes=2", "nr_inodes=3", "nr_inodes=4"]) { options in
      let trial = try scene.trial()
      let line = "OPTIONS=\(options)\n\(Self.smallFileSystem)"
      let result = try await run(scene, trial, through: line, shell: Self.inNamespace)
      // The schedule that was there before does not fit.
      if result.status == 99 { return }
      let what = "\(plot), \(options)"
      checkEnd(result, [0, 73, 74], what)
      await statuses.note(result)
      try await scene.checkAfterDisturbance(trial, what)
      try await scene.finish(trial, what, repeats: .lastOfEach)
    }
    #expect(await statuses.all.isSuperset(of: [0, 74]), "too much or too little room")
  }

  @Test(
    .enabled(if: canMount, "only root can mount"), arguments: [Scene.Plot.firstLoad, .reload])
  func `A read-only file system`(plot: Scene.Plot) async throws {
    let scene = try await Scenes.shared.scene(plot, loans: Self.loans)
    let trial = try scene.trial()
    let result = try await run(
      scene, trial,
      through: """
        mount --bind "$STATE" "$STATE"; mount -o remount,ro,bind "$STATE"
        "$1" schedule list --state "$STATE/schedule.sqlite" > /dev/null 2>&1
        exec "$@"
        """, shell: Self.inNamespace)
    checkEnd(result, [73, 77], "\(plot)")
    #expect(try await trial.plans() == scene.before)
    try await scene.finish(trial, "\(plot)")
  }

  private static let asNobody = ["--reuid=65534", "--regid=65534", "--clear-groups"]

  private static func canBeReachedByNobody() async throws -> Bool {
    try await Command(
      "/usr/bin/setpriv", asNobody + [Command.checkLoans, "--version"],
      environment: ["PATH": "/usr/bin:/bin"], directory: "/"
    ).run().status == 0
  }

  @Test(
    .enabled(if: isRoot && File.exists("/usr/bin/setpriv"), "only root can become another user"),
    .enabled("the program is out of another user's reach") { try await canBeReachedByNobody() },
    arguments: [
      ("the file", "chmod 400 \"$STATE/schedule.sqlite\"", Scene.Plot.reload),
      ("the directory", "chmod 500 \"$STATE\"", .reload),
      ("the directory", "chmod 500 \"$STATE\"", .firstLoad),
    ])
  func `Permissions that forbid to write`(what: String, line: String, plot: Scene.Plot)
    async throws
  {
    let scene = try await Scenes.shared.scene(plot, loans: Self.loans)
    let trial = try scene.trial()
    let nobody = "setpriv \(Self.asNobody.joined(separator: " "))"
    let result = try await run(
      scene, trial,
      through: """
        chown -R 65534:65534 "$HOME"; chmod 711 "$HOME"; \(line)
        \(nobody) "$1" schedule list --state "$STATE/schedule.sqlite" > /dev/null 2>&1 || exit 97
        result=0; \(nobody) "$1" deliver --state "$STATE/schedule.sqlite" || result=$?
        chown -R 0:0 "$HOME"; chmod 700 "$HOME" "$STATE"
        if [ -e "$STATE/schedule.sqlite" ]; then chmod 600 "$STATE/schedule.sqlite"; fi
        exit $result
        """)
    checkEnd(result, [77], "\(what) of \(plot)")
    #expect(try await trial.plans() == scene.before)
    try await scene.finish(trial, "\(what) of \(plot)")
  }

  @Test(arguments: [Scene.Plot.firstLoad, .reload, .deliver])
  func `A limit for the size of files`(plot: Scene.Plot) async throws {
    let scene = try await Scenes.shared.scene(plot, loans: Self.loans)
    let statuses = Statuses()
    // With a limit of 0 not even standard error, which is a file here, could be written.
    let limits =
      Effort.isFull
      ? [1, 4, 8, 16, 32, 64, 128, 192, 224, 240, 256, 320, 512, 1024] : [1, 16, 80, 1024]
    try await forEach(limits) { limit in
      let trial = try scene.trial()
      let result = try await run(scene, trial, through: "ulimit -f \(limit); exec \"$@\"")
      let what = "\(plot), files of \(limit) KB"
      checkEnd(result, [0, 73, 74], what)
      await statuses.note(result)
      try await scene.checkAfterDisturbance(trial, what)
      try await scene.finish(trial, what, repeats: .lastOfEach)
    }
    #expect(await statuses.all.isSuperset(of: [0, 74]), "too much or too little room")
  }

  @Test(arguments: [Scene.Plot.fewDue, .reload])
  func `Few descriptors`(plot: Scene.Plot) async throws {
    let scene = try await Scenes.shared.scene(plot, loans: 200)
    let statuses = Statuses()
    try await forEach(Array(3...40)) { limit in
      let trial = try scene.trial()
      let result = try await run(scene, trial, through: "ulimit -n \(limit); exec \"$@\"")
      let what = "\(plot), \(limit) descriptors"
      await statuses.note(result)
      // Where not even the program's libraries can be opened it is the loader that says so.
      if result.status != 127 || !result.errorText.contains("shared librar") {
        checkEnd(result, [0, 69, 71], what, lines: 1...2)
      }
      try await scene.checkAfterDisturbance(trial, what)
      try await scene.finish(trial, what, repeats: .lastOfEach)
    }
    #expect(await statuses.all.isSuperset(of: [0, 71]))
  }
}

/// The exit statuses of runs at the same time.
private actor Statuses {
  private(set) var all: Set<Int32> = []

  func note(_ result: CommandResult) { all.insert(result.status ?? -1) }
}
