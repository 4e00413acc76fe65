import TestSupport
import Testing

/// What the shells complete.
struct CompletionTests {
  private static let (bash, zsh, fish) = ("/bin/bash", "/usr/bin/zsh", "/usr/bin/fish")

  /// A desk with a script for a shell, and some files.
  private func desk(_ shell: String) async throws -> Desk {
    let desk = try Desk()
    let script = try await desk.run("--generate-completion-script", shell)
    try #require(script.status == 0)
    try desk.folder.write(script.text, to: "_check-loans")
    try desk.folder.write("", to: "bo ok.xml")
    return desk
  }

  private func run(_ program: String, _ arguments: [String], _ desk: Desk) async throws -> [String]
  {
    var command = desk.command(arguments)
    command.program = program
    let result = try await command.run()
    #expect(result.outcome == Outcome(0, output: result.text))
    return result.lines
  }

  /// The words typed, the last one in part, and what is offered for it.
  private static let lines: [([String], [String])] = [
    (["bo"], ["bo ok.xml", "books.xml"]),
    (["books.xml", "bo"], ["bo ok.xml", "books.xml"]),
    (["check", "--noti"], ["--notify"]),
    (["check", "bo"], ["bo ok.xml", "books.xml"]),
    (["check", "--format", ""], ["csv", "html", "json", "letters", "table", "text"]),
    (["check", "--notify", "stdout", "bo"], ["bo ok.xml", "books.xml"]),
    (["check", "--dry-run", "--al"], ["--all", "--allow-empty"]),
    (["check", "books.xml", "--stat"], ["--state"]),
    (["val"], ["validate"]),
    (["validate", "--form"], ["--format"]),
    (["validate", "--max-d"], ["--max-days", "--max-diagnostics"]),
    (["validate", "--ignore", "dup"], ["duplicate-expiration", "duplicate-id", "duplicate-loan"]),
    (["validate", "--noti"], []),
    (["schedule", "l"], ["list"]),
    (["schema", "--format", ""], ["rng", "xsd"]),
  ]

  @Test(.enabled(if: File.exists(bash), "bash is not installed"), arguments: lines)
  func `bash completes commands, options and files`(
    words: [String], offered: [String]
  ) async throws {
    let script = """
      source ./_check-loans
      COMP_WORDS=(check-loans "$@"); COMP_CWORD=$#
      COMP_LINE="${COMP_WORDS[*]}"; COMP_POINT=${#COMP_LINE}
      _check-loans_or_file check-loans "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
      if (( ${#COMPREPLY[@]} )); then printf '%s\\n' "${COMPREPLY[@]}"; fi
      """
    let desk = try await desk("bash")
    #expect(try await run(Self.bash, ["-c", script, "bash"] + words, desk).sorted() == offered)
  }

  /// What bash offers for the last of some words, with the program itself to ask.
  private func offered(by desk: Desk, for words: [String]) async throws -> [String] {
    let script = """
      source ./_check-loans
      check-loans() { "\(Command.checkLoans)" "$@"; }
      COMP_WORDS=(check-loans "$@"); COMP_CWORD=$#
      COMP_LINE="${COMP_WORDS[*]}"; COMP_POINT=${#COMP_LINE}
      word=${COMP_WORDS[COMP_CWORD]}
      _check-loans_or_file check-loans "${word#=}" "${COMP_WORDS[COMP_CWORD - 1]}"
      if (( ${#COMPREPLY[@]} )); then printf '%s\\n' "${COMPREPLY[@]}"; fi
      """
    return try await run(Self.bash, ["-c", script, "bash"] + words, desk).sorted()
  }

  /// An option with its value is three words to bash.
  @Test(
    .enabled(if: File.exists(bash), "bash is not installed"),
    arguments: [
      (["check", "--format", "="], ["csv", "html", "json", "letters", "table", "text"]),
      (["validate", "--format", "=", "sa"], ["sarif"]),
      (["check", "--all", "--time-zone", "=", "Europe/Bud"], ["Europe/Budapest"]),
      (["check", "--format", "=", "json", "--notify", "=", "std"], ["stdout"]),
      (["check", "--format", "=", "json", "bo"], ["bo ok.xml", "books.xml"]),
      (["check", "--format", "=", "json", "--dr"], ["--dry-run"]),
      (["watch", "--action", "View", "=", "x"], []),
      (["timer", "--dry"], []),
    ])
  func `bash completes values after an equals sign`(
    words: [String], offered: [String]
  ) async throws {
    #expect(try await self.offered(by: try await desk("bash"), for: words) == offered)
  }

  @Test(.enabled(if: File.exists(bash), "bash is not installed"))
  func `bash offers the catalogues of the schedule to forget`() async throws {
    let desk = try await desk("bash")
    let path = desk.folder.path
    try desk.folder.makeDirectory("sub")
    for name in ["sub/own.xml", "x$(touch proof).xml"] {
      try desk.folder.write(catalogue(("Abigél", "2026.11.22")), to: name)
    }
    try await desk.run("-q", "books.xml", "sub/own.xml", "x$(touch proof).xml")
    let forget = ["schedule", "forget"]
    #expect(try await offered(by: desk, for: forget + [""]) == ["books.xml", "sub/own.xml"])
    #expect(
      try await offered(by: desk, for: forget + [path])
        == ["\(path)/books.xml", "\(path)/sub/own.xml"])
    #expect(try await desk.run("schedule", "forget", "sub/own.xml").status == 0)
    #expect(try await offered(by: desk, for: forget + ["s"]) == [])
    #expect(!desk.folder.contains("proof"))
  }

  @Test(.enabled(if: File.exists(bash), "bash is not installed"))
  func `bash offers subcommands and files for the first word`() async throws {
    let script = """
      source ./_check-loans
      COMP_WORDS=(check-loans ''); COMP_CWORD=1; COMP_LINE='check-loans '; COMP_POINT=12
      _check-loans_or_file check-loans '' check-loans
      printf '%s\\n' "${COMPREPLY[@]}"
      """
    let offered = try await run(Self.bash, ["-c", script], try await desk("bash"))
    #expect(Set(offered).isSuperset(of: ["check", "timer", "help", "books.xml", "bo ok.xml"]))
    #expect(Set(offered).count == offered.count, "each once")
  }

  @Test(.enabled(if: File.exists(bash), "bash is not installed"))
  func `bash runs no command that is the name of a file`() async throws {
    let script = """
      source ./_check-loans
      check-loans() { "\(Command.checkLoans)" "$@"; }
      COMP_WORDS=(check-loans check --profile ''); COMP_CWORD=3
      COMP_LINE='check-loans check --profile '; COMP_POINT=28
      _check-loans_or_file check-loans '' --profile
      printf '%s\\n' "${COMPREPLY[@]}"
      """
    let desk = try await desk("bash")
    try desk.folder.write("", to: "x$(touch proof).xml")
    let offered = try await run(Self.bash, ["-c", script], desk)
    #expect(Set(offered).isSuperset(of: ["auto", "books.xml"]))
    #expect(!desk.folder.contains("proof"))
  }

  @Test(.enabled(if: File.exists(fish), "fish is not installed"), arguments: lines)
  func `fish completes commands, options and files`(
    words: [String], offered: [String]
  ) async throws {
    let desk = try await desk("fish")
    let line = (["check-loans"] + words).joined(separator: " ")
    let found = try await run(
      Self.fish, ["--no-config", "-c", "source ./_check-loans; complete -C '\(line)'"], desk)
    #expect(found.map { String($0.prefix { $0 != "\t" }) }.sorted() == offered)
  }

  /// zsh completes at a terminal only: this asks what is handed to the function that does it.
  @Test(.enabled(if: File.exists(zsh), "zsh is not installed"), arguments: lines)
  func `zsh completes commands, options and files`(
    words: [String], offered: [String]
  ) async throws {
    let script = """
      compdef() {}
      _arguments() { state=; print -r -- "${words[*]}"; return 1 }
      _describe() { return 1 }
      _files() { print files; return 1 }
      source ./_check-loans
      words=(check-loans "$@"); CURRENT=$(( $# + 1 ))
      _check-loans_or_file || true
      """
    let desk = try await desk("zsh")
    let told = try await run(Self.zsh, ["-f", "-c", script, "zsh"] + words, desk)
    let isNamed = ["check", "validate", "schedule", "schema"].contains(words[0])
    let line = (["check-loans"] + words).joined(separator: " ")
    #expect(told == (isNamed || words.count == 1 ? [line] : []) + (isNamed ? [] : ["files"]))
  }
}
