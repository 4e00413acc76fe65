/// The public programs and libraries in Python that results are handed to.
public enum PublicTools {
  /// The interpreter that knows them: what the variable `CHECK_LOANS_PYTHON` names, as
  /// `make test-ci-recipes` does after it has installed them; `nil` if they are not to be used.
  public static let interpreter = testVariable("CHECK_LOANS_PYTHON")

  /// Why a test is left out that needs them.
  public static let hint = "make test-ci-recipes runs it, with public tools from PyPI"

  /// Whether they are to be used.
  public static var areWanted: Bool { interpreter != nil }

  /// Runs the interpreter with these arguments, `-m` and a tool's name for example.
  ///
  /// - Throws: ``SystemFailure`` if it cannot be started.
  public static func run(
    _ arguments: String..., directory: String, variables: [String: String] = [:]
  ) async throws -> CommandResult {
    guard let interpreter, File.exists(interpreter) else {
      throw Missing(description: "there is no \(interpreter ?? "interpreter"); run make test-tools")
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
