/// The public programs and libraries in Python that results are handed to.
public enum PublicTools {
  /// Whether they are to be used: where `CHECK_LOANS_PYTHON` names their interpreter, as in
  /// `make test`, a test fails if it is not there.
  public static let areWanted =
    testVariable("CHECK_LOANS_PYTHON") != nil || File.exists(interpreter)

  /// What a test says that is left out.
  public static let hint = "needs the tools of Tests/requirements.txt: make test-tools"

  /// The interpreter that knows them.
  public static let interpreter =
    testVariable("CHECK_LOANS_PYTHON") ?? "\(root)/.build/python/bin/python"

  private static let root =
    #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3)
    .joined(separator: "/")

  /// Runs the interpreter with these arguments, `-m` and a tool's name for example.
  ///
  /// - Throws: ``SystemFailure`` if it cannot be started.
  public static func run(
    _ arguments: String..., directory: String, variables: [String: String] = [:]
  ) async throws -> CommandResult {
    guard File.exists(interpreter) else {
      throw Missing(description: "there is no \(interpreter); run make test-tools")
    }
    let environment = ["PATH": "/usr/bin:/bin", "HOME": directory, "LC_ALL": "C.UTF-8"]
    var command = Command(
      interpreter, ["-I", "-B"] + arguments,
      environment: environment.merging(variables) { _, new in new }, directory: directory)
    command.deadline = .seconds(300)
    return try await command.run()
  }

  /// The tools are wanted but not there.
  private struct Missing: Error, CustomStringConvertible {
    let description: String
  }
}
