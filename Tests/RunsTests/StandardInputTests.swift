import TestSupport
import Testing

/// A catalogue that comes through a pipe.
struct StandardInputTests {
  @Test func `A program that has nothing to say yet keeps no other run waiting`() async throws {
    let desk = try Desk()
    let result = try await desk.shell(
      """
      mkfifo pipe
      "$0" --quiet --format json --name a - < pipe > first.json &
      exec 3> pipe
      "$0" books.xml > second.txt 2>&1 || exit
      cat books.xml >&3
      exec 3>&-
      wait $!
      """)
    #expect(result.outcome == Outcome(0))
    #expect(desk.folder.contents(of: "second.txt").contains("14 loans"))
    #expect(try JSON(parsing: desk.folder.contents(of: "first.json")).catalogues[0].loans == 14)
  }

  @Test func `Standard input that stalls keeps no other run waiting`() async throws {
    let desk = try Desk(catalogue: catalogue(("Abigél", "2026.11.22")))
    let result = try await desk.shell(
      """
      mkfifo pipe
      "$0" --notify stdout --name a - < pipe > told &
      exec 3> pipe
      printf '<books><book><title>Az ajtó</title>' >&3
      sleep 0.5
      timeout 60 "$0" --notify stdout books.xml
      echo "status $?"
      printf '<expiration>2026.11.22</expiration></book></books>' >&3
      exec 3>&-
      wait $!
      cat told
      """)
    #expect(
      result.outcome
        == Outcome(
          0,
          output: """
            "Abigél" expires tomorrow (2026.11.22)
            status 0
            "Az ajtó" expires tomorrow (2026.11.22)

            """))
  }

  @Test(arguments: [(Signal.terminate, 15), (.interrupt, 2), (.hangUp, 1)] as [(Signal, Int32)])
  func `A signal ends a run whose standard input stalls`(
    signal: Signal, number: Int32
  ) async throws {
    let desk = try Desk()
    try desk.folder.makeNamedPipe("pipe")
    var command = desk.command([
      "-c", "exec \"$0\" --notify stdout --name a - <> pipe", Command.checkLoans,
    ])
    command.program = "/bin/sh"
    let run = try RunningCommand(command)
    try await Task.sleep(for: .milliseconds(500))
    run.send(signal)
    let result = try await run.end()
    #expect(result.ending == .signaled(number))
    #expect(!desk.folder.contains("state"), "nothing was begun")
  }

  /// More than is kept in memory.
  private static let long = catalogue(
    (1...60_000).map { ("A title that takes some room, number \($0)", "2026.11.22") })

  @Test func `A long catalogue through a pipe is read as its file is`() async throws {
    let desk = try Desk(catalogue: Self.long)
    try desk.folder.makeDirectory("tmp")
    let arguments = "--notify none --all --format json --name a"
    let piped = try await desk.shell(
      "cat books.xml | TMPDIR=\"$PWD/tmp\" \"$0\" \(arguments) --state piped.sqlite -")
    let file = try await desk.shell(
      "\"$0\" \(arguments) --state file.sqlite - < books.xml")
    #expect(piped.status == 0)
    let isSame = piped.outcome == file.outcome
    #expect(isSame)
    #expect(try File.names(in: "\(desk.folder.path)/tmp") == [], "nothing is left")
  }

  @Test func `74 is no room for a long catalogue from a pipe, and the others are read`()
    async throws
  {
    let desk = try Desk(catalogue: Self.long)
    try desk.folder.write(catalogue(("Abigél", "2026.11.22")), to: "other.xml")
    try await desk.run("-q", "--name", "a", "-", input: .text(catalogue(("Az ajtó", "2026.11.24"))))
    let result = try await desk.shell(
      "cat books.xml | TMPDIR=/nonexistent \"$0\" --notify stdout --name a - other.xml")
    #expect(result.status == 74)
    #expect(result.lines.first == "\"Abigél\" expires tomorrow (2026.11.22)")
    #expect(result.lines.count == 1)
    #expect(
      result.errorText == """
        check-loans: -: cannot keep standard input in /nonexistent: no such file or directory; \
        free some room there, or name another directory with TMPDIR

        """)
    #expect(try await desk.pending() == ["Az ajtó"], "its reminders are as they were")
  }

  @Test func `A full disk leaves the reminders of standard input as they were`() async throws {
    let desk = try Desk(catalogue: Self.long)
    try await desk.run("-q", "--name", "a", "-", input: .text(catalogue(("Az ajtó", "2026.11.24"))))
    let result = try await desk.shell(
      """
      cat books.xml | (
        ulimit -f 9000
        TMPDIR="$PWD" "$0" --notify stdout --name a -)
      """)
    #expect(result.ends(74, saying: "standard input in \(desk.folder.path): file too large;"))
    #expect(try await desk.pending() == ["Az ajtó"])
  }

  @Test func `A schedule knows standard input by a name`() async throws {
    let desk = try Desk()
    let refused = try await desk.run("-", input: .text(catalogue(("Abigél", "2026.11.22"))))
    #expect(
      refused.outcome
        == Outcome(
          64,
          errors: """
            check-loans: the schedule needs a name for standard input; add --name NAME, the same in \
            every run, or --state none to keep no schedule

            """))
    #expect(!desk.folder.contains("state"), "nothing was done")
    for (name, title) in [("town", "Abigél"), ("school", "Az ajtó")] {
      let text = catalogue((title, "2026.11.22"))
      #expect(try await desk.run("-q", "--name", name, "-", input: .text(text)).status == 0)
    }
    #expect(try await desk.pending().sorted() == ["Abigél", "Az ajtó"])
    let renamed = try await desk.run("schedule", "rename-catalogue", "school", "college")
    #expect(renamed.text == "school is now college, a catalogue on standard input, with 1 loan\n")
    #expect(try await desk.run("schedule", "forget", "college", "town").status == 0)
    #expect(try await desk.pending() == [])
  }

  @Test(arguments: ["/dev/stdin", "/dev/fd/0"])
  func `A descriptor is no catalogue that a schedule could know again`(path: String) async throws {
    let desk = try Desk()
    try desk.folder.write(catalogue(("Abigél", "2026.11.22")), to: "list.xml")
    let refused = try await desk.shell("\"$0\" \(path) < list.xml")
    #expect(
      refused.outcome
        == Outcome(
          64,
          errors: """
            check-loans: "\(path)" is another file in each run; give the file's path, or - and --name NAME

            """))
    #expect(try await desk.shell("\"$0\" --state none \(path) < list.xml").status == 0)
  }

  @Test(arguments: [["--name", "a/b", "-"], ["--name", "", "-"], ["--name", "a", "books.xml"]])
  func `Only standard input has such a name`(arguments: [String]) async throws {
    #expect(try await Desk().run(arguments).status == 64)
  }
}
