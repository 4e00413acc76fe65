import TestSupport
import Testing

/// One program is one channel, whatever it is called.
struct ChannelNameTests {
  /// A desk with a program in PATH that notes the channel and how many notices it got.
  private func desk() throws -> Desk {
    var desk = try Desk(catalogue: catalogue(("Abigél", "2026.11.22")))
    try desk.folder.makeDirectory("bin")
    try desk.folder.write(
      program: "#!/bin/sh\necho \"$CHECK_LOANS_CHANNEL\" >> \"$HOME/told\"\n", to: "bin/tell")
    desk.environment["PATH"] = "\(desk.folder.path)/bin:/usr/bin:/bin"
    return desk
  }

  private func told(_ desk: Desk) -> [String] {
    desk.folder.contents(of: "told").split(separator: "\n").map(String.init)
  }

  private func channel(_ desk: Desk) -> String { "exec:\(desk.folder.path)/bin/tell" }

  @Test(arguments: ["exec:tell", "exec:bin/tell", "exec:./bin/../bin/tell", "exec:PATH"])
  func `A program that was told by one name is not told again by another`(
    name: String
  ) async throws {
    let desk = try desk()
    let channel = channel(desk)
    let name = name == "exec:PATH" ? channel : name
    #expect(try await desk.run("--notify", name, "books.xml").outcome == Outcome(0))
    #expect(told(desk) == [channel])
    for other in ["exec:tell", "exec:bin/tell", channel] {
      #expect(try await desk.run("--notify", other, "books.xml").outcome == Outcome(0))
      #expect(try await desk.run("deliver", "--notify", other).outcome == Outcome(0))
      let variables = ["CHECK_LOANS_NOTIFY": other]
      #expect(try await desk.run(["deliver"], variables: variables).outcome == Outcome(0))
    }
    for line in ["exec:tell", "exec:bin/tell"] {
      try desk.folder.write("notify = [\"\(line)\"]", to: "c.toml")
      #expect(try await desk.run("deliver", "--config", "c.toml").outcome == Outcome(0))
    }
    #expect(told(desk) == [channel], "once")
  }

  @Test func `The lists and the timer show the program's path`() async throws {
    let desk = try desk()
    try await desk.run("--notify", "exec:tell", "books.xml")
    let list = try JSON(parsing: await desk.run("schedule", "list", "--format", "json").text)
    #expect(list.reminders[0].deliveries[0].channel == .string(channel(desk)))
    #expect(
      try await desk.run("schedule", "explain", "1").text.contains("through \(channel(desk))"))
    let timer = try await desk.run("timer", "--notify", "exec:tell", "books.xml").text
    #expect(timer.contains(" --notify \(channel(desk)) "))
  }

  @Test func `Two names of one program are one channel in a run, too`() async throws {
    let desk = try desk()
    let result = try await desk.run(
      "--dry-run", "--notify", "exec:tell", "--notify", channel(desk), "books.xml")
    #expect(result.lines.count == 1)
    #expect(result.lines.first?.hasPrefix("would deliver through \(channel(desk)): ") == true)
  }

  @Test(arguments: [".", "", "bin"])
  func `A program is not looked for in a directory that is relative`(entry: String) async throws {
    var desk = try desk()
    try desk.folder.write(program: "#!/bin/sh\ntouch \"$HOME/told\"\n", to: "tell")
    desk.environment["PATH"] = "\(entry):/usr/bin"
    let result = try await desk.run("--notify", "exec:tell", "books.xml")
    #expect(result.ends(69, saying: "exec:tell was not found"))
    #expect(!desk.folder.contains("told"))
  }
}
