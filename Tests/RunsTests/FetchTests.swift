import ArgumentParser
import Loans
import TestSupport
import Testing

@testable import CommandOutput
@testable import Runs
@testable import Settings

/// Catalogues that programs fetch.
struct FetchTests {
  private static let kept = "\(Desk.state).city.xml"
  private static let soon = "\"Abigél\" expires tomorrow (2026.11.22), at city"

  /// A desk whose catalogue the program `fetch` prints.
  private func desk(
    _ settings: String = "", fetch: String = "cat ~/books.xml", now: String? = "2026-11-21T07:00"
  ) throws -> Desk {
    let desk = try Desk(now: now, catalogue: catalogue(("Abigél", "2026.11.22")))
    try desk.writeSettings("[[catalogue]]\nname = \"city\"\nrun = [\"~/fetch\"]\n\(settings)")
    try write(fetch, desk)
    return desk
  }

  private func write(_ script: String, _ desk: Desk) throws {
    try desk.folder.write(program: "#!/bin/sh\n\(script)\n", to: "fetch")
  }

  /// The names of the files beside the schedule.
  private func files(_ desk: Desk) async throws -> [String] {
    try await desk.shell("ls -A state/check-loans 2>/dev/null").lines
  }

  @Test func `A run fetches the catalogue, keeps it for its user alone, and sends what is due`()
    async throws
  {
    let desk = try desk()
    let result = try await desk.run("--notify", "stdout")
    #expect(result.outcome == Outcome(0, output: Self.soon + "\n"))
    #expect(
      desk.folder.contents(of: Self.kept) == desk.folder.contents(of: "books.xml"))
    #expect(try await desk.shell("stat -c %a \(Self.kept)").text == "600\n")
    let names = ["schedule.sqlite", "schedule.sqlite.city.xml", "schedule.sqlite.lock"]
    #expect(try await files(desk) == names)
    #expect(try await desk.run("deliver").text == "", "it is one of those that are delivered")
  }

  @Test func `A slow response never replaces that to a later request`() async throws {
    let desk = try desk()
    #expect(try await desk.run("-q").status == 0)
    try write("cat ~/books.xml; sleep 2", desk)
    async let slow = desk.run("--notify", "stdout")
    try await Task.sleep(for: .seconds(1))
    try write("cat ~/later.xml", desk)
    try desk.folder.write(catalogue(("Toldi", "2026.11.22")), to: "later.xml")
    #expect(try await desk.run("-q").status == 0)
    #expect(try await slow.text == "\"Toldi\" expires tomorrow (2026.11.22), at city\n")
    #expect(desk.folder.contents(of: Self.kept).contains("Toldi"))
  }

  @Test func `A catalogue that gets another name leaves nothing behind`() async throws {
    let desk = try desk()
    #expect(try await desk.run("-q").status == 0)
    for name in ["-", "", "to\twn"] {
      let refused = try await desk.run("schedule", "rename-catalogue", "city", name)
      #expect(refused.ends(64, saying: "cannot name a catalogue"))
    }
    let renamed = try await desk.run("schedule", "rename-catalogue", "city", "town")
    #expect(renamed.status == 0)
    #expect(try await files(desk) == ["schedule.sqlite", "schedule.sqlite.lock"])
  }

  @Test func `The program is run without a shell, with its variables and no descriptor of ours`()
    async throws
  {
    let desk = try desk(
      "environment = [\"TOKEN\"]\n", fetch: "env > ~/env; ls /proc/self/fd > ~/fds; cat ~/books.xml"
    )
    #expect(
      try await desk.run("-q", variables: ["TOKEN": "abc", "OTHER": "x", "LD_PRELOAD": ""]).status
        == 0)
    let variables = desk.folder.contents(of: "env")
    #expect(variables.contains("TOKEN=abc\n") && !variables.contains("OTHER"))
    // The last is that of ls itself.
    #expect(desk.folder.contents(of: "fds") == "0\n1\n2\n3\n")
  }

  @Test(arguments: [
    (
      "echo 'server: 503' >&2; echo '<books>'; echo 'see the manual' >&2; exit 22",
      "failed with exit status 22: server: 503"
    ),
    ("printf '<books/>'; kill -9 $$", "was ended by signal 9"),
    ("sleep 600", "did not finish within 1 s and was stopped"),
    ("head -c 40 ~/books.xml", "did not print a whole catalogue: line 2: "),
    ("echo '<html><body>Sign in</body></html>'", "did not print a whole catalogue: line 1: "),
    (":", "printed nothing"),
    ("echo \"bad token $TOKEN!\" >&2; exit 1", "failed with exit status 1: bad token …!"),
    ("printf 'x\\033[31m%s\\n' \"$TOKEN\" >&2; exit 1", "exit status 1: x\\u{1b}[31m…"),
    ("rm ~/fetch", "was not found"),
  ])
  func `What cannot be fetched is reported, and what is due is sent all the same`(
    fetch: String, words: String
  ) async throws {
    let desk = try desk("timeout = 1\nenvironment = [\"TOKEN\"]\n")
    #expect(try await desk.run("-q", "--now", "2026-11-10").status == 0)
    let before = desk.folder.contents(of: Self.kept)
    if fetch == "rm ~/fetch" {
      try desk.folder.remove("fetch")
    } else {
      try write(fetch, desk)
    }
    let result = try await desk.run(
      "--notify", "stdout", variables: ["TOKEN": "s3cr\u{E9}t"])
    #expect(result.status == 66)
    #expect(result.lines == [Self.soon])
    #expect(result.errorLines.count == 1)
    #expect(result.errorText.hasPrefix("check-loans: city: \(desk.folder.path)/fetch "))
    #expect(result.errorText.contains(words), "\(result.errorText)")
    #expect(result.errorText.hasSuffix("; its notices are unchanged\n"))
    #expect(!result.errorText.contains("s3cr"))
    #expect(desk.folder.contents(of: Self.kept) == before)
    #expect(try await files(desk).count == 3, "nothing else is left")
    try await desk.expectNothingRunning()
  }

  @Test(arguments: [["--dry-run"], ["--state", "none"]])
  func `A look fetches too, and keeps nothing`(option: [String]) async throws {
    let desk = try desk()
    let result = try await desk.run(["-q"] + option)
    #expect(result.outcome == Outcome(0, output: Self.soon + "\n"))
    #expect(try await files(desk) == [])
    try write("exit 3", desk)
    let failed = try await desk.run(["-q"] + option)
    #expect(failed.ends(66, saying: "exit status 3"))
  }

  @Test func `While a server does not answer, another run has the schedule`() async throws {
    let desk = try desk(
      fetch: "touch ~/begun; while ! test -e ~/go; do sleep 0.05; done; cat ~/books.xml")
    async let slow = desk.run("-q", "city")
    while !desk.folder.contains("begun") { try await Task.sleep(for: .milliseconds(20)) }
    let other = try await desk.run("--notify", "stdout", "books.xml")
    #expect(other.status == 0 && other.lines.count == 1)
    try desk.folder.write("", to: "go")
    #expect(try await slow.status == 0)
  }

  @Test func `Of runs at the same time each has a whole catalogue, and one sends`() async throws {
    let desk = try desk(fetch: "head -c 20 ~/books.xml; sleep 0.2; tail -c +21 ~/books.xml")
    let results = try await withThrowingTaskGroup(of: CommandResult.self) { group in
      for _ in 1...5 { group.addTask { try await desk.run("--notify", "stdout") } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(results.map(\.status) == [0, 0, 0, 0, 0])
    #expect(results.flatMap(\.lines) == [Self.soon])
    #expect(desk.folder.contents(of: Self.kept) == desk.folder.contents(of: "books.xml"))
    #expect(try await files(desk).count == 3)
  }

  @Test func `status and stale-after go by the last good fetch, not by the last run`() async throws
  {
    let desk = try desk(now: nil)
    func day(_ days: Int) async throws -> String {
      try await desk.shell("date -u -d '\(days) days 5 minutes' +%Y-%m-%dT%H:%M").lines[0]
    }
    try desk.folder.write(catalogue(("Toldi", "2020.01.01")), to: "books.xml")
    #expect(try await desk.run("--notify", "none").status == 0)
    let fresh = try await desk.run("status")
    #expect(
      fresh.lines.contains {
        $0.hasPrefix("city: last fetched ") && $0.hasSuffix(", just now; 1 loan")
      })
    try write("exit 3", desk)
    let later = try await day(3)
    let held = try await desk.run("--notify", "stdout", "--stale-after", "36h", "--now", later)
    #expect(held.status == 66 && held.lines == [])
    let words = "city was last fetched 3 days ago, longer than"
    #expect(
      held.errorText.contains("\(words) stale-after allows (36h); its expired notices are held"))
    let status = try await desk.run("status", "--now", later)
    #expect(status.status == 1)
    #expect(status.errorText.contains("\(words) 36h; check that the daily run still runs"))
    let json = try JSON(parsing: await desk.run("status", "--format", "json", "--now", later).text)
    #expect(json.catalogues[0].ok == false)
    try write("cat ~/books.xml", desk)
    #expect(try await desk.run("--notify", "stdout", "--stale-after", "36h").lines.count == 1)
  }

  @Test func `It is named by its name, and a file of that name by ./`() async throws {
    let desk = try desk()
    #expect(try await desk.run("-q", "city").lines == [Self.soon])
    try desk.folder.write(catalogue(("Toldi", "2026.11.22")), to: "city")
    #expect(try await desk.run("-q", "city").lines == [Self.soon])
    #expect(try await desk.run("-q", "./city").lines == ["\"Toldi\" expires tomorrow (2026.11.22)"])
    #expect(try await desk.run("-q", "town").ends(64, saying: "no command or file \"town\""))
    let cron = try await desk.run("timer", "--notify", "stdout", "city")
    #expect(cron.text.contains(" city\n") && !cron.errorText.contains("no such file"))
  }

  @Test func `Other commands take what was fetched last, and run no program`() async throws {
    let desk = try desk()
    for command in [["plan"], ["calendar"], ["lists", "call"]] {
      let result = try await desk.run(command)
      let words = "city has not been fetched yet; run check-loans city"
      #expect(result.status == 66 && result.errorLines.first == "check-loans: \(words)")
    }
    try await desk.run("-q")
    try desk.folder.remove("fetch")
    #expect(
      try await desk.run("plan").lines.first?.hasPrefix("2026-11-21  \"Abigél\" ") == true)
    #expect(try await desk.run("calendar").text.contains("SUMMARY:"))
    let forgotten = try await desk.run("schedule", "forget", "city")
    #expect(forgotten.text == "forgot city with 1 loan\n")
    #expect(!desk.folder.contains(Self.kept))
  }

  @Test func `A timer's service may do what a program of the user's needs`() async throws {
    let desk = try desk("environment = [\"TOKEN\"]\n")
    let result = try await desk.run("timer", "--notify", "stdout")
    #expect(!result.text.contains("NoNewPrivileges"))
    #expect(
      result.errorText
        == "check-loans: the daily run will not know TOKEN, which is set here; set it in a file of "
        + "~/.config/environment.d\n")
  }

  @Test(arguments: [
    ("name = \"city\"\nrun = []", 1, "this catalogue has no run; add run = [\"curl\""),
    ("run = [\"curl\"]", 1, "this catalogue has no name; add name = \"city\""),
    ("name = \"city\"\nrun = [\"curl\"]\npath = \"b.xml\"", 3, "leave one of them out"),
    ("name = \"a/b\"\nrun = [\"curl\"]", 2, "give a name without a slash"),
    ("name = \"city\"\nrun = [\"curl\"]\ntimeout = 0", 4, "give a number from 1 to 3600"),
    ("name = \"city\"\nrun = [\"curl\"]\nevery = \"often\"", 4, "give a number of minutes"),
    ("name = \"city\"\nrun = [\"curl\"]\nenvironment = [\"$T\"]", 4, "the name of a variable"),
    ("path = \"b.xml\"\nevery = \"2h\"", 3, "\"every\" is for what a program fetches"),
    ("name = \"city\"\nrun = [\"a\"]\n[[catalogue]]\nname = \"city\"\nrun = [\"b\"]", 5, "another"),
    ("name = \"city\"\nrun = [\"a\"]\nfiles = [\"b.xml\"]", 4, "unknown key"),
  ])
  func `A table that makes no sense is named with its line`(
    table: String, line: Int, words: String
  ) async throws {
    let desk = try Desk()
    try desk.writeSettings("[[catalogue]]\n\(table)\n")
    let result = try await desk.run("config")
    #expect(result.ends(78, saying: "\(Desk.settings):\(line): "), "\(result.errorText)")
    #expect(result.errorText.contains(words), "\(result.errorText)")
  }

  @Test func `A key for fetching that is outside of a table is shown its place`() async throws {
    let desk = try Desk()
    for (key, place) in [("every", "[[catalogue]]"), ("run", "[[channel]] or [[catalogue]]")] {
      try desk.writeSettings("\(key) = \"2h\"\n")
      #expect(try await desk.run("config").ends(78, saying: "it belongs below a line \(place)"))
    }
  }

  @Test func `config shows how it is fetched, and not the values of its variables`() async throws {
    let desk = try desk("environment = [\"TOKEN\"]\n")
    let result = try await desk.run("config", variables: ["TOKEN": "s3cret"])
    #expect(result.lines.contains { $0.hasPrefix("catalogue.run ") && $0.contains("/fetch ") })
    #expect(result.text.contains("catalogue.environment") && !result.text.contains("s3cret"))
  }

  @Test func `watch fetches when it starts, again on SIGHUP, and says once what fails`()
    async throws
  {
    let watcher = try Watcher([("Abigél", 1)], at: "12:00:00", []) { desk in
      try desk.folder.write(program: "#!/bin/sh\necho x >> ~/runs\ncat ~/books.xml\n", to: "fetch")
      try desk.writeSettings("[[catalogue]]\nname = \"city\"\nrun = [\"~/fetch\"]\n")
    }
    let desk = watcher.desk
    try await watcher.wait(for: ["Abigél"])
    try write("echo x >> ~/runs; exit 3", desk)
    for count in 2...3 {
      watcher.send(.hangUp)
      try await watcher.wait {
        desk.folder.contents(of: "runs") == String(repeating: "x\n", count: count)
      }
    }
    try await watcher.wait { watcher.errors.contains { $0.contains("exit status 3") } }
    try watcher.write([("Abigél", 1), ("Toldi", 0)])
    try write("cat ~/books.xml", desk)
    watcher.send(.hangUp)
    try await watcher.wait(for: ["Abigél", "Toldi"])
    try write("echo $$ > ~/pid; sleep 600", desk)
    watcher.send(.hangUp)
    try await watcher.wait { desk.folder.contains("pid") }
    #expect(try await watcher.end().status == 0)
    #expect(watcher.errors.filter { $0.contains("exit status 3") }.count == 1)
    #expect(watcher.errors.last == "check-loans: city: fetched again")
    try await desk.expectNothingRunning()
  }

  @Test func `watch fetches again by itself when it is time`() async throws {
    let watcher = try Watcher([("Abigél", 1)], at: "12:00:00", []) { desk in
      let script = "#!/bin/sh\ntest -e ~/runs && cat ~/books.xml; touch ~/runs\n"
      try desk.folder.write(program: script, to: "fetch")
      let table = "[[catalogue]]\nname = \"city\"\nrun = [\"~/fetch\"]\nevery = \"1m\"\n"
      try desk.writeSettings(table)
    }
    try await watcher.wait { watcher.errors.contains { $0.contains("printed nothing") } }
    try await watcher.wait(for: ["Abigél"], seconds: 120)
    #expect(try await watcher.end().status == 0)
  }

  @Test(arguments: [("2h", 7_200, 300), ("1m", 60, 60)])
  func `What has failed is tried again in five minutes, or sooner`(
    every: String, pause: Int, retry: Int
  ) throws {
    let options = FetchOptions(run: ["/bin/cat"], every: try TimeSpan.parse(every))
    let fetch = CatalogueFetch(
      "city", options, profile: nil, besideSchedule: nil, try .ofProcess())
    #expect(fetch.pause(hasFailed: false) == .seconds(pause))
    #expect(fetch.pause(hasFailed: true) == .seconds(retry))
  }

  @Test func `A server that does not know the borrower has answered, and all notices are held`()
    async throws
  {
    let desk = try desk()
    #expect(try await desk.run("-q", "--now", "2026-11-10").status == 0)
    let answer = "<GetPatronInfo><code>PatronNotFound</code></GetPatronInfo>"
    try write("echo '\(answer)'", desk)
    let run = try await desk.run("--notify", "stdout")
    #expect(run.status == 65 && run.lines == [])
    #expect(run.errorLines.first?.hasPrefix("city:1:16: error: the server does not know") == true)
    #expect(run.errorText.contains("city: the server has not known the borrower since 2026-11-21"))
    #expect(desk.folder.contents(of: Self.kept) == answer + "\n")
    try write("cat ~/books.xml", desk)
    let known = try await desk.run("--notify", "stdout")
    #expect(known.outcome == Outcome(0, output: Self.soon + "\n"))
  }
}
