import TestSupport
import Testing

/// A scratch folder in which pipelines are played: with git, with the project and its release at
/// their addresses, and perhaps with the command.
struct Pipeline {
  let folder: ScratchFolder
  var environment: [String: String]

  /// - Parameter isInstalled: whether the command is on `PATH` from the start.
  init(isInstalled: Bool = true) async throws {
    folder = try ScratchFolder()
    let tools = PublicTools.interpreter.map {
      String($0.prefix(upTo: $0.lastIndex(of: "/") ?? $0.endIndex))
    }
    let path = ["\(folder.path)/bin", tools, "/usr/bin", "/bin"]
    environment = [
      "PATH": path.compactMap(\.self).joined(separator: ":"), "HOME": folder.path, "TZ": "UTC",
      "LC_ALL": "C.UTF-8", "GIT_CONFIG_GLOBAL": "\(folder.path)/.gitconfig",
      "GIT_CONFIG_NOSYSTEM": "1", "PRE_COMMIT_HOME": "\(folder.path)/pre-commit",
    ]
    try folder.write(gitSettings, to: ".gitconfig")
    try folder.makeDirectory("bin")
    if isInstalled { try await shell("ln -s '\(Command.checkLoans)' bin/check-loans") }
  }

  /// The project and the reader's repository are not at GitHub but here.
  private var gitSettings: String {
    """
    [user]
      name = Halmos Benedek
      email = halmos.benedek@example.org
    [init]
      defaultBranch = main
    [protocol "file"]
      allow = always
    [advice]
      detachedHead = false
    [url "\(folder.path)/project"]
      insteadOf = https://github.com/OWNER/check-loans
    [url "\(folder.path)/library.git"]
      insteadOf = https://github.com/YOU/library.git

    """
  }

  /// Runs a script in the folder, or in one below it, and expects it to end well.
  @discardableResult
  func shell(
    _ script: String, in directory: String = "", variables: [String: String] = [:],
    status: Int32 = 0, sourceLocation: Testing.SourceLocation = #_sourceLocation
  ) async throws -> CommandResult {
    var command = Command(
      "/bin/bash", ["-e", "-o", "pipefail", "-c", script], environment: environment,
      directory: "\(folder.path)/\(directory)")
    command.environment.merge(variables) { _, new in new }
    command.deadline = .seconds(180)
    let result = try await command.run()
    let told = Comment(rawValue: result.text + result.errorText)
    #expect(result.status == status, told, sourceLocation: sourceLocation)
    return result
  }

  /// Types what a page shows, and expects to see what it shows.
  func type(
    _ block: Page.Block, in directory: String = "",
    sourceLocation: Testing.SourceLocation = #_sourceLocation
  ) async throws {
    let shown = ShellSession(block)
    let end = "@@ end of the output @@"
    let script = shown.entries.map { "\($0.command)\nprintf '%s' '\(end)'\n" }.joined()
    let result = try await shell(
      "set +e\nexec 2>&1\n\(script)", in: directory, sourceLocation: sourceLocation)
    let outputs = result.text.split(separator: end, omittingEmptySubsequences: false)
      .map(String.init)
    let seen = zip(shown.entries, outputs).map {
      ShellSession.Entry(command: $0.command, output: $1)
    }
    #expect(seen == shown.entries, sourceLocation: sourceLocation)
  }

  /// Writes a file into a folder, with the directories that lead to it.
  func paste(_ text: String, to path: String) async throws {
    let directories = path.split(separator: "/").dropLast().joined(separator: "/")
    try await shell("mkdir -p './\(directories)'")
    try folder.write(text, to: path)
  }

  /// A repository of the reader with these files in it, pushed to GitHub.
  func makeLibrary(_ files: [String: String]) async throws {
    try await shell("git init -q --bare library.git; git init -q library")
    for (name, text) in files { try await paste(text, to: "library/\(name)") }
    try await shell(
      """
      git remote add origin https://github.com/YOU/library.git
      git add --force .
      git commit -q -m Start
      git push -q origin main
      """, in: "library")
  }

  /// The project's repository, with what a pipeline takes of it and its release, unless it is there.
  ///
  /// The program in the release's archive is the command; the sum of the archive is in the repository.
  func makeProject() async throws {
    guard !folder.contains("project") else { return }
    let sum = try await publishArchive()
    try await shell(
      """
      git init -q project
      cd '\(projectDirectory)'
      cp -r --parents action.yml .pre-commit-hooks.yaml packaging/fetch.sh '\(folder.path)/project'
      cd '\(folder.path)/project'
      program=$(sha256sum < '\(Command.checkLoans)' | cut -c 1-64)
      printf '%s  %s\n' \(sum) \(Self.archive) "$program" \(Self.tree)/check-loans \
        > packaging/archives.sha256
      git add --force .
      git commit -q -m Start
      git tag v0.1.0
      """)
  }

  private static let tree = "check-loans-0.1.0-linux-x86_64"
  private static let archive = "\(tree).tar.gz"

  /// Publishes an archive, unless it is there: a stand-in for curl(1) has it, and writes to `calls`.
  ///
  /// - Returns: the archive's SHA-256.
  func publishArchive() async throws -> String {
    let name = Self.tree
    let sum = try await shell(
      """
      if [ ! -e releases ]; then
        mkdir -p releases/v0.1.0 \(name)
        ln -s '\(Command.checkLoans)' \(name)
        tar -czf releases/v0.1.0/\(Self.archive) \(name)
        rm -r \(name)
      fi
      sha256sum releases/v0.1.0/\(Self.archive)
      """)
    try folder.write(
      program: """
        #!/bin/sh
        echo curl >> '\(folder.path)/calls'
        address= output=
        while [ $# -gt 0 ]; do
          case $1 in
          --output) output=$2; shift ;;
          -*) ;;
          *://*) address=$1 ;;
          esac
          shift
        done
        file=${address#https://github.com/OWNER/check-loans/releases/download/}
        cp '\(folder.path)'/releases/"$file" "${output:-${address##*/}}" || exit 22
        """, to: "bin/curl")
    try folder.write(program: "#!/bin/sh\n", to: "bin/apt-get")
    return String(sum.text.prefix { $0 != " " })
  }

  /// What the stand-ins were called for.
  var calls: [String] { folder.contents(of: "calls").split(separator: "\n").map(String.init) }

  /// Lets GitHub run a workflow of the reader's repository.
  func play(
    _ workflow: String = ".github/workflows/catalogue.yml", branch: String = "main",
    sourceLocation: Testing.SourceLocation = #_sourceLocation
  ) async throws -> PlayedJob {
    try await makeProject()
    let tool = "\(projectDirectory)/Tests/CheckLoansTests/Tools/run_action.py"
    var command = Command(
      try #require(PublicTools.interpreter),
      [
        tool, workflow, "--repository", "\(folder.path)/library.git", "--branch", branch,
        "--state", "\(folder.path)/runner", "--action",
        "OWNER/check-loans=\(folder.path)/project",
      ], environment: environment, directory: folder.path)
    command.deadline = .seconds(180)
    let result = try await command.run()
    let told = Comment(rawValue: result.errorText)
    let report = try #require(
      try? JSON(parsing: result.text), told, sourceLocation: sourceLocation)
    #expect(result.status == (report.conclusion == "success" ? 0 : 1))
    return PlayedJob(report: report)
  }

  /// What a YAML file says.
  func yaml(_ path: String) async throws -> JSON {
    let script = "import json, sys, yaml; json.dump(yaml.safe_load(sys.stdin), sys.stdout)"
    let result = try await shell("python -c '\(script)' < '\(path)'")
    return try JSON(parsing: result.text)
  }
}

/// A workflow of one job, which checks its repository out and then takes these steps.
func workflow(steps: String) -> String {
  let indented = steps.split(separator: "\n").map { "      \($0)\n" }.joined()
  return """
    on: push
    jobs:
      validate:
        runs-on: ubuntu-24.04
        steps:
          - uses: actions/checkout@v6
    \(indented)
    """
}

/// What became of a job, as GitHub shows it.
struct PlayedJob {
  /// What GitHub shows at a line of a file.
  struct Annotation: Hashable, CustomStringConvertible {
    var level: String
    var place: String
    var message: String

    var description: String { "\(level) at \(place): \(message)" }
  }

  let report: JSON

  /// Whether the check is red.
  var isRed: Bool { report.conclusion == "failure" }

  var annotations: [Annotation] {
    report.annotations.elements.map {
      Annotation(
        level: $0.level.text ?? "", place: "\($0.file.text ?? "?"):\($0.line.text ?? "?")",
        message: $0.message.text ?? "")
    }
  }

  /// The workflow commands that the steps gave, known or not.
  var commands: Set<String> { Set(report.commands.elements.compactMap(\.text)) }

  /// The lines that were no commands.
  var log: [String] { report.log.elements.compactMap(\.text) }

  /// ``log``, for a test that fails.
  var told: Comment { Comment(rawValue: log.joined(separator: "\n")) }

  /// What is shown below the job.
  var summary: String { report.summary.text ?? "" }

  /// What became of each step.
  var steps: [String] {
    report.steps.elements.map { "\($0.name.text ?? ""): \($0.outcome.text ?? "")" }
  }
}
