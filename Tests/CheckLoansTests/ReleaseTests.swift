import TestSupport
import Testing

/// What only the binary that is shipped has, or has not.
@Suite(
  .enabled(
    if: testVariable("CHECK_LOANS_BINARY") != nil, "make test runs it on the release binary"))
struct ReleaseTests {
  @Test func `No variable stops it where a test could`() async throws {
    let desk = try Desk()
    let variables = [
      "CHECK_LOANS_FAILPOINT": "catalogue-read=kill",
      "CHECK_LOANS_FAILPOINT_TRACE": "\(desk.folder.path)/trace",
    ]
    #expect(try await desk.run("books.xml", variables: variables).status == 0)
    #expect(!desk.folder.contains("trace"))
    #expect(try await desk.shell("grep -q CHECK_LOANS_FAILPOINT \"$0\"").status == 1)
  }

  @Test func `It needs no Swift on the machine that it runs on`() async throws {
    let result = try await Command(
      "/usr/bin/ldd", [Command.checkLoans], environment: ["PATH": "/usr/bin:/bin"], directory: "/"
    ).run()
    #expect(result.status == 0)
    #expect(result.text.contains("libxml2.so"))
    #expect(result.text.contains("libsqlite3.so"))
    #expect(!result.text.contains("swift"), "\(result.text)")
  }
}
