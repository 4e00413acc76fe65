import TestSupport
import Testing

/// Calls that fail when a program is started.
struct StartTests {
  /// A call, the number of errno(3) that it fails with, and how often it is called at least.
  static let calls = [
    ("pipe2", 24, 5), ("pipe2", 23, 5), ("close", 5, 20),
  ]

  @Test(arguments: calls)
  func `Each notice is delivered, or told to be pending, whichever call fails`(
    call: String, error: Int, count: Int
  ) async throws {
    for number in 1...count {
      let folder = try ScratchFolder()
      try folder.write(
        "<books><book><title>A</title><expiration>2026.11.22</expiration></book></books>",
        to: "books.xml")
      try folder.write(
        program: "#!/bin/sh\n[ -z \"$LD_PRELOAD\" ] && echo told >> \"$HOME/told\"\n", to: "tell")
      var command = Command(
        Command.checkLoans,
        ["--now", "2026-11-21", "--notify", "exec:\(folder.path)/tell", "books.xml"],
        environment: [
          "HOME": folder.path, "PATH": "/usr/bin:/bin", "CHECK_LOANS_BACKLOG": "send",
        ], directory: folder.path)
      let plain = command.environment
      command.environment.merge(
        try await FailingCalls.variables(call, at: number, error: error)
      ) { _, new in new }
      let result = try await command.run()
      let isTold = folder.contains("told")
      #expect(
        result.ending == .exited(isTold ? 0 : 71), "\(call) \(number): \(result.errorText)")
      #expect(result.errorLines.count == (isTold ? 0 : 1))
      command.environment = plain
      #expect(try await command.run().status == 0)
      #expect(folder.contents(of: "told") == "told\n", "once, by \(call) \(number)")
    }
  }

  @Test func `A catalogue that the system cannot open is the system's matter`() async throws {
    let folder = try ScratchFolder()
    try folder.write("<books/>", to: "books.xml")
    let path = "\(folder.path)/books.xml"
    let result = try await Command(
      Command.checkLoans, ["--state", "none", path],
      environment: FailingCalls.variables(opening: path, report: "\(folder.path)/report"),
      directory: folder.path
    ).run()
    #expect(result.status == 71)
    #expect(folder.contains("report"))
  }
}
