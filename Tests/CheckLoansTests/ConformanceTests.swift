import TestSupport
import Testing

/// What is well-formed XML and what is not.
struct ConformanceTests {
  private static let suite = testVariable("XMLCONF_DIR")

  @Test(
    .enabled(if: suite != nil, "XMLCONF_DIR does not name the W3C XML conformance test suite"))
  func `Documents are judged as the W3C's suite and xmllint do`() async throws {
    var command = Command(
      "/usr/bin/env",
      [
        "python3", "\(projectDirectory)/Tests/Conformance/run.py", Command.checkLoans,
        try #require(Self.suite),
      ], environment: ["PATH": testVariable("PATH") ?? "/usr/bin:/bin"],
      directory: projectDirectory)
    command.deadline = .seconds(1_200)
    let result = try await command.run()
    #expect(result.status == 0, "\(result.text)\(result.errorText)")
  }
}
